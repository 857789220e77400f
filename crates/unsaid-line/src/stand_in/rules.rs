//! What LINE accepts, and what it says otherwise.

use axum::{
    Json,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use serde::Deserialize;
use serde_json::{Value, json};
use unsaid_core::domain::{source::SourceKind, text::Words};
use uuid::Uuid;

use super::book::{Book, What};
use crate::client::RETRY_KEY;

const MESSAGES_MAX: usize = 5;
const TEXT_UNITS_MAX: usize = 5_000;

/// An answer that says no, in LINE's shape.
pub(super) fn refusal(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "message": message }))).into_response()
}

pub(super) fn not_found() -> Response {
    refusal(StatusCode::NOT_FOUND, "Not found")
}

fn bad(message: &str) -> Response {
    refusal(StatusCode::BAD_REQUEST, message)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    reply_token: String,
    messages: Vec<Value>,
}

pub(super) fn reply(book: &mut Book, headers: &HeaderMap, body: &[u8]) -> Response {
    if headers.contains_key(RETRY_KEY) {
        return bad("The retry key is not supported by this API");
    }
    let Ok(Reply { reply_token, messages }) = serde_json::from_slice(body) else {
        return bad("The request body has errors");
    };
    let texts = match texts(&messages) {
        Ok(texts) => texts,
        Err(why) => return bad(why),
    };
    let Some(to) = book.use_reply_token(&reply_token) else { return bad("Invalid reply token") };
    book.accept(to, What::Reply { texts });
    sent(&messages)
}

#[derive(Deserialize)]
struct Push {
    to: String,
    messages: Vec<Value>,
}

pub(super) fn push(book: &mut Book, headers: &HeaderMap, body: &[u8]) -> Response {
    let retry_key = match headers.get(RETRY_KEY).map(|key| Uuid::try_parse_ascii(key.as_bytes())) {
        None => None,
        Some(Ok(key)) => Some(key),
        Some(Err(_)) => return bad("The retry key is not a UUID"),
    };
    let Ok(Push { to, messages }) = serde_json::from_slice(body) else {
        return bad("The request body has errors");
    };
    let texts = match texts(&messages) {
        Ok(texts) => texts,
        Err(why) => return bad(why),
    };
    if to.is_empty() {
        return bad("The property, 'to', in the request body is invalid");
    }
    if let Some(accepted) = retry_key.and_then(|key| book.keys.get(&key)) {
        let header = [("x-line-accepted-request-id", accepted.clone())];
        let refused = refusal(StatusCode::CONFLICT, "The retry key is already accepted");
        return (header, refused).into_response();
    }
    if let Some(key) = retry_key {
        let request = book.request_id();
        book.keys.insert(key, request);
    }
    book.accept(to, What::Push { texts, retry_key });
    sent(&messages)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Loading {
    chat_id: String,
    #[serde(default = "usual_loading")]
    loading_seconds: u64,
}

fn usual_loading() -> u64 {
    20
}

pub(super) fn loading(book: &mut Book, body: &[u8]) -> Response {
    let Ok(Loading { chat_id, loading_seconds: seconds }) = serde_json::from_slice(body) else {
        return bad("The request body has errors");
    };
    if !(5..=60).contains(&seconds) || !seconds.is_multiple_of(5) {
        return bad("The property, 'loadingSeconds', in the request body is invalid");
    }
    let kind = book.places.get(&chat_id).map(|place| place.kind);
    if chat_id.is_empty() || matches!(kind, Some(SourceKind::Group | SourceKind::Room)) {
        return bad("The property, 'chatId', in the request body is invalid");
    }
    book.accept(chat_id, What::Loading { seconds });
    (StatusCode::ACCEPTED, Json(json!({}))).into_response()
}

/// One to five texts of one to five thousand UTF-16 units each.
fn texts(messages: &[Value]) -> Result<Vec<Words>, &'static str> {
    if messages.is_empty() || messages.len() > MESSAGES_MAX {
        return Err("The property, 'messages', in the request body is invalid");
    }
    let text = |message: &Value| {
        let text = message["text"].as_str().filter(|_| message["type"] == "text")?;
        let units = text.encode_utf16().count();
        (1..=TEXT_UNITS_MAX).contains(&units).then(|| Words::lossy(text))
    };
    let texts: Option<Vec<Words>> = messages.iter().map(text).collect();
    texts.ok_or("The property, 'messages[].text', in the request body is invalid")
}

fn sent(messages: &[Value]) -> Response {
    let ids: Vec<Value> = (1..=messages.len()).map(|id| json!({ "id": id.to_string() })).collect();
    Json(json!({ "sentMessages": ids })).into_response()
}
