//! A place on LINE where people talk.

use super::{id::SourceId, text::Words, time::Timestamp};

/// What kind of place it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// One person and the bot.
    Person,
    /// A group with a name.
    Group,
    /// Several people without a name for it.
    Room,
}

impl SourceKind {
    /// What LINE's own ids tell by their first letter; `None` for any other.
    #[must_use]
    pub fn told_by(id: &SourceId) -> Option<Self> {
        match id.as_str().as_bytes().first() {
            Some(b'U') => Some(Self::Person),
            Some(b'C') => Some(Self::Group),
            Some(b'R') => Some(Self::Room),
            Some(_) | None => None,
        }
    }
}

/// What is known of a source, as LINE said last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCard {
    /// The source.
    pub id: SourceId,
    /// What kind of place it is.
    pub kind: SourceKind,
    /// What the group calls itself.
    pub name: Option<Words>,
    /// How many people are in it.
    pub members: Option<u32>,
    /// Whether the bot is (still) there: it was not blocked, and did not leave.
    pub present: bool,
    /// When this was last heard of.
    pub at: Timestamp,
}
