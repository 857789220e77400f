//! A conversation: one ordered log and everything known about it.
//!
//! [`Conversation::apply`] is the specification of every store. The memory and object stores *are*
//! this function plus a put; the SQL stores do the same with a few statements and are compared with
//! it, change by change. Four verbs stand behind all of it: remember (`Say`, `Answer`), forget one
//! (`Remove`, `Revise`), forget from here (`ReplaceTail`, `Restore`), forget all (`Erase…`).
//!
//! - [`change`]: what may be asked, what comes back, what is refused.
//! - [`log`]: entries by number and by id.
//! - [`turn`]: who owes an answer and who is giving it; `decision`: how that ended.
//! - `say`, `forget`, `undo`: the rules, by verb.
//! - [`seams`]: the one order of a conversation that has two logs.

pub mod change;
mod decision;
mod forget;
pub mod key;
pub mod log;
mod say;
pub mod seams;
pub mod turn;
mod undo;

use std::collections::{BTreeMap, BTreeSet};

use self::{
    change::{Applied, Change, Decision, Event, Outcome, Refusal},
    log::{Entry, Log},
    turn::{Lease, TurnRecord},
};
use super::{
    id::{AgentId, DeliveryId, EditId, Fence, MessageId, Number, PersonId, Version},
    message::Part,
    time::Timestamp,
};

/// How long a delivery is remembered, so that a repeated one changes nothing (H3).
pub const DELIVERY_MEMORY_MS: i64 = 7 * 24 * 60 * 60 * 1_000;
/// How long the fate of an edit is remembered after it can no longer be undone.
pub const EDIT_MEMORY_MS: i64 = 24 * 60 * 60 * 1_000;

/// The whole of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conversation {
    /// Rises with every effective change.
    pub version: Version,
    /// The newest number given; never falls.
    pub last_number: Number,
    /// The newest turn begun; never falls.
    pub last_fence: Fence,
    /// What was said.
    pub log: Log,
    /// The turn that is running, if one is.
    pub turn: Option<Lease>,
    /// From when on somebody owes an answer; set exactly while an entry waits.
    pub wanted_at: Option<Timestamp>,
    /// What became of each turn.
    pub turns: BTreeMap<Fence, TurnRecord>,
    /// Ids that were taken back, with the turns that had been asked about them.
    pub tombstones: BTreeMap<MessageId, BTreeSet<Fence>>,
    /// Deliveries that took effect.
    pub deliveries: BTreeMap<DeliveryId, Timestamp>,
    /// Edits in place that came before their message.
    pub revisions: BTreeMap<MessageId, Revision>,
    /// What the newest edit removed, while it can be undone.
    pub undo: Option<Undo>,
    /// Edits that can no longer be undone, and why.
    pub closed_edits: BTreeMap<EditId, ClosedEdit>,
    /// Up to where an agent was made to forget.
    pub cleared: BTreeMap<AgentId, Number>,
}

/// An edit in place that waits for its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// Who edited.
    pub by: Option<PersonId>,
    /// The door's time of the edit; the largest wins.
    pub at: Timestamp,
    /// When it came, for cleaning up.
    pub since: Timestamp,
    /// The new words.
    pub parts: Vec<Part>,
}

/// What an edit removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undo {
    /// The edit.
    pub edit: EditId,
    /// The first moment at which it can no longer be undone.
    pub until: Timestamp,
    /// The number of the message that was edited.
    pub from: Number,
    /// All that was removed, in order.
    pub entries: Vec<Entry>,
}

/// The fate of an edit that can no longer be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClosedEdit {
    /// When it was closed.
    pub at: Timestamp,
    /// Whether its time ran out; otherwise somebody went on, or it was undone.
    pub expired: bool,
}

impl Conversation {
    /// Makes one change, all of it or nothing.
    ///
    /// # Errors
    /// A [`Refusal`], and then nothing has changed.
    pub fn apply(&mut self, change: Change, now: Timestamp) -> Result<Applied, Refusal> {
        let mut events = Vec::new();
        let outcome = self.step(change, now, &mut events)?;
        if outcome.is_effective() {
            self.version = self.version.next();
        }
        Ok(Applied { outcome, version: self.version, events })
    }

    /// Lets the oldest entries go, because a volatile store holds no more. It is no change: the
    /// version stays, nobody is told, and no id is kept out.
    ///
    /// What waits no more is no longer wanted; a running turn goes on unless all that it was asked
    /// went, and answers whose question went stay. An undo buffer that is older than what goes is
    /// closed. Turns of which no entry tells any more are forgotten.
    pub fn forget_oldest(&mut self, count: usize, now: Timestamp) {
        let oldest: Vec<Number> = self.log.iter().take(count).map(|entry| entry.number).collect();
        let Some(newest) = oldest.last() else { return };
        if self.undo.as_ref().is_some_and(|undo| undo.from <= *newest) {
            self.close_undo(now, false);
        }
        for number in &oldest {
            self.log.remove(*number);
            if let Some(lease) = &mut self.turn {
                lease.questions.remove(number);
            }
        }
        if self.turn.as_ref().is_some_and(|lease| lease.questions.is_empty()) {
            self.give_up_turn(Decision::Released, now);
        }
        self.forget_wish_if_nothing_waits();
        let undone = self.undo.iter().flat_map(|undo| &undo.entries);
        let mut told: BTreeSet<Fence> = self.turn.iter().map(|lease| lease.fence).collect();
        for entry in self.log.iter().chain(undone) {
            told.extend(entry.asked_in.iter().chain(&entry.turn));
        }
        self.turns.retain(|fence, _| told.contains(fence));
    }

    fn step(
        &mut self,
        change: Change,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) -> Result<Outcome, Refusal> {
        match change {
            Change::Say(say) => Ok(self.say(say, now, events)),
            Change::Fill { id, parts } => self.fill(&id, parts),
            Change::Begin { holder, until } => self.begin(holder, until, now),
            Change::Renew { fence, until } => self.renew(fence, until, now),
            Change::Intend { fence, message } => self.intend(fence, message, now),
            Change::Settle { id, outcome } => self.settle(&id, outcome, now, events),
            Change::Answer { fence, messages, last } => {
                self.answer(fence, messages, last, now, events)
            }
            Change::Decide { fence, decision } => self.decide(fence, decision, now),
            Change::Release { fence } => self.release(fence, now),
            Change::Stop => Ok(self.stop(now)),
            Change::Revise(revise) => self.revise(revise, now, events),
            Change::Remove(remove) => self.remove(remove, now, events),
            Change::ReplaceTail(replace) => self.replace_tail(replace, now, events),
            Change::Restore { edit, interrupt, or_nothing } => {
                self.restore(&edit, (interrupt, or_nothing), now, events)
            }
            Change::CloseUndo if self.undo.is_none() => Ok(Outcome::Nothing),
            Change::CloseUndo => {
                self.close_undo(now, false);
                Ok(Outcome::Done)
            }
            Change::Clear(agent) => Ok(self.clear(agent)),
            Change::EraseAuthor { person, ripple } => {
                Ok(self.erase_author(&person, ripple, now, events))
            }
            Change::EraseAll => Ok(self.erase_all(events)),
            Change::Expire => Ok(self.expire(now)),
        }
    }

    /// Whether an id is one of this conversation's, live, without words, or taken back.
    fn knows(&self, id: &MessageId) -> bool {
        self.log.by_id(id).is_some() || self.tombstones.contains_key(id)
    }
}
