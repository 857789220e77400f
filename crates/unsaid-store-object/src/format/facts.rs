//! What a line cannot say about its message, and how the two come together.

use std::{borrow::Cow, collections::BTreeSet};

use serde::{Deserialize, Serialize};
use unsaid_core::domain::{
    conversation::{
        key::ConversationKey,
        log::{Entry, Sending},
    },
    id::{AgentId, Fence, MessageId, Number, Roster},
    message::{Audience, Author, Message, Part, WayBack},
    text::Words,
    time::Timestamp,
};

use super::{
    line::{self, Parsed, Said},
    mirror::SendingText,
};

/// All that is not as a line alone would have it. An ordinary line has none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Facts {
    /// The id, where the line has none or another.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<MessageId>,
    /// The author, where the line cannot tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<Author>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to: Option<MessageId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    roster: Option<Roster>,
    #[serde(skip_serializing_if = "Option::is_none")]
    only: Option<Vec<AgentId>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    gone: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    waiting: bool,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    asked: BTreeSet<Fence>,
    /// The turn that it is an answer of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) turn: Option<Fence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sending: Option<SendingText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revised: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    way_back: Option<WayBack>,
}

/// The line of an entry, and what it cannot say.
pub(crate) fn part_with<'a>(entry: &'a Entry, key: &ConversationKey) -> (Cow<'a, str>, Facts) {
    let message = &entry.message;
    let (line, tells) = match original(message, key) {
        Some((line, said)) => (Cow::Borrowed(line), Tells::of(&said)),
        None => (Cow::Owned(line::plain(entry, key)), Tells::plain(message)),
    };
    let Audience { roster, only } = &message.audience;
    let facts = Facts {
        id: (tells.id.as_ref() != Some(&message.id)).then(|| message.id.clone()),
        by: (tells.author.as_ref() != Some(&message.author)).then(|| message.author.clone()),
        at: (tells.at != Some(message.at)).then_some(message.at),
        reply_to: message.reply_to.clone(),
        roster: (*roster != Roster::ZERO).then_some(*roster),
        only: only.clone(),
        gone: entry.gone,
        waiting: entry.waiting,
        asked: entry.asked_in.clone(),
        turn: entry.turn,
        sending: SendingText::of(entry.sending),
        revised: entry.revised_at,
        way_back: entry.way_back.clone(),
    };
    (line, facts)
}

/// The entry of a line that was parted with before. `None` if the line is nothing that can be heard.
pub(crate) fn join(
    number: Number,
    line: &[u8],
    facts: Facts,
    key: &ConversationKey,
) -> Option<Entry> {
    match line::parse(line, key) {
        Parsed::Said(said) => entry(number, std::str::from_utf8(line).ok()?, *said, facts, key),
        Parsed::Opaque { .. } | Parsed::Bad => None,
    }
}

/// The entry of a line that says this.
pub(crate) fn entry(
    number: Number,
    line: &str,
    said: Said,
    facts: Facts,
    key: &ConversationKey,
) -> Option<Entry> {
    let Facts { id, by, at, reply_to, roster, only, .. } = facts;
    let mut entry = Entry {
        number,
        message: Message {
            id: id.or(said.id)?,
            author: by.unwrap_or(said.author),
            at: at.or(said.at).unwrap_or_default(),
            reply_to,
            audience: Audience { roster: roster.unwrap_or_default(), only },
            parts: if facts.gone { Vec::new() } else { said.parts },
        },
        gone: facts.gone,
        waiting: facts.waiting,
        asked_in: facts.asked,
        turn: facts.turn,
        sending: facts.sending.map_or(Sending::Here, SendingText::sending),
        revised_at: facts.revised,
        way_back: facts.way_back,
    };
    if !entry.gone && line::plain(&entry, key) != line {
        entry.message.parts.push(Part::Original { line: Words::new(line).ok()? });
    }
    Some(entry)
}

impl Facts {
    /// Of a line that was found without a first line.
    pub(crate) fn found(id: Option<MessageId>, at: Option<Timestamp>) -> Self {
        Self { id, at, ..Self::default() }
    }
}

/// What a line tells about id, author and time.
struct Tells {
    id: Option<MessageId>,
    author: Option<Author>,
    at: Option<Timestamp>,
}

impl Tells {
    fn of(said: &Said) -> Self {
        let Said { id, author, at, .. } = said;
        Self { id: id.clone(), author: Some(author.clone()), at: *at }
    }

    /// What [`line::plain`] writes.
    fn plain(message: &Message) -> Self {
        let named = !message.id.as_str().starts_with(line::LEGACY);
        let author = match &message.author {
            Author::Person(person) => Some(Author::Person(person.clone())),
            Author::Agent(_) => line::nameless_agent().map(Author::Agent),
        };
        let at = line::moment(&message.at.to_millis_text());
        Self { id: named.then(|| message.id.clone()), author, at }
    }
}

/// The line as it was found, if it still says what the other parts say.
fn original<'a>(message: &'a Message, key: &ConversationKey) -> Option<(&'a str, Said)> {
    let line = message.parts.iter().find_map(|part| match part {
        Part::Original { line } => Some(line.as_str()),
        Part::Text { .. } | Part::Media { .. } => None,
    })?;
    let Parsed::Said(said) = line::parse(line.as_bytes(), key) else { return None };
    let others = message.parts.iter().filter(|part| match part {
        Part::Original { .. } => false,
        Part::Text { .. } | Part::Media { .. } => true,
    });
    (!line.contains('\n') && said.parts.iter().eq(others)).then_some((line, *said))
}
