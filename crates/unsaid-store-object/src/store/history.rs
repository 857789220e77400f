//! The log of every conversation.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        conversation::{
            Conversation,
            change::{Change, EndedTurn, Event},
            key::ConversationKey,
            log::Entry,
        },
        id::{EventNumber, Fence, MessageId, Number, SourceId},
        time::Timestamp,
    },
    port::{
        error::StoreError,
        history::{Commit, Committed, History, Overview, SourceReport, Swept, Tail},
    },
};

use super::{
    BucketStore, Inner,
    ask::{Answer, Ask},
    cache::Live,
    digest::mark,
    fetch::Moved,
    work::Work,
};
use crate::format::head::Segment;

/// What a look came to, unless somebody rewrote a segment meanwhile.
pub(super) type Look<T> = Result<Result<T, Moved>, StoreError>;

#[async_trait]
impl History for BucketStore {
    async fn commit(&self, key: &ConversationKey, commit: Commit) -> Result<Committed, StoreError> {
        if commit.consent_of.is_some() || commit.once.is_some() {
            let why = "a conversation in a bucket knows no consent and no idempotency keys";
            return Err(StoreError::Unavailable(why.to_owned()));
        }
        self.inner.commit(key, commit).await
    }

    async fn overview(&self, key: &ConversationKey) -> Result<Option<Overview>, StoreError> {
        let live = self.inner.live(key).await?;
        let (held, conversation) = (&live.held, &live.held.conversation);
        Ok(held.exists().then(|| Overview {
            owner: held.owner.clone(),
            version: conversation.version,
            last_number: conversation.last_number,
            heard: held.heard(),
            turn: conversation.turn.clone(),
            wanted_at: conversation.wanted_at,
            has_way_back: conversation.undo.is_some(),
        }))
    }

    async fn page(
        &self,
        key: &ConversationKey,
        before: Option<Number>,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let inner = &self.inner;
        inner.reading(key, |live| inner.page(key, live, before, limit)).await
    }

    async fn find(
        &self,
        key: &ConversationKey,
        id: &MessageId,
    ) -> Result<Option<Entry>, StoreError> {
        let inner = &self.inner;
        inner.reading(key, |live| inner.find(key, live, id)).await
    }

    async fn tail(
        &self,
        key: &ConversationKey,
        from: &MessageId,
        preview: usize,
    ) -> Result<Option<Tail>, StoreError> {
        let inner = &self.inner;
        inner.reading(key, |live| inner.tail(key, live, from, preview)).await
    }

    async fn entries_after(
        &self,
        key: &ConversationKey,
        after: Number,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let inner = &self.inner;
        inner.reading(key, |live| inner.entries_after(key, live, after, limit)).await
    }

    async fn whole(&self, key: &ConversationKey) -> Result<Option<Conversation>, StoreError> {
        let inner = &self.inner;
        inner.reading(key, |live| inner.whole(key, live)).await
    }

