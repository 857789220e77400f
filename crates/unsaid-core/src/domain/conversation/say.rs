//! Remember: something is said, and gets its place.

use std::collections::BTreeSet;

use super::{
    Conversation,
    change::{Event, Outcome, Refusal, Say},
    log::{Entry, Sending},
};
use crate::domain::{
    id::{AgentId, Fence, MessageId, Number},
    message::{Message, Part},
    time::Timestamp,
};

impl Conversation {
    pub(super) fn say(&mut self, say: Say, now: Timestamp, events: &mut Vec<Event>) -> Outcome {
        let Say { message, delivery, wants_answer, way_back } = say;
        if delivery.as_ref().is_some_and(|id| self.deliveries.contains_key(id)) {
            return Outcome::Known;
        }
        if self.tombstones.contains_key(&message.id) {
            return Outcome::TakenBack;
        }
        if self.log.by_id(&message.id).is_some() {
            return Outcome::Known;
        }
        if let Some(delivery) = delivery {
            self.deliveries.insert(delivery, now);
        }
        if message.author.is_person() {
            self.close_undo(now, false);
        }
        let number = self.take_in(message, wants_answer, events);
        if wants_answer.is_some() {
            self.log.update(number, |entry| entry.way_back = way_back);
        }
        Outcome::Said(number)
    }

    pub(super) fn fill(&mut self, id: &MessageId, parts: Vec<Part>) -> Result<Outcome, Refusal> {
        let entry = self.log.by_id(id).filter(|entry| !entry.gone).ok_or(Refusal::NotFound)?;
        let number = entry.number;
        // Newer words than what was promised stand.
        if entry.revised_at.is_some() {
            return Ok(Outcome::Nothing);
        }
        self.log.update(number, |entry| entry.message.parts = parts);
        Ok(Outcome::Done)
    }

    pub(super) fn clear(&mut self, agent: AgentId) -> Outcome {
        self.cleared.insert(agent, self.last_number);
        Outcome::Done
    }

    /// Appends what came in from outside, with the edit that may have overtaken it.
    pub(super) fn take_in(
        &mut self,
        mut message: Message,
        wants_answer: Option<Timestamp>,
        events: &mut Vec<Event>,
    ) -> Number {
        let revision = self.revisions.remove(&message.id);
        let revision = revision.filter(|_| message.author.is_person());
        let revised_at = revision.as_ref().map(|revision| revision.at);
        if let Some(revision) = revision {
            message.parts = revision.parts;
        }
        events.push(Event::Message { id: message.id.clone() });
        let number = self.append(message, None, Sending::Here);
        self.log.update(number, |entry| {
            entry.waiting = wants_answer.is_some();
            entry.revised_at = revised_at;
        });
        if let Some(at) = wants_answer {
            self.wanted_at = Some(self.wanted_at.map_or(at, |earlier| earlier.min(at)));
        }
        number
    }

    pub(super) fn append(
        &mut self,
        message: Message,
        turn: Option<Fence>,
        sending: Sending,
    ) -> Number {
        self.last_number = self.last_number.next();
        self.log.insert(Entry {
            number: self.last_number,
            message,
            gone: false,
            waiting: false,
            asked_in: BTreeSet::new(),
            turn,
            sending,
            revised_at: None,
            way_back: None,
        });
        self.last_number
    }
}
