//! How a chat goes on: who is at it, stopping them, and everything as it comes.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;
use unsaid_app::stop::Stopped;
use unsaid_core::domain::id::AgentId;
use utoipa::ToSchema;

use super::edit::InChat;
use super::room::{Needs, Room};
use crate::auth::SignedIn;
use crate::error::{ApiError, Code};
use crate::idempotency::{KeyedBody, KeyedCall};
use crate::input::path::PathOf;
use crate::input::query::QueryOf;
use crate::route::chat::StopAnswer;
use crate::state::AppState;
use crate::world::frame::WorldStreamEvent;
use crate::world::path::{InWorld, WhichChat};

const LAST_EVENT: &str = "last-event-id";

/// Stops the running round.
#[utoipa::path(
    post, path = "/api/worlds/{world_id}/messages/stop", operation_id = "stop_in_world", tag = "world",
    params(InWorld, KeyedCall), request_body = InChat,
    responses(
        (status = 200, description = "Nothing more is said", body = StopAnswer),
        (status = 404, description = "WORLD_NOT_FOUND, CHAT_NOT_FOUND"),
    ),
)]
pub(crate) async fn stop(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(world): PathOf<InWorld>,
    KeyedBody(keyed, InChat { chat_id }): KeyedBody<InChat>,
) -> Result<Json<StopAnswer>, ApiError> {
    let place = (world.of(&caller.person)?, Some(chat_id.or(Code::CHAT_NOT_FOUND)?));
    let room = Room::of(state, caller.person, place, Needs::Nothing).await?;
    if let Some(used) = keyed.before(&room.state, &room.person).await? {
        return Ok(Json(StopAnswer::again(&used)));
    }
    let stopped = room.talk(None).stop().await? == Stopped::Stopped;
    StopAnswer::of(stopped).remembered(&keyed, &room.state, &room.person).await.map(Json)
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WorldStatus)]
pub(crate) struct Status {
    /// Whether a round runs or is about to, on whichever server.
    is_processing: bool,
    #[schema(value_type = Vec<String>)]
    active_agents: Vec<AgentId>,
    /// Whether what is said is kept.
    stored: bool,
}

/// Whether somebody answers, and who.
#[utoipa::path(
    get, path = "/api/worlds/{world_id}/status", operation_id = "world_status", tag = "world",
    params(InWorld, WhichChat),
    responses(
        (status = 200, description = "How it is now", body = Status),
        (status = 404, description = "WORLD_NOT_FOUND, CHAT_NOT_FOUND"),
    ),
)]
pub(crate) async fn status(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(world): PathOf<InWorld>,
    QueryOf(chat): QueryOf<WhichChat>,
) -> Result<Json<Status>, ApiError> {
    let place = (world.of(&caller.person)?, chat.named()?);
    let room = Room::of(state, caller.person, place, Needs::Nothing).await?;
    let active = room.talk(None).active().await?;
    Ok(Json(Status {
        is_processing: active.is_some(),
        active_agents: active.unwrap_or_default(),
        stored: room.is_stored(),
    }))
}

/// Everything in a chat as it comes, from now on or from an event on that is known.
#[utoipa::path(
    get, path = "/api/worlds/{world_id}/events", operation_id = "world_events", tag = "world",
    params(
        InWorld, WhichChat,
        ("Last-Event-ID" = Option<String>, Header, description = "The newest event that is known"),
    ),
    responses(
        (status = 200, description = "Without end", body = WorldStreamEvent, content_type = "text/event-stream"),
        (status = 404, description = "WORLD_NOT_FOUND, CHAT_NOT_FOUND"),
    ),
)]
pub(crate) async fn events(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(world): PathOf<InWorld>,
    QueryOf(chat): QueryOf<WhichChat>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let place = (world.of(&caller.person)?, chat.named()?);
    let room = Room::of(state, caller.person, place, Needs::Nothing).await?;
    let open = room.open_stream()?;
    let follow = room.follow().await?;
    let follow = match headers.get(LAST_EVENT) {
        Some(known) => follow.after(known.to_str().unwrap_or_default()).await?,
        None => follow,
    };
    Ok(follow.respond(open))
}
