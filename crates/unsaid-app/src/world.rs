//! Worlds of a person: several agents, several chats. Making, changing, deleting, reading.
//!
//! - [`template`]: worlds that are ready made.
//! - [`read`]: how many messages there are and which, who heard them, what an edit would remove.
//! - [`memory`]: what one agent remembers.
//! - [`failed_edits`]: edits that failed.
//! - [`mod@talk`]: what is said in a chat. [`WorldStage`]: who answers there.
//!
//! Somebody else's world does not exist (H9). Settings need no consent; what was said is read from the
//! log that is the conversation now: what is kept while consent is on, else what is in memory.

pub mod failed_edits;
pub mod memory;
pub mod read;
mod stage;
pub mod talk;
pub mod template;

use unsaid_core::{
    domain::{
        conversation::key::ConversationKey,
        id::{AgentId, ChatId, IdError, Roster},
        text::Words,
        time::Timestamp,
        world::{Agent, Chat, World},
    },
    port::{
        error::StoreError,
        people::People,
        worlds::{AgentPatch, WorldKey, WorldPatch, WorldRefusal, Worlds},
    },
};

pub use self::stage::WorldStage;
use crate::{browse::BrowseError, logs::Logs, place::Place};

/// Model calls per agent since a person last spoke, unless the owner says otherwise.
pub const TURN_LIMIT: u32 = 5;
/// The most that an owner may say.
pub const TURN_LIMIT_MAX: u32 = 50;
/// What a chat is called until somebody names it.
const CHAT_NAME: &str = "New chat";

/// What everything about worlds is done with.
#[derive(Clone, Copy)]
pub struct Keeper<'a> {
    /// Settings.
    pub worlds: &'a dyn Worlds,
    /// Whose consent it is.
    pub people: &'a dyn People,
    /// What was said.
    pub logs: &'a Logs,
}

/// Why nothing is done in a world.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorldError {
    /// The account of the owner is gone.
    #[error("no such person")]
    OwnerNotFound,
    /// There is no such world, or it is somebody else's.
    #[error("no such world")]
    WorldNotFound,
    /// There is no such agent in it.
    #[error("no such agent")]
    AgentNotFound,
    /// There is no such chat in it.
    #[error("no such chat")]
    ChatNotFound,
    /// There is no such message in the chat.
    #[error("no such message")]
    MessageNotFound,
    /// The message is not a person's.
    #[error("not a person's message")]
    NotAPersons,
    /// No chat was named, and none is current: session mode is off.
    #[error("no chat is current")]
    NoChat,
    /// The owner has a world of this name.
    #[error("the world exists")]
    WorldExists,
    /// The world has an agent of this name.
    #[error("the agent exists")]
    AgentExists,
    /// Too many agents.
    #[error("the limit is reached")]
    LimitReached,
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] StoreError),
}

/// A world that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWorld {
    /// Whose, and its id.
    pub key: WorldKey,
    /// What it is called.
    pub name: Words,
    /// See [`World::turn_limit`].
    pub turn_limit: u32,
    /// See [`World::main_agent`].
    pub main_agent: Option<AgentId>,
    /// Its first chat.
    pub chat: Chat,
    /// Those of its template.
    pub agents: Vec<Agent>,
}

