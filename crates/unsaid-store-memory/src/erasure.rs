//! Forget all: a claim erases at once; batches only count down what it has counted.

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        audit::{AuditLine, EraseReason, Erased},
        conversation::{
            change::{Change, Outcome},
            key::ConversationKey,
        },
        id::PersonId,
        time::Timestamp,
    },
    port::{
        erasure::{Batch, Claim, Erasure},
        error::StoreError,
    },
};

use crate::{MemoryStore, state::State};

/// A claim that is not finished yet.
#[derive(Debug)]
pub(crate) struct Pending {
    reason: EraseReason,
    erased: Erased,
    /// Messages that no batch has counted yet.
    left: u64,
}

#[async_trait]
impl Erasure for MemoryStore {
    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<PersonId>, StoreError> {
        let state = self.lock()?;
        let unfinished = state.pending.keys();
        let due = state.people.values().filter(|person| person.consent.is_due(now));
        let due = due.map(|person| &person.id).filter(|id| !state.pending.contains_key(*id));
        Ok(unfinished.chain(due).take(limit).cloned().collect())
    }

    async fn claim(
        &self,
        person: &PersonId,
        reason: EraseReason,
        now: Timestamp,
    ) -> Result<Claim, StoreError> {
        Ok(self.lock()?.claim(person, reason, now))
    }

    async fn erase_batch(
        &self,
        person: &PersonId,
        limit: usize,
        now: Timestamp,
    ) -> Result<Batch, StoreError> {
        let mut state = self.lock()?;
        let Some(pending) = state.pending.get_mut(person) else { return Ok(Batch::Nothing) };
        pending.left = pending.left.saturating_sub(limit as u64);
        if pending.left > 0 {
            return Ok(Batch::More);
        }
        Ok(state.finish(person, now).map_or(Batch::Nothing, Batch::Finished))
    }

    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditLine>, StoreError> {
        let state = self.lock()?;
        let end =
            before.map_or(state.audit.len(), |id| state.audit.partition_point(|line| line.id < id));
        Ok(state.audit[end.saturating_sub(limit)..end].to_vec())
    }
}

impl State {
    fn claim(&mut self, id: &PersonId, reason: EraseReason, now: Timestamp) -> Claim {
        let person = self.people.get(id);
        let joins = self.pending.contains_key(id);
        if person.is_none() && !joins {
            return Claim::Unknown;
        }
        let erases = match reason {
            EraseReason::Due => person.is_some_and(|person| person.consent.is_due(now)),
            EraseReason::Now | EraseReason::Account => true,
        };
        if erases {
            self.erase_history(id, reason, now);
        }
        match (joins, erases) {
            (true, _) => Claim::Joined,
            (false, true) => Claim::Made,
            (false, false) => Claim::NotDue,
        }
    }

    /// The point of no return. What was said since an unfinished claim goes with it.
    pub(crate) fn erase_history(&mut self, id: &PersonId, reason: EraseReason, now: Timestamp) {
        if let Some(person) = self.people.get_mut(id) {
            person.consent = person.consent.claimed();
            person.erased_at = Some(now);
        }
        let mut erased = Erased { sessions: self.bill_sessions(id), ..Erased::default() };
        for key in self.owned_by(id) {
            let held = self.conversations.get(&key);
            erased.media += held.map_or(0, |held| held.media.len()) as u64;
            erased.messages += self.erase_conversation(&key, now);
        }
        self.keys.retain(|(person, _, _), _| person != id);
        for held in self.worlds.iter_mut().filter(|held| held.world.owner == *id) {
            held.failed.clear();
        }
        let fresh = Pending { reason, erased: Erased::default(), left: 0 };
        let pending = self.pending.entry(id.clone()).or_insert(fresh);
        pending.left += erased.messages;
        pending.erased.sessions += erased.sessions;
        pending.erased.messages += erased.messages;
        pending.erased.media += erased.media;
        if reason == EraseReason::Account {
            pending.reason = reason;
            self.people.remove(id);
            self.ledger.remove(id);
        }
    }

    /// What stays of sessions is a bill; says how many there were.
    fn bill_sessions(&mut self, id: &PersonId) -> u64 {
        let before = self.billing.len();
        let billing = &mut self.billing;
        self.sessions.retain(|_, session| {
            let stays = session.owner != *id;
            if !stays {
                billing.push(session.bill());
            }
            stays
        });
        (self.billing.len() - before) as u64
    }

    /// A chat is a setting and stays, empty; a session does not. Says how many messages went.
    fn erase_conversation(&mut self, key: &ConversationKey, now: Timestamp) -> u64 {
        match key {
            ConversationKey::Session(_) => {
                let held = self.drop_conversation(key);
                held.map_or(0, |held| held.conversation.log.len() as u64)
            }
            ConversationKey::Chat(_) | ConversationKey::Line(_) => {
                let applied = self.apply(key, Change::EraseAll, now);
                self.enforce_bounds(key, now);
                match applied.map(|(applied, _)| applied.outcome) {
                    Ok(Outcome::Erased { count }) => count,
                    Ok(_) | Err(_) => 0,
                }
            }
        }
    }

    fn finish(&mut self, id: &PersonId, now: Timestamp) -> Option<AuditLine> {
        let Pending { reason, erased, left: _ } = self.pending.remove(id)?;
        if reason == EraseReason::Account {
            self.worlds.retain(|held| held.world.owner != *id);
            self.keys.retain(|(person, _, _), _| person != id);
            for key in self.owned_by(id) {
                self.drop_conversation(&key);
            }
        }
        let line = AuditLine::after(self.audit.last(), now, id.clone(), reason, erased);
        self.audit.push(line.clone());
        Some(line)
    }
}
