//! The ports for people and their worlds.

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        id::{AgentId, ChatId, PersonId, SessionId, SignInId},
        person::{ConsentLine, Email, Person},
        secret::SecretKey,
        session::{BillingLine, Session, SessionTerms},
        time::Timestamp,
        world::{Agent, Chat, FailedEdit, World},
    },
    port::{
        access::Access,
        error::StoreError,
        people::{ConsentMove, ConsentMoved, HeldSession, NewSession, People, PersonChange, Which},
        worlds::{AgentPatch, Asked, WorldKey, WorldPatch, Worlds},
    },
};

use super::{Engine, SqlStore};
use crate::{access, people, worlds};

#[async_trait]
impl<E: Engine> People for SqlStore<E> {
    async fn add(&self, person: Person, line: ConsentLine) -> Result<bool, StoreError> {
        self.engine
            .write((person, line), |db, (person, line)| Box::pin(people::add(db, person, line)))
            .await
    }

    async fn person(&self, id: &PersonId) -> Result<Option<Person>, StoreError> {
        self.engine.read(id.clone(), |db, id| Box::pin(people::person(db, id))).await
    }

    async fn by_email(&self, email: &Email) -> Result<Option<Person>, StoreError> {
        self.engine.read(email.clone(), |db, email| Box::pin(people::by_email(db, email))).await
    }

    async fn people_after(
        &self,
        after: Option<&PersonId>,
        limit: usize,
    ) -> Result<Vec<Person>, StoreError> {
        let after = after.cloned();
        self.engine
            .read((after, limit), |db, (after, limit)| {
                Box::pin(people::people_after(db, after.as_ref(), *limit))
            })
            .await
    }

    async fn change(&self, id: &PersonId, change: PersonChange) -> Result<bool, StoreError> {
        self.engine
            .write((id.clone(), change), |db, (id, change)| {
                Box::pin(people::change(db, id, change.clone()))
            })
            .await
    }

    async fn move_consent(
        &self,
        id: &PersonId,
        to: ConsentMove,
    ) -> Result<Option<ConsentMoved>, StoreError> {
        self.engine
            .write((id.clone(), to), |db, (id, to)| Box::pin(people::move_consent(db, id, to)))
            .await
    }

    async fn consents(&self, id: &PersonId) -> Result<Vec<ConsentLine>, StoreError> {
        self.engine.read(id.clone(), |db, id| Box::pin(people::consents(db, id))).await
    }

    async fn open_session(
        &self,
        session: NewSession,
        terms: SessionTerms,
    ) -> Result<Option<Session>, StoreError> {
        self.engine
            .write((session, terms), |db, (session, terms)| {
                Box::pin(people::open_session(db, session.clone(), *terms))
            })
            .await
    }

    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        self.engine.read(id.clone(), |db, id| Box::pin(people::session(db, id))).await
    }

    async fn end_session(
        &self,
        id: &SessionId,
        now: Timestamp,
    ) -> Result<Option<Session>, StoreError> {
        self.engine
            .write((id.clone(), now), |db, (id, now)| Box::pin(people::end_session(db, id, *now)))
            .await
    }

    async fn forget_expert(&self, id: &SessionId) -> Result<(), StoreError> {
        self.engine.write(id.clone(), |db, id| Box::pin(people::forget_expert(db, id))).await
    }

    async fn sessions(
        &self,
        owner: &PersonId,
        which: Which,
        offset: usize,
        limit: usize,
    ) -> Result<(Vec<HeldSession>, u64), StoreError> {
        self.engine
            .read((owner.clone(), which, offset, limit), |db, (owner, which, offset, limit)| {
                Box::pin(people::sessions(db, owner, *which, (*offset, *limit)))
            })
            .await
    }

    async fn is_listed(&self, id: &SessionId) -> Result<bool, StoreError> {
        self.engine.read(id.clone(), |db, id| Box::pin(people::is_listed(db, id))).await
    }

    async fn forget_session(&self, id: &SessionId) -> Result<bool, StoreError> {
        self.engine.write(id.clone(), |db, id| Box::pin(people::forget_session(db, id))).await
    }

    async fn billing(&self, owner: &PersonId) -> Result<Vec<BillingLine>, StoreError> {
        self.engine.read(owner.clone(), |db, owner| Box::pin(people::billing(db, owner))).await
    }
}

#[async_trait]
impl<E: Engine> Access for SqlStore<E> {
    async fn secret(&self, name: &str, fresh: SecretKey) -> Result<SecretKey, StoreError> {
        self.engine
            .write((name.to_owned(), fresh), |db, (name, fresh)| {
                Box::pin(access::secret(db, name, fresh))
            })
            .await
    }

