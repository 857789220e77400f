//! Taking back one message, and taking back an edit.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use unsaid_app::call::Once;
use unsaid_app::unsend::Unsent;
use unsaid_app::world::talk::chat_of_edit;
use unsaid_core::domain::conversation::change::Event;
use unsaid_core::domain::id::{EditId, MessageId};
use unsaid_core::port::keys::KeyUse;
use utoipa::ToSchema;

use super::edit::{InChat, Interrupting, OneOfWorld, message_id};
use super::room::{Before, Needs, Room, interrupt, own_world};
use crate::auth::SignedIn;
use crate::error::{ApiError, Code};
use crate::idempotency::{KeyedBody, KeyedCall};
use crate::input::path::PathOf;
use crate::input::query::QueryOf;
use crate::state::AppState;

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
    post, path = "/api/worlds/{world}/messages/{message}/unsend", operation_id = "unsend_in_world", tag = "world",
    params(OneOfWorld, KeyedCall), request_body = InChat,
    responses(
        (status = 200, description = "It is gone", body = UnsentShape),
        (status = 400, description = "INVALID_MESSAGE_TYPE"),
        (status = 404, description = "WORLD_NOT_FOUND, CHAT_NOT_FOUND, MESSAGE_NOT_FOUND"),
    ),
)]
pub(crate) async fn unsend(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(OneOfWorld { world, message }): PathOf<OneOfWorld>,
    // Taking back twice is taking back once, with or without a key.
    KeyedBody(keyed, InChat { chat_id }): KeyedBody<InChat>,
) -> Result<Json<UnsentShape>, ApiError> {
    let place = (world.as_str(), Some(chat_id.as_str()));
    let room = Room::of(state, caller.person, place, Needs::Nothing).await?;
    keyed.before(&room.state, &room.person).await?;
    let id = message_id(message)?;
    let once = room.talk(None).unsend(id.clone(), room.state.sessions.ripple).await?;
    let withdrawn = match once {
        Once::Made(Unsent { withdrawn, .. }) => withdrawn,
        Once::Repeated(_) => Vec::new(),
    };
    Ok(Json(UnsentShape { message_id: id, withdrawn }))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct EditOfWorld {
    /// The id of the world.
    world: String,
    /// The edit.
    edit: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Undone)]
pub(crate) struct UndoneShape {
    #[schema(value_type = String)]
    edit_id: EditId,
    /// The first message that is back.
    #[schema(value_type = String)]
    from_message_id: MessageId,
    /// How many are.
    count: u64,
}

/// Undoes an edit or a removal.
#[utoipa::path(
    post, path = "/api/worlds/{world}/edits/{edit}/undo", operation_id = "undo_edit", tag = "world",
    params(EditOfWorld, Interrupting, KeyedCall),
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
    PathOf(EditOfWorld { world, edit }): PathOf<EditOfWorld>,
    QueryOf(Interrupting { interrupt: wanted }): QueryOf<Interrupting>,
    KeyedCall(keyed): KeyedCall,
) -> Result<Json<UndoneShape>, ApiError> {
    // An edit names its chat. What cannot be one is as unknown as one of another world.
    let edit = EditId::new(edit).ok().and_then(|edit| Some((chat_of_edit(&edit)?, edit)));
    let Some((chat, edit)) = edit else {
        let world = own_world(&state, &caller.person, &world).await?;
        let refusal =
            if world.current_chat.is_none() { Code::SESSION_OFF } else { Code::EDIT_NOT_FOUND };
        return Err(refusal.into());
    };
    let place = (world.as_str(), Some(chat.as_str()));
    let room = Room::of(state, caller.person, place, Needs::Session).await;
    let room = room.map_err(|error| match error.code() {
        Code::CHAT_NOT_FOUND => Code::EDIT_NOT_FOUND.into(),
        _ => error,
    })?;
    if let Some(used) = keyed.before(&room.state, &room.person).await? {
        return undone_before(&room, &used, edit).await.map(Json);
    }
    let before = Before::of(&room.follow().await?);
    let once = room.key_use(&keyed, edit.as_str(), before);
    match room.talk(once).undo(edit.clone(), interrupt(wanted)).await? {
        Once::Made(undone) => {
            let (from_message_id, count) = (undone.from, undone.restored);
            Ok(Json(UndoneShape { edit_id: edit, from_message_id, count }))
        }
        Once::Repeated(used) => undone_before(&room, &used, edit).await.map(Json),
    }
}

async fn undone_before(
    room: &Room,
    used: &KeyUse,
    edit_id: EditId,
) -> Result<UndoneShape, ApiError> {
    let restored = |event: &Event| match event {
        Event::Restored { edit, from, count } if *edit == edit_id => Some((from.clone(), *count)),
        Event::Removed { .. } | Event::Message { .. } | Event::Restored { .. } => None,
    };
    let found = room.event_since(Before::remembered(used), restored).await?;
    let (from_message_id, count) = found.ok_or(Code::EDIT_NOT_FOUND)?;
    Ok(UndoneShape { edit_id, from_message_id, count })
}
