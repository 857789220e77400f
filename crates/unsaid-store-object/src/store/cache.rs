//! What was read lately, bounded in bytes. Every use asks the bucket whether it is still so.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use unsaid_core::domain::conversation::key::ConversationKey;

use super::digest::{Digest, Digests};
use crate::{
    bucket::{Listed, Version},
    format::{head::Segment, held::Held, sheet::Sheet},
};

/// A live object as it was read.
#[derive(Debug, Default)]
pub(crate) struct Live {
    /// Its state in the bucket; `None` if there is no object.
    pub(crate) at: Option<Version>,
    pub(crate) held: Held,
    /// How large the object is.
    pub(crate) bytes: usize,
}

/// See the module.
pub(crate) struct Cache {
    bytes_max: usize,
    bytes: usize,
    last_touch: u64,
    by_key: HashMap<ConversationKey, Cached>,
    by_touch: BTreeMap<u64, ConversationKey>,
}

#[derive(Default)]
struct Cached {
    live: Option<Arc<Live>>,
    digests: Digests,
    sheets: HashMap<String, (Arc<Sheet>, usize)>,
    /// Doomed objects that this process has deleted.
    deleted: BTreeSet<String>,
    bytes: usize,
    touch: u64,
}

impl Cache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            bytes: 0,
            last_touch: 0,
            by_key: HashMap::new(),
            by_touch: BTreeMap::new(),
        }
    }

    pub(crate) fn live(&self, key: &ConversationKey) -> Option<Arc<Live>> {
        self.by_key.get(key)?.live.clone()
    }

    /// Keeps a live object, and of its segments only what it still names.
    pub(crate) fn keep_live(&mut self, key: &ConversationKey, live: &Arc<Live>) {
        self.change(key, |cached| {
            let names: BTreeSet<&str> =
                live.held.segments.iter().map(|segment| segment.nonce.as_str()).collect();
            cached.digests.retain(|nonce, _| names.contains(nonce.as_str()));
            cached.sheets.retain(|nonce, _| names.contains(nonce.as_str()));
            cached.deleted.retain(|name| live.held.doomed.contains(name));
            cached.live = Some(Arc::clone(live));
        });
    }

    /// The digests that are at hand.
    pub(crate) fn digests(&self, key: &ConversationKey) -> Digests {
        self.by_key.get(key).map(|cached| cached.digests.clone()).unwrap_or_default()
    }

    pub(crate) fn keep_digest(&mut self, key: &ConversationKey, nonce: &str, digest: &Arc<Digest>) {
        self.change(key, |cached| {
            cached.digests.insert(nonce.to_owned(), Arc::clone(digest));
        });
    }

    pub(crate) fn sheet(&self, key: &ConversationKey, segment: &Segment) -> Option<Arc<Sheet>> {
        let (sheet, _) = self.by_key.get(key)?.sheets.get(&segment.nonce)?;
        Some(Arc::clone(sheet))
    }

    pub(crate) fn keep_sheet(
        &mut self,
        key: &ConversationKey,
        segment: &Segment,
        sheet: &Arc<Sheet>,
        bytes: usize,
    ) {
        self.change(key, |cached| {
            cached.sheets.insert(segment.nonce.clone(), (Arc::clone(sheet), bytes));
        });
    }

    /// Doomed objects that need not be deleted again.
    pub(crate) fn deleted(&self, key: &ConversationKey) -> BTreeSet<String> {
        self.by_key.get(key).map(|cached| cached.deleted.clone()).unwrap_or_default()
    }

    pub(crate) fn note_deleted(&mut self, key: &ConversationKey, name: String) {
        self.change(key, |cached| {
            cached.deleted.insert(name);
        });
    }

    /// Forgets what a list shows to have changed: somebody may have taken words back there.
    pub(crate) fn forget_if_changed(&mut self, key: &ConversationKey, listed: Option<&Listed>) {
        let Some(at) = self.live(key).and_then(|live| live.at.clone()) else { return };
        if !listed.is_some_and(|listed| same(&listed.version, &at)) {
            self.remove(key);
        }
    }

    pub(crate) fn keys(&self) -> Vec<ConversationKey> {
        self.by_key.keys().cloned().collect()
    }

    fn change(&mut self, key: &ConversationKey, change: impl FnOnce(&mut Cached)) {
        self.last_touch += 1;
        let cached = self.by_key.entry(key.clone()).or_default();
        change(cached);
        self.by_touch.remove(&cached.touch);
        self.by_touch.insert(self.last_touch, key.clone());
        self.bytes -= cached.bytes;
        cached.bytes = cached.weight();
        cached.touch = self.last_touch;
        self.bytes += cached.bytes;
        while self.bytes > self.bytes_max {
            let Some((_, oldest)) = self.by_touch.pop_first() else { return };
            self.remove(&oldest);
        }
    }

    fn remove(&mut self, key: &ConversationKey) {
        if let Some(cached) = self.by_key.remove(key) {
            self.by_touch.remove(&cached.touch);
            self.bytes -= cached.bytes;
        }
    }
}

impl Cached {
    fn weight(&self) -> usize {
        // What is parsed takes about three times what is written.
        let live = self.live.as_ref().map_or(0, |live| live.bytes * 3);
        let sheets: usize = self.sheets.values().map(|(_, bytes)| bytes * 3).sum();
        let digests: usize = self.digests.values().map(|digest| digest.bytes()).sum();
        256 + live + sheets + digests
    }
}

/// Whether two versions mean the same state, as far as both tell.
pub(crate) fn same(one: &Version, other: &Version) -> bool {
    let agree = |one: &Option<String>, other: &Option<String>| {
        one.as_ref().zip(other.as_ref()).map(|(one, other)| one == other)
    };
    match agree(&one.generation, &other.generation) {
        Some(agrees) => agrees,
        None => agree(&one.e_tag, &other.e_tag).unwrap_or(false),
    }
}
