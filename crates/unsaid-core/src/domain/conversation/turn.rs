//! Who owes an answer, and who is giving it.

use std::collections::BTreeSet;

use super::{
    Conversation,
    change::{Decision, Event, Outcome, Refusal, SendOutcome},
    log::{Entry, Sending},
};
use crate::domain::{
    id::{Fence, HolderId, MessageId, Number},
    message::Message,
    time::Timestamp,
};

/// A running turn: a lease with a fencing number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Its number; whoever shows an older one is refused.
    pub fence: Fence,
    /// Who runs it.
    pub holder: HolderId,
    /// When it ends unless renewed.
    pub until: Timestamp,
    /// The newest number when it began: its prompt holds nothing later but its own answers.
    pub seen_through: Number,
    /// The messages that were waiting when it began.
    pub questions: BTreeSet<Number>,
}

impl Lease {
    /// Whether its prompt may hold an entry (H5).
    #[must_use]
    pub fn has_read(&self, entry: &Entry) -> bool {
        entry.number <= self.seen_through || entry.turn == Some(self.fence)
    }
}

/// What became of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRecord {
    /// When it began.
    pub began_at: Timestamp,
    /// How and when it ended.
    pub ended: Option<(Decision, Timestamp)>,
}

impl Conversation {
    pub(super) fn begin(
        &mut self,
        holder: HolderId,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Outcome, Refusal> {
        self.refuse_while_running(now)?;
        if let Some(id) = self.unsettled() {
            return Err(Refusal::Unsettled { id });
        }
        // A lease that ran out: its questions wait again, and have waited long enough.
        let dead = self.turn.is_some();
        let Some(wanted_at) = self.wanted_at.or(dead.then_some(now)) else {
            return Err(Refusal::NothingWaiting);
        };
        if !dead && now < wanted_at {
            return Err(Refusal::NotYet { at: wanted_at });
        }
        self.give_up_turn(Decision::Released, now);
        let fence = self.last_fence.next();
        let questions = self.log.waiting().clone();
        for number in &questions {
            self.log.update(*number, |entry| {
                entry.waiting = false;
                entry.asked_in.insert(fence);
            });
        }
        let lease = Lease { fence, holder, until, seen_through: self.last_number, questions };
        self.last_fence = fence;
        self.wanted_at = None;
        self.turns.insert(fence, TurnRecord { began_at: now, ended: None });
        self.turn = Some(lease.clone());
        Ok(Outcome::Began(lease))
    }

    pub(super) fn renew(
        &mut self,
        fence: Fence,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Outcome, Refusal> {
        self.check_fence(fence, now)?;
        if let Some(lease) = &mut self.turn {
            lease.until = until;
        }
        Ok(Outcome::Done)
    }

    pub(super) fn intend(
        &mut self,
        fence: Fence,
        message: Message,
        now: Timestamp,
    ) -> Result<Outcome, Refusal> {
        self.check_fence(fence, now)?;
        let answered = self.log.of_turns(&BTreeSet::from([fence])).into_iter().any(|number| {
            self.log.get(number).is_some_and(|entry| match entry.sending {
                Sending::Failed => false,
                Sending::Here | Sending::Intended | Sending::Sent | Sending::Unknown => true,
            })
        });
        if answered {
            return Err(Refusal::AlreadyAnswered);
        }
        if self.knows(&message.id) {
            return Err(Refusal::IdTaken);
        }
        Ok(Outcome::Said(self.append(message, Some(fence), Sending::Intended)))
    }

    pub(super) fn settle(
        &mut self,
        id: &MessageId,
        outcome: SendOutcome,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) -> Result<Outcome, Refusal> {
        let entry = self.log.by_id(id).ok_or(Refusal::NotFound)?;
        let (number, turn, gone) = (entry.number, entry.turn, entry.gone);
        match entry.sending {
            Sending::Intended => {}
            Sending::Here | Sending::Sent | Sending::Failed | Sending::Unknown => {
                return Ok(Outcome::Nothing);
            }
        }
        let left = outcome != SendOutcome::Failed;
        self.log.update(number, |entry| {
            entry.sending = outcome.sending();
            if !left {
                entry.lose_words();
            }
        });
        if left && !gone {
            events.push(Event::Message { id: id.clone() });
            self.answered_elsewhere(turn);
        }
        if left && turn.is_some() && self.turn.as_ref().map(|lease| lease.fence) == turn {
            self.end_turn(Decision::Answered, now);
        }
        Ok(Outcome::Done)
    }

    pub(super) fn answer(
        &mut self,
        fence: Fence,
        messages: Vec<Message>,
        last: bool,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) -> Result<Outcome, Refusal> {
        self.check_fence(fence, now)?;
        let mut ids = BTreeSet::new();
        if messages.iter().any(|message| self.knows(&message.id) || !ids.insert(&message.id)) {
            return Err(Refusal::IdTaken);
        }
        for message in messages {
            events.push(Event::Message { id: message.id.clone() });
            self.append(message, Some(fence), Sending::Here);
        }
        if last {
            self.end_turn(Decision::Answered, now);
        }
        Ok(Outcome::Done)
    }

    pub(super) fn decide(
        &mut self,
        fence: Fence,
        decision: Decision,
        now: Timestamp,
    ) -> Result<Outcome, Refusal> {
        self.check_fence(fence, now)?;
        self.end_turn(decision, now);
        Ok(Outcome::Done)
    }

    pub(super) fn release(&mut self, fence: Fence, now: Timestamp) -> Result<Outcome, Refusal> {
        if self.turn.as_ref().map(|lease| lease.fence) != Some(fence) {
            return Err(Refusal::StaleFence);
        }
        self.give_up_turn(Decision::Released, now);
        Ok(Outcome::Done)
    }

    pub(super) fn stop(&mut self, now: Timestamp) -> Outcome {
        if self.turn.is_none() {
            return Outcome::Nothing;
        }
        self.end_turn(Decision::Stopped, now);
        Outcome::Done
    }

    pub(super) fn refuse_while_running(&self, now: Timestamp) -> Result<(), Refusal> {
        match &self.turn {
            Some(lease) if now < lease.until => Err(Refusal::TurnInProgress { until: lease.until }),
            Some(_) | None => Ok(()),
        }
    }

    /// Ends the turn before its answer; what it was asked waits again, at once.
    pub(super) fn give_up_turn(&mut self, decision: Decision, now: Timestamp) {
        let Some(lease) = self.record_end(decision, now) else { return };
        for number in lease.questions {
            self.log.update(number, |entry| entry.waiting = true);
        }
        if !self.log.waiting().is_empty() {
            self.wanted_at = Some(now);
        }
    }

    /// Nobody owes an answer when nothing waits.
    pub(super) fn forget_wish_if_nothing_waits(&mut self) {
        if self.log.waiting().is_empty() {
            self.wanted_at = None;
        }
    }

    /// Ends the turn for good: nobody owes an answer to what it was asked.
    fn end_turn(&mut self, decision: Decision, now: Timestamp) {
        let Some(lease) = self.record_end(decision, now) else { return };
        for number in lease.questions {
            self.log.update(number, |entry| entry.way_back = None);
        }
    }

    fn record_end(&mut self, decision: Decision, now: Timestamp) -> Option<Lease> {
        let lease = self.turn.take()?;
        if let Some(record) = self.turns.get_mut(&lease.fence) {
            record.ended = Some((decision, now));
        }
        Some(lease)
    }

    /// An answer left the house although its turn had been given up: its questions are answered.
    fn answered_elsewhere(&mut self, turn: Option<Fence>) {
        let Some(turn) = turn else { return };
        for number in self.log.waiting().clone() {
            self.log.update(number, |entry| {
                if entry.asked_in.contains(&turn) {
                    entry.waiting = false;
                    entry.way_back = None;
                }
            });
        }
        self.forget_wish_if_nothing_waits();
    }

    fn check_fence(&self, fence: Fence, now: Timestamp) -> Result<(), Refusal> {
        match &self.turn {
            Some(lease) if lease.fence == fence && now < lease.until => Ok(()),
            Some(_) | None => Err(Refusal::StaleFence),
        }
    }

    pub(super) fn unsettled(&self) -> Option<MessageId> {
        self.log
            .iter()
            .find(|entry| entry.sending == Sending::Intended)
            .map(|entry| entry.message.id.clone())
    }
}
