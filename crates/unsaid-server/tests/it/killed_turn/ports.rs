//! The ports of a turn with a point before and after every call, around the real store.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use tokio::sync::Notify;
use unsaid_core::domain::conversation::Conversation;
use unsaid_core::domain::conversation::change::{Change, Event, Refusal};
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::conversation::log::Entry;
use unsaid_core::domain::id::{EventNumber, MessageId, Number, SourceId};
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::Store;
use unsaid_core::port::error::StoreError;
use unsaid_core::port::history::{Commit, Committed, History, Overview, SourceReport, Swept, Tail};

use super::points::Points;

/// The log, with points, and with news of what was seen in passing.
pub(super) struct PointedHistory {
    pub(super) store: Arc<dyn Store>,
    pub(super) points: Arc<Points>,
    /// What the worker's first look found.
    pub(super) first_sweep: OnceLock<Vec<ConversationKey>>,
    pub(super) swept: Notify,
    /// Somebody wanted to begin a turn, or looked for one, and nothing waited.
    pub(super) idle: Notify,
    pub(super) renewed: Notify,
    /// The next look at the conversation fails.
    pub(super) look_fails: AtomicBool,
}

impl PointedHistory {
    pub(super) fn new(store: Arc<dyn Store>, points: Arc<Points>) -> Self {
        Self {
            store,
            points,
            first_sweep: OnceLock::new(),
            swept: Notify::new(),
            idle: Notify::new(),
            renewed: Notify::new(),
            look_fails: AtomicBool::new(false),
        }
    }

    fn saw(&self, change: &'static str, committed: &Result<Committed, StoreError>) {
        match committed {
            Ok(Committed::Refused(Refusal::NothingWaiting)) => self.idle.notify_one(),
            Ok(Committed::Applied(..)) if change == "renew" => self.renewed.notify_one(),
            Ok(_) | Err(_) => {}
        }
    }
}

#[async_trait]
impl History for PointedHistory {
    async fn commit(&self, key: &ConversationKey, commit: Commit) -> Result<Committed, StoreError> {
        let name = name_of(&commit.change);
        let committed = self.points.around(name, self.store.commit(key, commit)).await;
        self.saw(name, &committed);
        committed
    }

    async fn overview(&self, key: &ConversationKey) -> Result<Option<Overview>, StoreError> {
        let look = async {
            if self.look_fails.swap(false, Ordering::SeqCst) {
                return Err(StoreError::Unavailable("this look was made to fail".to_owned()));
            }
            self.store.overview(key).await
        };
        let found = self.points.around("overview", look).await;
        if let Ok(Some(Overview { turn: None, wanted_at: None, .. })) = &found {
            self.idle.notify_one();
        }
        found
    }

    async fn page(
        &self,
        key: &ConversationKey,
        before: Option<Number>,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        self.points.around("page", self.store.page(key, before, limit)).await
    }

    async fn find(
        &self,
        key: &ConversationKey,
        id: &MessageId,
    ) -> Result<Option<Entry>, StoreError> {
        self.points.around("find", self.store.find(key, id)).await
    }

    async fn tail(
        &self,
        key: &ConversationKey,
        from: &MessageId,
        preview: usize,
    ) -> Result<Option<Tail>, StoreError> {
        self.points.around("tail", self.store.tail(key, from, preview)).await
    }

    async fn whole(&self, key: &ConversationKey) -> Result<Option<Conversation>, StoreError> {
        self.points.around("whole", self.store.whole(key)).await
    }

    async fn wanting(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<ConversationKey>, StoreError> {
        let found = self.points.around("wanting", self.store.wanting(now, limit)).await;
        if let Ok(keys) = &found {
            self.first_sweep.get_or_init(|| keys.clone());
            self.swept.notify_one();
        }
        found
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
        self.points.around("events", self.store.events_after(key, after, limit)).await
    }

    async fn release_turns(&self, now: Timestamp) -> Result<u64, StoreError> {
        self.points.around("release of all turns", self.store.release_turns(now)).await
    }

    async fn drop_conversation(&self, key: &ConversationKey) -> Result<(), StoreError> {
        self.points.around("drop", self.store.drop_conversation(key)).await
    }

    async fn sweep(&self, now: Timestamp, limit: usize) -> Result<Swept, StoreError> {
        self.points.around("sweep", self.store.sweep(now, limit)).await
    }
}

fn name_of(change: &Change) -> &'static str {
    match change {
        Change::Say(_) => "say",
        Change::Fill { .. } => "fill",
        Change::Begin { .. } => "begin",
        Change::Renew { .. } => "renew",
        Change::Intend { .. } => "intend",
        Change::Settle { .. } => "settle",
        Change::Answer { .. } => "answer",
        Change::Decide { .. } => "decide",
        Change::Release { .. } => "release",
        Change::Stop => "stop",
        Change::Revise(_) => "revise",
        Change::Remove(_) => "remove",
        Change::ReplaceTail(_) => "replace tail",
        Change::Restore { .. } => "restore",
        Change::CloseUndo => "close undo",
        Change::Clear(_) => "clear",
        Change::EraseAuthor { .. } => "erase author",
        Change::EraseAll => "erase all",
        Change::Expire => "expire",
    }
}
