//! What happened so far, and what must be true of it ever after.

use std::collections::{BTreeMap, BTreeSet};

use unsaid_core::domain::{
    conversation::{
        Conversation,
        change::{
            Applied, Change, Cut, Decision, Event, Outcome, Refusal, Remove, ReplaceTail, Revise,
            Ripple, Say,
        },
        log::{Entry, Log},
    },
    id::{EditId, Fence, MessageId, Number, PersonId},
    message::{Author, Message, Part},
    time::Timestamp,
};

use crate::words;

/// One step that was made.
pub(crate) struct Made<'a> {
    pub(crate) before: &'a Conversation,
    pub(crate) change: &'a Change,
    pub(crate) now: Timestamp,
    pub(crate) result: &'a Result<Applied, Refusal>,
    pub(crate) after: &'a Conversation,
}

#[derive(Default)]
pub(crate) struct Ledger {
    /// H2: what each number was given to.
    given: BTreeMap<Number, MessageId>,
    /// H4: all words ever taken in under an id.
    texts: BTreeMap<MessageId, Vec<String>>,
    /// All words ever taken in from a person.
    texts_by: BTreeMap<PersonId, Vec<String>>,
    /// H4: turns whose answers must be without words.
    withdrawn: BTreeSet<Fence>,
    /// Turns whose reasons must be gone.
    unreasoned: BTreeSet<Fence>,
    /// What each edit removed.
    tails: BTreeMap<EditId, Vec<Entry>>,
    /// What somebody knows who follows the events.
    watched: BTreeMap<MessageId, Number>,
}

impl Ledger {
    /// Writes a step down, and checks everything that was ever written down.
    pub(crate) fn record(&mut self, made: &Made<'_>) {
        self.check_numbers(made);
        if let Ok(applied) = made.result
            && applied.outcome.is_effective()
        {
            self.take_words(made);
            self.take_turns(made);
            self.watch(applied, made.after);
            self.check_tail(made, &applied.outcome);
        }
        self.check_words(made);
        self.check_watched(made.after);
    }

    /// H2: rising, without gaps when given, never another meaning.
    fn check_numbers(&mut self, made: &Made<'_>) {
        let before = made.before.last_number;
        let new: Vec<&Entry> = made.after.log.from(before.next()).collect();
        let expected = (before.get() + 1..=made.after.last_number.get()).map(Number::new);
        assert!(new.iter().map(|entry| entry.number).eq(expected), "numbers with gaps");
        for entry in made.after.log.iter() {
            let id = self.given.entry(entry.number).or_insert_with(|| entry.message.id.clone());
            assert_eq!(*id, entry.message.id, "number {} was reused", entry.number);
        }
    }

    fn take_words(&mut self, made: &Made<'_>) {
        match made.change {
            Change::Say(Say { message, .. }) | Change::Intend { message, .. } => {
                self.take_message(message);
            }
            Change::Answer { messages, .. } => {
                for message in messages {
                    self.take_message(message);
                }
            }
            Change::ReplaceTail(replace) => {
                if let Some((message, _)) = &replace.with {
                    self.take_message(message);
                }
            }
            Change::Fill { id, parts } => {
                let author = made.before.log.by_id(id).map(|entry| &entry.message.author);
                let by = match author {
                    Some(Author::Person(by)) => by.clone(),
                    Some(Author::Agent(_)) | None => None,
                };
                self.take_parts(id, by.as_ref(), parts);
            }
            Change::Revise(Revise { id, by, parts, .. }) => {
                self.take_parts(id, by.as_ref(), parts);
            }
            Change::Begin { .. }
            | Change::Renew { .. }
            | Change::Settle { .. }
            | Change::Decide { .. }
            | Change::Release { .. }
            | Change::Stop
            | Change::Remove(_)
            | Change::Restore { .. }
            | Change::CloseUndo
            | Change::Clear(_)
            | Change::EraseAuthor { .. }
            | Change::EraseAll
            | Change::Expire => {}
        }
    }

    fn take_message(&mut self, message: &Message) {
        let by = match &message.author {
            Author::Person(by) => by.as_ref(),
            Author::Agent(_) => None,
        };
        self.take_parts(&message.id, by, &message.parts);
    }

    fn take_parts(&mut self, id: &MessageId, by: Option<&PersonId>, parts: &[Part]) {
        for part in parts {
            let Part::Text { text } = part else { continue };
            let text = text.as_str().to_owned();
            self.texts.entry(id.clone()).or_default().push(text.clone());
            if let Some(by) = by {
                self.texts_by.entry(by.clone()).or_default().push(text);
            }
        }
    }

    /// Which turns lose their answers or reasons by this step.
    fn take_turns(&mut self, made: &Made<'_>) {
        let log = &made.before.log;
        let (lost, ripple): (Vec<&Entry>, Ripple) = match made.change {
            Change::Remove(Remove { id, ripple, .. })
            | Change::Revise(Revise { id, ripple, .. }) => {
                (log.by_id(id).into_iter().collect(), *ripple)
            }
            Change::EraseAuthor { person, ripple } => {
                let theirs = Author::Person(Some(person.clone()));
                (log.iter().filter(|entry| entry.message.author == theirs).collect(), *ripple)
            }
            Change::ReplaceTail(replace) => {
                let from = first_of(log, replace);
                (from.into_iter().flat_map(|from| log.from(from)).collect(), Ripple::Keep)
            }
            Change::EraseAll => (log.iter().collect(), Ripple::Withdraw),
            Change::Say(_)
            | Change::Fill { .. }
            | Change::Begin { .. }
            | Change::Renew { .. }
            | Change::Intend { .. }
            | Change::Settle { .. }
            | Change::Answer { .. }
            | Change::Decide { .. }
            | Change::Release { .. }
            | Change::Stop
            | Change::Restore { .. }
            | Change::CloseUndo
            | Change::Clear(_)
            | Change::Expire => return,
        };
        for entry in lost {
            self.unreasoned.extend(&entry.asked_in);
            if ripple == Ripple::Withdraw {
                self.withdrawn.extend(&entry.asked_in);
            }
        }
    }