    async fn end_sign_in(&self, id: &SignInId, until: Timestamp) -> Result<(), StoreError> {
        self.engine
            .write((id.clone(), until), |db, (id, until)| {
                Box::pin(access::end_sign_in(db, id, *until))
            })
            .await
    }

    async fn is_sign_in_ended(&self, id: &SignInId) -> Result<bool, StoreError> {
        self.engine.read(id.clone(), |db, id| Box::pin(access::is_sign_in_ended(db, id))).await
    }

    async fn forget_sign_ins(&self, now: Timestamp) -> Result<u64, StoreError> {
        self.engine.write(now, |db, now| Box::pin(access::forget_sign_ins(db, *now))).await
    }
}

#[async_trait]
impl<E: Engine> Worlds for SqlStore<E> {
    async fn add_world(&self, world: World, chat: Chat, agents: Vec<Agent>) -> Asked<World> {
        self.engine
            .write((world, chat, agents), |db, (world, chat, agents)| {
                Box::pin(worlds::add_world(db, world.clone(), chat.clone(), agents.clone()))
            })
            .await
    }

    async fn worlds(&self, owner: &PersonId) -> Result<Vec<World>, StoreError> {
        self.engine.read(owner.clone(), |db, owner| Box::pin(worlds::worlds(db, owner))).await
    }

    async fn world(&self, key: &WorldKey) -> Result<Option<World>, StoreError> {
        self.engine.read(key.clone(), |db, key| Box::pin(worlds::world(db, key))).await
    }

    async fn change_world(&self, key: &WorldKey, patch: WorldPatch) -> Asked<World> {
        self.engine
            .write((key.clone(), patch), |db, (key, patch)| {
                Box::pin(worlds::change_world(db, key, patch.clone()))
            })
            .await
    }

    async fn delete_world(&self, key: &WorldKey) -> Asked<()> {
        self.engine
            .write(key.clone(), |db, key| Box::pin(worlds::delete_world(db, key, Timestamp::ZERO)))
            .await
    }

    async fn add_agent(&self, key: &WorldKey, agent: Agent, max: usize) -> Asked<Agent> {
        self.engine
            .write((key.clone(), agent, max), |db, (key, agent, max)| {
                Box::pin(worlds::add_agent(db, key, agent.clone(), *max))
            })
            .await
    }

    async fn agents(&self, key: &WorldKey) -> Asked<Vec<Agent>> {
        self.engine.read(key.clone(), |db, key| Box::pin(worlds::agents(db, key))).await
    }

    async fn change_agent(&self, key: &WorldKey, id: &AgentId, patch: AgentPatch) -> Asked<Agent> {
        self.engine
            .write((key.clone(), id.clone(), patch), |db, (key, id, patch)| {
                Box::pin(worlds::change_agent(db, key, id, patch.clone()))
            })
            .await
    }

    async fn delete_agent(&self, key: &WorldKey, id: &AgentId) -> Asked<()> {
        self.engine
            .write((key.clone(), id.clone()), |db, (key, id)| {
                Box::pin(worlds::delete_agent(db, key, id))
            })
            .await
    }

    async fn add_chat(&self, key: &WorldKey, chat: Chat) -> Asked<Chat> {
        self.engine
            .write((key.clone(), chat), |db, (key, chat)| {
                Box::pin(worlds::add_chat(db, key, chat.clone()))
            })
            .await
    }

    async fn home(&self, chat: &ChatId) -> Result<Option<WorldKey>, StoreError> {
        self.engine.read(chat.clone(), |db, chat| Box::pin(worlds::home(db, chat))).await
    }

    async fn chats(&self, key: &WorldKey) -> Asked<Vec<Chat>> {
        self.engine.read(key.clone(), |db, key| Box::pin(worlds::chats(db, key))).await
    }

    async fn delete_chat(&self, key: &WorldKey, id: &ChatId, spare: Chat) -> Asked<World> {
        let spare = (spare, Timestamp::ZERO);
        self.engine
            .write((key.clone(), id.clone(), spare), |db, (key, id, spare)| {
                Box::pin(worlds::delete_chat(db, key, id, spare.clone()))
            })
            .await
    }

    async fn note_failed_edit(
        &self,
        key: &WorldKey,
        failed: FailedEdit,
    ) -> Result<bool, StoreError> {
        self.engine
            .write((key.clone(), failed), |db, (key, failed)| {
                Box::pin(worlds::note_failed_edit(db, key, failed))
            })
            .await
    }

    async fn failed_edits(&self, key: &WorldKey) -> Result<Vec<FailedEdit>, StoreError> {
        self.engine.read(key.clone(), |db, key| Box::pin(worlds::failed_edits(db, key))).await
    }
}
