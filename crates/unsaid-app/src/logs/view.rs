//! Both logs as the one conversation they are: in the order in which things were said.

use unsaid_core::{
    domain::{
        conversation::{
            key::ConversationKey,
            log::Entry,
            seams::{JoinedPlace, Seams},
        },
        hearing::Hearers,
        id::{MessageId, Number},
    },
    port::{error::StoreError, history::Tail},
};

use super::{Log, Logs};

/// Messages read at a time to find one that is heard; most are.
const MESSAGES_AT_A_TIME: usize = 10;

/// What somebody may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Consent is on.
    Both,
    /// It is off: what is kept is hidden (H8).
    InMemory,
}

/// A message, and in which log it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Where.
    pub log: Log,
    /// The message.
    pub entry: Entry,
}

/// Who heard what in each of the logs: their numbers are their own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeardIn {
    /// Of what is kept.
    pub kept: Hearers,
    /// Of what is in memory.
    pub in_memory: Hearers,
}

/// What an edit of a message would remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedTail {
    /// Where the message is.
    pub log: Log,
    /// How many heard messages, this one included; what is hidden goes too.
    pub count: u64,
    /// Whether nothing heard is before it.
    pub is_first: bool,
    /// The first of them that can be read.
    pub preview: Vec<Entry>,
}

/// A place between messages: what is before these numbers is before it; without a number, all is.
#[derive(Debug, Clone, Copy, Default)]
struct Between {
    kept: Option<Number>,
    in_memory: Option<Number>,
}

impl Shown {
    fn has_kept(self) -> bool {
        match self {
            Self::Both => true,
            Self::InMemory => false,
        }
    }
}

impl HeardIn {
    /// Of one of them.
    #[must_use]
    pub fn of(&self, log: Log) -> &Hearers {
        match log {
            Log::Kept => &self.kept,
            Log::Volatile => &self.in_memory,
        }
    }
}

impl Logs {
    /// The newest heard messages before one of them, oldest first; `None` if that is not there.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn page(
        &self,
        key: &ConversationKey,
        shown: Shown,
        before: Option<&MessageId>,
        limit: usize,
    ) -> Result<Option<Vec<Placed>>, StoreError> {
        let _crossing = self.cross_if_both(key).await?;
        let seams = self.volatile.history.seams(key).await?;
        let between = match before {
            None => Between::default(),
            Some(id) => match self.before(key, shown, &seams, id).await? {
                Some(between) => between,
                None => return Ok(None),
            },
        };
        self.newest_before(key, shown, &seams, between, limit).await.map(Some)
    }

    /// Messages of both logs as they were said.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn in_order(
        &self,
        key: &ConversationKey,
        mut messages: Vec<Placed>,
    ) -> Result<Vec<Placed>, StoreError> {
        let seams = self.volatile.history.seams(key).await?;
        messages.sort_by_key(|placed| placed.place(&seams));
        Ok(messages)
    }

    /// What an edit of a heard message would remove; `None` if it is not there.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn tail(
        &self,
        key: &ConversationKey,
        shown: Shown,
        from: &MessageId,
        preview: usize,
    ) -> Result<Option<JoinedTail>, StoreError> {
        let _crossing = self.cross_if_both(key).await?;
        let seams = self.volatile.history.seams(key).await?;
        let Some(between) = self.before(key, shown, &seams, from).await? else { return Ok(None) };
        let log = if self.volatile.history.find(key, from).await?.is_some() {
            Log::Volatile
        } else {
            Log::Kept
        };
        let kept = self.tail_from(key, Log::Kept, between.kept, preview).await?;
        let here = self.tail_from(key, Log::Volatile, between.in_memory, preview).await?;
        let count = [&kept, &here].into_iter().flatten().map(|tail| tail.count).sum();
        let placed = |log: Log, tail: Option<Tail>| {
            let entries = tail.into_iter().flat_map(|tail| tail.preview);
            entries.map(move |entry| Placed { log, entry })
        };
        let mut first: Vec<Placed> = placed(Log::Volatile, here).collect();
        if shown.has_kept() {
            first.extend(placed(Log::Kept, kept));
        }
        first.sort_by_key(|placed| placed.place(&seams));
        if first.first().is_none_or(|placed| placed.entry.message.id != *from) {
            // It is not heard any more.
            return Ok(None);
        }
        let before = self.newest_before(key, shown, &seams, between, 1).await?;
        let preview = first.into_iter().take(preview).map(|placed| placed.entry).collect();
        Ok(Some(JoinedTail { log, count, is_first: before.is_empty(), preview }))
    }

    async fn before(
        &self,
        key: &ConversationKey,
        shown: Shown,
        seams: &Seams,
        id: &MessageId,
    ) -> Result<Option<Between>, StoreError> {
        if let Some(entry) = self.volatile.history.find(key, id).await? {
            let kept = Some(seams.kept_before(entry.number).next());
            return Ok(Some(Between { kept, in_memory: Some(entry.number) }));
        }
        if !shown.has_kept() {
            return Ok(None);
        }
        let found = self.kept.history.find(key, id).await?;
        Ok(found.map(|entry| Between {
            kept: Some(entry.number),
            in_memory: seams.in_memory_since(entry.number).map(Number::next),
        }))
    }

    async fn newest_before(
        &self,
        key: &ConversationKey,
        shown: Shown,
        seams: &Seams,
        between: Between,
        limit: usize,
    ) -> Result<Vec<Placed>, StoreError> {
        let here = self.volatile.history.page(key, between.in_memory, limit).await?;
        let placed = |log: Log| move |entry| Placed { log, entry };
        let mut page: Vec<Placed> = here.into_iter().map(placed(Log::Volatile)).collect();
        if shown.has_kept() {
            let kept = self.kept.history.page(key, between.kept, limit).await?;
            page.extend(kept.into_iter().map(placed(Log::Kept)));
            page.sort_by_key(|placed| placed.place(seams));
        }
        let surplus = page.len().saturating_sub(limit);
        page.drain(..surplus);
        Ok(page)
    }

    /// What can be heard in one log from a number on; nothing without a number.
    pub(super) async fn tail_from(
        &self,
        key: &ConversationKey,
        log: Log,
        from: Option<Number>,
        preview: usize,
    ) -> Result<Option<Tail>, StoreError> {
        let history = &self.side(log).history;
        let Some(from) = from else { return Ok(None) };
        let mut after = Number::new(from.get().saturating_sub(1));
        loop {
            let entries = history.entries_after(key, after, MESSAGES_AT_A_TIME).await?;
            if let Some(first) = entries.iter().find(|entry| entry.is_heard()) {
                return history.tail(key, &first.message.id, preview).await;
            }
            match entries.last() {
                Some(last) => after = last.number,
                None => return Ok(None),
            }
        }
    }
}

impl Placed {
    fn place(&self, seams: &Seams) -> JoinedPlace {
        match self.log {
            Log::Kept => Seams::of_kept(self.entry.number),
            Log::Volatile => seams.of_in_memory(self.entry.number),
        }
    }
}
