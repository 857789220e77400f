//! What stands in a source, whatever its format.

use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;

use super::report::Gaps;

/// Everything that could be read, and where something could not.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) worlds: Vec<FoundWorld>,
    pub(super) gaps: Gaps,
}

/// A world with its settings.
#[derive(Debug, Default)]
pub(super) struct FoundWorld {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) turn_limit: Option<i64>,
    pub(super) main_agent: Option<String>,
    pub(super) current_chat: Option<String>,
    pub(super) created_at: Option<Timestamp>,
    /// Whether its settings could not be read, and these stand for them.
    pub(super) is_guessed: bool,
    pub(super) agents: Vec<FoundAgent>,
    pub(super) chats: Vec<FoundChat>,
}

/// An agent with its settings and its memory.
#[derive(Debug)]
pub(super) struct FoundAgent {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) system_prompt: Words,
    pub(super) provider: Option<String>,
    pub(super) model: Option<String>,
    pub(super) auto_reply: bool,
    pub(super) created_at: Option<Timestamp>,
    /// Whether not all of its settings could be read, and some stand for them.
    pub(super) is_guessed: bool,
    /// Where its memory stands, for the report.
    pub(super) memory_place: String,
    /// In the order in which it heard them.
    pub(super) memory: Vec<FoundCopy>,
}

/// A chat; what was said in it stands in the memories.
#[derive(Debug)]
pub(super) struct FoundChat {
    pub(super) id: String,
    /// The program makes it of what was said.
    pub(super) name: Words,
    pub(super) created_at: Option<Timestamp>,
    /// Whether its settings could not be read.
    pub(super) is_guessed: bool,
}

/// What an agent remembers of one message.
#[derive(Debug, Default)]
pub(super) struct FoundCopy {
    /// Its place in the memory, for the report.
    pub(super) number: u64,
    pub(super) role: String,
    pub(super) content: Option<Words>,
    pub(super) sender: Option<String>,
    pub(super) at: Option<Timestamp>,
    pub(super) chat: Option<String>,
    pub(super) id: Option<String>,
    pub(super) reply_to: Option<String>,
    /// Whether it was never said, only shown.
    pub(super) is_only_shown: bool,
}
