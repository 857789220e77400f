//! Worlds, agents, chats: settings.

use async_trait::async_trait;

use super::error::StoreError;
use crate::domain::{
    id::{AgentId, ChatId, PersonId, WorldId},
    text::Words,
    world::{Agent, Chat, FailedEdit, World},
};

/// A world of somebody.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WorldKey {
    /// Whose.
    pub owner: PersonId,
    /// Which.
    pub id: WorldId,
}

/// Why a change of a world was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WorldRefusal {
    /// There is no such person (any more).
    #[error("no such person")]
    OwnerNotFound,
    /// The owner has a world with this id.
    #[error("the world exists")]
    WorldExists,
    /// The world has an agent with this id.
    #[error("the agent exists")]
    AgentExists,
    /// Too many agents.
    #[error("the limit is reached")]
    LimitReached,
    /// No such world.
    #[error("no such world")]
    WorldNotFound,
    /// No such agent.
    #[error("no such agent")]
    AgentNotFound,
    /// No such chat.
    #[error("no such chat")]
    ChatNotFound,
}

/// A change of a world's settings; `None` leaves a field as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorldPatch {
    /// Its name; the id stays.
    pub name: Option<Words>,
    /// See [`World::turn_limit`].
    pub turn_limit: Option<u32>,
    /// See [`World::main_agent`].
    pub main_agent: Option<Option<AgentId>>,
    /// See [`World::current_chat`].
    pub current_chat: Option<Option<ChatId>>,
}

/// A change of an agent's settings; `None` leaves a field as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentPatch {
    /// Its name; the id stays.
    pub name: Option<Words>,
    /// See [`Agent::system_prompt`].
    pub system_prompt: Option<Words>,
    /// See [`Agent::provider`].
    pub provider: Option<Option<String>>,
    /// See [`Agent::model`].
    pub model: Option<Option<String>>,
    /// See [`Agent::auto_reply`].
    pub auto_reply: Option<bool>,
}

/// What a call did, or why not; the outer result is for broken stores.
pub type Asked<T> = Result<Result<T, WorldRefusal>, StoreError>;

/// See the module.
#[async_trait]
pub trait Worlds: Send + Sync {
    /// Makes a world with its first chat (which becomes current) and its agents, unless its owner's
    /// account is gone: nobody would ever delete it.
    async fn add_world(&self, world: World, chat: Chat, agents: Vec<Agent>) -> Asked<World>;

    /// Somebody's worlds, oldest first.
    async fn worlds(&self, owner: &PersonId) -> Result<Vec<World>, StoreError>;

    /// One world.
    async fn world(&self, key: &WorldKey) -> Result<Option<World>, StoreError>;

    /// Changes settings. A chat named current must exist, an agent named main too.
    async fn change_world(&self, key: &WorldKey, patch: WorldPatch) -> Asked<World>;

    /// Deletes a world with its agents, chats and what was said in them.
    async fn delete_world(&self, key: &WorldKey) -> Asked<()>;

    /// Adds an agent, unless there are `max` already; its `joined` is set here.
    async fn add_agent(&self, key: &WorldKey, agent: Agent, max: usize) -> Asked<Agent>;

    /// The agents of a world, in order of creation.
    async fn agents(&self, key: &WorldKey) -> Asked<Vec<Agent>>;

    /// Changes an agent.
    async fn change_agent(&self, key: &WorldKey, id: &AgentId, patch: AgentPatch) -> Asked<Agent>;

    /// Deletes an agent; it is no longer the main one. What it said stays.
    async fn delete_agent(&self, key: &WorldKey, id: &AgentId) -> Asked<()>;

    /// Adds a chat.
    async fn add_chat(&self, key: &WorldKey, chat: Chat) -> Asked<Chat>;

    /// The chats of a world, oldest first.
    async fn chats(&self, key: &WorldKey) -> Asked<Vec<Chat>>;

    /// The world that a chat belongs to.
    async fn home(&self, chat: &ChatId) -> Result<Option<WorldKey>, StoreError>;

    /// Deletes a chat and what was said in it. If it was current, the newest remaining one becomes
    /// current; `spare` is added if none remains.
    async fn delete_chat(&self, key: &WorldKey, id: &ChatId, spare: Chat) -> Asked<World>;

    /// Keeps an edit that failed, once, if [`FailedEdit::may_be_kept`] says so at the moment of the
    /// commit; whether it does. Of a world the newest [`FAILED_EDITS_MAX`] stay; they go with the world,
    /// and with the history of its owner.
    ///
    /// [`FAILED_EDITS_MAX`]: crate::domain::world::FAILED_EDITS_MAX
    async fn note_failed_edit(
        &self,
        key: &WorldKey,
        failed: FailedEdit,
    ) -> Result<bool, StoreError>;

    /// The edits of a world that failed, oldest first; none if there is no such world.
    async fn failed_edits(&self, key: &WorldKey) -> Result<Vec<FailedEdit>, StoreError>;
}
