//! What the product before ours wrote, for an importer.

use bytes::Bytes;
use unsaid_core::domain::{
    conversation::key::ConversationKey,
    id::{MediaKey, MessageId},
    message::Message,
};

use crate::format::{
    found,
    sheet::{Foreign, Why},
};

/// What was found in an object.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Read {
    /// The messages, in their order. What our fields cannot say is in a part of its own.
    pub messages: Vec<Message>,
    /// The files that they name.
    pub files: Vec<File>,
    /// Lines that are no messages.
    pub unread: Vec<Unread>,
}

/// A file of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The message.
    pub message: MessageId,
    /// How its part names it.
    pub key: MediaKey,
    /// Its type, as the line has it.
    pub mime: String,
    /// The object that holds its bytes, relative to the place.
    pub object: String,
}

/// A line that is no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Which line, from one.
    pub line: u64,
    /// What it is.
    pub what: NotAMessage,
}

/// Why a line is no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAMessage {
    /// It has a role that is not known, or nothing at all in it.
    UnknownRole,
    /// It cannot be read.
    Damaged,
    /// The same message stands before it.
    Repeated,
}

/// Reads the object of a conversation as the product before ours wrote it.
#[must_use]
pub fn read(object: &[u8], key: &ConversationKey) -> Read {
    let held = found::read(&Bytes::copy_from_slice(object), key);
    let log = &held.conversation.log;
    let file = |(name, binding): (&MediaKey, &crate::format::head::Binding)| {
        let message = log.get(binding.number)?.message.id.clone();
        let (mime, object) = (binding.mime.clone(), binding.object.clone());
        Some(File { message, key: name.clone(), mime, object })
    };
    Read {
        messages: log.iter().map(|entry| entry.message.clone()).collect(),
        files: held.media.iter().filter_map(file).collect(),
        unread: places(&held.foreign),
    }
}

/// Lines of messages and others stand in one order: a line's place is the number before it and the
/// others before it.
fn places(foreign: &[Foreign]) -> Vec<Unread> {
    let place = |(others, foreign): (usize, &Foreign)| Unread {
        line: foreign.after.get() + others as u64 + 1,
        what: match foreign.why {
            Why::Opaque { .. } => NotAMessage::UnknownRole,
            Why::Bad { .. } => NotAMessage::Damaged,
            Why::Twin { .. } => NotAMessage::Repeated,
        },
    };
    foreign.iter().enumerate().map(place).collect()
}