    /// H4: what was taken back is nowhere, whatever came before or after.
    fn check_words(&self, made: &Made<'_>) {
        let state = made.after;
        let held: BTreeSet<&str> = words::all(state).into_iter().collect();
        let absent = |texts: &[String]| texts.iter().all(|text| !held.contains(text.as_str()));
        for id in state.tombstones.keys() {
            let texts = self.texts.get(id).map_or(&[][..], |texts| texts);
            assert!(absent(texts), "{id} was taken back and its words are there");
        }
        if let Change::EraseAuthor { person, .. } = made.change {
            let texts = self.texts_by.get(person).map_or(&[][..], |texts| texts);
            assert!(absent(texts), "{person} was erased and their words are there");
        }
        if *made.change == Change::EraseAll {
            assert!(held.is_empty(), "all was erased and words are there");
        }
        let undo = state.undo.iter().flat_map(|undo| &undo.entries);
        for entry in state.log.iter().chain(undo) {
            if entry.turn.is_some_and(|turn| self.withdrawn.contains(&turn)) {
                assert!(entry.message.parts.is_empty(), "an answer outlived its question");
            }
        }
        for (turn, record) in &state.turns {
            if let Some((Decision::Silent { reason: Some(_) }, _)) = record.ended {
                assert!(!self.unreasoned.contains(turn), "a reason outlived its question");
            }
        }
    }

    /// H6, and its undoing.
    fn check_tail(&mut self, made: &Made<'_>, outcome: &Outcome) {
        match (made.change, outcome) {
            (Change::ReplaceTail(replace), Outcome::Replaced { count, number }) => {
                let from = first_of(&made.before.log, replace).expect("it was there");
                let removed: Vec<Entry> = made.before.log.from(from).cloned().collect();
                let heard = removed.iter().filter(|entry| entry.is_heard()).count();
                assert_eq!(*count, heard as u64);
                let left = made.after.log.from(from).map(|entry| entry.number);
                assert!(left.eq(*number), "only the replacement is at or after the edited place");
                let prefix = |state: &Conversation| -> Vec<Message> {
                    state.log.before(from).map(|entry| entry.message.clone()).collect()
                };
                assert_eq!(prefix(made.before), prefix(made.after));
                if let Some((edit, _)) = &replace.undo {
                    self.tails.insert(edit.clone(), removed);
                }
            }
            (Change::Restore { edit, .. }, Outcome::Restored { from, count }) => {
                let tail = &self.tails[edit];
                let from =
                    from.as_ref().map(|from| made.after.log.by_id(from).expect("it is back"));
                let back = from.map(|from| made.after.log.from(from.number).cloned().collect());
                let back: Vec<Entry> = back.unwrap_or_default();
                // Who waits may differ: a turn that ran then was given up. Ways back are gone.
                assert!(back.iter().all(|entry| entry.way_back.is_none()));
                let still =
                    |entry: &Entry| Entry { waiting: false, way_back: None, ..entry.clone() };
                assert!(back.iter().map(still).eq(tail.iter().map(still)), "all is as it was");
                let heard = tail.iter().filter(|entry| entry.is_heard()).count();
                assert_eq!(*count, heard as u64);
            }
            _ => {}
        }
    }

    /// Follows the events as a watcher does.
    fn watch(&mut self, applied: &Applied, after: &Conversation) {
        for event in &applied.events {
            match event {
                Event::Message { id } => {
                    let number = after.log.by_id(id).expect("told, so it is there").number;
                    assert_eq!(self.watched.insert(id.clone(), number), None, "told twice");
                }
                Event::Removed { from, unsent: true, .. } => {
                    assert!(self.watched.remove(from).is_some(), "nobody knew of {from}");
                }
                Event::Removed { from, count, unsent: false, .. } => {
                    let from = self.watched[from];
                    let known = self.watched.len();
                    self.watched.retain(|_, number| *number < from);
                    assert_eq!((known - self.watched.len()) as u64, *count);
                }
                Event::Restored { from, count, .. } => {
                    let from = after.log.by_id(from).expect("told, so it is there").number;
                    let back = after.log.from(from).filter(|entry| entry.is_heard());
                    let known = self.watched.len();
                    self.watched.extend(back.map(|entry| (entry.message.id.clone(), entry.number)));
                    assert_eq!((self.watched.len() - known) as u64, *count);
                }
            }
        }
    }

    fn check_watched(&self, state: &Conversation) {
        let heard: BTreeMap<MessageId, Number> = state
            .log
            .iter()
            .filter(|entry| entry.is_heard())
            .map(|entry| (entry.message.id.clone(), entry.number))
            .collect();
        assert_eq!(self.watched, heard, "who follows the events knows what can be read");
    }
}

/// The first number that a cut takes.
fn first_of(log: &Log, replace: &ReplaceTail) -> Option<Number> {
    match &replace.from {
        Cut::At(id) => log.by_id(id).map(|entry| entry.number),
        Cut::After(number) => Some(number.next()),
    }
}