    async fn wanting(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<ConversationKey>, StoreError> {
        self.inner.rescan_if_due().await?;
        Ok(self.inner.index().wanting(now, limit))
    }

    async fn sources(
        &self,
        after: Option<&SourceId>,
        limit: usize,
    ) -> Result<Vec<SourceReport>, StoreError> {
        self.inner.rescan_if_due().await?;
        self.inner.sources(after, limit).await
    }

    async fn turns(
        &self,
        key: &ConversationKey,
        before: Option<Fence>,
        limit: usize,
    ) -> Result<Vec<EndedTurn>, StoreError> {
        let inner = &self.inner;
        inner.reading(key, |live| inner.ended_turns(key, live, before, limit)).await
    }

    async fn events_after(
        &self,
        _key: &ConversationKey,
        after: EventNumber,
        _limit: usize,
    ) -> Result<Option<Vec<(EventNumber, Event)>>, StoreError> {
        Ok((after == EventNumber::ZERO).then(Vec::new))
    }

    async fn release_turns(&self, now: Timestamp) -> Result<u64, StoreError> {
        self.inner.rescan().await?;
        let running = self.inner.index().running();
        let mut released = 0;
        for (key, fence) in running {
            let commit = Commit::new(Change::Release { fence }, now);
            match self.inner.commit(&key, commit).await? {
                Committed::Applied(..) => released += 1,
                Committed::Refused(_) | Committed::Repeated(_) => {}
            }
        }
        Ok(released)
    }

    async fn drop_conversation(&self, key: &ConversationKey) -> Result<(), StoreError> {
        let within = self.inner.options.erase_within;
        self.inner.ask(key, Ask::Drop, within).await.map(drop)
    }

    async fn sweep(&self, now: Timestamp, limit: usize) -> Result<Swept, StoreError> {
        self.inner.sweep(now, limit).await
    }
}

impl Inner {
    async fn commit(
        self: &Arc<Self>,
        key: &ConversationKey,
        commit: Commit,
    ) -> Result<Committed, StoreError> {
        let within = self.within(&commit.change);
        match self.ask(key, Ask::Commit(Box::new(commit)), within).await? {
            Answer::Committed(committed) => Ok(committed),
            Answer::Swept(_) | Answer::Bound(_) | Answer::Cleaned(_) => {
                Err(StoreError::Uncertain("another question was answered".to_owned()))
            }
        }
    }

    /// Forgetting a whole history may read and write all of it.
    fn within(&self, change: &Change) -> Duration {
        match change {
            Change::EraseAuthor { .. } | Change::EraseAll => self.options.erase_within,
            Change::Say(_)
            | Change::Fill { .. }
            | Change::Begin { .. }
            | Change::Renew { .. }
            | Change::Intend { .. }
            | Change::Settle { .. }
            | Change::Answer { .. }
            | Change::Decide { .. }
            | Change::Release { .. }
            | Change::Stop
            | Change::Revise(_)
            | Change::Remove(_)
            | Change::ReplaceTail(_)
            | Change::Restore { .. }
            | Change::CloseUndo
            | Change::Clear(_)
            | Change::Expire => self.options.commit_within,
        }
    }

    async fn page(
        &self,
        key: &ConversationKey,
        live: Arc<Live>,
        before: Option<Number>,
        limit: usize,
    ) -> Look<Vec<Entry>> {
        let log = &live.held.conversation.log;
        let before = before.unwrap_or(live.held.conversation.last_number.next());
        let newest = log.before(before).rev().filter(|entry| entry.is_heard());
        let mut page: Vec<Entry> = newest.take(limit).cloned().collect();
        for segment in live.held.segments.iter().rev() {
            if page.len() >= limit {
                break;
            }
            if segment.first >= before || segment.heard == 0 {
                continue;
            }
            let sheet = match self.sheet(key, segment).await? {
                Ok(sheet) => sheet,
                Err(moved) => return Ok(Err(moved)),
            };
            let older = sheet.entries.iter().rev();
            let older = older.filter(|entry| entry.number < before && entry.is_heard());
            page.extend(older.take(limit - page.len()).cloned());
        }
        page.reverse();
        Ok(Ok(page))
    }

    async fn entries_after(
        &self,
        key: &ConversationKey,
        live: Arc<Live>,
        after: Number,
        limit: usize,
    ) -> Look<Vec<Entry>> {
        let mut entries = Vec::new();
        for segment in live.held.segments.iter().filter(|segment| segment.through > after) {
            if entries.len() >= limit {
                break;
            }
            let sheet = match self.sheet(key, segment).await? {
                Ok(sheet) => sheet,
                Err(moved) => return Ok(Err(moved)),
            };
            let later = sheet.entries.iter().filter(|entry| entry.number > after);
            entries.extend(later.take(limit - entries.len()).cloned());
        }
        let live = live.held.conversation.log.from(after.next());
        entries.extend(live.take(limit - entries.len()).cloned());
        Ok(Ok(entries))
    }

    async fn find(
        self: &Arc<Self>,
        key: &ConversationKey,
        live: Arc<Live>,
        id: &MessageId,
    ) -> Look<Option<Entry>> {
        if let Some(entry) = live.held.conversation.log.by_id(id) {
            return Ok(Ok(Some(entry.clone())));
        }
        let found = self.find_sealed(key, &live, id).await?;
        Ok(found.map(|found| found.map(|(_, entry)| entry)))
    }

