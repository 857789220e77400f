//! Reading: live objects, segments and their first lines, through the cache.

use std::{collections::BTreeSet, future::Future, sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::{task::JoinSet, time::timeout};
use unsaid_core::{
    domain::conversation::key::ConversationKey,
    port::error::{StoreError, corrupt},
};

use super::{
    Inner,
    cache::Live,
    digest::{Digest, Digests},
};
use crate::{
    bucket::{BucketError, Found, Listed},
    format::{
        head::Segment,
        held::Held,
        sheet::{Foreign, Sheet, Why},
    },
    name,
};

/// Segments that are read at the same time.
const AT_ONCE: usize = 8;
/// How often a reader begins again because somebody rewrote what it was reading.
const READS_MAX: usize = 8;

/// A segment is not there any more: somebody rewrote it since its name was read.
pub(crate) struct Moved {
    /// Its name.
    pub(crate) name: String,
}

impl Inner {
    /// The newest state of a conversation. Asks the bucket every time, so that words taken back
    /// elsewhere are not shown here.
    pub(crate) async fn live(&self, key: &ConversationKey) -> Result<Arc<Live>, StoreError> {
        let known = self.cache().live(key);
        let name = name::live(key);
        let at = known.as_ref().and_then(|live| live.at.as_ref());
        let found = self.in_time(self.bucket.get(&name, at)).await.map_err(|e| failed(&e))?;
        let live = match (found, known) {
            (Found::Unchanged, Some(known)) => return Ok(known),
            (Found::Unchanged, None) => {
                return Err(corrupt(name, "the bucket says that nothing changed since never"));
            }
            (Found::Absent, _) => Live::default(),
            (Found::Object { bytes, version }, _) => {
                let held = Held::read(&name, &bytes, key)?;
                self.report(&name, &held.foreign);
                Live { at: Some(version), held, bytes: bytes.len() }
            }
        };
        let live = Arc::new(live);
        self.cache().keep_live(key, &live);
        Ok(live)
    }

    /// Reads until nobody rewrites segments meanwhile.
    pub(crate) async fn reading<T, F>(
        &self,
        key: &ConversationKey,
        look: impl Fn(Arc<Live>) -> F,
    ) -> Result<T, StoreError>
    where
        F: Future<Output = Result<Result<T, Moved>, StoreError>>,
    {
        let mut missing = String::new();
        for _ in 0..READS_MAX {
            match look(self.live(key).await?).await? {
                Ok(seen) => return Ok(seen),
                Err(Moved { name }) => missing = name,
            }
        }
        Err(corrupt(missing, "a segment is missing"))
    }

    /// A segment.
    pub(crate) async fn sheet(
        &self,
        key: &ConversationKey,
        segment: &Segment,
    ) -> Result<Result<Arc<Sheet>, Moved>, StoreError> {
        if let Some(sheet) = self.cache().sheet(key, segment) {
            return Ok(Ok(sheet));
        }
        let name = format!("{}{}", name::sealed_prefix(key), segment.nonce);
        let found = self.in_time(self.bucket.get(&name, None)).await.map_err(|e| failed(&e))?;
        let Found::Object { bytes, .. } = found else { return Ok(Err(Moved { name })) };
        let sheet = Arc::new(Sheet::read(&name, &bytes, key)?);
        self.report(&name, &sheet.foreign);
        self.cache().keep_sheet(key, segment, &sheet, bytes.len());
        Ok(Ok(sheet))
    }

    /// Several segments, in their order.
    pub(crate) async fn sheets(
        self: &Arc<Self>,
        key: &ConversationKey,
        segments: &[Segment],
    ) -> Result<Result<Vec<(Segment, Arc<Sheet>)>, Moved>, StoreError> {
        let mut all = Vec::new();
        for some in segments.chunks(AT_ONCE) {
            let mut reads = JoinSet::new();
            for (place, segment) in some.iter().cloned().enumerate() {
                let (inner, key) = (Arc::clone(self), key.clone());
                reads.spawn(async move { (place, inner.sheet(&key, &segment).await, segment) });
            }
            let mut read = reads.join_all().await;
            read.sort_by_key(|(place, ..)| *place);
            for (_, sheet, segment) in read {
                match sheet? {
                    Ok(sheet) => all.push((segment, sheet)),
                    Err(moved) => return Ok(Err(moved)),
                }
            }
        }
        Ok(Ok(all))
    }

    /// What all these segments know, from their first lines.
    pub(crate) async fn digests(
        self: &Arc<Self>,
        key: &ConversationKey,
        segments: &[Segment],
    ) -> Result<Result<Digests, Moved>, StoreError> {
        let mut digests = self.cache().digests(key);
        let unknown: Vec<&Segment> =
            segments.iter().filter(|segment| !digests.contains_key(&segment.nonce)).collect();
        for some in unknown.chunks(AT_ONCE) {
            let mut reads = JoinSet::new();
            for segment in some.iter().copied().cloned() {
                let (inner, key) = (Arc::clone(self), key.clone());
                reads.spawn(async move { (inner.digest(&key, &segment).await, segment.nonce) });
            }
            for (digest, nonce) in reads.join_all().await {
                match digest? {
                    Ok(digest) => digests.insert(nonce, digest),
                    Err(moved) => return Ok(Err(moved)),
                };
            }
        }
        let names: BTreeSet<&str> = segments.iter().map(|segment| segment.nonce.as_str()).collect();
        digests.retain(|nonce, _| names.contains(nonce.as_str()));
        Ok(Ok(digests))
    }

    async fn digest(
        &self,
        key: &ConversationKey,
        segment: &Segment,
    ) -> Result<Result<Arc<Digest>, Moved>, StoreError> {
        let name = format!("{}{}", name::sealed_prefix(key), segment.nonce);
        let read = self.in_time(self.bucket.get_start(&name, segment.head_bytes)).await;
        let Some(first_line) = read.map_err(|error| failed(&error))? else {
            return Ok(Err(Moved { name }));
        };
        let digest = Arc::new(Digest::read(&name, &first_line)?);
        self.cache().keep_digest(key, &segment.nonce, &digest);
        Ok(Ok(digest))
    }

    /// The objects in a place, of which there may be many.
    pub(crate) async fn list(&self, prefix: &str) -> Result<Vec<Listed>, StoreError> {
        let listed = timeout(self.options.list_within, self.bucket.list(prefix)).await;
        let late = |_| StoreError::Unavailable("the bucket could not be listed in time".to_owned());
        listed.map_err(late)?.map_err(|error| failed(&error))
    }

    /// The first line of a live object, whatever its length.
    pub(crate) async fn first_line(&self, name: &str) -> Result<Option<Bytes>, StoreError> {
        let mut wanted = 64 * 1024;
        loop {
            let read = self.in_time(self.bucket.get_start(name, wanted)).await;
            let Some(start) = read.map_err(|e| failed(&e))? else { return Ok(None) };
            if start.contains(&b'\n') || (start.len() as u64) < wanted {
                return Ok(Some(start));
            }
            wanted *= 4;
        }
    }

    /// No call lasts forever. What a write did that lasted too long is not known.
    pub(crate) async fn in_time<T>(
        &self,
        call: impl Future<Output = Result<T, BucketError>>,
    ) -> Result<T, BucketError> {
        let within: Duration = self.options.call_within;
        let late = |_| BucketError::Uncertain("no answer in time".to_owned());
        timeout(within, call).await.unwrap_or_else(|elapsed| Err(late(elapsed)))
    }

    /// Says once where lines are that cannot be read.
    fn report(&self, name: &str, foreign: &[Foreign]) {
        let bad = foreign.iter().filter_map(|foreign| match foreign.why {
            Why::Bad { line } => Some(line),
            Why::Opaque { .. } | Why::Twin { .. } => None,
        });
        let mut quarantined = self.quarantined();
        for line in bad {
            if quarantined.insert((name.to_owned(), line)) {
                tracing::warn!(object = name, line, "a line cannot be read and is left as it is");
            }
        }
    }
}

/// A failed read.
pub(crate) fn failed(error: &BucketError) -> StoreError {
    StoreError::Unavailable(error.to_string())
}
