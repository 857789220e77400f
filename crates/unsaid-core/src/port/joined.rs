//! Two stores as one: some conversations here, everything else there.
//!
//! With `history` set, the conversations of LINE and their files are in a bucket. Accounts, worlds
//! and sessions are always in the database, because consent and erasure need its transactions: a
//! commit that depends on one of them cannot be made in a bucket, and is refused as unavailable.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;

use super::{
    Store,
    access::Access,
    directory::{Directory, NameCard},
    erasure::{Batch, Claim, Erasure},
    error::StoreError,
    health::Health,
    history::{Commit, Committed, History, Overview, SourceReport, Swept, Tail},
    keys::{KeyUse, Keys},
    media::{Media, MediaFile, MediaPlace},
    people::{ConsentMove, ConsentMoved, HeldSession, NewSession, People, PersonChange, Which},
    worlds::{AgentPatch, Asked, WorldKey, WorldPatch, Worlds},
};
use crate::domain::{
    audit::{AuditLine, EraseReason},
    conversation::{
        Conversation,
        change::{EndedTurn, Event},
        key::ConversationKey,
        log::Entry,
        seams::Seams,
    },
    id::{
        AgentId, ChatId, EventNumber, Fence, MediaKey, MessageId, Number, PersonId, SessionId,
        SignInId, SourceId,
    },
    person::{ConsentLine, Email, Person},
    secret::SecretKey,
    session::{BillingLine, Session, SessionTerms},
    source::SourceCard,
    time::Timestamp,
    world::{Agent, Chat, FailedEdit, World},
};

/// What a store of conversations alone must do.
pub trait Conversations: History + Media + Health {}

impl<T: History + Media + Health> Conversations for T {}

/// See the module.
pub struct Joined {
    /// Whether a conversation is kept apart.
    pub is_apart: fn(&ConversationKey) -> bool,
    /// Where such conversations are.
    pub apart: Arc<dyn Conversations>,
    /// Where everything else is.
    pub rest: Arc<dyn Store>,
}

impl Joined {
    fn of(&self, key: &ConversationKey) -> &dyn History {
        if (self.is_apart)(key) { self.apart.as_ref() } else { self.rest.as_ref() }
    }

    /// The sources of one of the two stores that belong there: others may be left from before.
    async fn sources_of(
        &self,
        store: &dyn History,
        is_apart: bool,
        page: (Option<&SourceId>, usize),
    ) -> Result<Vec<SourceReport>, StoreError> {
        let (mut after, limit) = (page.0.cloned(), page.1);
        let mut own = Vec::new();
        loop {
            let some = store.sources(after.as_ref(), limit - own.len()).await?;
            let Some(last) = some.last() else { return Ok(own) };
            after = Some(last.id.clone());
            let belongs =
                |id: &SourceId| (self.is_apart)(&ConversationKey::Line(id.clone())) == is_apart;
            own.extend(some.into_iter().filter(|source| belongs(&source.id)));
            if own.len() >= limit {
                return Ok(own);
            }
        }
    }

    fn files_of(&self, key: &ConversationKey) -> &dyn Media {
        if (self.is_apart)(key) { self.apart.as_ref() } else { self.rest.as_ref() }
    }
}

#[async_trait]
impl History for Joined {
    async fn commit(&self, key: &ConversationKey, commit: Commit) -> Result<Committed, StoreError> {
        let alone = commit.consent_of.is_none() && commit.once.is_none();
        if (self.is_apart)(key) && !alone {
            let why = "a conversation in a bucket knows no consent and no idempotency keys";
            return Err(StoreError::Unavailable(why.to_owned()));
        }
        self.of(key).commit(key, commit).await
    }

    async fn overview(&self, key: &ConversationKey) -> Result<Option<Overview>, StoreError> {
        self.of(key).overview(key).await
    }

    async fn page(
        &self,
        key: &ConversationKey,
        before: Option<Number>,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        self.of(key).page(key, before, limit).await
    }

    async fn find(
        &self,
        key: &ConversationKey,
        id: &MessageId,
    ) -> Result<Option<Entry>, StoreError> {
        self.of(key).find(key, id).await
    }

