//! Every call of every port, through [`Failing`].

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
    },
    port::{
        access::Access,
        directory::{Directory, NameCard},
        erasure::{Batch, Claim, Erasure},
        error::StoreError,
        health::Health,
        history::{Commit, Committed, History, Overview, SourceReport, Swept, Tail},
        keys::{KeyUse, Keys},
        media::{Media, MediaFile, MediaPlace},
        people::{ConsentMove, ConsentMoved, HeldSession, NewSession, People, PersonChange, Which},
        worlds::{AgentPatch, WorldKey, WorldPatch, WorldRefusal, Worlds},
    },
};

use super::Failing;

/// The names of all calls, port by port.
pub(super) const CALLS: &[&[&str]] = &[
    history::CALLS,
    keys::CALLS,
    media::CALLS,
    people::CALLS,
    access::CALLS,
    erasure::CALLS,
    worlds::CALLS,
    directory::CALLS,
    health::CALLS,
];

/// Implements a port by passing every call on, and lists their names.
macro_rules! port {
    ($list:ident: $port:ident {
        $(fn $call:ident($($name:ident: $kind:ty),*) -> $answer:ty $(=> $own:ident)?;)*
    }) => {
        mod $list {
            pub(super) const CALLS: &[&str] = &[$(stringify!($call)),*];
        }

        #[async_trait]
        impl $port for Failing {
            $(async fn $call(&self, $($name: $kind),*) -> Result<$answer, StoreError> {
                pass!(self, $call($($name),*) $($own)?)
            })*
        }
    };
}

/// A call as it is passed on: by a way of its own, or like all others.
macro_rules! pass {
    ($self:ident, $call:ident($($name:ident),*)) => {
        $self.through(stringify!($call), $self.inner.$call($($name),*)).await
    };
    ($self:ident, $call:ident($($name:ident),*) $own:ident) => {
        $self.$own($($name),*).await
    };
}

port! { history: History {
    fn commit(key: &ConversationKey, commit: Commit) -> Committed => commit_in_order;
    fn overview(key: &ConversationKey) -> Option<Overview>;
    fn page(key: &ConversationKey, before: Option<Number>, limit: usize) -> Vec<Entry>;
    fn find(key: &ConversationKey, id: &MessageId) -> Option<Entry>;
    fn tail(key: &ConversationKey, from: &MessageId, preview: usize) -> Option<Tail>;
    fn entries_after(key: &ConversationKey, after: Number, limit: usize) -> Vec<Entry>;
    fn cleared(key: &ConversationKey) -> BTreeMap<AgentId, Number>;
    fn seams(key: &ConversationKey) -> Seams;
    fn whole(key: &ConversationKey) -> Option<Conversation>;
    fn wanting(now: Timestamp, limit: usize) -> Vec<ConversationKey>;
    fn sources(after: Option<&SourceId>, limit: usize) -> Vec<SourceReport>;
    fn turns(key: &ConversationKey, before: Option<Fence>, limit: usize) -> Vec<EndedTurn>;
    fn events_after(key: &ConversationKey, after: EventNumber, limit: usize)
        -> Option<Vec<(EventNumber, Event)>>;
    fn newest_event(key: &ConversationKey) -> EventNumber;
    fn release_turns(now: Timestamp) -> u64;
    fn drop_conversation(key: &ConversationKey) -> ();
    fn sweep(now: Timestamp, limit: usize) -> Swept;
} }

port! { keys: Keys {
    fn used(key: &KeyUse) -> Option<KeyUse>;
    fn remember(key: KeyUse) -> Option<KeyUse>;
    fn forget_before(horizon: Timestamp) -> u64;
} }

port! { media: Media {
    fn put(key: &MediaKey, place: &MediaPlace, file: MediaFile) -> bool;
    fn get(conversation: &ConversationKey, key: &MediaKey) -> Option<MediaFile>;
} }

port! { people: People {
    fn add(person: Person, line: ConsentLine) -> bool;
    fn person(id: &PersonId) -> Option<Person>;
    fn by_email(email: &Email) -> Option<Person>;
    fn people_after(after: Option<&PersonId>, limit: usize) -> Vec<Person>;
    fn change(id: &PersonId, change: PersonChange) -> bool;
    fn move_consent(id: &PersonId, to: ConsentMove) -> Option<ConsentMoved>;
    fn consents(id: &PersonId) -> Vec<ConsentLine>;
    fn open_session(session: NewSession, terms: SessionTerms) -> Option<Session>;
    fn session(id: &SessionId) -> Option<Session>;
    fn end_session(id: &SessionId, now: Timestamp) -> Option<Session>;
    fn forget_expert(id: &SessionId) -> ();
    fn sessions(owner: &PersonId, which: Which, offset: usize, limit: usize)
        -> (Vec<HeldSession>, u64);
    fn is_listed(id: &SessionId) -> bool;
    fn forget_session(id: &SessionId) -> bool;
    fn billing(owner: &PersonId) -> Vec<BillingLine>;
} }

port! { access: Access {
    fn secret(name: &str, fresh: SecretKey) -> SecretKey;
    fn end_sign_in(id: &SignInId, until: Timestamp) -> ();
    fn is_sign_in_ended(id: &SignInId) -> bool;
    fn forget_sign_ins(now: Timestamp) -> u64;
} }

port! { erasure: Erasure {
    fn due(now: Timestamp, limit: usize) -> Vec<PersonId>;
    fn claim(person: &PersonId, reason: EraseReason, now: Timestamp) -> Claim;
    fn erase_batch(person: &PersonId, limit: usize, now: Timestamp) -> Batch;
    fn audit(before: Option<u64>, limit: usize) -> Vec<AuditLine>;
} }

port! { worlds: Worlds {
    fn add_world(world: World, chat: Chat, agents: Vec<Agent>) -> Result<World, WorldRefusal>;
    fn worlds(owner: &PersonId) -> Vec<World>;
    fn world(key: &WorldKey) -> Option<World>;
    fn change_world(key: &WorldKey, patch: WorldPatch) -> Result<World, WorldRefusal>;
    fn delete_world(key: &WorldKey) -> Result<(), WorldRefusal>;
    fn add_agent(key: &WorldKey, agent: Agent, max: usize) -> Result<Agent, WorldRefusal>;
    fn agents(key: &WorldKey) -> Result<Vec<Agent>, WorldRefusal>;
    fn change_agent(key: &WorldKey, id: &AgentId, patch: AgentPatch)
        -> Result<Agent, WorldRefusal>;
    fn delete_agent(key: &WorldKey, id: &AgentId) -> Result<(), WorldRefusal>;
    fn add_chat(key: &WorldKey, chat: Chat) -> Result<Chat, WorldRefusal>;
    fn chats(key: &WorldKey) -> Result<Vec<Chat>, WorldRefusal>;
    fn home(chat: &ChatId) -> Option<WorldKey>;
    fn delete_chat(key: &WorldKey, id: &ChatId, spare: Chat) -> Result<World, WorldRefusal>;
    fn note_failed_edit(key: &WorldKey, failed: FailedEdit) -> bool;
    fn failed_edits(key: &WorldKey) -> Vec<FailedEdit>;
} }

port! { directory: Directory {
    fn source(id: &SourceId) -> Option<SourceCard>;
    fn keep_source(card: SourceCard) -> ();
    fn names(people: &[PersonId]) -> Vec<NameCard>;
    fn keep_name(card: NameCard) -> ();
    fn forget_name(id: &PersonId) -> ();
    fn forget_source(id: &SourceId) -> ();
} }

port! { health: Health {
    fn check() -> ();
} }
