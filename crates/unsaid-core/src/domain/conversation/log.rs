//! Entries, by number and by id.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::domain::{
    id::{Fence, MessageId, Number},
    message::{Message, WayBack},
    time::Timestamp,
};

/// A message in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its place.
    pub number: Number,
    /// What was said. Without words (`gone`) the parts are empty.
    pub message: Message,
    /// Its words were taken away: withdrawn by ripple, or never sent.
    pub gone: bool,
    /// Somebody owes an answer to it.
    pub waiting: bool,
    /// The turns that were asked about it.
    pub asked_in: BTreeSet<Fence>,
    /// The turn it came from, if it is an answer.
    pub turn: Option<Fence>,
    /// Whether it left the house.
    pub sending: Sending,
    /// The door's time of the newest edit in place.
    pub revised_at: Option<Timestamp>,
    /// How an answer gets back, as long as one is owed: it waits, or the running turn was asked
    /// about it. What an edit put aside has none, and gets none when it comes back.
    pub way_back: Option<WayBack>,
}

/// Whether a message left the house through a messenger, and with what outcome (H11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sending {
    /// It is read here; nothing leaves.
    Here,
    /// About to leave; the outcome is not known yet.
    Intended,
    /// The messenger accepted it.
    Sent,
    /// It certainly did not leave.
    Failed,
    /// It may have left.
    Unknown,
}

impl Entry {
    /// Whether models, lists and watchers may see it.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        match self.sending {
            Sending::Here | Sending::Sent | Sending::Unknown => !self.gone,
            Sending::Intended | Sending::Failed => false,
        }
    }

    pub(super) fn lose_words(&mut self) {
        self.gone = true;
        self.message.parts.clear();
    }
}

/// The entries of a conversation.
#[derive(Debug, Clone, Default)]
pub struct Log {
    entries: BTreeMap<Number, Entry>,
    numbers: HashMap<MessageId, Number>,
    waiting: BTreeSet<Number>,
}

impl PartialEq for Log {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Eq for Log {}

impl FromIterator<Entry> for Log {
    fn from_iter<I: IntoIterator<Item = Entry>>(entries: I) -> Self {
        let mut log = Self::default();
        for entry in entries {
            log.insert(entry);
        }
        log
    }
}

impl Log {
    /// Entries in order.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.values()
    }

    /// Entries from a number on, in order.
    #[must_use]
    pub fn from(&self, number: Number) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.range(number..).map(|(_, entry)| entry)
    }

    /// Entries before a number, in order.
    #[must_use]
    pub fn before(&self, number: Number) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.range(..number).map(|(_, entry)| entry)
    }

    /// The entry with an id.
    #[must_use]
    pub fn by_id(&self, id: &MessageId) -> Option<&Entry> {
        self.entries.get(self.numbers.get(id)?)
    }

    /// The entry with a number.
    #[must_use]
    pub fn get(&self, number: Number) -> Option<&Entry> {
        self.entries.get(&number)
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The numbers of entries that wait for an answer, in order.
    #[must_use]
    pub fn waiting(&self) -> &BTreeSet<Number> {
        &self.waiting
    }

    pub(super) fn insert(&mut self, entry: Entry) {
        self.numbers.insert(entry.message.id.clone(), entry.number);
        if entry.waiting {
            self.waiting.insert(entry.number);
        }
        self.entries.insert(entry.number, entry);
    }

    pub(super) fn remove(&mut self, number: Number) -> Option<Entry> {
        let entry = self.entries.remove(&number)?;
        self.numbers.remove(&entry.message.id);
        self.waiting.remove(&number);
        Some(entry)
    }

    pub(super) fn remove_from(&mut self, number: Number) -> Vec<Entry> {
        let tail = self.entries.split_off(&number);
        for entry in tail.values() {
            self.numbers.remove(&entry.message.id);
            self.waiting.remove(&entry.number);
        }
        tail.into_values().collect()
    }

    pub(super) fn update(&mut self, number: Number, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.entries.get_mut(&number) {
            change(entry);
            if entry.waiting {
                self.waiting.insert(number);
            } else {
                self.waiting.remove(&number);
            }
        }
    }

    /// The numbers of the answers that came from a turn.
    pub(super) fn of_turns(&self, turns: &BTreeSet<Fence>) -> Vec<Number> {
        self.iter()
            .filter(|entry| entry.turn.is_some_and(|turn| turns.contains(&turn)))
            .map(|entry| entry.number)
            .collect()
    }
}
