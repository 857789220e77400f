//! The log of every conversation.
//!
//! **Guarantees.** A commit that came back is on disk (volatile stores: in memory). A commit touches
//! one conversation, under its own lock, all of it or nothing, exactly as
//! [`crate::domain::conversation::Conversation::apply`] says. Reads see whole commits.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::{error::StoreError, keys::KeyUse};
use crate::domain::{
    conversation::{
        Conversation,
        change::{Applied, Change, Decided, EndedTurn, Event, Refusal},
        key::ConversationKey,
        log::Entry,
        seams::Seams,
        turn::Lease,
    },
    id::{AgentId, EventNumber, Fence, MessageId, Number, PersonId, SourceId, Version},
    time::Timestamp,
};

/// Events read at a time by whoever wants the newest and knows no shorter way.
const EVENTS_AT_ONCE: usize = 1_000;

/// A change with its circumstances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The change.
    pub change: Change,
    /// When it is made.
    pub now: Timestamp,
    /// Refuse if the conversation has another version by now.
    pub expect: Option<Version>,
    /// Whose conversation it is, told when it may be the first change.
    pub owner: Option<PersonId>,
    /// Refuse unless this person's consent is on at the moment of the commit (H7).
    pub consent_of: Option<PersonId>,
    /// Make it once only (H3).
    pub once: Option<KeyUse>,
    /// Refuse unless this key was used, and is remembered still: what erases everything of a person
    /// forgets their keys, too (H8).
    pub after: Option<KeyUse>,
    /// Refuse if this would begin a conversation whose chat or session is not there (any more):
    /// nobody could ever find it. A source on LINE needs nothing to begin.
    pub at_home: bool,
    /// Where nothing is kept: how far this conversation is kept elsewhere, so that both have one order.
    pub beside: Option<Number>,
}

impl Commit {
    /// A change without any circumstance.
    #[must_use]
    pub fn new(change: Change, now: Timestamp) -> Self {
        Self {
            change,
            now,
            expect: None,
            owner: None,
            consent_of: None,
            once: None,
            after: None,
            at_home: false,
            beside: None,
        }
    }

    /// In a conversation of this person.
    #[must_use]
    pub fn owned_by(self, owner: PersonId) -> Self {
        Self { owner: Some(owner), ..self }
    }

    /// Only if this person's consent is on.
    #[must_use]
    pub fn with_consent_of(self, person: PersonId) -> Self {
        Self { consent_of: Some(person), ..self }
    }

    /// Only if its chat or session is there.
    #[must_use]
    pub fn at_home(self) -> Self {
        Self { at_home: true, ..self }
    }

    /// Only if nothing changed since this version.
    #[must_use]
    pub fn expecting(self, version: Version) -> Self {
        Self { expect: Some(version), ..self }
    }

    /// Only once for this key.
    #[must_use]
    pub fn once(self, key: KeyUse) -> Self {
        Self { once: Some(key), ..self }
    }

    /// Only after this key was used, and while it is remembered.
    #[must_use]
    pub fn after(self, key: KeyUse) -> Self {
        Self { after: Some(key), ..self }
    }
}

/// What became of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// It was made; durable events have these numbers.
    Applied(Applied, Vec<EventNumber>),
    /// It was refused, and nothing changed.
    Refused(Refusal),
    /// Its key was used before, for this; nothing changed.
    Repeated(KeyUse),
}

/// A conversation without its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// Whose it is.
    pub owner: Option<PersonId>,
    /// Its version.
    pub version: Version,
    /// The newest number given.
    pub last_number: Number,
    /// How many messages can be heard.
    pub heard: u64,
    /// The running turn.
    pub turn: Option<Lease>,
    /// From when on an answer is owed.
    pub wanted_at: Option<Timestamp>,
    /// Whether a way back is open: an edit can be undone, unless its time has passed.
    pub has_way_back: bool,
}

/// What an edit of a message would remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tail {
    /// How many heard messages, this one included.
    pub count: u64,
    /// Whether nothing heard is before it.
    pub is_first: bool,
    /// The first of them.
    pub preview: Vec<Entry>,
}

/// A source on LINE, without its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceReport {
    /// The source.
    pub id: SourceId,
    /// How many messages can be heard.
    pub messages: u64,
    /// When something happened there last: its newest message was said, as its door was told, or its
    /// newest turn ended.
    pub last_at: Option<Timestamp>,
    /// How the newest turn that is over ended, and when.
    pub last_decision: Option<(Decided, Timestamp)>,
}

impl SourceReport {
    /// A source whose newest message, heard or not, was said at this time.
    #[must_use]
    pub fn new(
        id: SourceId,
        messages: u64,
        newest_at: Option<Timestamp>,
        last_decision: Option<(Decided, Timestamp)>,
    ) -> Self {
        let last_at = newest_at.max(last_decision.as_ref().map(|(_, at)| *at));
        Self { id, messages, last_at, last_decision }
    }

