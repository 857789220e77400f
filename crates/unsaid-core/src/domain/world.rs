//! Worlds: a person, several agents, several chats. Settings, not words: they need no consent.

use super::{
    consent::Consent,
    id::{AgentId, ChatId, ErrorCode, FailedEditId, MessageId, PersonId, Roster, WorldId},
    person::Person,
    text::Words,
    time::Timestamp,
};

/// Who said what a person said. A world is one person's, so it needs no name; no agent has this id.
pub const HUMAN: &str = "human";

/// Where doors show the templates of worlds; no world has this id.
pub const TEMPLATES: &str = "templates";

/// Edits and removals that failed of which a world is reminded; beyond that the oldest are forgotten.
pub const FAILED_EDITS_MAX: usize = 100;

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

/// An edit or removal that failed: made whole or not at all. It has no words, but tells of a message, so
/// it is kept with the consent that messages need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedEdit {
    /// Unique in its world.
    pub id: FailedEditId,
    /// When.
    pub at: Timestamp,
    /// The chat that was named; it may be none of the world.
    pub chat: ChatId,
    /// The message that was to go; it may be none of the chat.
    pub message: MessageId,
    /// What went wrong.
    pub code: ErrorCode,
}

impl FailedEdit {
    /// Whether it may be kept: it can be seen, and consent has been on since it failed.
    #[must_use]
    pub fn may_be_kept(&self, owner: &Person, world: &World) -> bool {
        let consents = owner.consent.is_on() && owner.consent.changed_at() <= self.at;
        consents && self.can_be_seen(owner, world)
    }

    /// Whether it can be seen: it is of this world and not of an older one of its name, nothing was
    /// erased since, and it is not hidden by a withdrawal.
    #[must_use]
    pub fn can_be_seen(&self, owner: &Person, world: &World) -> bool {
        let is_hidden = match owner.consent {
            Consent::Withdrawn { since, .. } => self.at < since,
            Consent::Granted { .. } | Consent::Withheld { .. } => false,
        };
        let is_erased = owner.erased_at.is_some_and(|erased_at| self.at <= erased_at);
        world.created_at <= self.at && !is_erased && !is_hidden
    }
}
