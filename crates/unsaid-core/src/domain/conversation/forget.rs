//! Forget one, forget a person, forget all.

use std::collections::BTreeSet;

use super::{
    Conversation, DELIVERY_MEMORY_MS, EDIT_MEMORY_MS, Revision,
    change::{Decision, Event, Missing, Outcome, Refusal, Remove, Revise, Ripple},
    log::Entry,
};
use crate::domain::{
    id::{Fence, MessageId, Number, PersonId},
    message::Author,
    time::Timestamp,
};

impl Conversation {
    pub(super) fn remove(
        &mut self,
        remove: Remove,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) -> Result<Outcome, Refusal> {
        let Remove { id, missing, ripple } = remove;
        if let Some(turns) = self.tombstones.get(&id) {
            return Ok(Outcome::RemovedBefore { withdrawn: self.withdrawn(turns) });
        }
        let Some(entry) = self.log.by_id(&id) else {
            return self.remove_absent(id, missing, now);
        };
        if !entry.message.author.is_person() {
            return Err(Refusal::NotAPersons);
        }
        let number = entry.number;
        self.close_undo(now, false);
        let turns = self.forget_entry(number, ripple, now, events);
        let withdrawn = self.withdrawn(&turns);
        self.tombstones.insert(id, turns);
        Ok(Outcome::Removed { withdrawn })
    }

    pub(super) fn revise(
        &mut self,
        revise: Revise,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) -> Result<Outcome, Refusal> {
        let Revise { id, by, parts, at, ripple } = revise;
        if self.tombstones.contains_key(&id) {
            return Ok(Outcome::TakenBack);
        }
        let Some(entry) = self.log.by_id(&id) else {
            if self.revisions.get(&id).is_some_and(|waiting| waiting.at >= at) {
                return Ok(Outcome::Nothing);
            }
            // What an undo would bring back must not come back without this edit.
            self.close_undo(now, false);
            self.revisions.insert(id, Revision { by, at, since: now, parts });
            return Ok(Outcome::Deferred);
        };
        if !entry.message.author.is_person() {
            return Err(Refusal::NotAPersons);
        }
        if entry.revised_at.is_some_and(|newest| newest >= at) {
            return Ok(Outcome::Nothing);
        }
        let (number, turns) = (entry.number, entry.asked_in.clone());
        self.cancel_turn_that_read(number, now);
        self.close_undo(now, false);
        self.log.update(number, |entry| {
            entry.message.parts = parts;
            entry.revised_at = Some(at);
        });
        self.ripple(&turns, ripple, events);
        Ok(Outcome::Done)
    }

    pub(super) fn erase_author(
        &mut self,
        person: &PersonId,
        ripple: Ripple,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) -> Outcome {
        let theirs = Author::Person(Some(person.clone()));
        let numbers: Vec<Number> = self
            .log
            .iter()
            .filter(|entry| entry.message.author == theirs)
            .map(|entry| entry.number)
            .collect();
        let revisions = self.revisions.len();
        self.revisions.retain(|_, revision| revision.by.as_ref() != Some(person));
        if numbers.is_empty() && revisions == self.revisions.len() && !self.undo_holds(&theirs) {
            return Outcome::Nothing;
        }
        self.close_undo(now, false);
        for number in &numbers {
            self.forget_entry(*number, ripple, now, events);
        }
        Outcome::Erased { count: numbers.len() as u64 }
    }

    /// Keeps the counters, so that numbers are never reused, and the ids that stay out.
    pub(super) fn erase_all(&mut self, events: &mut Vec<Event>) -> Outcome {
        let heard: Vec<&Entry> = self.log.iter().filter(|entry| entry.is_heard()).collect();
        if let Some(first) = heard.first() {
            events.push(Event::Removed {
                from: first.message.id.clone(),
                count: heard.len() as u64,
                edit: None,
                unsent: false,
            });
        }
        let count = self.log.len() as u64;
        *self = Self {
            version: self.version,
            last_number: self.last_number,
            last_fence: self.last_fence,
            tombstones: std::mem::take(&mut self.tombstones),
            deliveries: std::mem::take(&mut self.deliveries),
            ..Self::default()
        };
        Outcome::Erased { count }
    }

