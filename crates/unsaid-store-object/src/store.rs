//! Conversations in a bucket.
//!
//! The live object of a conversation holds its newest lines and all bookkeeping; older lines are in
//! sealed segments that it names. One conditional put of the live object is the commit: before it
//! nothing has happened, after it everything has.
//!
//! - `lane`, `pending`: a conversation's own queue; what waits shares a put.
//! - `attempt`: read, apply, put, and look when an answer is lost.
//! - `work`, `reach`: the change itself, and the segments that it needs.
//! - `seal`: what is written then. `digest`: what is known of segments without reading them.
//! - `fetch`, `cache`: reading. `history`, `media`: the ports.
//! - `index`, `scan`: who wants an answer, what is due, what is left over. `sources`: the list.
//! - `turns`: what became of turns.

mod ask;
mod attempt;
mod cache;
mod digest;
mod fetch;
mod history;
mod index;
mod lane;
mod media;
mod pending;
mod reach;
mod scan;
mod seal;
mod sources;
mod turns;
mod work;

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use tokio_util::task::TaskTracker;
use unsaid_core::{
    limits::Limits,
    port::{clock::Chance, error::StoreError, health::Health},
};

use self::{cache::Cache, index::Index, lane::Lanes};
use crate::{
    bucket::{Bucket, Expect, Put},
    name::NONCE_LEN,
};

/// How a bucket is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Size at which older lines are sealed.
    pub object_bytes_max: usize,
    /// Between two writes of one object; buckets allow about one a second.
    pub put_interval: Duration,
    /// How long a change may wait for its write.
    pub commit_within: Duration,
    /// How long a change may take that forgets a whole history.
    pub erase_within: Duration,
    /// How long one call of the bucket may take.
    pub call_within: Duration,
    /// How long a list of the whole bucket may take.
    pub list_within: Duration,
    /// How often the bucket is listed, to find what other processes wrote.
    pub rescan_every: Duration,
    /// What the cache of conversations may take.
    pub cache_bytes_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            object_bytes_max: Limits::default().object_bytes,
            put_interval: Duration::from_secs(1),
            commit_within: Duration::from_millis(1_500),
            erase_within: Duration::from_secs(30),
            call_within: Duration::from_secs(5),
            list_within: Duration::from_mins(1),
            rescan_every: Duration::from_secs(30),
            cache_bytes_max: 256 << 20,
        }
    }
}

/// See the module.
#[derive(Clone)]
pub struct BucketStore {
    inner: Arc<Inner>,
}

/// What the store and its lanes share.
pub(crate) struct Inner {
    bucket: Arc<dyn Bucket>,
    chance: Arc<dyn Chance>,
    options: Options,
    tracker: TaskTracker,
    lanes: Lanes,
    cache: Mutex<Cache>,
    index: Mutex<Index>,
    quarantined: Mutex<BTreeSet<(String, u64)>>,
}

/// A line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quarantined {
    /// The object.
    pub object: String,
    /// Its line when it was found, from one.
    pub line: u64,
}

impl BucketStore {
    /// A store in this bucket.
    #[must_use]
    pub fn new(bucket: Arc<dyn Bucket>, chance: Arc<dyn Chance>, options: Options) -> Self {
        let cache = Mutex::new(Cache::new(options.cache_bytes_max));
        let inner = Inner {
            bucket,
            chance,
            options,
            tracker: TaskTracker::new(),
            lanes: Lanes::default(),
            cache,
            index: Mutex::default(),
            quarantined: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Lines that this process came upon and that cannot be read. They stay where they are.
    #[must_use]
    pub fn quarantined(&self) -> Vec<Quarantined> {
        let found = self.inner.quarantined();
        found
            .iter()
            .map(|(object, line)| Quarantined { object: object.clone(), line: *line })
            .collect()
    }

    /// Waits until all that was asked is written, answered, and cleaned up after.
    pub async fn idle(&self) {
        self.inner.tracker.close();
        self.inner.tracker.wait().await;
        self.inner.tracker.reopen();
    }
}

impl Inner {
    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn quarantined(&self) -> MutexGuard<'_, BTreeSet<(String, u64)>> {
        self.quarantined.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A name that nobody used before.
    fn nonce(&self) -> String {
        let mut bytes = [0; NONCE_LEN / 2];
        self.chance.fill(&mut bytes);
        let mut nonce = String::with_capacity(NONCE_LEN);
        for byte in bytes {
            let _infallible = write!(nonce, "{byte:02x}");
        }
        nonce
    }

    /// A short wait, so that two who met do not meet again; longer the more often they met.
    fn jitter(&self, tries: u64) -> Duration {
        let mut bytes = [0; 8];
        self.chance.fill(&mut bytes);
        let most_us = 4_000 * tries.min(16);
        Duration::from_micros(500 + u64::from_le_bytes(bytes) % most_us)
    }
}

#[async_trait]
impl Health for BucketStore {
    async fn check(&self) -> Result<(), StoreError> {
        let inner = &self.inner;
        let name = format!("check/{}", inner.nonce());
        let put = inner.bucket.put(&name, Bytes::from_static(b"check\n"), &Expect::Absent);
        let failed = |error| fetch::failed(&error);
        match inner.in_time(put).await.map_err(failed)? {
            Put::Done(_) | Put::Stale => {}
        }
        inner.in_time(inner.bucket.get_start(&name, 1)).await.map_err(failed)?;
        inner.in_time(inner.bucket.delete(&name)).await.map_err(failed)
    }
}
