//! What LINE sends, in types of our own, read event by event.
//!
//! LINE adds kinds and fields when it likes. So only what we use is looked at: what is unknown is
//! accepted, what may be missing may be missing, and an event that cannot be read does not spoil the
//! others of its call. Nothing here recurses, however deep a body is nested.

mod event;
pub mod mend;
mod object;
mod placeholder;

use unsaid_core::domain::{
    id::{DeliveryId, MediaKey, MessageId, PersonId, SourceId},
    message::ReplyToken,
    source::SourceKind,
    text::Words,
    time::Timestamp,
};

use self::object::Object;

/// A body that is no webhook: no JSON, or without a list of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a webhook")]
pub struct NotAWebhook;

/// Reads a body. `events: []` is what LINE's Verify button sends.
///
/// # Errors
/// If it is no webhook. What is wrong with one event concerns that event alone.
pub fn read(body: &[u8]) -> Result<Vec<Result<Event, Malformed>>, NotAWebhook> {
    let text = mend::mend(body);
    let body = Object::read(&text).ok_or(NotAWebhook)?;
    let events = body.list("events").ok_or(NotAWebhook)?;
    Ok(events.into_iter().map(event::read).collect())
}

/// One event that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Something that has an effect here.
    Heard(Box<Heard>),
    /// A kind of event, message or source that we do nothing about.
    Ignored {
        /// The kind of event.
        kind: Kind,
    },
}

/// An event that cannot be what LINE means.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("malformed event: {why}")]
pub struct Malformed {
    /// Its own id, if at least that can be read.
    pub delivery: Option<DeliveryId>,
    /// What is wrong, without any of its words.
    pub why: &'static str,
}

/// The kinds of events by LINE's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Somebody said something.
    Message,
    /// Somebody took it back.
    Unsend,
    /// Somebody changed it.
    MessageEdited,
    /// The bot was added as a friend.
    Follow,
    /// The bot was blocked.
    Unfollow,
    /// The bot came into a group or room.
    Join,
    /// The bot left it.
    Leave,
    /// Somebody came.
    MemberJoined,
    /// Somebody went.
    MemberLeft,
    /// Anything else.
    Other,
}

impl Kind {
    fn parse(name: &str) -> Self {
        let all = [
            Self::Message,
            Self::Unsend,
            Self::MessageEdited,
            Self::Follow,
            Self::Unfollow,
            Self::Join,
            Self::Leave,
            Self::MemberJoined,
            Self::MemberLeft,
        ];
        all.into_iter().find(|kind| kind.name() == name).unwrap_or(Self::Other)
    }

    /// As LINE writes it; `other` for all that have no name here.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Unsend => "unsend",
            Self::MessageEdited => "messageEdited",
            Self::Follow => "follow",
            Self::Unfollow => "unfollow",
            Self::Join => "join",
            Self::Leave => "leave",
            Self::MemberJoined => "memberJoined",
            Self::MemberLeft => "memberLeft",
            Self::Other => "other",
        }
    }
}

/// What happened, where, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The kind of event.
    pub kind: Kind,
    /// Where.
    pub source: Source,
    /// Who, if LINE tells.
    pub person: Option<PersonId>,
    /// When, if LINE tells.
    pub at: Option<Timestamp>,
    /// The delivery, if it has a name: the same name is the same delivery.
    pub delivery: Option<DeliveryId>,
    /// Whether the bot may speak.
    pub mode: Mode,
    /// What.
    pub what: What,
}

/// A place on LINE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// A person, group or room.
    pub id: SourceId,
    /// Which of them.
    pub kind: SourceKind,
}

/// Whether the bot may speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It may.
    Active,
    /// Another module of the channel speaks.
    Standby,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Somebody said something.
    Said(Said),
    /// Somebody took it back.
    Unsent {
        /// The message.
        id: MessageId,
    },
    /// Somebody changed it.
    Edited {
        /// The message.
        id: MessageId,
        /// Its text from now on.
        text: Words,
    },
    /// The bot was added as a friend, or came into a group or room.
    Arrived,
    /// The bot was blocked, or left.
    Left,
    /// Somebody came or went.
    MembersChanged,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The message.
    pub id: MessageId,
    /// What was said.
    pub content: Content,
    /// The message it quotes.
    pub quotes: Option<MessageId>,
    /// What an answer is sent with.
    pub token: Option<ReplyToken>,
    /// The name under which whatever it causes is sent: the delivery's, or one made from its id.
    pub answer_under: DeliveryId,
    /// Whether the bot was called by its name.
    pub mentions_us: bool,
}

/// What a message holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Words, or a placeholder that stands for something without words.
    Text(Words),
    /// A picture, to be fetched.
    Picture {
        /// Where it will be kept.
        key: MediaKey,
    },
}
