//! Forget from here, and take that back.

use super::{
    ClosedEdit, Conversation, Undo,
    change::{Cut, Decision, Event, Interrupt, Outcome, Refusal, ReplaceTail},
    log::Entry,
};
use crate::domain::{
    id::{EditId, MessageId, Number},
    message::Message,
    time::Timestamp,
};

impl Conversation {
    pub(super) fn replace_tail(
        &mut self,
        replace: ReplaceTail,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) -> Result<Outcome, Refusal> {
        let ReplaceTail { from, with, undo, interrupt } = replace;
        let number = self.number_of(&from)?;
        if with.as_ref().is_some_and(|(message, _)| !self.is_free_before(message, number)) {
            return Err(Refusal::IdTaken);
        }
        if with.is_none() && self.log.from(number).next().is_none() {
            return Ok(Outcome::Nothing);
        }
        self.interrupt(interrupt, now)?;
        self.close_undo(now, false);
        let entries = self.cut(number);
        let count = heard(&entries);
        let edit = undo.as_ref().map(|(edit, _)| edit.clone());
        if let Some(from) = first_told(from, &entries) {
            events.push(Event::Removed { from, count, edit, unsent: false });
        }
        if let Some((edit, until)) = undo {
            self.undo = Some(Undo { edit, until, from: number, entries });
        }
        let number = with.map(|(message, wants)| self.take_in(message, wants, events));
        Ok(Outcome::Replaced { count, number })
    }

    pub(super) fn restore(
        &mut self,
        edit: &EditId,
        (interrupt, or_nothing): (Interrupt, bool),
        now: Timestamp,
        events: &mut Vec<Event>,
    ) -> Result<Outcome, Refusal> {
        if let Some(closed) = self.closed_edits.get(edit) {
            let expired = closed.expired;
            return Err(if expired { Refusal::UndoExpired } else { Refusal::UndoBlocked });
        }
        let open = self.undo.as_ref().filter(|undo| undo.edit == *edit);
        let open = open.filter(|undo| or_nothing || undo.entries.iter().any(Entry::is_heard));
        if open.ok_or(Refusal::EditNotFound)?.until <= now {
            return Err(Refusal::UndoExpired);
        }
        self.interrupt(interrupt, now)?;
        let Some(undo) = self.undo.take() else { return Err(Refusal::EditNotFound) };
        self.closed_edits.insert(edit.clone(), ClosedEdit { at: now, expired: false });
        let replaced = self.cut(undo.from);
        if let Some(first) = replaced.iter().find(|entry| entry.is_heard()) {
            let (from, count) = (first.message.id.clone(), heard(&replaced));
            events.push(Event::Removed { from, count, edit: None, unsent: false });
        }
        let (count, from) = (heard(&undo.entries), undo.entries.first());
        let from = from.map(|entry| entry.message.id.clone());
        for entry in undo.entries {
            self.log.insert(entry);
        }
        if !self.log.waiting().is_empty() {
            self.wanted_at = Some(now);
        }
        if let Some(from) = from.clone() {
            events.push(Event::Restored { edit: edit.clone(), from, count });
        }
        Ok(Outcome::Restored { from, count })
    }

    /// From now on the newest edit cannot be undone, and its words are gone.
    pub(super) fn close_undo(&mut self, now: Timestamp, expired: bool) {
        if let Some(undo) = self.undo.take() {
            let expired = expired || undo.until <= now;
            self.closed_edits.insert(undo.edit, ClosedEdit { at: now, expired });
        }
    }

    /// The first number that goes.
    fn number_of(&self, from: &Cut) -> Result<Number, Refusal> {
        match from {
            Cut::At(id) => {
                let entry = self.log.by_id(id).ok_or(Refusal::NotFound)?;
                let is_persons = entry.message.author.is_person();
                if is_persons { Ok(entry.number) } else { Err(Refusal::NotAPersons) }
            }
            Cut::After(number) => Ok(number.next()),
        }
    }

    fn interrupt(&mut self, interrupt: Interrupt, now: Timestamp) -> Result<(), Refusal> {
        if interrupt == Interrupt::No {
            self.refuse_while_running(now)?;
        }
        // What may have left the house keeps its line until that is known (H11).
        if let Some(id) = self.unsettled() {
            return Err(Refusal::Unsettled { id });
        }
        self.give_up_turn(Decision::Cancelled, now);
        Ok(())
    }

    /// Takes the tail out of the log. Nobody owes it an answer while it is out, so the ways back go;
    /// they would not be good for long anyway.
    fn cut(&mut self, number: Number) -> Vec<Entry> {
        let mut entries = self.log.remove_from(number);
        for entry in &mut entries {
            entry.way_back = None;
            self.forget_reasons(&entry.asked_in);
        }
        self.forget_wish_if_nothing_waits();
        entries
    }

    /// A replacement may carry the id of what it replaces, but of nothing that stays.
    fn is_free_before(&self, message: &Message, number: Number) -> bool {
        !self.tombstones.contains_key(&message.id)
            && self.log.by_id(&message.id).is_none_or(|entry| entry.number >= number)
    }
}

/// From which message on watchers are told that all is gone; nobody is told of what nobody heard.
fn first_told(from: Cut, entries: &[Entry]) -> Option<MessageId> {
    match from {
        Cut::At(id) => Some(id),
        Cut::After(_) => {
            let first = entries.iter().find(|entry| entry.is_heard());
            first.map(|entry| entry.message.id.clone())
        }
    }
}

fn heard(entries: &[Entry]) -> u64 {
    entries.iter().filter(|entry| entry.is_heard()).count() as u64
}
