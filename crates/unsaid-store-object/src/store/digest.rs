//! What a sealed segment knows, small enough to be kept in memory: a new id never needs a segment.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use bytes::Bytes;
use unsaid_core::{
    domain::{
        conversation::log::Entry,
        id::{DeliveryId, Fence, MediaKey, MessageId},
    },
    port::error::{StoreError, corrupt},
};

use crate::format::{
    head::{Binding, Head, LinesText},
    sheet::Sheet,
};

/// What is kept of an id.
pub(crate) type Mark = u64;

/// One segment. Digests of ids, because two that meet by chance only cost a look.
#[derive(Debug, Default)]
pub(crate) struct Digest {
    /// Messages and those taken back, sorted.
    ids: Vec<Mark>,
    deliveries: Vec<Mark>,
    /// Turns of answers and of records, sorted.
    fences: Vec<Fence>,
    pub(crate) media: BTreeMap<MediaKey, Binding>,
}

/// All segments of a conversation, by nonce.
pub(crate) type Digests = BTreeMap<String, Arc<Digest>>;

impl Digest {
    /// From the first line of a segment.
    pub(crate) fn read(name: &str, first_line: &Bytes) -> Result<Self, StoreError> {
        let Some((head, _)) = Head::read(name, first_line)? else {
            return Err(corrupt(name, "not a segment"));
        };
        let LinesText { ids, facts, turns, tombstones, deliveries, media, .. } = head.lines;
        let mut fences: Vec<Fence> = facts.values().filter_map(|facts| facts.turn).collect();
        fences.extend(turns.into_keys());
        Ok(Self::of(ids.iter().chain(tombstones.keys()), deliveries.keys(), fences, media))
    }

    /// Of a segment at hand.
    pub(crate) fn of_sheet(sheet: &Sheet) -> Self {
        let said = sheet.entries.iter().map(|entry: &Entry| &entry.message.id);
        let answers = sheet.entries.iter().filter_map(|entry| entry.turn);
        let fences = answers.chain(sheet.turns.keys().copied()).collect();
        let (ids, media) = (said.chain(sheet.tombstones.keys()), sheet.media.clone());
        Self::of(ids, sheet.deliveries.keys(), fences, media)
    }

    pub(crate) fn has_id(&self, id: Mark) -> bool {
        self.ids.binary_search(&id).is_ok()
    }

    pub(crate) fn has_delivery(&self, id: Mark) -> bool {
        self.deliveries.binary_search(&id).is_ok()
    }

    pub(crate) fn has_fence(&self, fence: Fence) -> bool {
        self.fences.binary_search(&fence).is_ok()
    }

    /// The newest of its turns before one.
    pub(crate) fn newest_fence(&self, before: Option<Fence>) -> Option<Fence> {
        let older = before.map_or(self.fences.len(), |before| {
            self.fences.partition_point(|known| *known < before)
        });
        self.fences.get(..older)?.last().copied()
    }

    /// Roughly what it takes in memory.
    pub(crate) fn bytes(&self) -> usize {
        let words = self.ids.len() + self.deliveries.len() + self.fences.len();
        64 + words * 8 + self.media.len() * 256
    }

    fn of<'a>(
        ids: impl Iterator<Item = &'a MessageId>,
        deliveries: impl Iterator<Item = &'a DeliveryId>,
        mut fences: Vec<Fence>,
        media: BTreeMap<MediaKey, Binding>,
    ) -> Self {
        let mut ids: Vec<Mark> = ids.map(mark).collect();
        let mut deliveries: Vec<Mark> = deliveries.map(mark).collect();
        ids.sort_unstable();
        deliveries.sort_unstable();
        fences.sort_unstable();
        fences.dedup();
        Self { ids, deliveries, fences, media }
    }
}

/// The digest of an id.
pub(crate) fn mark(id: &impl Hash) -> Mark {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}
