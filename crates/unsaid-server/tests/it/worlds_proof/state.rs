//! What a conversation is to be after a change, exactly: as the rules of the history have it.

use unsaid_core::domain::conversation::Conversation;
use unsaid_core::domain::conversation::change::{Change, Interrupt, ReplaceTail};
use unsaid_core::domain::id::{EditId, MessageId};
use unsaid_core::domain::time::Timestamp;

/// After an edit that nobody answers. The id of the new message, and the name of the edit, are as
/// they are in what was seen.
pub(super) fn edited(
    before: &Conversation,
    seen: &Conversation,
    from: &str,
    words: &str,
) -> Conversation {
    let newest = seen.log.iter().next_back().expect("there is a message").message.clone();
    assert_eq!(newest.text(), words);
    let now = newest.at;
    cut(before, seen, from, Some((newest, None)), now)
}

/// After a removal.
pub(super) fn removed(before: &Conversation, seen: &Conversation, from: &str) -> Conversation {
    cut(before, seen, from, None, Timestamp::from_millis(0))
}

/// After an undo, whenever it was made.
pub(super) fn restored_in(before: &Conversation, seen: &Conversation, edit: &str) -> Conversation {
    let closed = seen.closed_edits.get(&EditId::new(edit).unwrap());
    restored(before, edit, closed.expect("an undo closes its edit").at)
}

/// After an undo.
pub(super) fn restored(before: &Conversation, edit: &str, now: Timestamp) -> Conversation {
    let (edit, interrupt) = (EditId::new(edit).unwrap(), Interrupt::No);
    after(before, Change::Restore { edit, interrupt, or_nothing: false }, now)
}

fn cut(
    before: &Conversation,
    seen: &Conversation,
    from: &str,
    with: Option<(unsaid_core::domain::message::Message, Option<Timestamp>)>,
    now: Timestamp,
) -> Conversation {
    let from = MessageId::new(from).unwrap().into();
    let undo = seen.undo.as_ref().map(|undo| (undo.edit.clone(), undo.until));
    let interrupt = Interrupt::No;
    after(before, Change::ReplaceTail(ReplaceTail { from, with, undo, interrupt }), now)
}

fn after(before: &Conversation, change: Change, now: Timestamp) -> Conversation {
    let mut after = before.clone();
    after.apply(change, now).unwrap();
    after
}
