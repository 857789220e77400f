//! What is done for a source after LINE has its answer: nothing of it may keep LINE waiting.
//!
//! An errand that is lost (the server stopped) is made up for: a picture before the next turn, names
//! and numbers when they are next needed.

use unsaid_core::domain::{
    id::{MessageId, PersonId, SourceId},
    source::SourceKind,
    time::Timestamp,
};

/// Where something happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Where {
    /// The source.
    pub id: SourceId,
    /// What kind of place it is.
    pub kind: SourceKind,
    /// When it was heard of.
    pub at: Timestamp,
}

/// Something to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errand {
    /// Somebody spoke here: keep that the place exists and that the bot is in it.
    Spoke {
        /// Where.
        place: Where,
        /// Who, if LINE tells.
        person: Option<PersonId>,
    },
    /// Fetch a picture and put it into its message.
    Picture {
        /// Where.
        place: Where,
        /// The message.
        message: MessageId,
    },
    /// The bot was added as a friend, or came into a group: fetch what it is called, also on repeat.
    Arrived {
        /// Where.
        place: Where,
    },
    /// The bot was blocked, or left.
    Left {
        /// Where.
        place: Where,
    },
    /// Somebody came or went: count the members again.
    MembersChanged {
        /// Where.
        place: Where,
    },
}

/// Who does errands. It never waits, and forgets what it has no room for.
pub trait Errands: Send + Sync {
    /// Takes one.
    fn take(&self, errand: Errand);
}
