//! What objects are called.
//!
//! `history/{conversation}` is the live object, `history/{conversation}.sealed/{nonce}` a sealed
//! segment, `media/{conversation}/{key}.{nonce}` a file. Ids keep letters, digits, `-` and `_`;
//! every other character is written `=2E`, so that a dot never comes from an id and names of
//! different kinds cannot meet. Names with a nonce are used once: deleting one is always safe.

use std::fmt::Write as _;

use unsaid_core::domain::{
    conversation::key::ConversationKey,
    id::{ChatId, MediaKey, SessionId, SourceId},
};

/// Where conversations are.
pub(crate) const HISTORY: &str = "history/";
/// Where files are.
pub(crate) const MEDIA: &str = "media/";
/// What the name of a conversation is followed by where its segments are.
const SEALED: &str = ".sealed";
/// Letters of a nonce.
pub(crate) const NONCE_LEN: usize = 16;

/// What an object is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The live object of a conversation.
    Live(ConversationKey),
    /// Something of a conversation that its live object names, or nobody: a segment or a file.
    Owned(ConversationKey),
}

/// The live object.
pub(crate) fn live(key: &ConversationKey) -> String {
    format!("{HISTORY}{}", slug(key))
}

/// Where the segments of a conversation are.
pub(crate) fn sealed_prefix(key: &ConversationKey) -> String {
    format!("{HISTORY}{}{SEALED}/", slug(key))
}

/// Where the files of a conversation are.
pub(crate) fn media_prefix(key: &ConversationKey) -> String {
    format!("{MEDIA}{}/", slug(key))
}

/// How a line names a file: the beginning of its object's name.
pub(crate) fn storage_key(key: &ConversationKey, media: &MediaKey) -> String {
    format!("{}{}", media_prefix(key), escape(media.as_str()))
}

/// The file that a line names in our own way.
pub(crate) fn media_of(key: &ConversationKey, storage_key: &str) -> Option<MediaKey> {
    let rest = storage_key.strip_prefix(&media_prefix(key))?;
    MediaKey::new(unescape(rest)?).ok()
}

/// The object of a file.
pub(crate) fn media_object(key: &ConversationKey, media: &MediaKey, nonce: &str) -> String {
    format!("{}.{nonce}", storage_key(key, media))
}

/// Whether an object can be one that this store made, and nobody else: it ends with a nonce.
pub(crate) fn is_ours(name: &str) -> bool {
    let nonce = name.rsplit(['.', '/']).next().unwrap_or_default();
    nonce.len() == NONCE_LEN && nonce.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a name found in a line may be an object that belongs to its message.
pub(crate) fn may_be_a_file(storage_key: &str) -> bool {
    let plain = |piece: &str| !piece.is_empty() && piece != "." && piece != "..";
    storage_key.split('/').all(plain)
        && !storage_key.starts_with(HISTORY)
        && !storage_key.chars().any(char::is_control)
}

/// What a listed object is; `None` if it is nothing of ours.
pub(crate) fn kind(name: &str) -> Option<Kind> {
    if let Some(rest) = name.strip_prefix(HISTORY) {
        return match rest.split_once('/') {
            None => conversation(rest).map(Kind::Live),
            Some((place, _)) if is_ours(name) => {
                conversation(place.strip_suffix(SEALED)?).map(Kind::Owned)
            }
            Some(_) => None,
        };
    }
    let (place, _) = name.strip_prefix(MEDIA)?.split_once('/')?;
    if is_ours(name) { conversation(place).map(Kind::Owned) } else { None }
}

fn slug(key: &ConversationKey) -> String {
    match key {
        ConversationKey::Line(id) => escape(id.as_str()),
        ConversationKey::Chat(id) => format!("chat.{}", escape(id.as_str())),
        ConversationKey::Session(id) => format!("session.{}", escape(id.as_str())),
    }
}

fn conversation(slug: &str) -> Option<ConversationKey> {
    match slug.split_once('.') {
        None => Some(ConversationKey::Line(SourceId::new(unescape(slug)?).ok()?)),
        Some(("chat", id)) => Some(ConversationKey::Chat(ChatId::new(unescape(id)?).ok()?)),
        Some(("session", id)) => {
            Some(ConversationKey::Session(SessionId::new(unescape(id)?).ok()?))
        }
        Some(_) => None,
    }
}

fn escape(id: &str) -> String {
    let mut name = String::with_capacity(id.len());
    for byte in id.bytes() {
        if is_plain(byte) {
            name.push(char::from(byte));
        } else {
            let _infallible = write!(name, "={byte:02X}");
        }
    }
    name
}

/// The id that gives exactly this name.
fn unescape(name: &str) -> Option<String> {
    let mut id = Vec::with_capacity(name.len());
    let mut bytes = name.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'=' {
            let pair = [bytes.next()?, bytes.next()?];
            id.push(u8::from_str_radix(std::str::from_utf8(&pair).ok()?, 16).ok()?);
        } else {
            id.push(byte);
        }
    }
    let id = String::from_utf8(id).ok()?;
    (escape(&id) == name).then_some(id)
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> [ConversationKey; 4] {
        [
            ConversationKey::Line(SourceId::new("U1").unwrap()),
            ConversationKey::Line(SourceId::new("chat.c1").unwrap()),
            ConversationKey::Chat(ChatId::new("a/../b.sealed").unwrap()),
            ConversationKey::Session(SessionId::new("=2E%").unwrap()),
        ]
    }

    #[test]
    fn a_name_says_which_conversation_it_is_of() {
        let nonce = "0123456789abcdef";
        for key in keys() {
            assert_eq!(kind(&live(&key)), Some(Kind::Live(key.clone())));
            let segment = format!("{}{nonce}", sealed_prefix(&key));
            assert_eq!(kind(&segment), Some(Kind::Owned(key.clone())));
            let media = MediaKey::new("a/b.png").unwrap();
            assert_eq!(kind(&media_object(&key, &media, nonce)), Some(Kind::Owned(key.clone())));
            assert_eq!(media_of(&key, &storage_key(&key, &media)), Some(media));
        }
        assert_eq!(live(&keys()[0]), "history/U1");
        assert_eq!(live(&keys()[1]), "history/chat=2Ec1");
    }

    #[test]
    fn what_is_not_ours_is_left_alone() {
        for name in ["media/U1/photo.jpg", "history/U1.sealed/notes", "other/U1", "history/a b"] {
            assert_eq!(kind(name), None, "{name}");
        }
        for name in ["history/U2", "../x", "a//b", "", "a/./b"] {
            assert!(!may_be_a_file(name), "{name}");
        }
        assert!(may_be_a_file("media/U1/photo.jpg"));
    }
}
