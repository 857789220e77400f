//! One thing that was said.

use super::{
    id::{AgentId, DeliveryId, MediaKey, MessageId, PersonId, Roster},
    text::Words,
    time::Timestamp,
};

/// Who said it.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A person; unknown where LINE does not tell.
    Person(Option<PersonId>),
    /// An agent, persona or expert.
    Agent(AgentId),
}

impl Author {
    /// Whether a person spoke, known or not.
    #[must_use]
    pub fn is_person(&self) -> bool {
        match self {
            Self::Person(_) => true,
            Self::Agent(_) => false,
        }
    }
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Words, or a placeholder that stands for something without words.
    Text {
        /// The words.
        text: Words,
    },
    /// A picture, recording or file in the media store.
    Media {
        /// Where it is kept.
        key: MediaKey,
        /// Its type, as found in its bytes.
        mime: String,
    },
    /// The line as it was found in a bucket, because our fields cannot say all of it. It is written
    /// back as it is; it is not for models or lists. New parts take its place.
    Original {
        /// The line, without its end.
        line: Words,
    },
}

impl Part {
    /// A text part.
    #[must_use]
    pub fn text(text: Words) -> Self {
        Self::Text { text }
    }

    /// The stored file it points to, if any.
    #[must_use]
    pub fn media(&self) -> Option<&MediaKey> {
        match self {
            Self::Text { .. } | Self::Original { .. } => None,
            Self::Media { key, .. } => Some(key),
        }
    }
}

/// Which agents of a world heard it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Audience {
    /// Agents that joined later did not hear it.
    pub roster: Roster,
    /// Only these, or everybody who was there.
    pub only: Option<Vec<AgentId>>,
}

/// How an answer reaches whoever said something, where the door needs more than its conversation.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WayBack {
    /// What the door was given to answer with; good once, and not for long.
    pub token: Option<ReplyToken>,
    /// The delivery that brought it: whatever is sent because of it is sent under its name.
    pub delivery: DeliveryId,
    /// When it came.
    pub received_at: Timestamp,
}

/// Lets whoever has it answer once. It never prints itself.
#[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct ReplyToken(String);

impl ReplyToken {
    /// Takes a token as it came.
    #[must_use]
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// The token itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for ReplyToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ReplyToken")
    }
}

/// A message as it is handed to the log, before it has a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Unique in its conversation.
    pub id: MessageId,
    /// Who said it.
    pub author: Author,
    /// When, as the door was told. Order never depends on it.
    pub at: Timestamp,
    /// The message it answers, if that is known.
    pub reply_to: Option<MessageId>,
    /// Who heard it.
    pub audience: Audience,
    /// What was said.
    pub parts: Vec<Part>,
}

impl Message {
    /// Its words, without what has none.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            Part::Media { .. } | Part::Original { .. } => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The files its parts point to.
    pub fn media(&self) -> impl Iterator<Item = &MediaKey> {
        self.parts.iter().filter_map(Part::media)
    }
}
