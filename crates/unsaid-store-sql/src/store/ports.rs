//! The ports for conversations, files and erasure.

use std::collections::BTreeMap;

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        audit::{AuditLine, EraseReason},
        conversation::{
            Conversation,
            change::{EndedTurn, Event},
            key::ConversationKey,
            log::Entry,
        },
        id::{AgentId, EventNumber, Fence, MediaKey, MessageId, Number, PersonId, SourceId},
        time::Timestamp,
    },
    port::{
        erasure::{Batch, Claim, Erasure},
        error::StoreError,
        history::{Commit, Committed, History, Overview, SourceReport, Swept, Tail},
        keys::{KeyUse, Keys},
        media::{Media, MediaFile, MediaPlace},
    },
};

use super::{Doing, Engine, SqlStore};
use crate::{db::Db, erasure, events, history, keys, media};

fn commit_given<'a>(
    db: &'a dyn Db,
    (key, commit): &'a (ConversationKey, Commit),
) -> Doing<'a, Committed> {
    Box::pin(history::commit(db, key, commit.clone()))
}

#[async_trait]
impl<E: Engine> History for SqlStore<E> {
    async fn commit(&self, key: &ConversationKey, commit: Commit) -> Result<Committed, StoreError> {
        let is_loose = history::is_loose(&commit.change);
        let given = (key.clone(), commit);
        if is_loose {
            self.engine.write_loosely(given, commit_given).await
        } else {
            self.engine.write(given, commit_given).await
        }
    }

    async fn overview(&self, key: &ConversationKey) -> Result<Option<Overview>, StoreError> {
        self.engine.read(key.clone(), |db, key| Box::pin(history::overview(db, key))).await
    }

    async fn page(
        &self,
        key: &ConversationKey,
        before: Option<Number>,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        self.engine
            .read((key.clone(), before, limit), |db, (key, before, limit)| {
                Box::pin(history::page(db, key, *before, *limit))
            })
            .await
    }

    async fn find(
        &self,
        key: &ConversationKey,
        id: &MessageId,
    ) -> Result<Option<Entry>, StoreError> {
        self.engine
            .read((key.clone(), id.clone()), |db, (key, id)| Box::pin(history::find(db, key, id)))
            .await
    }

    async fn tail(
        &self,
        key: &ConversationKey,
        from: &MessageId,
        preview: usize,
    ) -> Result<Option<Tail>, StoreError> {
        self.engine
            .read((key.clone(), from.clone(), preview), |db, (key, from, preview)| {
                Box::pin(history::tail(db, key, from, *preview))
            })
            .await
    }

    async fn entries_after(
        &self,
        key: &ConversationKey,
        after: Number,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        self.engine
            .read((key.clone(), after, limit), |db, (key, after, limit)| {
                Box::pin(history::entries_after(db, key, *after, *limit))
            })
            .await
    }

    async fn whole(&self, key: &ConversationKey) -> Result<Option<Conversation>, StoreError> {
        self.engine.read(key.clone(), |db, key| Box::pin(history::whole(db, key))).await
    }

