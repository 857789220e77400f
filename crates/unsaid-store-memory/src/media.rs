//! Pictures, recordings and files.

use async_trait::async_trait;
use unsaid_core::{
    domain::id::MediaKey,
    port::{
        error::StoreError,
        media::{Media, MediaFile, MediaPlace},
    },
};

use crate::{
    MemoryStore,
    state::{HeldFile, State},
};

#[async_trait]
impl Media for MemoryStore {
    async fn put(
        &self,
        key: &MediaKey,
        place: &MediaPlace,
        file: MediaFile,
    ) -> Result<bool, StoreError> {
        Ok(self.lock()?.put(key, place, file))
    }

    async fn get(&self, key: &MediaKey) -> Result<Option<MediaFile>, StoreError> {
        let state = self.lock()?;
        let Some(held) = state.media.get(key) else { return Ok(None) };
        let place = state.conversations.get(&held.conversation);
        let entry = place.and_then(|place| place.conversation.log.get(held.number));
        Ok(entry.filter(|entry| entry.is_heard()).map(|_| held.file.clone()))
    }
}

impl State {
    fn put(&mut self, key: &MediaKey, place: &MediaPlace, file: MediaFile) -> bool {
        let MediaPlace { conversation, message } = place;
        if self.media.contains_key(key) {
            return false;
        }
        let Some(held) = self.conversations.get_mut(conversation) else { return false };
        let Some(entry) = held.conversation.log.by_id(message).filter(|entry| !entry.gone) else {
            return false;
        };
        let (conversation, number) = (conversation.clone(), entry.number);
        held.media.insert(key.clone());
        let now = held.touched_at;
        self.media.insert(key.clone(), HeldFile { conversation, number, file });
        self.enforce_bounds(&place.conversation, now);
        self.media.contains_key(key)
    }
}
