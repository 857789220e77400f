//! The ports for people and their worlds on this engine.

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        id::{AgentId, ChatId, PersonId, SessionId},
        person::{ConsentLine, Email, Person},
        session::{BillingLine, Session, SessionTerms},
        time::Timestamp,
        world::{Agent, Chat, World},
    },
    port::{
        error::StoreError,
        people::{ConsentMove, ConsentMoved, NewSession, People, PersonChange},
        worlds::{AgentPatch, Asked, WorldKey, WorldPatch, Worlds},
    },
};

use super::SqliteStore;
use crate::{people, worlds};

#[async_trait]
impl People for SqliteStore {
    async fn add(&self, person: Person, line: ConsentLine) -> Result<bool, StoreError> {
        self.write(async move |db| people::add(db, &person, &line).await).await
    }

    async fn person(&self, id: &PersonId) -> Result<Option<Person>, StoreError> {
        let id = id.clone();
        self.read(async move |db| people::person(db, &id).await).await
    }

    async fn by_email(&self, email: &Email) -> Result<Option<Person>, StoreError> {
        let email = email.clone();
        self.read(async move |db| people::by_email(db, &email).await).await
    }

    async fn people_after(
        &self,
        after: Option<&PersonId>,
        limit: usize,
    ) -> Result<Vec<Person>, StoreError> {
        let after = after.cloned();
        self.read(async move |db| people::people_after(db, after.as_ref(), limit).await).await
    }

    async fn change(&self, id: &PersonId, change: PersonChange) -> Result<bool, StoreError> {
        let id = id.clone();
        self.write(async move |db| people::change(db, &id, change).await).await
    }

    async fn move_consent(
        &self,
        id: &PersonId,
        to: ConsentMove,
    ) -> Result<Option<ConsentMoved>, StoreError> {
        let id = id.clone();
        self.write(async move |db| people::move_consent(db, &id, &to).await).await
    }

    async fn consents(&self, id: &PersonId) -> Result<Vec<ConsentLine>, StoreError> {
        let id = id.clone();
        self.read(async move |db| people::consents(db, &id).await).await
    }

    async fn open_session(
        &self,
        session: NewSession,
        terms: SessionTerms,
    ) -> Result<Option<Session>, StoreError> {
        self.write(async move |db| people::open_session(db, session, terms).await).await
    }

    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        let id = id.clone();
        self.read(async move |db| people::session(db, &id).await).await
    }

    async fn end_session(
        &self,
        id: &SessionId,
        now: Timestamp,
    ) -> Result<Option<Session>, StoreError> {
        let id = id.clone();
        self.write(async move |db| people::end_session(db, &id, now).await).await
    }

    async fn sessions(
        &self,
        owner: &PersonId,
        offset: usize,
        limit: usize,
    ) -> Result<(Vec<Session>, u64), StoreError> {
        let owner = owner.clone();
        self.read(async move |db| people::sessions(db, &owner, offset, limit).await).await
    }

    async fn billing(&self, owner: &PersonId) -> Result<Vec<BillingLine>, StoreError> {
        let owner = owner.clone();
        self.read(async move |db| people::billing(db, &owner).await).await
    }
}

#[async_trait]
impl Worlds for SqliteStore {
    async fn add_world(&self, world: World, chat: Chat, agents: Vec<Agent>) -> Asked<World> {
        self.write(async move |db| worlds::add_world(db, world, chat, agents).await).await
    }

    async fn worlds(&self, owner: &PersonId) -> Result<Vec<World>, StoreError> {
        let owner = owner.clone();
        self.read(async move |db| worlds::worlds(db, &owner).await).await
    }

    async fn world(&self, key: &WorldKey) -> Result<Option<World>, StoreError> {
        let key = key.clone();
        self.read(async move |db| worlds::world(db, &key).await).await
    }

    async fn change_world(&self, key: &WorldKey, patch: WorldPatch) -> Asked<World> {
        let key = key.clone();
        self.write(async move |db| worlds::change_world(db, &key, patch).await).await
    }

    async fn delete_world(&self, key: &WorldKey) -> Asked<()> {
        let key = key.clone();
        self.write(async move |db| worlds::delete_world(db, &key, Timestamp::ZERO).await).await
    }

    async fn add_agent(&self, key: &WorldKey, agent: Agent, max: usize) -> Asked<Agent> {
        let key = key.clone();
        self.write(async move |db| worlds::add_agent(db, &key, agent, max).await).await
    }

    async fn agents(&self, key: &WorldKey) -> Asked<Vec<Agent>> {
        let key = key.clone();
        self.read(async move |db| worlds::agents(db, &key).await).await
    }

    async fn change_agent(&self, key: &WorldKey, id: &AgentId, patch: AgentPatch) -> Asked<Agent> {
        let (key, id) = (key.clone(), id.clone());
        self.write(async move |db| worlds::change_agent(db, &key, &id, patch).await).await
    }

    async fn delete_agent(&self, key: &WorldKey, id: &AgentId) -> Asked<()> {
        let (key, id) = (key.clone(), id.clone());
        self.write(async move |db| worlds::delete_agent(db, &key, &id).await).await
    }

    async fn add_chat(&self, key: &WorldKey, chat: Chat) -> Asked<Chat> {
        let key = key.clone();
        self.write(async move |db| worlds::add_chat(db, &key, chat).await).await
    }

    async fn chats(&self, key: &WorldKey) -> Asked<Vec<Chat>> {
        let key = key.clone();
        self.read(async move |db| worlds::chats(db, &key).await).await
    }

    async fn delete_chat(&self, key: &WorldKey, id: &ChatId, spare: Chat) -> Asked<World> {
        let (key, id) = (key.clone(), id.clone());
        let spare = (spare, Timestamp::ZERO);
        self.write(async move |db| worlds::delete_chat(db, &key, &id, spare).await).await
    }
}
