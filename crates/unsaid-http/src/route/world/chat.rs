//! The chats of a world.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use unsaid_app::world::new_chat;
use unsaid_core::domain::id::ChatId;
use unsaid_core::domain::text::Words;
use unsaid_core::domain::world::Chat;
use utoipa::ToSchema;

use super::{chat_shape, shown};
use crate::auth::SignedIn;
use crate::error::{ApiError, Code};
use crate::idempotency::{KeyedBodyOrNone, KeyedCall};
use crate::input::field::new_name;
use crate::input::path::PathOf;
use crate::state::AppState;
use crate::token::random_id;
use crate::world::keeper;
use crate::world::path::{InWorld, OneChat};
use crate::world::shape::{ChatShape, WorldShape};

/// The chats of a world.
#[utoipa::path(
    get, path = "/api/worlds/{world_id}/chats", operation_id = "chats", tag = "world",
    params(InWorld),
    responses(
        (status = 200, description = "Oldest first", body = Vec<ChatShape>),
        (status = 404, description = "WORLD_NOT_FOUND"),
    ),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<InWorld>,
) -> Result<Json<Vec<ChatShape>>, ApiError> {
    let (chats, _) = keeper(&state).chat_outlines(&path.of(&caller.person)?).await?;
    Ok(Json(chats.into_iter().map(chat_shape).collect()))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = NewChat)]
pub(crate) struct Wanted {
    #[serde(default, deserialize_with = "new_name")]
    #[schema(value_type = Option<String>, nullable = false, min_length = 1, max_length = 100)]
    name: Option<Words>,
}

/// Adds a chat. The current one stays current.
#[utoipa::path(
    post, path = "/api/worlds/{world_id}/chats", operation_id = "add_chat", tag = "world",
    params(InWorld, KeyedCall), request_body = Option<Wanted>,
    responses(
        (status = 201, description = "It is there", body = ChatShape),
        (status = 404, description = "WORLD_NOT_FOUND, CHAT_NOT_FOUND"),
    ),
)]
pub(crate) async fn add(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<InWorld>,
    KeyedBodyOrNone(keyed, wanted): KeyedBodyOrNone<Wanted>,
) -> Result<(StatusCode, Json<ChatShape>), ApiError> {
    let person = &caller.person;
    let (key, keeper) = (path.of(person)?, keeper(&state));
    let id = if let Some(before) = keyed.before(&state, person).await? {
        let id = before.ids.first().and_then(|id| ChatId::new(id.as_str()).ok());
        id.ok_or(Code::CHAT_NOT_FOUND)?
    } else {
        let chat = new(&state, wanted.and_then(|wanted| wanted.name))?;
        let id = keeper.add_chat(&key, chat).await?.id;
        keyed.done(&state, person, person.consent.is_on(), vec![id.to_string()]).await?;
        id
    };
    let outline = keeper.chat_outline(&key, &id).await?;
    Ok((StatusCode::CREATED, Json(chat_shape(outline))))
}

/// Deletes a chat and what was said in it. If it was current, the newest remaining one is.
#[utoipa::path(
    delete, path = "/api/worlds/{world_id}/chats/{chat_id}", operation_id = "delete_chat", tag = "world",
    params(OneChat, KeyedCall),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "WORLD_NOT_FOUND, CHAT_NOT_FOUND"),
    ),
)]
pub(crate) async fn delete(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<OneChat>,
    KeyedCall(keyed): KeyedCall,
) -> Result<StatusCode, ApiError> {
    let person = &caller.person;
    let (key, chat) = path.of(person)?;
    if keyed.before(&state, person).await?.is_none() {
        let spare = new(&state, None)?;
        keeper(&state).delete_chat(&key, chat, spare).await?;
        keyed.done(&state, person, person.consent.is_on(), Vec::new()).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Makes a chat the current one: session mode is on.
#[utoipa::path(
    post, path = "/api/worlds/{world_id}/setChat/{chat_id}", operation_id = "set_chat", tag = "world",
    params(OneChat, KeyedCall),
    responses(
        (status = 200, description = "The world, changed", body = WorldShape),
        (status = 404, description = "WORLD_NOT_FOUND, CHAT_NOT_FOUND"),
    ),
)]
pub(crate) async fn set(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<OneChat>,
    KeyedCall(keyed): KeyedCall,
) -> Result<Json<WorldShape>, ApiError> {
    let person = &caller.person;
    let (key, chat) = path.of(person)?;
    if keyed.before(&state, person).await?.is_none() {
        keeper(&state).set_chat(&key, chat).await?;
        keyed.done(&state, person, person.consent.is_on(), Vec::new()).await?;
    }
    shown(&state, &key).await
}

/// A chat that is not there yet.
pub(super) fn new(state: &AppState, name: Option<Words>) -> Result<Chat, ApiError> {
    let chat = new_chat(&random_id(&*state.chance), name, state.clock.now());
    chat.map_err(|error| ApiError::new(Code::INTERNAL).with_cause(error))
}
