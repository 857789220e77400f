//! What this process knows of all conversations without reading them: who wants an answer, what
//! time will close, and where something may be left over.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
};

use tokio::time::Instant;
use unsaid_core::domain::{
    conversation::{Conversation, DELIVERY_MEMORY_MS, EDIT_MEMORY_MS, key::ConversationKey},
    id::{Fence, SourceId},
    time::Timestamp,
};

use super::cache::same;
use crate::{
    bucket::{Listed, Version},
    format::held::Held,
};

/// Deliveries and closed edits hold no words; a sweep lets them go in larger batches.
const PATIENCE_MS: i64 = 60 * 60 * 1_000;

/// See the module.
#[derive(Default)]
pub(crate) struct Index {
    known: BTreeMap<ConversationKey, Known>,
    /// Where something failed or was uncertain, or objects are to be deleted.
    suspects: BTreeSet<ConversationKey>,
    pub(crate) scanned_at: Option<Instant>,
    pub(crate) cleaned_once: bool,
    last_note: u64,
}

/// One conversation.
struct Known {
    at: Option<Version>,
    can_begin_at: Option<Timestamp>,
    running: Option<Fence>,
    due_at: Option<Timestamp>,
    /// When it was noted, so that what was read earlier does not overwrite it.
    note: u64,
}

impl Index {
    /// Notes the state of a conversation; whoever calls is the only one to change it.
    pub(crate) fn note(&mut self, key: &ConversationKey, at: Option<&Version>, held: &Held) {
        self.last_note += 1;
        let known = Known {
            at: at.cloned(),
            can_begin_at: can_begin_at(&held.conversation),
            running: held.conversation.turn.as_ref().map(|lease| lease.fence),
            due_at: due_at(held),
            note: self.last_note,
        };
        self.known.insert(key.clone(), known);
    }

    /// Which note of a conversation is the newest.
    pub(crate) fn note_of(&self, key: &ConversationKey) -> u64 {
        self.known.get(key).map_or(0, |known| known.note)
    }

    /// Whether a listed object is in the state that is known.
    pub(crate) fn is_current(&self, key: &ConversationKey, listed: &Listed) -> bool {
        let at = self.known.get(key).and_then(|known| known.at.as_ref());
        at.is_some_and(|at| same(at, &listed.version))
    }

    /// Forgets conversations that are not listed, unless they were noted since.
    pub(crate) fn forget_unlisted(&mut self, listed: &BTreeSet<ConversationKey>, since: u64) {
        self.known.retain(|key, known| known.note > since || listed.contains(key));
    }

    pub(crate) fn last_note(&self) -> u64 {
        self.last_note
    }

    /// Conversations in which a turn can begin, the longest wish first.
    pub(crate) fn wanting(&self, now: Timestamp, limit: usize) -> Vec<ConversationKey> {
        let begins = |(key, known): (&ConversationKey, &Known)| {
            known.can_begin_at.filter(|at| *at <= now).map(|at| (at, key.clone()))
        };
        let mut wanting: Vec<(Timestamp, ConversationKey)> =
            self.known.iter().filter_map(begins).collect();
        wanting.sort_unstable();
        wanting.into_iter().take(limit).map(|(_, key)| key).collect()
    }

    /// Conversations in which time has closed something.
    pub(crate) fn due(&self, now: Timestamp, limit: usize) -> Vec<ConversationKey> {
        let due = self.known.iter().filter(|(_, known)| known.due_at.is_some_and(|at| at <= now));
        due.take(limit).map(|(key, _)| key.clone()).collect()
    }

    /// Sources on LINE in order, after one of them.
    pub(crate) fn sources(&self, after: Option<&SourceId>, limit: usize) -> Vec<SourceId> {
        let after = after.map(|id| ConversationKey::Line(id.clone()));
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let known = self.known.range((from, Bound::Unbounded));
        let sources = known.filter_map(|(key, _)| match key {
            ConversationKey::Line(id) => Some(id.clone()),
            ConversationKey::Chat(_) | ConversationKey::Session(_) => None,
        });
        sources.take(limit).collect()
    }

    /// All running turns.
    pub(crate) fn running(&self) -> Vec<(ConversationKey, Fence)> {
        let running = self.known.iter();
        running.filter_map(|(key, known)| Some((key.clone(), known.running?))).collect()
    }

    /// Something may be left over there.
    pub(crate) fn suspect(&mut self, key: &ConversationKey) {
        self.suspects.insert(key.clone());
    }

    /// Some of the places where something may be left over; they are not suspected any more.
    pub(crate) fn take_suspects(&mut self, limit: usize) -> Vec<ConversationKey> {
        let mut taken = Vec::new();
        while taken.len() < limit {
            let Some(key) = self.suspects.pop_first() else { break };
            taken.push(key);
        }
        taken
    }
}

/// From when on a turn can begin: it is wanted, or the running one has lost its lease.
fn can_begin_at(conversation: &Conversation) -> Option<Timestamp> {
    match &conversation.turn {
        Some(lease) => Some(lease.until),
        None => conversation.wanted_at,
    }
}

/// When a sweep has something to do next.
fn due_at(held: &Held) -> Option<Timestamp> {
    let conversation = &held.conversation;
    let undo = conversation.undo.iter().map(|undo| undo.until);
    let revisions = conversation.revisions.values();
    let revisions = revisions.map(|waiting| waiting.since.plus_millis(DELIVERY_MEMORY_MS));
    let closed = conversation.closed_edits.values();
    let closed = closed.map(|closed| closed.at.plus_millis(EDIT_MEMORY_MS + PATIENCE_MS));
    let sealed = held.segments.iter().filter_map(|segment| Some(segment.deliveries?.1));
    let deliveries = conversation.deliveries.values().copied().chain(sealed);
    let deliveries = deliveries.map(|at| at.plus_millis(DELIVERY_MEMORY_MS + PATIENCE_MS));
    undo.chain(revisions).chain(closed).chain(deliveries).min()
}
