//! What a turn works with, and where and as whom it speaks.

use std::{sync::Arc, time::Duration};

use jiff::tz::TimeZone;
use unsaid_core::{
    domain::{
        id::{AgentId, HolderId},
        message::{Audience, Author},
        prompt::Room,
        text::Words,
    },
    port::{
        clock::{Chance, Clock},
        history::History,
        media::Media,
        messenger::Messenger,
        model::{Model, ToolCall, ToolSpec},
        people::People,
    },
};

use super::{LEASE_MS, speech::Listener};
use crate::{
    event::Watchers,
    place::Place,
    tool::{self, Tools},
};

/// What all turns of a process work with.
pub struct Desk {
    /// The logs.
    pub history: Arc<dyn History>,
    /// Pictures.
    pub media: Arc<dyn Media>,
    /// Whose consent decides what is shown and kept.
    pub people: Arc<dyn People>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// For ids.
    pub chance: Arc<dyn Chance>,
    /// Who is told, and which turns run here.
    pub watchers: Arc<Watchers>,
    /// What a model may do, compiled once.
    pub tools: Arc<Tools>,
    /// This process; no other has the same name.
    pub holder: HolderId,
    /// Numbers from the configuration.
    pub settings: Settings,
}

/// Numbers from the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// `model.context_tokens`.
    pub context_tokens: usize,
    /// `limits.prompt_images`.
    pub prompt_images: usize,
    /// `model.tool_steps`.
    pub tool_steps: usize,
    /// After so long an answer without an outcome, whose turn is gone, counts as lost. Another process
    /// may still be sending it: [`LEASE_MS`]. Where there is no other process it is 0.
    pub unsettled_ms: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { context_tokens: 8_000, prompt_images: 10, tool_steps: 5, unsettled_ms: LEASE_MS }
    }
}

/// Where and as whom a turn speaks.
#[derive(Clone)]
pub struct Cast {
    /// The conversation, and whose it is.
    pub place: Place,
    /// Who speaks.
    pub me: AgentId,
    /// What it is told about itself.
    pub persona: Words,
    /// Who is in the room.
    pub room: Room,
    /// Where its time is local.
    pub zone: TimeZone,
    /// How a speaker is called.
    pub name_of: Arc<dyn Fn(&Author) -> String + Send + Sync>,
    /// Who hears the answer.
    pub audience: Audience,
    /// What thinks.
    pub model: Arc<dyn Model>,
    /// How it answers.
    pub manner: Manner,
    /// How long the whole turn may take.
    pub time_max: Duration,
}

/// How a turn answers.
#[derive(Clone)]
pub enum Manner {
    /// Through `reply` and `skip`, to the outside.
    Tools {
        /// What carries it.
        messenger: Arc<dyn Messenger>,
        /// Finds calls that a model wrote as text.
        read_calls: ReadCalls,
    },
    /// In plain text, to whoever listens.
    Text {
        /// Who is told as it comes.
        listener: Arc<dyn Listener>,
    },
}

/// Finds calls of these tools in a text, for models that write them there.
pub type ReadCalls = fn(&str, &[ToolSpec]) -> Option<Vec<ToolCall>>;

impl Manner {
    /// What the server adds to the persona.
    pub(super) fn paragraph(&self) -> &'static str {
        match self {
            Self::Tools { .. } => tool::MANNER,
            Self::Text { .. } => "",
        }
    }
}
