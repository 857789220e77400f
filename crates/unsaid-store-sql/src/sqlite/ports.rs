//! The ports on this engine: each call is one change or one look.

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        audit::{AuditLine, EraseReason},
        conversation::{Conversation, change::Event, key::ConversationKey, log::Entry},
        id::{EventNumber, MediaKey, MessageId, Number, PersonId},
        time::Timestamp,
    },
    port::{
        erasure::{Batch, Claim, Erasure},
        error::StoreError,
        history::{Commit, Committed, History, Overview, Swept, Tail},
        keys::{KeyUse, Keys},
        media::{Media, MediaFile, MediaPlace},
    },
};

use super::SqliteStore;
use crate::{erasure, events, history, keys, media};

#[async_trait]
impl History for SqliteStore {
    async fn commit(&self, key: &ConversationKey, commit: Commit) -> Result<Committed, StoreError> {
        let key = key.clone();
        self.write(async move |db| history::commit(db, &key, commit).await).await
    }

    async fn overview(&self, key: &ConversationKey) -> Result<Option<Overview>, StoreError> {
        let key = key.clone();
        self.read(async move |db| history::overview(db, &key).await).await
    }

    async fn page(
        &self,
        key: &ConversationKey,
        before: Option<Number>,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let key = key.clone();
        self.read(async move |db| history::page(db, &key, before, limit).await).await
    }

    async fn find(
        &self,
        key: &ConversationKey,
        id: &MessageId,
    ) -> Result<Option<Entry>, StoreError> {
        let (key, id) = (key.clone(), id.clone());
        self.read(async move |db| history::find(db, &key, &id).await).await
    }

    async fn tail(
        &self,
        key: &ConversationKey,
        from: &MessageId,
        preview: usize,
    ) -> Result<Option<Tail>, StoreError> {
        let (key, from) = (key.clone(), from.clone());
        self.read(async move |db| history::tail(db, &key, &from, preview).await).await
    }

    async fn whole(&self, key: &ConversationKey) -> Result<Option<Conversation>, StoreError> {
        let key = key.clone();
        self.read(async move |db| history::whole(db, &key).await).await
    }

    async fn wanting(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<ConversationKey>, StoreError> {
        self.read(async move |db| history::wanting(db, now, limit).await).await
    }

    async fn events_after(
        &self,
        key: &ConversationKey,
        after: EventNumber,
        limit: usize,
    ) -> Result<Option<Vec<(EventNumber, Event)>>, StoreError> {
        let key = key.clone();
        self.read(async move |db| events::after(db, &key, after, limit).await).await
    }

    async fn release_turns(&self, now: Timestamp) -> Result<u64, StoreError> {
        self.write(async move |db| history::release_turns(db, now).await).await
    }

    async fn drop_conversation(&self, key: &ConversationKey) -> Result<(), StoreError> {
        let key = key.clone();
        self.write(async move |db| history::drop_conversation(db, &key, Timestamp::ZERO).await)
            .await
    }

    async fn sweep(&self, now: Timestamp, limit: usize) -> Result<Swept, StoreError> {
        self.write(async move |db| history::sweep(db, now, limit).await).await
    }
}

#[async_trait]
impl Keys for SqliteStore {
    async fn remember(&self, key: KeyUse) -> Result<Option<KeyUse>, StoreError> {
        self.write(async move |db| keys::remember(db, &key).await).await
    }

    async fn forget_before(&self, horizon: Timestamp) -> Result<u64, StoreError> {
        self.write(async move |db| keys::forget_before(db, horizon).await).await
    }
}

#[async_trait]
impl Media for SqliteStore {
    async fn put(
        &self,
        key: &MediaKey,
        place: &MediaPlace,
        file: MediaFile,
    ) -> Result<bool, StoreError> {
        let (id, at, size) = (key.clone(), place.clone(), file.bytes.len());
        let mime = file.mime;
        let begun =
            async move |db: &dyn crate::db::Db| media::begin(db, &id, &at, (&mime, size)).await;
        if !self.write(begun).await? {
            return Ok(false);
        }
        for (part, chunk) in file.bytes.chunks(media::CHUNK_BYTES).enumerate() {
            let (at, id, chunk) = (place.conversation.clone(), key.clone(), chunk.to_vec());
            let add = async move |db: &dyn crate::db::Db| {
                media::add_chunk(db, &at, &id, (part, &chunk)).await
            };
            if !self.write(add).await? {
                return Ok(false);
            }
        }
        let (at, id) = (place.conversation.clone(), key.clone());
        self.write(async move |db| media::finish(db, &at, &id).await).await
    }

    async fn get(
        &self,
        conversation: &ConversationKey,
        key: &MediaKey,
    ) -> Result<Option<MediaFile>, StoreError> {
        let (conversation, key) = (conversation.clone(), key.clone());
        self.read(async move |db| media::get(db, &conversation, &key).await).await
    }
}

#[async_trait]
impl Erasure for SqliteStore {
    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<PersonId>, StoreError> {
        self.read(async move |db| erasure::due(db, now, limit).await).await
    }

    async fn claim(
        &self,
        person: &PersonId,
        reason: EraseReason,
        now: Timestamp,
    ) -> Result<Claim, StoreError> {
        let person = person.clone();
        self.write(async move |db| erasure::claim(db, &person, reason, now).await).await
    }

    async fn erase_batch(
        &self,
        person: &PersonId,
        limit: usize,
        now: Timestamp,
    ) -> Result<Batch, StoreError> {
        let person = person.clone();
        self.write(async move |db| erasure::erase_batch(db, &person, limit, now).await).await
    }

    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditLine>, StoreError> {
        self.read(async move |db| erasure::audit(db, before, limit).await).await
    }
}
