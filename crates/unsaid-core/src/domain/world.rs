//! Worlds: a person, several agents, several chats. Settings, not words: they need no consent.

use super::{
    id::{AgentId, ChatId, PersonId, Roster, WorldId},
    text::Words,
    time::Timestamp,
};

/// Who said what a person said. A world is one person's, so it needs no name; no agent has this id.
pub const HUMAN: &str = "human";

/// Where doors show the templates of worlds; no world has this id.
pub const TEMPLATES: &str = "templates";

/// A world and its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct World {
    /// Whose it is; others do not see it.
    pub owner: PersonId,
    /// Made from its first name; unique for the owner.
    pub id: WorldId,
    /// Its name.
    pub name: Words,
    /// Model calls per agent since a person last spoke.
    pub turn_limit: u32,
    /// The agent that answers when nobody is mentioned.
    pub main_agent: Option<AgentId>,
    /// The chat in use; `None` is session mode off.
    pub current_chat: Option<ChatId>,
    /// Rises when an agent joins.
    pub roster: Roster,
    /// When it was made.
    pub created_at: Timestamp,
}

/// An agent of a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Made from its first name; unique in the world.
    pub id: AgentId,
    /// Its name.
    pub name: Words,
    /// What it is told to be.
    pub system_prompt: Words,
    /// The provider of its model, if not the installation's.
    pub provider: Option<String>,
    /// Its model, if not the installation's.
    pub model: Option<String>,
    /// Whether it answers without being mentioned.
    pub auto_reply: bool,
    /// The roster when it joined: it heard nothing said before.
    pub joined: Roster,
}

/// A chat of a world. What was said in it is the conversation of the same id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chat {
    /// Unique in the installation.
    pub id: ChatId,
    /// Its name.
    pub name: Words,
    /// When it was made.
    pub created_at: Timestamp,
}