    pub(super) fn expire(&mut self, now: Timestamp) -> Outcome {
        let before = self.ages();
        if self.undo.as_ref().is_some_and(|undo| undo.until <= now) {
            self.close_undo(now, true);
        }
        let horizon = now.plus_millis(-DELIVERY_MEMORY_MS);
        self.deliveries.retain(|_, at| *at > horizon);
        self.revisions.retain(|_, revision| revision.since > horizon);
        let horizon = now.plus_millis(-EDIT_MEMORY_MS);
        self.closed_edits.retain(|_, closed| closed.at > horizon);
        if before == self.ages() { Outcome::Nothing } else { Outcome::Done }
    }

    /// Removes an entry with all that depends on it; returns the turns that were asked about it.
    fn forget_entry(
        &mut self,
        number: Number,
        ripple: Ripple,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) -> BTreeSet<Fence> {
        self.cancel_turn_that_read(number, now);
        let Some(entry) = self.log.remove(number) else { return BTreeSet::new() };
        self.forget_wish_if_nothing_waits();
        events.push(unsent(entry.message.id));
        self.ripple(&entry.asked_in, ripple, events);
        entry.asked_in
    }

    /// Answers to a question lose their words with it (H4); reasons for silence always do.
    fn ripple(&mut self, turns: &BTreeSet<Fence>, ripple: Ripple, events: &mut Vec<Event>) {
        self.forget_reasons(turns);
        if ripple == Ripple::Keep {
            return;
        }
        for number in self.log.of_turns(turns) {
            if let Some(entry) = self.log.get(number).filter(|entry| entry.is_heard()) {
                events.push(unsent(entry.message.id.clone()));
            }
            self.log.update(number, Entry::lose_words);
        }
    }

    pub(super) fn forget_reasons(&mut self, turns: &BTreeSet<Fence>) {
        for turn in turns {
            let ended = self.turns.get_mut(turn).and_then(|record| record.ended.as_mut());
            if let Some((Decision::Silent { reason }, _)) = ended {
                *reason = None;
            }
        }
    }

    fn cancel_turn_that_read(&mut self, number: Number, now: Timestamp) {
        let read = match (&self.turn, self.log.get(number)) {
            (Some(lease), Some(entry)) => lease.has_read(entry),
            (Some(_) | None, _) => false,
        };
        if read {
            self.give_up_turn(Decision::Cancelled, now);
        }
    }

    fn remove_absent(
        &mut self,
        id: MessageId,
        missing: Missing,
        now: Timestamp,
    ) -> Result<Outcome, Refusal> {
        let undone = self.undo.as_ref().is_some_and(|undo| {
            undo.entries
                .iter()
                .any(|entry| entry.message.id == id && entry.message.author.is_person())
        });
        if missing == Missing::Refuse && !undone {
            return Err(Refusal::NotFound);
        }
        self.close_undo(now, false);
        self.revisions.remove(&id);
        self.tombstones.insert(id, BTreeSet::new());
        Ok(Outcome::Removed { withdrawn: Vec::new() })
    }

    fn withdrawn(&self, turns: &BTreeSet<Fence>) -> Vec<MessageId> {
        self.log
            .of_turns(turns)
            .into_iter()
            .filter_map(|number| self.log.get(number))
            .filter(|entry| entry.gone)
            .map(|entry| entry.message.id.clone())
            .collect()
    }

    fn undo_holds(&self, author: &Author) -> bool {
        self.undo
            .as_ref()
            .is_some_and(|undo| undo.entries.iter().any(|entry| entry.message.author == *author))
    }

    /// What expiry may shrink.
    fn ages(&self) -> (bool, usize, usize, usize) {
        let counts = (self.deliveries.len(), self.revisions.len(), self.closed_edits.len());
        (self.undo.is_some(), counts.0, counts.1, counts.2)
    }
}

fn unsent(id: MessageId) -> Event {
    Event::Removed { from: id, count: 1, edit: None, unsent: true }
}
