//! A history that never answers where it is told to.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        conversation::{Conversation, change::Event, key::ConversationKey, log::Entry},
        id::{EventNumber, MessageId, Number, SourceId},
        time::Timestamp,
    },
    port::{
        Store,
        error::StoreError,
        history::{Commit, Committed, History, Overview, SourceReport, Swept, Tail},
    },
};

pub(crate) struct Slow {
    pub(crate) store: Arc<dyn Store>,
    /// The conversation that never answers.
    pub(crate) key: ConversationKey,
    /// Whether it does not answer now.
    pub(crate) hangs: AtomicBool,
}

impl Slow {
    async fn answer(&self, key: &ConversationKey) {
        if *key == self.key && self.hangs.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait]
impl History for Slow {
    async fn commit(&self, key: &ConversationKey, commit: Commit) -> Result<Committed, StoreError> {
        self.answer(key).await;
        self.store.commit(key, commit).await
    }

    async fn overview(&self, key: &ConversationKey) -> Result<Option<Overview>, StoreError> {
        self.store.overview(key).await
    }

    async fn page(
        &self,
        key: &ConversationKey,
        before: Option<Number>,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        self.store.page(key, before, limit).await
    }

    async fn find(
        &self,
        key: &ConversationKey,
        id: &MessageId,
    ) -> Result<Option<Entry>, StoreError> {
        self.answer(key).await;
        self.store.find(key, id).await
    }

    async fn tail(
        &self,
        key: &ConversationKey,
        from: &MessageId,
        preview: usize,
    ) -> Result<Option<Tail>, StoreError> {
        self.store.tail(key, from, preview).await
    }

    async fn whole(&self, key: &ConversationKey) -> Result<Option<Conversation>, StoreError> {
        self.store.whole(key).await
    }

    async fn wanting(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<ConversationKey>, StoreError> {
        self.store.wanting(now, limit).await
    }

    async fn sources(
        &self,
        after: Option<&SourceId>,
        limit: usize,
    ) -> Result<Vec<SourceReport>, StoreError> {
        self.store.sources(after, limit).await
    }

    async fn events_after(
        &self,
        key: &ConversationKey,
        after: EventNumber,
        limit: usize,
    ) -> Result<Option<Vec<(EventNumber, Event)>>, StoreError> {
        self.store.events_after(key, after, limit).await
    }

    async fn release_turns(&self, now: Timestamp) -> Result<u64, StoreError> {
        self.store.release_turns(now).await
    }

    async fn drop_conversation(&self, key: &ConversationKey) -> Result<(), StoreError> {
        self.store.drop_conversation(key).await
    }

    async fn sweep(&self, now: Timestamp, limit: usize) -> Result<Swept, StoreError> {
        self.store.sweep(now, limit).await
    }
}
