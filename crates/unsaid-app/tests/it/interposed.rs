//! A log in which something happens just before it is looked at.

use std::sync::Arc;

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
use unsaid_testkit::builder::unsend;

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trick {
    /// Another process takes `m1` back before the conversation is looked at.
    UnsendBeforeTheLook,
    /// Pages never come.
    NoPages,
    /// Changes are never confirmed.
    NoCommits,
}

pub(crate) struct Interposed {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) trick: Trick,
}

#[async_trait]
impl History for Interposed {
    async fn commit(&self, key: &ConversationKey, commit: Commit) -> Result<Committed, StoreError> {
        if self.trick == Trick::NoCommits {
            std::future::pending::<()>().await;
        }
        self.store.commit(key, commit).await
    }

    async fn overview(&self, key: &ConversationKey) -> Result<Option<Overview>, StoreError> {
        if self.trick == Trick::UnsendBeforeTheLook {
            self.store.commit(key, Commit::new(unsend("m1"), Timestamp::ZERO)).await?;
        }
        self.store.overview(key).await
    }

    async fn page(
        &self,
        key: &ConversationKey,
        before: Option<Number>,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        if self.trick == Trick::NoPages {
            std::future::pending::<()>().await;
        }
        self.store.page(key, before, limit).await
    }

    async fn find(
        &self,
        key: &ConversationKey,
        id: &MessageId,
    ) -> Result<Option<Entry>, StoreError> {
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