    /// The segment that holds a message, and the message.
    async fn find_sealed(
        self: &Arc<Self>,
        key: &ConversationKey,
        live: &Live,
        id: &MessageId,
    ) -> Look<Option<(usize, Entry)>> {
        let segments = &live.held.segments;
        let digests = match self.digests(key, segments).await? {
            Ok(digests) => digests,
            Err(moved) => return Ok(Err(moved)),
        };
        let id_mark = mark(id);
        for (place, segment) in segments.iter().enumerate() {
            if !digests.get(&segment.nonce).is_some_and(|digest| digest.has_id(id_mark)) {
                continue;
            }
            let sheet = match self.sheet(key, segment).await? {
                Ok(sheet) => sheet,
                Err(moved) => return Ok(Err(moved)),
            };
            if let Some(entry) = sheet.entries.iter().find(|entry| entry.message.id == *id) {
                return Ok(Ok(Some((place, entry.clone()))));
            }
        }
        Ok(Ok(None))
    }

    async fn tail(
        self: &Arc<Self>,
        key: &ConversationKey,
        live: Arc<Live>,
        from: &MessageId,
        preview: usize,
    ) -> Look<Option<Tail>> {
        let (segments, log) = (&live.held.segments, &live.held.conversation.log);
        let (place, first) = match log.by_id(from) {
            Some(entry) => (segments.len(), entry.clone()),
            None => match self.find_sealed(key, &live, from).await? {
                Ok(Some(found)) => found,
                Ok(None) => return Ok(Ok(None)),
                Err(moved) => return Ok(Err(moved)),
            },
        };
        if !first.is_heard() {
            return Ok(Ok(None));
        }
        let heard =
            |segments: &[Segment]| segments.iter().map(|segment| segment.heard).sum::<u64>();
        let mut is_first = heard(&segments[..place]) == 0;
        let mut tail = Tail { count: 0, is_first: false, preview: Vec::new() };
        for (place, segment) in segments.iter().enumerate().skip(place) {
            // Of later segments the number is known; they are read only to show something of them.
            if segment.first > first.number && tail.preview.len() >= preview {
                tail.count += heard(&segments[place..=place]);
                continue;
            }
            let sheet = match self.sheet(key, segment).await? {
                Ok(sheet) => sheet,
                Err(moved) => return Ok(Err(moved)),
            };
            is_first &= tail.take(sheet.entries.iter(), first.number, preview);
        }
        is_first &= tail.take(log.iter(), first.number, preview);
        Ok(Ok(Some(Tail { is_first, ..tail })))
    }

    async fn whole(
        self: &Arc<Self>,
        key: &ConversationKey,
        live: Arc<Live>,
    ) -> Look<Option<Conversation>> {
        if !live.held.exists() {
            return Ok(Ok(None));
        }
        let sheets = match self.sheets(key, &live.held.segments).await? {
            Ok(sheets) => sheets,
            Err(moved) => return Ok(Err(moved)),
        };
        let mut work = Work::new(live.held.clone());
        for (segment, sheet) in sheets {
            work.take_in(segment, Arc::unwrap_or_clone(sheet));
        }
        Ok(Ok(Some(work.held.conversation)))
    }
}

/// Counts and shows the heard ones of entries.
trait Take {
    /// `false` if one of them is heard before the first.
    fn take<'a>(
        &mut self,
        entries: impl Iterator<Item = &'a Entry>,
        first: Number,
        preview: usize,
    ) -> bool;
}

impl Take for Tail {
    fn take<'a>(
        &mut self,
        entries: impl Iterator<Item = &'a Entry>,
        first: Number,
        preview: usize,
    ) -> bool {
        let mut none_before = true;
        for entry in entries.filter(|entry| entry.is_heard()) {
            if entry.number < first {
                none_before = false;
                continue;
            }
            self.count += 1;
            if self.preview.len() < preview {
                self.preview.push(entry.clone());
            }
        }
        none_before
    }
}
