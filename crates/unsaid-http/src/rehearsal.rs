//! Trying the bot without LINE, as the door sees it. Who plays LINE is wired elsewhere.

use async_trait::async_trait;
use unsaid_core::domain::conversation::change::EndedTurn;
use unsaid_core::domain::id::{MessageId, PersonId};
use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;

use crate::error::ApiError;

/// Where the bot is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// Alone with it.
    Person,
    /// Among others.
    Group,
}

/// What is to be said there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speech {
    /// The words.
    pub text: Words,
    /// Who says them; somebody, if nobody is named.
    pub name: Option<Words>,
    /// Whether it mentions the bot.
    pub mentions: bool,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The message.
    pub id: MessageId,
    /// When.
    pub at: Timestamp,
}

/// Something that was said, with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Which and when.
    pub heard: Heard,
    /// Whether the bot said it.
    pub by_bot: bool,
    /// Who said it.
    pub name: Words,
    /// The words.
    pub text: Words,
}

/// What happened in a rehearsal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scene {
    /// Whether an answer is owed or on its way.
    pub answering: bool,
    /// What can still be heard, oldest first; the newest of it, if it is much.
    pub lines: Vec<Line>,
    /// The turns that are over, newest first; the newest, if they are many.
    pub turns: Vec<EndedTurn>,
}

/// Every admin has one rehearsal in each spot, sees no other, and all of it is in memory only.
#[async_trait]
pub trait Rehearsals: Send + Sync {
    /// What happened so far.
    async fn show(&self, admin: &PersonId, spot: Spot) -> Result<Scene, ApiError>;

    /// Says something; the bot may answer.
    async fn say(&self, admin: &PersonId, spot: Spot, speech: Speech) -> Result<Heard, ApiError>;

    /// Takes back what a person said; `false` if there is no such message.
    async fn unsend(
        &self,
        admin: &PersonId,
        spot: Spot,
        message: &MessageId,
    ) -> Result<bool, ApiError>;

    /// Forgets all of it.
    async fn forget(&self, admin: &PersonId, spot: Spot) -> Result<(), ApiError>;
}