    /// A source of which this is the whole conversation.
    #[must_use]
    pub fn of(id: SourceId, conversation: &Conversation) -> Self {
        let log = &conversation.log;
        let messages = log.iter().filter(|entry| entry.is_heard()).count() as u64;
        let newest_at = log.iter().next_back().map(|entry| entry.message.at);
        Self::new(id, messages, newest_at, conversation.last_decision())
    }
}

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Undo windows, deliveries and the like that time had closed.
    pub expired: u64,
    /// Rows that were logically gone and are really gone now.
    pub purged: u64,
}

/// See the module.
#[async_trait]
pub trait History: Send + Sync {
    /// Makes one change.
    async fn commit(&self, key: &ConversationKey, commit: Commit) -> Result<Committed, StoreError>;

    /// The conversation without its words.
    async fn overview(&self, key: &ConversationKey) -> Result<Option<Overview>, StoreError>;

    /// The newest heard messages before a number, oldest first.
    async fn page(
        &self,
        key: &ConversationKey,
        before: Option<Number>,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError>;

    /// One entry, heard or not.
    async fn find(
        &self,
        key: &ConversationKey,
        id: &MessageId,
    ) -> Result<Option<Entry>, StoreError>;

    /// What an edit of this heard message would remove.
    async fn tail(
        &self,
        key: &ConversationKey,
        from: &MessageId,
        preview: usize,
    ) -> Result<Option<Tail>, StoreError>;

    /// The oldest entries after a number, heard or not, for exports.
    async fn entries_after(
        &self,
        key: &ConversationKey,
        after: Number,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let Some(whole) = self.whole(key).await? else { return Ok(Vec::new()) };
        Ok(whole.log.from(after.next()).take(limit).cloned().collect())
    }

    /// Up to where agents were made to forget.
    async fn cleared(
        &self,
        key: &ConversationKey,
    ) -> Result<BTreeMap<AgentId, Number>, StoreError> {
        Ok(self.whole(key).await?.map(|whole| whole.cleared).unwrap_or_default())
    }

    /// Where a log in memory goes on after the one that is kept. What is kept itself has none.
    async fn seams(&self, _key: &ConversationKey) -> Result<Seams, StoreError> {
        Ok(Seams::default())
    }

    /// The whole conversation, for tests and for what is small; it may be large.
    async fn whole(&self, key: &ConversationKey) -> Result<Option<Conversation>, StoreError>;

    /// Conversations in which a turn can begin: one is wanted by now, or its lease has run out.
    async fn wanting(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<ConversationKey>, StoreError>;

    /// The sources on LINE in the order of their ids, after one of them. Where everything was
    /// forgotten is a source with no messages; a conversation that was dropped is none.
    async fn sources(
        &self,
        after: Option<&SourceId>,
        limit: usize,
    ) -> Result<Vec<SourceReport>, StoreError>;

    /// The newest turns that are over, newest first and without words; only those before one, if it is
    /// named. What was forgotten with a whole conversation tells of no turns.
    async fn turns(
        &self,
        key: &ConversationKey,
        before: Option<Fence>,
        limit: usize,
    ) -> Result<Vec<EndedTurn>, StoreError> {
        let Some(whole) = self.whole(key).await? else { return Ok(Vec::new()) };
        Ok(whole.ended_turns(before).take(limit).collect())
    }

    /// Durable events after one of this conversation; `None` if `after` is not one of its own.
    /// [`EventNumber::ZERO`] is before the first of every conversation.
    async fn events_after(
        &self,
        key: &ConversationKey,
        after: EventNumber,
        limit: usize,
    ) -> Result<Option<Vec<(EventNumber, Event)>>, StoreError>;

    /// The newest durable event of a conversation; [`EventNumber::ZERO`] if it has none.
    async fn newest_event(&self, key: &ConversationKey) -> Result<EventNumber, StoreError> {
        let mut newest = EventNumber::ZERO;
        loop {
            let events = self.events_after(key, newest, EVENTS_AT_ONCE).await?.unwrap_or_default();
            let Some((last, _)) = events.last() else { return Ok(newest) };
            newest = *last;
        }
    }

    /// Ends all running turns, whoever holds them: the holder is known to be dead.
    async fn release_turns(&self, now: Timestamp) -> Result<u64, StoreError>;

    /// Removes a conversation altogether: it is gone at once, and its bytes with the next sweeps.
    async fn drop_conversation(&self, key: &ConversationKey) -> Result<(), StoreError>;

    /// Drops what time has closed (in a bounded number of conversations), and deletes up to `limit`
    /// rows that are logically gone. Call again while it does something.
    async fn sweep(&self, now: Timestamp, limit: usize) -> Result<Swept, StoreError>;
}
