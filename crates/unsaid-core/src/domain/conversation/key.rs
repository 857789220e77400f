//! Which conversation.

use std::{fmt, str::FromStr};

use crate::domain::id::{ChatId, IdError, SessionId, SourceId};

/// The name of a conversation, the same in every store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConversationKey {
    /// A source on LINE.
    Line(SourceId),
    /// A chat of a world.
    Chat(ChatId),
    /// A session with an expert.
    Session(SessionId),
}

impl ConversationKey {
    /// Whether its events are kept, so that watchers can resume.
    #[must_use]
    pub fn keeps_events(&self) -> bool {
        match self {
            Self::Chat(_) => true,
            Self::Line(_) | Self::Session(_) => false,
        }
    }
}

impl fmt::Display for ConversationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(id) => write!(f, "line:{id}"),
            Self::Chat(id) => write!(f, "chat:{id}"),
            Self::Session(id) => write!(f, "session:{id}"),
        }
    }
}

impl FromStr for ConversationKey {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        match text.split_once(':') {
            Some(("line", id)) => Ok(Self::Line(SourceId::new(id)?)),
            Some(("chat", id)) => Ok(Self::Chat(ChatId::new(id)?)),
            Some(("session", id)) => Ok(Self::Session(SessionId::new(id)?)),
            Some(_) | None => Err(IdError { kind: "conversation key", why: "unknown kind" }),
        }
    }
}
