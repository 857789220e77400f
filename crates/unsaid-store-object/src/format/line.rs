//! One message as a line.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use unsaid_core::domain::{
    conversation::{key::ConversationKey, log::Entry},
    id::{AgentId, MediaKey, MessageId, PersonId},
    message::{Author, Part},
    text::Words,
    time::Timestamp,
};

use crate::name;

/// How ids begin that were made up because the line has none. They are never written into it.
pub(crate) const LEGACY: &str = "legacy-";

/// What a line is.
pub(crate) enum Parsed {
    /// A message.
    Said(Box<Said>),
    /// Something of another role: kept, not heard.
    Opaque {
        /// Whose it is, as it says.
        by: Option<String>,
    },
    /// Nothing that can be read.
    Bad,
}

/// What a line says.
pub(crate) struct Said {
    pub(crate) id: Option<MessageId>,
    pub(crate) author: Author,
    pub(crate) at: Option<Timestamp>,
    pub(crate) parts: Vec<Part>,
    /// Files that the parts name. They are objects only where the product before ours wrote the line.
    pub(crate) files: Vec<FoundFile>,
}

/// A file that a line of the product before ours names.
pub(crate) struct FoundFile {
    pub(crate) key: MediaKey,
    pub(crate) mime: String,
    pub(crate) object: String,
}

/// Reads a line, whoever wrote it.
pub(crate) fn parse(line: &[u8], key: &ConversationKey) -> Parsed {
    let Ok(text) = std::str::from_utf8(line) else { return Parsed::Bad };
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Parsed::Opaque { by: None };
    }
    let Ok(Value::Object(object)) = serde_json::from_str(text) else { return Parsed::Bad };
    let Some(role) = field(&object, "role").and_then(Value::as_str) else { return Parsed::Bad };
    let said = match role {
        "user" => said(&object, key, true),
        "assistant" => said(&object, key, false),
        _ => {
            let by = field(&object, "userId").and_then(Value::as_str).map(str::to_owned);
            return Parsed::Opaque { by };
        }
    };
    said.map_or(Parsed::Bad, |said| Parsed::Said(Box::new(said)))
}

/// The agent of answers that do not say which model gave them.
pub(crate) fn nameless_agent() -> Option<AgentId> {
    AgentId::from_name("assistant").ok()
}

/// The line of an entry as we write it.
pub(crate) fn plain(entry: &Entry, key: &ConversationKey) -> String {
    let message = &entry.message;
    let (role, user) = match &message.author {
        Author::Person(person) => ("user", person.as_ref().map(PersonId::as_str)),
        Author::Agent(_) => ("assistant", None),
    };
    let id = message.id.as_str();
    let line = Line {
        role,
        message_id: (!id.starts_with(LEGACY)).then_some(id),
        user_id: user,
        parts: message.parts.iter().filter_map(|part| part_of(part, key)).collect(),
        timestamp: message.at.to_millis_text(),
    };
    serde_json::to_string(&line).unwrap_or_default()
}

/// The moment that a text tells.
pub(crate) fn moment(text: &str) -> Option<Timestamp> {
    let at: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp::from_millis(at.as_millisecond()))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<&'a str>,
    parts: Vec<LinePart<'a>>,
    timestamp: String,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum LinePart<'a> {
    Text { text: &'a str },
    FileData { storage_key: String, mime_type: &'a str },
}

fn part_of<'a>(part: &'a Part, key: &ConversationKey) -> Option<LinePart<'a>> {
    match part {
        Part::Text { text } => Some(LinePart::Text { text: text.as_str() }),
        Part::Media { key: media, mime } => {
            Some(LinePart::FileData { storage_key: name::storage_key(key, media), mime_type: mime })
        }
        Part::Original { .. } => None,
    }
}

/// A field; the oldest lines began their names with a capital.
fn field<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let found = object.get(name).or_else(|| {
        let (first, rest) = name.split_at_checked(1)?;
        object.get(&format!("{}{rest}", first.to_ascii_uppercase()))
    });
    found.filter(|value| !value.is_null())
}

/// A text field that may be missing; `Err` if it is something else.
fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, ()> {
    match field(object, name) {
        None => Ok(None),
        Some(value) => value.as_str().map(Some).ok_or(()),
    }
}

fn said(object: &Map<String, Value>, key: &ConversationKey, person: bool) -> Option<Said> {
    let id = text(object, "messageId").ok()?.and_then(|id| MessageId::new(id).ok());
    let user = text(object, "userId").ok()?.and_then(|id| PersonId::new(id).ok());
    let model = text(object, "modelName").ok()?.and_then(|name| AgentId::from_name(name).ok());
    let author =
        if person { Author::Person(user) } else { Author::Agent(model.or_else(nameless_agent)?) };
    let at = field(object, "timestamp").and_then(Value::as_str).and_then(moment);
    let mut said = Said { id, author, at, parts: Vec::new(), files: Vec::new() };
    match (field(object, "parts"), text(object, "content").ok()?) {
        (Some(Value::Array(parts)), _) => {
            for part in parts {
                said.take_part(part, key)?;
            }
        }
        (Some(_), _) => return None,
        (None, Some(content)) => said.parts.push(Part::text(words(content))),
        (None, None) => {}
    }
    Some(said)
}

impl Said {
    /// Takes in what our fields can say; `None` if it cannot be a part.
    fn take_part(&mut self, part: &Value, key: &ConversationKey) -> Option<()> {
        let part = part.as_object()?;
        match field(part, "type")?.as_str()? {
            "text" => {
                let said = text(part, "text").ok()?.unwrap_or_default();
                self.parts.push(Part::text(words(said)));
            }
            "file_data" => {
                let object = text(part, "storageKey").ok()?.unwrap_or_default();
                let mime = text(part, "mimeType").ok()?.unwrap_or_default().to_owned();
                let media = name::media_of(key, object).or_else(|| found_key(object))?;
                if name::may_be_a_file(object) {
                    let (key, mime, object) = (media.clone(), mime.clone(), object.to_owned());
                    self.files.push(FoundFile { key, mime, object });
                }
                self.parts.push(Part::Media { key: media, mime });
            }
            _ => {}
        }
        Some(())
    }
}

/// The key of a file that is named in another way than ours: its name, or a digest of that.
fn found_key(object: &str) -> Option<MediaKey> {
    if let Ok(key) = MediaKey::new(object) {
        return Some(key);
    }
    let digest = Sha256::digest(object.as_bytes());
    let mut key = "found-".to_owned();
    for byte in digest.iter().take(16) {
        let _infallible = write!(key, "{byte:02x}");
    }
    MediaKey::new(key).ok()
}

/// Words hold no U+0000; the line as it was found still has it.
#[expect(clippy::expect_used, reason = "the only letter that words refuse was replaced")]
fn words(text: &str) -> Words {
    Words::new(text.replace('\0', "\u{fffd}")).expect("it has no U+0000")
}
