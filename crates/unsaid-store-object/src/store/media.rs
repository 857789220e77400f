//! Pictures, recordings and files.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use unsaid_core::{
    domain::{
        conversation::{key::ConversationKey, log::Entry},
        id::MediaKey,
    },
    port::{
        error::StoreError,
        media::{Media, MediaFile, MediaPlace},
    },
};

use super::{
    BucketStore, Inner,
    ask::{Answer, Ask, Bind, Bound},
    cache::Live,
    fetch::{Moved, failed},
};
use crate::{
    bucket::{BucketError, Expect, Found},
    format::head::Binding,
    name,
};

/// How often bytes are written again because a cleaning came between.
const TRIES_MAX: usize = 3;

#[async_trait]
impl Media for BucketStore {
    async fn put(
        &self,
        key: &MediaKey,
        place: &MediaPlace,
        file: MediaFile,
    ) -> Result<bool, StoreError> {
        let inner = &self.inner;
        let live = inner.live(&place.conversation).await?;
        if !may_be_there(&live, key, place) {
            return Ok(false);
        }
        let MediaFile { mime, bytes } = file;
        let bytes = Bytes::from(bytes);
        let mut cleanings = live.held.cleanings;
        for _ in 0..TRIES_MAX {
            let object = name::media_object(&place.conversation, key, &inner.nonce());
            let left_over = LeftOver { inner, key: &place.conversation };
            inner.put_bytes(&object, &bytes).await?;
            let (message, mime) = (place.message.clone(), mime.clone());
            let bind = Bind { key: key.clone(), message, mime, object: object.clone(), cleanings };
            let within = inner.options.commit_within;
            let bound = match inner.ask(&place.conversation, Ask::Bind(bind), within).await? {
                Answer::Bound(bound) => bound,
                Answer::Committed(_) | Answer::Swept(_) | Answer::Cleaned(_) => Bound::No,
            };
            if bound == Bound::Yes || inner.in_time(inner.bucket.delete(&object)).await.is_ok() {
                left_over.nothing();
            }
            match bound {
                Bound::Yes => return Ok(true),
                Bound::No => return Ok(false),
                Bound::Again { cleanings: now } => cleanings = now,
            }
        }
        Err(StoreError::Unavailable("the conversation was cleaned again and again".to_owned()))
    }

    async fn get(
        &self,
        conversation: &ConversationKey,
        key: &MediaKey,
    ) -> Result<Option<MediaFile>, StoreError> {
        let inner = &self.inner;
        inner.reading(conversation, |live| inner.file(conversation, live, key)).await
    }
}

impl Inner {
    /// The bytes, before anybody names them.
    async fn put_bytes(&self, object: &str, bytes: &Bytes) -> Result<(), StoreError> {
        let put = self.bucket.put(object, bytes.clone(), &Expect::Absent);
        match self.in_time(put).await {
            Ok(_) => Ok(()),
            Err(BucketError::Full) => Err(StoreError::Full),
            // Nobody names them: they are left over, nothing more.
            Err(error) => Err(failed(&error)),
        }
    }

    async fn file(
        self: &Arc<Self>,
        conversation: &ConversationKey,
        live: Arc<Live>,
        key: &MediaKey,
    ) -> Result<Result<Option<MediaFile>, Moved>, StoreError> {
        let binding = match self.binding(conversation, &live, key).await? {
            Ok(Some(binding)) => binding,
            Ok(None) => return Ok(Ok(None)),
            Err(moved) => return Ok(Err(moved)),
        };
        let Binding { mime, object, .. } = binding;
        let found = self.in_time(self.bucket.get(&object, None)).await.map_err(|e| failed(&e))?;
        Ok(Ok(match found {
            Found::Object { bytes, .. } => Some(MediaFile { mime, bytes: bytes.into() }),
            // It went between the two reads, or was never there.
            Found::Absent | Found::Unchanged => None,
        }))
    }

    /// The file of a key, if its message can be heard.
    async fn binding(
        self: &Arc<Self>,
        conversation: &ConversationKey,
        live: &Live,
        key: &MediaKey,
    ) -> Result<Result<Option<Binding>, Moved>, StoreError> {
        let held = &live.held;
        if let Some(binding) = held.media.get(key) {
            let entry = held.conversation.log.get(binding.number);
            let heard = entry.is_some_and(Entry::is_heard);
            return Ok(Ok(heard.then(|| binding.clone())));
        }
        let digests = match self.digests(conversation, &held.segments).await? {
            Ok(digests) => digests,
            Err(moved) => return Ok(Err(moved)),
        };
        for segment in &held.segments {
            let digest = digests.get(&segment.nonce);
            let Some(binding) = digest.and_then(|digest| digest.media.get(key)) else { continue };
            let sheet = match self.sheet(conversation, segment).await? {
                Ok(sheet) => sheet,
                Err(moved) => return Ok(Err(moved)),
            };
            let entry = sheet.entries.iter().find(|entry| entry.number == binding.number);
            let heard = entry.is_some_and(Entry::is_heard);
            return Ok(Ok(heard.then(|| binding.clone())));
        }
        Ok(Ok(None))
    }
}

/// Whether it is worth writing the bytes: nothing speaks against it in the live object.
fn may_be_there(live: &Live, key: &MediaKey, place: &MediaPlace) -> bool {
    let held = &live.held;
    match held.conversation.log.by_id(&place.message) {
        Some(entry) => !entry.gone && !held.media.contains_key(key),
        None => !held.segments.is_empty(),
    }
}

/// Bytes that nobody names yet. If whoever writes them goes away they are looked for.
struct LeftOver<'a> {
    inner: &'a Inner,
    key: &'a ConversationKey,
}

impl LeftOver<'_> {
    /// There is nothing to look for.
    fn nothing(self) {
        std::mem::forget(self);
    }
}

impl Drop for LeftOver<'_> {
    fn drop(&mut self) {
        self.inner.index().suspect(self.key);
    }
}
