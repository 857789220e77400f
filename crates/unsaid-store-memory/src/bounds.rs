//! What is let go when there is too much: the oldest words first.

use std::collections::HashMap;

use unsaid_core::{
    domain::{
        conversation::{
            Conversation, Revision, Undo, change::Decision, key::ConversationKey, log::Entry,
            turn::TurnRecord,
        },
        id::Number,
        message::{Message, Part},
        time::Timestamp,
    },
    limits::Limits,
};

use crate::state::{Held, HeldFile, State};

/// How much a volatile store holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Messages of one conversation; the oldest go first.
    pub messages_per_conversation: usize,
    /// Bytes of all conversations together, files and bookkeeping included; the least recently
    /// touched conversation loses its oldest messages first.
    pub bytes_in_all: usize,
    /// How long a conversation lives without being touched, in milliseconds.
    pub ttl_ms: i64,
}

impl Bounds {
    /// No bounds at all.
    pub const NONE: Self =
        Self { messages_per_conversation: usize::MAX, bytes_in_all: usize::MAX, ttl_ms: i64::MAX };
}

impl From<&Limits> for Bounds {
    fn from(limits: &Limits) -> Self {
        Self {
            messages_per_conversation: limits.volatile_messages,
            bytes_in_all: limits.volatile_bytes,
            ttl_ms: limits.volatile_ttl_ms,
        }
    }
}

/// What an entry, an id or a record takes beside its text, roughly and rather too much.
const RECORD_BYTES: usize = 256;
/// What an event takes.
const EVENT_BYTES: usize = 128;
/// Events kept for each message that may be held; whoever resumes from an older one starts anew.
const EVENTS_PER_MESSAGE: usize = 4;

impl State {
    /// Brings everything back within bounds after a conversation has changed.
    pub(crate) fn enforce_bounds(&mut self, key: &ConversationKey, now: Timestamp) {
        if self.bounds == Bounds::NONE {
            return;
        }
        if let Some(held) = self.conversations.get_mut(key) {
            let most = self.bounds.messages_per_conversation;
            let surplus = held.conversation.log.len().saturating_sub(most);
            held.conversation.forget_oldest(surplus, now);
            held.keep_events_of(most);
        }
        self.drop_lost_files(key);
        self.weigh(key);
        while self.bytes > self.bounds.bytes_in_all {
            let Some(key) = self.by_touch.first_key_value().map(|(_, key)| key.clone()) else {
                return;
            };
            self.lighten(&key, now);
        }
    }

    /// Drops a conversation that nobody has touched for too long.
    pub(crate) fn drop_if_outlived(&mut self, key: &ConversationKey, now: Timestamp) -> bool {
        let ttl_ms = self.bounds.ttl_ms;
        let outlived = self
            .conversations
            .get(key)
            .is_some_and(|held| held.touched_at.plus_millis(ttl_ms) <= now);
        outlived && self.drop_conversation(key).is_some()
    }

    /// Drops what LINE said of people and places too long ago: it can be asked again.
    pub(crate) fn drop_outlived_cards(&mut self, now: Timestamp) {
        let ttl_ms = self.bounds.ttl_ms;
        self.sources.retain(|_, card| now < card.at.plus_millis(ttl_ms));
        self.names.retain(|_, card| now < card.at.plus_millis(ttl_ms));
    }

    /// Takes enough of the oldest messages of a conversation, or all of it if that is not enough.
    fn lighten(&mut self, key: &ConversationKey, now: Timestamp) {
        let surplus = self.bytes.saturating_sub(self.bounds.bytes_in_all);
        let Some(held) = self.conversations.get_mut(key) else { return };
        let mut files: HashMap<Number, usize> = HashMap::new();
        for file in held.media.values() {
            *files.entry(file.number).or_default() += file_bytes(file);
        }
        let (mut count, mut freed) = (0, 0);
        for entry in held.conversation.log.iter() {
            if freed >= surplus {
                break;
            }
            count += 1;
            freed += entry_bytes(entry) + files.get(&entry.number).unwrap_or(&0);
        }
        if count == held.conversation.log.len() {
            self.drop_conversation(key);
            return;
        }
        held.conversation.forget_oldest(count, now);
        held.keep_events_of(held.conversation.log.len());
        self.drop_lost_files(key);
        self.weigh(key);
    }

    fn weigh(&mut self, key: &ConversationKey) {
        let Some(held) = self.conversations.get_mut(key) else { return };
        let bytes = held_bytes(held) + held.media.values().map(file_bytes).sum::<usize>();
        self.bytes = self.bytes - held.bytes + bytes;
        held.bytes = bytes;
    }
}

impl Held {
    /// Keeps the newest events, as many as so many messages may have.
    fn keep_events_of(&mut self, messages: usize) {
        let most = messages.saturating_mul(EVENTS_PER_MESSAGE);
        self.events.drain(..self.events.len().saturating_sub(most));
    }
}

fn held_bytes(held: &Held) -> usize {
    let Conversation {
        version: _,
        last_number: _,
        last_fence: _,
        log,
        turn: _,
        wanted_at: _,
        turns,
        tombstones,
        deliveries,
        revisions,
        undo,
        closed_edits,
        cleared,
    } = &held.conversation;
    let records = 1
        + held.seams.count()
        + turns.len()
        + tombstones.len()
        + deliveries.len()
        + closed_edits.len()
        + cleared.len();
    let revisions = revisions.values().map(|Revision { parts, .. }| parts_bytes(parts));
    let undone = undo.as_ref().map_or(&[][..], |Undo { entries, .. }| entries);
    records * RECORD_BYTES
        + held.events.len() * EVENT_BYTES
        + log.iter().chain(undone).map(entry_bytes).sum::<usize>()
        + turns.values().map(turn_bytes).sum::<usize>()
        + tombstones.values().map(|turns| turns.len() * 32).sum::<usize>()
        + revisions.sum::<usize>()
}

fn file_bytes(file: &HeldFile) -> usize {
    RECORD_BYTES + file.file.bytes.len()
}

fn entry_bytes(entry: &Entry) -> usize {
    let Message { parts, .. } = &entry.message;
    let token = entry.way_back.as_ref().and_then(|way_back| way_back.token.as_ref());
    let way_back = token.map_or(0, |token| token.expose().len());
    RECORD_BYTES + entry.asked_in.len() * 32 + parts_bytes(parts) + way_back
}

fn parts_bytes(parts: &[Part]) -> usize {
    parts
        .iter()
        .map(|part| match part {
            Part::Text { text } => text.as_str().len() + 32,
            Part::Media { .. } => RECORD_BYTES,
            Part::Original { line } => line.as_str().len() + 32,
        })
        .sum()
}

fn turn_bytes(record: &TurnRecord) -> usize {
    match &record.ended {
        Some((Decision::Silent { reason: Some(reason) }, _)) => reason.as_str().len(),
        Some((
            Decision::Answered
            | Decision::Silent { reason: None }
            | Decision::Failed { .. }
            | Decision::Stopped
            | Decision::Cancelled
            | Decision::Released,
            _,
        ))
        | None => 0,
    }
}