    async fn wanting(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<ConversationKey>, StoreError> {
        self.engine
            .read((now, limit), |db, (now, limit)| Box::pin(history::wanting(db, *now, *limit)))
            .await
    }

    async fn sources(
        &self,
        after: Option<&SourceId>,
        limit: usize,
    ) -> Result<Vec<SourceReport>, StoreError> {
        self.engine
            .read((after.cloned(), limit), |db, (after, limit)| {
                Box::pin(history::sources(db, after.as_ref(), *limit))
            })
            .await
    }

    async fn turns(
        &self,
        key: &ConversationKey,
        before: Option<Fence>,
        limit: usize,
    ) -> Result<Vec<EndedTurn>, StoreError> {
        self.engine
            .read((key.clone(), before, limit), |db, (key, before, limit)| {
                Box::pin(history::ended_turns(db, key, *before, *limit))
            })
            .await
    }

    async fn cleared(
        &self,
        key: &ConversationKey,
    ) -> Result<BTreeMap<AgentId, Number>, StoreError> {
        self.engine.read(key.clone(), |db, key| Box::pin(history::cleared(db, key))).await
    }

    async fn newest_event(&self, key: &ConversationKey) -> Result<EventNumber, StoreError> {
        self.engine.read(key.clone(), |db, key| Box::pin(events::newest(db, key))).await
    }

    async fn events_after(
        &self,
        key: &ConversationKey,
        after: EventNumber,
        limit: usize,
    ) -> Result<Option<Vec<(EventNumber, Event)>>, StoreError> {
        self.engine
            .read((key.clone(), after, limit), |db, (key, after, limit)| {
                Box::pin(events::after(db, key, *after, *limit))
            })
            .await
    }

    async fn release_turns(&self, now: Timestamp) -> Result<u64, StoreError> {
        self.engine.write(now, |db, now| Box::pin(history::release_turns(db, *now))).await
    }

    async fn drop_conversation(&self, key: &ConversationKey) -> Result<(), StoreError> {
        self.engine
            .write(key.clone(), |db, key| {
                Box::pin(history::drop_conversation(db, key, Timestamp::ZERO))
            })
            .await
    }

    async fn sweep(&self, now: Timestamp, limit: usize) -> Result<Swept, StoreError> {
        self.engine
            .write((now, limit), |db, (now, limit)| Box::pin(history::sweep(db, *now, *limit)))
            .await
    }
}

#[async_trait]
impl<E: Engine> Keys for SqlStore<E> {
    async fn used(&self, key: &KeyUse) -> Result<Option<KeyUse>, StoreError> {
        self.engine.read(key.clone(), |db, key| Box::pin(keys::find(db, key))).await
    }

    async fn remember(&self, key: KeyUse) -> Result<Option<KeyUse>, StoreError> {
        self.engine.write(key, |db, key| Box::pin(keys::remember(db, key))).await
    }

    async fn forget_before(&self, horizon: Timestamp) -> Result<u64, StoreError> {
        self.engine.write(horizon, |db, horizon| Box::pin(keys::forget_before(db, *horizon))).await
    }
}

#[async_trait]
impl<E: Engine> Media for SqlStore<E> {
    async fn put(
        &self,
        key: &MediaKey,
        place: &MediaPlace,
        file: MediaFile,
    ) -> Result<bool, StoreError> {
        let given = (key.clone(), place.clone(), file.mime, file.bytes.len());
        let begun = self.engine.write(given, |db, (key, place, mime, size)| {
            Box::pin(media::begin(db, key, place, (mime, *size)))
        });
        if !begun.await? {
            return Ok(false);
        }
        for (part, chunk) in file.bytes.chunks(media::CHUNK_BYTES).enumerate() {
            let given = (place.conversation.clone(), key.clone(), part, chunk.to_vec());
            let added = self.engine.write(given, |db, (at, key, part, chunk)| {
                Box::pin(media::add_chunk(db, at, key, (*part, chunk)))
            });
            if !added.await? {
                return Ok(false);
            }
        }
        let given = (place.conversation.clone(), key.clone());
        self.engine.write(given, |db, (at, key)| Box::pin(media::finish(db, at, key))).await
    }

    async fn get(
        &self,
        conversation: &ConversationKey,
        key: &MediaKey,
    ) -> Result<Option<MediaFile>, StoreError> {
        self.engine
            .read((conversation.clone(), key.clone()), |db, (conversation, key)| {
                Box::pin(media::get(db, conversation, key))
            })
            .await
    }
}

#[async_trait]
impl<E: Engine> Erasure for SqlStore<E> {
    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<PersonId>, StoreError> {
        self.engine
            .read((now, limit), |db, (now, limit)| Box::pin(erasure::due(db, *now, *limit)))
            .await
    }

    async fn claim(
        &self,
        person: &PersonId,
        reason: EraseReason,
        now: Timestamp,
    ) -> Result<Claim, StoreError> {
        self.engine
            .write((person.clone(), reason, now), |db, (person, reason, now)| {
                Box::pin(erasure::claim(db, person, *reason, *now))
            })
            .await
    }

    async fn erase_batch(
        &self,
        person: &PersonId,
        limit: usize,
        now: Timestamp,
    ) -> Result<Batch, StoreError> {
        self.engine
            .write((person.clone(), limit, now), |db, (person, limit, now)| {
                Box::pin(erasure::erase_batch(db, person, *limit, *now))
            })
            .await
    }

    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditLine>, StoreError> {
        self.engine
            .read((before, limit), |db, (before, limit)| {
                Box::pin(erasure::audit(db, *before, *limit))
            })
            .await
    }
}
