//! Taking back one message, and taking back an edit.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use unsaid_app::call::Once;
use unsaid_app::logs::Log;
use unsaid_app::unsend::Unsent;
use unsaid_app::world::talk::chat_of_edit;
use unsaid_core::domain::conversation::change::Event;
use unsaid_core::domain::id::{EditId, MessageId};
use unsaid_core::port::keys::KeyUse;
use utoipa::ToSchema;

use super::edit::{InChat, Interrupting};
use super::room::{Before, Needs, Room, interrupt};
use crate::auth::SignedIn;
use crate::error::{ApiError, Code};
use crate::idempotency::{KeyedBody, KeyedCall};
use crate::input::path::PathOf;
use crate::input::query::QueryOf;
use crate::state::AppState;
use crate::stored::Stored;
use crate::world::path::{OneEdit, OneMessage};

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UnsentInWorld)]
pub(crate) struct UnsentShape {
    #[schema(value_type = String)]
    message_id: MessageId,
    /// Answers that lost their words with it.
    #[schema(value_type = Vec<String>)]
    withdrawn: Vec<MessageId>,
}

/// Takes back one message; again is the same.
#[utoipa::path(
    post, path = "/api/worlds/{world_id}/messages/{message_id}/unsend", operation_id = "unsend_in_world", tag = "world",
    params(OneMessage, KeyedCall), request_body = InChat,
    responses(
        (status = 200, description = "It is gone", body = UnsentShape),
        (status = 400, description = "INVALID_MESSAGE_TYPE"),
        (status = 404, description = "WORLD_NOT_FOUND, CHAT_NOT_FOUND, MESSAGE_NOT_FOUND"),
    ),
)]
pub(crate) async fn unsend(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(message): PathOf<OneMessage>,
    KeyedBody(keyed, InChat { chat_id }): KeyedBody<InChat>,
) -> Result<Stored<Json<UnsentShape>>, ApiError> {
    let (world, id) = message.of(&caller.person)?;
    let place = (world, Some(chat_id.or(Code::CHAT_NOT_FOUND)?));
    let room = Room::of(state, caller.person, place, Needs::Nothing).await?;
    // Taking back twice is taking back once: a repeat does it again, and is answered from the log.
    let before = keyed.before(&room.state, &room.person).await?;
    let (log, once) = room.talk(None).unsend(id.clone(), room.state.sessions.ripple).await?;
    let withdrawn = match once {
        Once::Made(Unsent { withdrawn, .. }) => withdrawn,
        Once::Repeated(_) => Vec::new(),
    };
    if before.is_none() {
        let is_kept = log.is_kept() && room.is_stored();
        keyed.done(&room.state, &room.person, is_kept, vec![id.to_string()]).await?;
    }
    Ok(Stored(log.is_kept(), Json(UnsentShape { message_id: id, withdrawn })))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Undone)]
pub(crate) struct UndoneShape {
    #[schema(value_type = String)]
    edit_id: EditId,
    /// The first message that is back, if any is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    from_message_id: Option<MessageId>,
    /// How many are.
    count: u64,
}

/// Undoes an edit or a removal.
#[utoipa::path(
    post, path = "/api/worlds/{world_id}/edits/{edit_id}/undo", operation_id = "undo_edit", tag = "world",
    params(OneEdit, Interrupting, KeyedCall),
    responses(
        (status = 200, description = "What was removed is back", body = UndoneShape),
        (status = 404, description = "WORLD_NOT_FOUND, EDIT_NOT_FOUND"),
        (status = 409, description = "SESSION_OFF, UNDO_BLOCKED"),
        (status = 410, description = "UNDO_EXPIRED"),
        (status = 423, description = "WORLD_LOCKED"),
    ),
)]
pub(crate) async fn undo(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(edit): PathOf<OneEdit>,
    QueryOf(Interrupting { interrupt: wanted }): QueryOf<Interrupting>,
    KeyedCall(keyed): KeyedCall,
) -> Result<Stored<Json<UndoneShape>>, ApiError> {
    let (world, edit) = edit.of(&caller.person)?;
    // An edit names its chat. What names none is as unknown as one of another world.
    let chat = edit.as_ref().and_then(chat_of_edit);
    let used = keyed.before(&state, &caller.person).await?;
    let needs = if used.is_some() { Needs::Nothing } else { Needs::Session };
    let room = Room::of(state, caller.person, (world, chat.clone()), needs).await;
    let room = room.map_err(|error| match error.code() {
        Code::CHAT_NOT_FOUND => Code::EDIT_NOT_FOUND.into(),
        _ => error,
    })?;
    let edit = edit.filter(|_| chat.is_some()).ok_or(Code::EDIT_NOT_FOUND)?;
    if let Some(used) = used {
        return undone_before(&room, &used, edit).await;
    }
    let before = Before::of(&room.follow().await?);
    let once = room.key_use(&keyed, edit.as_str(), before);
    let (log, undone) = room.talk(once).undo(edit.clone(), interrupt(wanted)).await?;
    let undone = match undone {
        Once::Made(undone) => undone,
        Once::Repeated(used) => return undone_before(&room, &used, edit).await,
    };
    room.done(&keyed, log, edit.as_str(), before).await?;
    let (from_message_id, count) = (undone.from, undone.restored);
    let shape = UndoneShape { edit_id: edit, from_message_id, count };
    Ok(Stored(log.is_kept(), Json(shape)))
}

async fn undone_before(
    room: &Room,
    used: &KeyUse,
    edit_id: EditId,
) -> Result<Stored<Json<UndoneShape>>, ApiError> {
    room.talk(None).complete_edit().await?;
    let restored = |event: &Event| match event {
        Event::Restored { edit, from, count } if *edit == edit_id => Some((from.clone(), *count)),
        Event::Removed { .. } | Event::Message { .. } | Event::Restored { .. } => None,
    };
    let found = room.events_since(Before::remembered(used), restored).await?;
    let (log, _) = found.first().ok_or(Code::EDIT_NOT_FOUND)?;
    let of = |wanted: Log| {
        let first = found.iter().find(|(log, _)| *log == wanted);
        first.map(|(_, (from, _))| from.clone())
    };
    let logs = &room.state.sessions.logs;
    let from_message_id = logs.first_of(&room.key(), of(Log::Kept), of(Log::Volatile)).await?;
    let count = found.iter().map(|(_, (_, count))| count).sum();
    Ok(Stored(log.is_kept(), Json(UndoneShape { edit_id, from_message_id, count })))
}
