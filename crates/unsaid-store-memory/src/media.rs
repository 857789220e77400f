//! Pictures, recordings and files.

use async_trait::async_trait;
use unsaid_core::{
    domain::{conversation::key::ConversationKey, id::MediaKey},
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

    async fn get(
        &self,
        conversation: &ConversationKey,
        key: &MediaKey,
    ) -> Result<Option<MediaFile>, StoreError> {
        let state = self.lock()?;
        let Some(held) = state.conversations.get(conversation) else { return Ok(None) };
        let Some(kept) = held.media.get(key) else { return Ok(None) };
        let entry = held.conversation.log.get(kept.number);
        Ok(entry.filter(|entry| entry.is_heard()).map(|_| kept.file.clone()))
    }
}

impl State {
    fn put(&mut self, key: &MediaKey, place: &MediaPlace, file: MediaFile) -> bool {
        let MediaPlace { conversation, message } = place;
        let Some(held) = self.conversations.get_mut(conversation) else { return false };
        if held.media.contains_key(key) {
            return false;
        }
        let Some(entry) = held.conversation.log.by_id(message).filter(|entry| !entry.gone) else {
            return false;
        };
        let number = entry.number;
        held.media.insert(key.clone(), HeldFile { number, file });
        let now = held.touched_at;
        self.enforce_bounds(conversation, now);
        let held = self.conversations.get(conversation);
        held.is_some_and(|held| held.media.contains_key(key))
    }
}
