//! What somebody wants of a session, whichever body it came in.

use serde::Deserialize;
use serde_json::Value;
use unsaid_core::domain::id::{MessageId, SessionId};
use unsaid_core::domain::text::Words;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::input::field::{CLIENT_ID_RULE, ClientId, SessionUuid};
use crate::input::invalid;
use crate::openapi::word;
use crate::state::AppState;

/// Either our own body or that of `useChat`; which of them is told by `messages`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Body {
    session_id: Option<SessionUuid>,
    message: Option<String>,
    client_message_id: Option<ClientId>,
    id: Option<SessionUuid>,
    messages: Option<Vec<UiMessage>>,
    trigger: Option<Trigger>,
    #[serde(rename = "messageId")]
    message_id: Option<ClientId>,
}

/// A message as a client has it; only the last one of a person counts, and the rest is the client's.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UiMessage {
    // Read only where it counts: what the others are called is the client's own affair.
    #[serde(default)]
    #[schema(schema_with = word::maybe_client_id)]
    id: Value,
    role: String,
    /// Only those of the type `text` count.
    #[serde(default)]
    #[schema(value_type = Vec<Value>)]
    parts: Vec<Value>,
}

#[derive(Deserialize, ToSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Trigger {
    SubmitMessage,
    RegenerateMessage,
}

/// Something to say, in one of two shapes.
#[derive(ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "says what Body takes, and is never made")]
pub(crate) enum ChatBody {
    /// Our own.
    Said(Said),
    /// That of `useChat`.
    UiMessages(UiMessages),
}

/// Something to say.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "says what Body takes, and is never made")]
pub(crate) struct Said {
    #[schema(format = "uuid")]
    session_id: String,
    /// Not only white space.
    #[schema(min_length = 1, max_length = 20000)]
    message: String,
    /// The same id again is the same message; with other words it is that message, edited.
    #[schema(schema_with = word::maybe_client_id)]
    client_message_id: Option<String>,
}

/// What `useChat` sends; only the last message of the user counts.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "says what Body takes, and is never made")]
pub(crate) struct UiMessages {
    /// The session.
    #[schema(format = "uuid")]
    id: String,
    messages: Vec<UiMessage>,
    /// A new message or another answer; a new message if it is missing.
    trigger: Option<Trigger>,
    /// Which message is sent again or answered again.
    #[serde(rename = "messageId")]
    #[schema(schema_with = word::maybe_client_id)]
    message_id: Option<String>,
}

/// What is asked for, whichever body it came in.
pub(crate) enum Asked {
    /// Something new; the same id again is the same message.
    Say { id: Option<MessageId>, words: Words },
    /// What a client submits: its own message, new or instead of the stored one.
    Submit { id: Option<MessageId>, words: Words },
    /// Another answer than this one, or to this question, or to the last.
    Regenerate { of: Option<MessageId>, question: Option<MessageId> },
}

/// The words of a message, within the limit.
pub(crate) fn words(state: &AppState, field: &str, text: String) -> Result<Words, ApiError> {
    if text.trim().is_empty() {
        return Err(invalid(field, "is empty"));
    }
    let words = Words::bounded(text, state.limits.message_chars);
    words.map_err(|error| invalid(field, &error.to_string()))
}

/// Which session, and what is asked for in it.
pub(crate) fn read(state: &AppState, body: Body) -> Result<(SessionId, Asked), ApiError> {
    match body {
        Body {
            messages: Some(messages),
            session_id: None,
            message: None,
            client_message_id: None,
            id,
            trigger,
            message_id,
        } => {
            let SessionUuid(id) = id.ok_or_else(|| invalid("id", "missing"))?;
            let trigger = trigger.unwrap_or(Trigger::SubmitMessage);
            Ok((id, from_client(state, messages, trigger, message_id)?))
        }
        Body {
            messages: None,
            id: None,
            trigger: None,
            message_id: None,
            session_id,
            message,
            client_message_id,
        } => {
            let SessionUuid(id) = session_id.ok_or_else(|| invalid("session_id", "missing"))?;
            let text = message.ok_or_else(|| invalid("message", "missing"))?;
            let words = words(state, "message", text)?;
            Ok((id, Asked::Say { id: client_message_id.map(ClientId::into_inner), words }))
        }
        Body { messages: Some(_), .. } => {
            Err(invalid("messages", "does not go with session_id, message or client_message_id"))
        }
        Body { .. } => Err(invalid("messages", "missing")),
    }
}

fn from_client(
    state: &AppState,
    messages: Vec<UiMessage>,
    trigger: Trigger,
    named: Option<ClientId>,
) -> Result<Asked, ApiError> {
    let named = named.map(ClientId::into_inner);
    let last = messages.into_iter().enumerate().rfind(|(_, message)| message.role == "user");
    let id = match &last {
        Some((place, message)) => client_id(*place, &message.id)?,
        None => None,
    };
    match (trigger, last) {
        (Trigger::RegenerateMessage, _) => Ok(Asked::Regenerate { of: named, question: id }),
        (Trigger::SubmitMessage, Some((_, last))) => {
            let words = words(state, "messages", text(&last.parts)?)?;
            Ok(Asked::Submit { id: named.or(id), words })
        }
        (Trigger::SubmitMessage, None) => Err(invalid("messages", "has no message of a user")),
    }
}

/// What a client calls the message at a place of its list.
fn client_id(place: usize, id: &Value) -> Result<Option<MessageId>, ApiError> {
    let read = Option::<ClientId>::deserialize(id);
    let read = read.map_err(|_| invalid(&format!("messages[{place}].id"), CLIENT_ID_RULE))?;
    Ok(read.map(ClientId::into_inner))
}

/// Texts only: a session takes no files.
fn text(parts: &[Value]) -> Result<String, ApiError> {
    let mut texts = Vec::new();
    for part in parts {
        match (part["type"].as_str(), part["text"].as_str()) {
            (Some("text"), Some(text)) => texts.push(text),
            (Some("file"), _) => return Err(invalid("messages", "files are not taken here")),
            _ => {}
        }
    }
    Ok(texts.join("\n"))
}
