//! What was said in a session: reading, editing, taking back.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use unsaid_app::call::Call;
use unsaid_app::session::{self, place};
use unsaid_core::domain::conversation::log::Entry;
use unsaid_core::domain::id::{MessageId, SessionId};
use utoipa::ToSchema;

use crate::auth::SignedIn;
use crate::chat::stream::StreamEvent;
use crate::error::ApiError;
use crate::idempotency::{KeyedBody, KeyedCall};
use crate::input::field::SessionUuid;
use crate::input::path::PathOf;
use crate::openapi::word;
use crate::route::chat;
use crate::state::AppState;
use crate::stored::Stored;

#[derive(Serialize, ToSchema)]
pub(crate) struct Messages {
    #[schema(value_type = String, format = "uuid")]
    session_id: SessionId,
    messages: Vec<MessageLine>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Message)]
struct MessageLine {
    #[schema(value_type = String)]
    id: MessageId,
    #[schema(schema_with = word::role)]
    role: &'static str,
    content: String,
    #[schema(format = DateTime)]
    timestamp: String,
}

/// What was said in a session, if it was kept.
#[utoipa::path(
    get, path = "/api/sessions/{session_id}/messages", operation_id = "messages", tag = "session",
    params(SessionUuid),
    responses(
        (status = 200, description = "Oldest first", body = Messages),
        (status = 404, description = "SESSION_NOT_FOUND"),
    ),
)]
pub(crate) async fn messages(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(SessionUuid(id)): PathOf<SessionUuid>,
) -> Result<Json<Messages>, ApiError> {
    let kept = &*state.sessions.logs.kept.history;
    let entries = session::messages(&*state.store, kept, &caller.person.id, &id).await?;
    let messages = entries.into_iter().map(message_line).collect();
    Ok(Json(Messages { session_id: id, messages }))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OneMessage {
    #[param(value_type = String, format = "uuid")]
    session_id: SessionUuid,
    #[param(value_type = String, min_length = 1, max_length = 128, pattern = "^[!-~]+$")]
    message_id: MessageId,
}

/// Takes back something you said.
#[utoipa::path(
    delete, path = "/api/sessions/{session_id}/messages/{message_id}", operation_id = "unsend_message", tag = "session",
    params(OneMessage, KeyedCall),
    responses(
        (status = 204, description = "It is gone"),
        (status = 400, description = "INVALID_MESSAGE_TYPE"),
        (status = 404, description = "SESSION_NOT_FOUND, MESSAGE_NOT_FOUND"),
    ),
)]
pub(crate) async fn unsend(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(OneMessage { session_id: SessionUuid(id), message_id }): PathOf<OneMessage>,
    // Taking back twice is taking back once, with or without a key.
    _keyed: KeyedCall,
) -> Result<Stored<StatusCode>, ApiError> {
    let session = session::own(&*state.store, &caller.person.id, &id).await?;
    let sessions = &state.sessions;
    let call = Call::new(place(&session), state.clock.now());
    let (log, _) = sessions.logs.unsend(call, message_id, sessions.ripple).await?;
    Ok(Stored(log.is_kept(), StatusCode::NO_CONTENT))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewWords {
    /// Not only white space.
    #[schema(min_length = 1, max_length = 20000)]
    message: String,
}

/// Says something else instead, and hears the new answer.
#[utoipa::path(
    put, path = "/api/sessions/{session_id}/messages/{message_id}", operation_id = "edit_message", tag = "session",
    params(OneMessage, KeyedCall), request_body = NewWords,
    responses(
        (status = 200, description = "The answer as it comes: frames of the AI SDK's UI message stream",
            body = StreamEvent, content_type = "text/event-stream"),
        (status = 400, description = "INVALID_MESSAGE_TYPE"),
        (status = 404, description = "SESSION_NOT_FOUND, MESSAGE_NOT_FOUND"),
        (status = 409, description = "SESSION_NOT_ACTIVE, VERSION_CONFLICT"),
        (status = 423, description = "SESSION_BUSY"),
    ),
)]
pub(crate) async fn edit(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(OneMessage { session_id: SessionUuid(id), message_id }): PathOf<OneMessage>,
    KeyedBody(keyed, NewWords { message }): KeyedBody<NewWords>,
) -> Result<Response, ApiError> {
    let words = chat::asked::words(&state, "message", message)?;
    chat::Turn::of(state, caller.person, &id, keyed).await?.edit(message_id, words).await
}

fn message_line(entry: Entry) -> MessageLine {
    let role = if entry.message.author.is_person() { "user" } else { "assistant" };
    let (content, timestamp) = (entry.message.text(), entry.message.at.to_seconds_text());
    MessageLine { id: entry.message.id, role, content, timestamp }
}
