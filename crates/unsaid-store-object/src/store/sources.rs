//! The sources on LINE, without their words. Which there are is known from the list of the bucket; of
//! those on a page the live objects are read, and a segment only where nothing else is left.

use std::sync::Arc;

use tokio::task::JoinSet;
use unsaid_core::{
    domain::{conversation::key::ConversationKey, id::SourceId, time::Timestamp},
    port::{error::StoreError, history::SourceReport},
};

use super::{Inner, cache::Live, history::Look};

/// Live objects that are read at the same time.
const AT_ONCE: usize = 16;

impl Inner {
    pub(crate) async fn sources(
        self: &Arc<Self>,
        after: Option<&SourceId>,
        limit: usize,
    ) -> Result<Vec<SourceReport>, StoreError> {
        let mut after = after.cloned();
        let mut page = Vec::new();
        while page.len() < limit {
            let some = self.index().sources(after.as_ref(), AT_ONCE.min(limit - page.len()));
            let Some(last) = some.last() else { break };
            after = Some(last.clone());
            let mut looks = JoinSet::new();
            for id in some {
                let inner = Arc::clone(self);
                looks.spawn(async move { inner.report_of(id).await });
            }
            for report in looks.join_all().await {
                page.extend(report?);
            }
        }
        page.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(page)
    }

    async fn report_of(&self, id: SourceId) -> Result<Option<SourceReport>, StoreError> {
        let key = ConversationKey::Line(id.clone());
        match self.reading(&key, |live| self.report_in(&key, live, id.clone())).await {
            // One damaged object must not hide all others.
            Err(error @ StoreError::Corrupt { .. }) => {
                tracing::warn!(conversation = %key, error = error.name(), "cannot be listed");
                Ok(None)
            }
            read => read,
        }
    }

    async fn report_in(
        &self,
        key: &ConversationKey,
        live: Arc<Live>,
        id: SourceId,
    ) -> Look<Option<SourceReport>> {
        if !live.held.exists() {
            return Ok(Ok(None));
        }
        let newest_at = match self.newest_at(key, &live).await? {
            Ok(newest_at) => newest_at,
            Err(moved) => return Ok(Err(moved)),
        };
        let (heard, last_decision) = (live.held.heard(), live.held.conversation.last_decision());
        Ok(Ok(Some(SourceReport::new(id, heard, newest_at, last_decision))))
    }

    /// When the newest message was said.
    async fn newest_at(&self, key: &ConversationKey, live: &Live) -> Look<Option<Timestamp>> {
        if let Some(entry) = live.held.conversation.log.iter().next_back() {
            return Ok(Ok(Some(entry.message.at)));
        }
        for segment in live.held.segments.iter().rev() {
            let sheet = match self.sheet(key, segment).await? {
                Ok(sheet) => sheet,
                Err(moved) => return Ok(Err(moved)),
            };
            if let Some(entry) = sheet.entries.last() {
                return Ok(Ok(Some(entry.message.at)));
            }
        }
        Ok(Ok(None))
    }
}