    async fn tail(
        &self,
        key: &ConversationKey,
        from: &MessageId,
        preview: usize,
    ) -> Result<Option<Tail>, StoreError> {
        self.of(key).tail(key, from, preview).await
    }

    async fn entries_after(
        &self,
        key: &ConversationKey,
        after: Number,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        self.of(key).entries_after(key, after, limit).await
    }

    async fn cleared(
        &self,
        key: &ConversationKey,
    ) -> Result<BTreeMap<AgentId, Number>, StoreError> {
        self.of(key).cleared(key).await
    }

    async fn seams(&self, key: &ConversationKey) -> Result<Seams, StoreError> {
        self.of(key).seams(key).await
    }

    async fn whole(&self, key: &ConversationKey) -> Result<Option<Conversation>, StoreError> {
        self.of(key).whole(key).await
    }

    async fn wanting(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<ConversationKey>, StoreError> {
        let mut wanting = self.rest.wanting(now, limit).await?;
        wanting.extend(self.apart.wanting(now, limit).await?);
        Ok(wanting)
    }

    async fn sources(
        &self,
        after: Option<&SourceId>,
        limit: usize,
    ) -> Result<Vec<SourceReport>, StoreError> {
        let mut sources = self.sources_of(self.apart.as_ref(), true, (after, limit)).await?;
        sources.extend(self.sources_of(self.rest.as_ref(), false, (after, limit)).await?);
        sources.sort_by(|one, other| one.id.cmp(&other.id));
        sources.truncate(limit);
        Ok(sources)
    }

    async fn turns(
        &self,
        key: &ConversationKey,
        before: Option<Fence>,
        limit: usize,
    ) -> Result<Vec<EndedTurn>, StoreError> {
        self.of(key).turns(key, before, limit).await
    }

    async fn events_after(
        &self,
        key: &ConversationKey,
        after: EventNumber,
        limit: usize,
    ) -> Result<Option<Vec<(EventNumber, Event)>>, StoreError> {
        self.of(key).events_after(key, after, limit).await
    }

    async fn newest_event(&self, key: &ConversationKey) -> Result<EventNumber, StoreError> {
        self.of(key).newest_event(key).await
    }

    async fn release_turns(&self, now: Timestamp) -> Result<u64, StoreError> {
        Ok(self.rest.release_turns(now).await? + self.apart.release_turns(now).await?)
    }

    async fn drop_conversation(&self, key: &ConversationKey) -> Result<(), StoreError> {
        self.of(key).drop_conversation(key).await
    }

    async fn sweep(&self, now: Timestamp, limit: usize) -> Result<Swept, StoreError> {
        let (rest, apart) =
            (self.rest.sweep(now, limit).await?, self.apart.sweep(now, limit).await?);
        Ok(Swept { expired: rest.expired + apart.expired, purged: rest.purged + apart.purged })
    }
}

#[async_trait]
impl Media for Joined {
    async fn put(
        &self,
        key: &MediaKey,
        place: &MediaPlace,
        file: MediaFile,
    ) -> Result<bool, StoreError> {
        self.files_of(&place.conversation).put(key, place, file).await
    }

