//! What must hold, whatever the order.

use std::collections::BTreeSet;

use unsaid_core::{
    domain::{
        conversation::{
            Conversation,
            log::{Entry, Sending},
        },
        id::Fence,
        message::Part,
    },
    port::messenger::Letter,
};

use super::{Journal, Step, edited_words_of, id_of};
use crate::builder::{message_id, words_of};

/// H5: nothing is handed over that was built on what is taken back or edited by now.
pub(super) fn may_leave(journal: &Journal, letter: &Letter, order: &[Step]) {
    let text = letter.text.as_str();
    for number in &journal.unsent {
        let id = id_of(*number);
        for words in [words_of(&id), edited_words_of(&id)] {
            assert!(!text.contains(&words), "{id} was taken back before this left: {order:?}");
        }
    }
    for number in &journal.edited {
        let old = words_of(&id_of(*number));
        assert!(!text.contains(&old), "{old} was edited before this left: {order:?}");
    }
}

/// H4 and H11, after everything came to its end.
pub(super) fn check(journal: &Journal, whole: Option<&Conversation>, order: &[Step]) {
    let whole = whole.expect("something happened here");
    assert_eq!((whole.turn.as_ref(), whole.wanted_at), (None, None), "{order:?}");
    assert!(whole.log.waiting().is_empty(), "somebody waits: {order:?}");
    outbox_and_history_agree(journal, whole, order);
    for number in &journal.said {
        let id = message_id(&id_of(*number));
        let unsent = journal.unsent.contains(number);
        assert_eq!(whole.tombstones.contains_key(&id), unsent, "{order:?}");
        if let Some(asked_in) = whole.tombstones.get(&id) {
            assert!(whole.log.by_id(&id).is_none(), "{id} is still there: {order:?}");
            forgotten(whole, asked_in, &id_of(*number), order);
        } else {
            let entry = whole.log.by_id(&id).expect("nobody took it back");
            stands(journal, whole, (entry, *number), order);
        }
    }
}

/// H11: what was sent is here, what is here as sent was sent, and nothing was sent twice.
fn outbox_and_history_agree(journal: &Journal, whole: &Conversation, order: &[Step]) {
    let mut sent = BTreeSet::new();
    for letter in &journal.outbox {
        assert!(sent.insert(&letter.id), "sent twice: {order:?}");
        let entry = whole.log.by_id(&letter.id).expect("what was sent is in the history");
        assert_eq!((entry.sending, entry.turn), (Sending::Sent, Some(letter.turn)), "{order:?}");
        if !entry.gone {
            assert_eq!(text(entry), letter.text.as_str(), "{order:?}");
        }
    }
    for entry in whole.log.iter().filter(|entry| entry.turn.is_some()) {
        match entry.sending {
            Sending::Sent => assert!(sent.contains(&entry.message.id), "never sent: {order:?}"),
            Sending::Failed => assert!(!sent.contains(&entry.message.id), "was sent: {order:?}"),
            Sending::Here | Sending::Intended | Sending::Unknown => {
                panic!("{:?} is no outcome of these: {order:?}", entry.sending)
            }
        }
    }
}

/// H4: no answer of a turn that was asked about it has words, and only answers of other turns may
/// still quote it.
fn forgotten(whole: &Conversation, asked_in: &BTreeSet<Fence>, id: &str, order: &[Step]) {
    for entry in whole.log.iter() {
        let asked = entry.turn.is_some_and(|turn| asked_in.contains(&turn));
        if asked {
            assert!(entry.gone && entry.message.parts.is_empty(), "{id} rippled: {order:?}");
        }
        let quotes =
            [words_of(id), edited_words_of(id)].iter().any(|words| text(entry).contains(words));
        assert!(!quotes || entry.turn.is_some(), "{id} is still there: {order:?}");
    }
}

/// A message that stands was answered, and not twice; after an edit nothing quotes the old words.
fn stands(journal: &Journal, whole: &Conversation, (entry, number): (&Entry, u8), order: &[Step]) {
    let id = id_of(number);
    let edited = journal.edited.contains(&number);
    let words = if edited { edited_words_of(&id) } else { words_of(&id) };
    assert_eq!(text(entry), words, "{order:?}");
    let of_its_turns =
        |answer: &&Entry| answer.turn.is_some_and(|turn| entry.asked_in.contains(&turn));
    let answers: Vec<&Entry> = whole.log.iter().filter(of_its_turns).collect();
    let sent = answers.iter().filter(|answer| answer.sending == Sending::Sent).count();
    assert!(sent > 0, "{id} was not answered: {order:?}");
    let heard = answers.iter().filter(|answer| answer.is_heard());
    assert!(heard.count() <= 1, "{id} was answered twice: {order:?}");
    if edited {
        let old = words_of(&id);
        let quotes = answers.iter().any(|answer| text(answer).contains(&old));
        assert!(!quotes, "{old} is still quoted: {order:?}");
    }
}

fn text(entry: &Entry) -> String {
    let texts = entry.message.parts.iter().map(|part| match part {
        Part::Text { text } => text.as_str(),
        Part::Media { .. } | Part::Original { .. } => "",
    });
    texts.collect()
}
