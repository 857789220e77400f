//! What an agent remembers of a chat.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use crate::auth::SignedIn;
use crate::error::ApiError;
use crate::idempotency::KeyedCall;
use crate::input::path::PathOf;
use crate::input::query::QueryOf;
use crate::state::AppState;
use crate::stored::Stored;
use crate::world::keeper;
use crate::world::path::{OneAgent, WhichChat};
use crate::world::shape::{MessageShape, placed_shapes};

/// What an agent has heard and said in a chat, since it joined or was cleared.
#[utoipa::path(
    get, path = "/api/worlds/{world_id}/agents/{agent_id}/memory", operation_id = "memory", tag = "world",
    params(OneAgent, WhichChat),
    responses(
        (status = 200, description = "Oldest first", body = Vec<MessageShape>),
        (status = 404, description = "WORLD_NOT_FOUND, AGENT_NOT_FOUND, CHAT_NOT_FOUND"),
    ),
)]
pub(crate) async fn show(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<OneAgent>,
    QueryOf(which): QueryOf<WhichChat>,
) -> Result<Stored<Json<Vec<MessageShape>>>, ApiError> {
    let ((key, agent), keeper) = (path.of(&caller.person)?, keeper(&state));
    let chat = keeper.meant(&key, which.named()?).await?;
    let memory = keeper.memory(&key, &agent, &chat).await?;
    let shapes = placed_shapes(&chat, &memory.messages, &memory.heard_in, memory.stored);
    Ok(Stored(memory.stored, Json(shapes)))
}

/// Lets an agent forget a chat, for itself only.
#[utoipa::path(
    delete, path = "/api/worlds/{world_id}/agents/{agent_id}/memory", operation_id = "clear_memory", tag = "world",
    params(OneAgent, WhichChat, KeyedCall),
    responses(
        (status = 204, description = "It remembers nothing of before"),
        (status = 404, description = "WORLD_NOT_FOUND, AGENT_NOT_FOUND, CHAT_NOT_FOUND"),
    ),
)]
pub(crate) async fn clear(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<OneAgent>,
    QueryOf(which): QueryOf<WhichChat>,
    KeyedCall(keyed): KeyedCall,
) -> Result<StatusCode, ApiError> {
    let person = &caller.person;
    let ((key, agent), keeper) = (path.of(person)?, keeper(&state));
    if keyed.before(&state, person).await?.is_none() {
        let chat = keeper.meant(&key, which.named()?).await?;
        keeper.clear(&key, &agent, &chat, state.clock.now()).await?;
        keyed.done(&state, person, person.consent.is_on(), Vec::new()).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}