impl Keeper<'_> {
    /// A world of its owner.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn own(&self, key: &WorldKey) -> Result<World, WorldError> {
        self.worlds.world(key).await?.ok_or(WorldError::WorldNotFound)
    }

    /// The agents of a world, in order of creation.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn agents(&self, key: &WorldKey) -> Result<Vec<Agent>, WorldError> {
        Ok(self.worlds.agents(key).await??)
    }

    /// An agent of a world.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn agent(&self, key: &WorldKey, id: &AgentId) -> Result<Agent, WorldError> {
        let mut agents = self.agents(key).await?.into_iter();
        agents.find(|agent| agent.id == *id).ok_or(WorldError::AgentNotFound)
    }

    /// A chat of a world as a place to talk.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn place(&self, key: &WorldKey, chat: &ChatId) -> Result<Place, WorldError> {
        if self.worlds.home(chat).await?.as_ref() == Some(key) {
            return Ok(Place::chat(key.owner.clone(), chat.clone()));
        }
        self.own(key).await?;
        Err(WorldError::ChatNotFound)
    }

    /// The chat that is meant: the one that is named, or the current one.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn meant(&self, key: &WorldKey, named: Option<ChatId>) -> Result<ChatId, WorldError> {
        match named {
            Some(chat) => Ok(chat),
            None => self.own(key).await?.current_chat.ok_or(WorldError::NoChat),
        }
    }

    /// Makes a world with its first chat, which is current, and the agents of its template, unless
    /// these are more than `agents_max`.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn make(&self, new: NewWorld, agents_max: usize) -> Result<World, WorldError> {
        let NewWorld { key, name, turn_limit, main_agent, chat, agents } = new;
        if agents.len() > agents_max {
            return Err(WorldError::LimitReached);
        }
        if main_agent.as_ref().is_some_and(|main| agents.iter().all(|agent| agent.id != *main)) {
            return Err(WorldError::AgentNotFound);
        }
        let world = World {
            owner: key.owner,
            id: key.id,
            name,
            turn_limit,
            main_agent,
            current_chat: Some(chat.id.clone()),
            roster: Roster::ZERO,
            created_at: chat.created_at,
        };
        Ok(self.worlds.add_world(world, chat, agents).await??)
    }

    /// Changes a world.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn change(&self, key: &WorldKey, patch: WorldPatch) -> Result<World, WorldError> {
        Ok(self.worlds.change_world(key, patch).await??)
    }

    /// Deletes a world with everything in it. Turns that run in it look again, and find it gone.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn delete(&self, key: &WorldKey) -> Result<(), WorldError> {
        let chats = self.worlds.chats(key).await??;
        self.worlds.delete_world(key).await??;
        for chat in chats {
            self.forget(chat.id).await?;
        }
        Ok(())
    }

    /// Adds an agent, unless there are `max`.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn add_agent(
        &self,
        key: &WorldKey,
        agent: Agent,
        max: usize,
    ) -> Result<Agent, WorldError> {
        Ok(self.worlds.add_agent(key, agent, max).await??)
    }

    /// Changes an agent.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn change_agent(
        &self,
        key: &WorldKey,
        id: &AgentId,
        patch: AgentPatch,
    ) -> Result<Agent, WorldError> {
        Ok(self.worlds.change_agent(key, id, patch).await??)
    }

    /// Deletes an agent. What it said stays.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn delete_agent(&self, key: &WorldKey, id: &AgentId) -> Result<(), WorldError> {
        Ok(self.worlds.delete_agent(key, id).await??)
    }

    /// Adds a chat. It does not become current by that.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn add_chat(&self, key: &WorldKey, chat: Chat) -> Result<Chat, WorldError> {
        Ok(self.worlds.add_chat(key, chat).await??)
    }

    /// Makes a chat the current one: session mode is on.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn set_chat(&self, key: &WorldKey, chat: ChatId) -> Result<World, WorldError> {
        let current_chat = Some(Some(chat));
        self.change(key, WorldPatch { current_chat, ..WorldPatch::default() }).await
    }

    /// Deletes a chat with what was said in it; `spare` is added if none remains.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn delete_chat(
        &self,
        key: &WorldKey,
        chat: ChatId,
        spare: Chat,
    ) -> Result<World, WorldError> {
        let world = self.worlds.delete_chat(key, &chat, spare).await??;
        self.forget(chat).await?;
        Ok(world)
    }

    async fn forget(&self, chat: ChatId) -> Result<(), StoreError> {
        self.logs.drop_conversation(&ConversationKey::Chat(chat)).await
    }
}

/// A chat that is wanted, named or not.
///
/// # Errors
/// If that cannot be its id.
pub fn new_chat(id: &str, name: Option<Words>, now: Timestamp) -> Result<Chat, IdError> {
    let name = name.unwrap_or_else(|| Words::lossy(CHAT_NAME));
    Ok(Chat { id: ChatId::new(id)?, name, created_at: now })
}

impl From<WorldRefusal> for WorldError {
    fn from(refusal: WorldRefusal) -> Self {
        match refusal {
            WorldRefusal::OwnerNotFound => Self::OwnerNotFound,
            WorldRefusal::WorldExists => Self::WorldExists,
            WorldRefusal::AgentExists => Self::AgentExists,
            WorldRefusal::LimitReached => Self::LimitReached,
            WorldRefusal::WorldNotFound => Self::WorldNotFound,
            WorldRefusal::AgentNotFound => Self::AgentNotFound,
            WorldRefusal::ChatNotFound => Self::ChatNotFound,
        }
    }
}

impl From<BrowseError> for WorldError {
    fn from(error: BrowseError) -> Self {
        match error {
            BrowseError::NotFound => Self::MessageNotFound,
            BrowseError::Broken(error) => Self::Broken(error),
        }
    }
}
