//! What is true of every conversation at every moment, whatever happened before.

use std::collections::BTreeSet;

use unsaid_core::domain::{
    conversation::{
        Conversation,
        change::{Applied, Change, Refusal},
        log::{Entry, Sending},
    },
    id::{MessageId, Number, Version},
    time::Timestamp,
};

/// Applies a change and checks all that must hold, whatever the change was.
pub(crate) fn apply(
    state: &mut Conversation,
    change: Change,
    now: Timestamp,
) -> Result<Applied, Refusal> {
    let before = state.clone();
    let result = state.apply(change, now);
    match &result {
        Ok(applied) if applied.outcome.is_effective() => {
            assert_eq!(state.version, before.version.next(), "an effective change is one version");
        }
        Ok(_) | Err(_) => assert_eq!(*state, before, "without effect nothing may change"),
    }
    if let Ok(applied) = &result {
        assert_eq!(applied.version, state.version);
        if !applied.outcome.is_effective() {
            assert_eq!(applied.events, [], "nothing happened, and nobody is told");
        }
    }
    assert!(state.last_number >= before.last_number, "numbers never fall");
    assert!(state.last_fence >= before.last_fence, "fences never fall");
    check(state);
    result
}

/// The same conversation as if both had the same version.
pub(crate) fn equal_but_for_version(one: &Conversation, other: &Conversation) -> bool {
    let same = |state: &Conversation| Conversation { version: Version::ZERO, ..state.clone() };
    same(one) == same(other)
}

/// Checks the structure.
pub(crate) fn check(state: &Conversation) {
    check_log(state);
    check_turn(state);
    check_undo(state);
    for id in state.tombstones.keys() {
        assert!(state.log.by_id(id).is_none(), "{id} was taken back and is in the log");
        assert!(!state.revisions.contains_key(id), "{id} was taken back and has a revision");
    }
}

fn check_log(state: &Conversation) {
    let mut ids = BTreeSet::<&MessageId>::new();
    let mut last = Number::ZERO;
    for entry in state.log.iter() {
        let id = &entry.message.id;
        assert!(entry.number > last, "numbers rise");
        last = entry.number;
        assert!(ids.insert(id), "{id} is there twice");
        assert_eq!(state.log.by_id(id).map(|found| found.number), Some(entry.number));
        let revised = entry.message.author.is_person() && state.revisions.contains_key(id);
        assert!(!revised, "{id} is here, and its edit still waits for it");
        assert_eq!(state.log.get(entry.number), Some(entry));
        check_entry(state, entry);
    }
    assert!(last <= state.last_number);
    assert_eq!(state.log.len(), ids.len());
    assert_eq!(state.log.is_empty(), ids.is_empty());
    let waiting: BTreeSet<Number> =
        state.log.iter().filter(|entry| entry.waiting).map(|entry| entry.number).collect();
    assert_eq!(*state.log.waiting(), waiting, "the index of waiting entries is right");
    assert_eq!(state.wanted_at.is_some(), !waiting.is_empty(), "wanted while an entry waits");
}

fn check_entry(state: &Conversation, entry: &Entry) {
    assert!(!entry.gone || entry.message.parts.is_empty(), "gone, and still with words");
    assert!(!entry.gone || entry.turn.is_some(), "only answers lose their words and stay");
    assert!(entry.way_back.is_none() || is_owed(state, entry), "a way back for no answer");
    assert!(entry.asked_in.iter().all(|fence| *fence <= state.last_fence));
    assert!(entry.turn.is_none_or(|fence| fence <= state.last_fence));
    match entry.sending {
        Sending::Failed => assert!(entry.gone, "what never left has no words"),
        Sending::Intended | Sending::Sent | Sending::Unknown => {
            assert!(entry.turn.is_some(), "only answers leave the house");
        }
        Sending::Here => {}
    }
}

/// Whether somebody owes an answer to an entry: it waits, or is being answered. To what is not in the
/// log nobody does.
fn is_owed(state: &Conversation, entry: &Entry) -> bool {
    let asked = |number| state.turn.as_ref().is_some_and(|turn| turn.questions.contains(number));
    let in_log = state.log.get(entry.number) == Some(entry);
    in_log && (entry.waiting || asked(&entry.number))
}

fn check_turn(state: &Conversation) {
    let running: Vec<_> =
        state.turns.iter().filter(|(_, record)| record.ended.is_none()).map(|(f, _)| *f).collect();
    let unsettled = state.log.iter().filter(|entry| entry.sending == Sending::Intended).count();
    assert!(unsettled <= 1, "one answer at a time is on its way");
    let Some(lease) = &state.turn else {
        assert_eq!(running, [], "a turn without a lease is over");
        return;
    };
    assert_eq!(running, [lease.fence], "the one turn that is not over is the one that runs");
    assert_eq!(lease.fence, state.last_fence, "the newest turn is the one that runs");
    assert!(lease.seen_through <= state.last_number);
    assert!(!lease.questions.is_empty(), "a turn is asked something");
    for number in &lease.questions {
        let entry = state.log.get(*number).expect("a running turn's questions are in the log");
        assert!(!entry.gone && !entry.waiting, "a question is being answered, not waiting");
        assert!(entry.asked_in.contains(&lease.fence), "a question knows its turn");
        assert!(lease.has_read(entry));
    }
}

fn check_undo(state: &Conversation) {
    let Some(undo) = &state.undo else { return };
    assert!(!state.closed_edits.contains_key(&undo.edit), "open and closed at once");
    assert!(undo.entries.first().is_none_or(|entry| undo.from <= entry.number));
    assert!(undo.entries.windows(2).all(|pair| pair[0].number < pair[1].number));
    let last = undo.entries.last().map(|entry| entry.number);
    assert!(
        state.log.from(undo.from).all(|entry| Some(entry.number) > last),
        "what was removed is out of the log"
    );
    for entry in &undo.entries {
        let id = &entry.message.id;
        assert!(!state.tombstones.contains_key(id), "{id} was taken back and can be restored");
        let revised = entry.message.author.is_person() && state.revisions.contains_key(id);
        assert!(!revised, "{id} can be restored without its edit");
        assert_ne!(entry.sending, Sending::Intended, "{id} could never be settled");
        check_entry(state, entry);
    }
}