    async fn get(
        &self,
        conversation: &ConversationKey,
        key: &MediaKey,
    ) -> Result<Option<MediaFile>, StoreError> {
        self.files_of(conversation).get(conversation, key).await
    }
}

#[async_trait]
impl Health for Joined {
    async fn check(&self) -> Result<(), StoreError> {
        self.rest.check().await?;
        self.apart.check().await
    }
}

/// Implements a port by asking the rest.
macro_rules! from_the_rest {
    ($port:ident { $(fn $call:ident($($name:ident: $kind:ty),*) -> $answer:ty;)* }) => {
        #[async_trait]
        impl $port for Joined {
            $(async fn $call(&self, $($name: $kind),*) -> $answer {
                self.rest.$call($($name),*).await
            })*
        }
    };
}

/// What a store answers.
type Answer<T> = Result<T, StoreError>;

from_the_rest! { Keys {
    fn used(key: &KeyUse) -> Answer<Option<KeyUse>>;
    fn remember(key: KeyUse) -> Answer<Option<KeyUse>>;
    fn forget_before(horizon: Timestamp) -> Answer<u64>;
} }

from_the_rest! { People {
    fn add(person: Person, line: ConsentLine) -> Answer<bool>;
    fn person(id: &PersonId) -> Answer<Option<Person>>;
    fn by_email(email: &Email) -> Answer<Option<Person>>;
    fn people_after(after: Option<&PersonId>, limit: usize) -> Answer<Vec<Person>>;
    fn change(id: &PersonId, change: PersonChange) -> Answer<bool>;
    fn move_consent(id: &PersonId, to: ConsentMove) -> Answer<Option<ConsentMoved>>;
    fn consents(id: &PersonId) -> Answer<Vec<ConsentLine>>;
    fn open_session(session: NewSession, terms: SessionTerms) -> Answer<Option<Session>>;
    fn session(id: &SessionId) -> Answer<Option<Session>>;
    fn end_session(id: &SessionId, now: Timestamp) -> Answer<Option<Session>>;
    fn forget_expert(id: &SessionId) -> Answer<()>;
    fn sessions(owner: &PersonId, which: Which, offset: usize, limit: usize)
        -> Answer<(Vec<HeldSession>, u64)>;
    fn is_listed(id: &SessionId) -> Answer<bool>;
    fn forget_session(id: &SessionId) -> Answer<bool>;
    fn billing(owner: &PersonId) -> Answer<Vec<BillingLine>>;
} }

from_the_rest! { Access {
    fn secret(name: &str, fresh: SecretKey) -> Answer<SecretKey>;
    fn end_sign_in(id: &SignInId, until: Timestamp) -> Answer<()>;
    fn is_sign_in_ended(id: &SignInId) -> Answer<bool>;
    fn forget_sign_ins(now: Timestamp) -> Answer<u64>;
} }

from_the_rest! { Erasure {
    fn due(now: Timestamp, limit: usize) -> Answer<Vec<PersonId>>;
    fn claim(person: &PersonId, reason: EraseReason, now: Timestamp) -> Answer<Claim>;
    fn erase_batch(person: &PersonId, limit: usize, now: Timestamp) -> Answer<Batch>;
    fn audit(before: Option<u64>, limit: usize) -> Answer<Vec<AuditLine>>;
} }

from_the_rest! { Worlds {
    fn add_world(world: World, chat: Chat, agents: Vec<Agent>) -> Asked<World>;
    fn worlds(owner: &PersonId) -> Answer<Vec<World>>;
    fn world(key: &WorldKey) -> Answer<Option<World>>;
    fn change_world(key: &WorldKey, patch: WorldPatch) -> Asked<World>;
    fn delete_world(key: &WorldKey) -> Asked<()>;
    fn add_agent(key: &WorldKey, agent: Agent, max: usize) -> Asked<Agent>;
    fn agents(key: &WorldKey) -> Asked<Vec<Agent>>;
    fn change_agent(key: &WorldKey, id: &AgentId, patch: AgentPatch) -> Asked<Agent>;
    fn delete_agent(key: &WorldKey, id: &AgentId) -> Asked<()>;
    fn add_chat(key: &WorldKey, chat: Chat) -> Asked<Chat>;
    fn chats(key: &WorldKey) -> Asked<Vec<Chat>>;
    fn home(chat: &ChatId) -> Result<Option<WorldKey>, StoreError>;
    fn delete_chat(key: &WorldKey, id: &ChatId, spare: Chat) -> Asked<World>;
    fn note_failed_edit(key: &WorldKey, failed: FailedEdit) -> Answer<bool>;
    fn failed_edits(key: &WorldKey) -> Answer<Vec<FailedEdit>>;
} }

from_the_rest! { Directory {
    fn source(id: &SourceId) -> Answer<Option<SourceCard>>;
    fn keep_source(card: SourceCard) -> Answer<()>;
    fn names(people: &[PersonId]) -> Answer<Vec<NameCard>>;
    fn keep_name(card: NameCard) -> Answer<()>;
    fn forget_name(id: &PersonId) -> Answer<()>;
    fn forget_source(id: &SourceId) -> Answer<()>;
} }
