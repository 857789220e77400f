//! Worlds: making, looking, changing, deleting.
//!
//! - `template`: worlds that are ready made.
//! - `agent`, `memory`: who is in one, and what they remember.
//! - `chat`, `message`: where something is said, and what was.
//! - `room`: a chat of the caller. `say`, `edit`, `take_back`: what they do in it. `live`: how it
//!   goes on.

pub(crate) mod agent;
pub(crate) mod chat;
pub(crate) mod edit;
pub(crate) mod live;
pub(crate) mod memory;
pub(crate) mod message;
pub(crate) mod room;
pub(crate) mod say;
pub(crate) mod take_back;
pub(crate) mod template;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Deserializer};
use unsaid_app::world::read::{ChatOutline, Outline};
use unsaid_app::world::{NewWorld, TURN_LIMIT, TURN_LIMIT_MAX, WorldError};
use unsaid_core::domain::id::{AgentId, ChatId, WorldId};
use unsaid_core::domain::text::Words;
use unsaid_core::domain::world::{Agent, TEMPLATES};
use unsaid_core::port::worlds::{WorldKey, WorldPatch};
use utoipa::ToSchema;

use crate::auth::SignedIn;
use crate::error::{ApiError, Code};
use crate::idempotency::{KeyedBody, KeyedCall};
use crate::input::field::{Setting, WrittenId, display_name, new_name};
use crate::input::path::PathOf;
use crate::input::{invalid, rule};
use crate::state::AppState;
use crate::world::keeper;
use crate::world::path::InWorld;
use crate::world::shape::{ChatShape, WorldShape};

/// Your worlds.
#[utoipa::path(
    get, path = "/api/worlds", operation_id = "worlds", tag = "world",
    responses(
        (status = 200, description = "Oldest first", body = Vec<WorldShape>),
    ),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    caller: SignedIn,
) -> Result<Json<Vec<WorldShape>>, ApiError> {
    let outlines = keeper(&state).outlines(&caller.person.id).await?;
    Ok(Json(outlines.into_iter().map(world_shape).collect()))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = NewWorld)]
pub(crate) struct Wanted {
    /// With at least one letter or digit: its id is made from it.
    #[serde(deserialize_with = "display_name")]
    #[schema(value_type = String, min_length = 1, max_length = 100)]
    name: Words,
    /// 5 unless said otherwise.
    #[serde(default, deserialize_with = "turn_limit")]
    #[schema(nullable = false, minimum = 1, maximum = 50)]
    turn_limit: Option<u32>,
    /// One of the templates, for its agents.
    #[serde(default)]
    template: Option<String>,
    /// One of those agents.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    main_agent: Option<WrittenId<AgentId>>,
}

/// Makes a world with one chat, and the agents of a template.
#[utoipa::path(
    post, path = "/api/worlds", operation_id = "make_world", tag = "world",
    params(KeyedCall), request_body = Wanted,
    responses(
        (status = 201, description = "It is there", body = WorldShape),
        (status = 404, description = "WORLD_NOT_FOUND, AGENT_NOT_FOUND"),
        (status = 409, description = "WORLD_EXISTS, LIMIT_REACHED"),
    ),
)]
pub(crate) async fn make(
    State(state): State<AppState>,
    caller: SignedIn,
    KeyedBody(keyed, wanted): KeyedBody<Wanted>,
) -> Result<(StatusCode, Json<WorldShape>), ApiError> {
    let person = &caller.person;
    let key = WorldKey { owner: person.id.clone(), id: world_id(&wanted.name)? };
    if keyed.before(&state, person).await?.is_none() {
        let new = new_world(&state, key.clone(), wanted)?;
        match keeper(&state).make(new, state.limits.agents_per_world).await {
            Ok(_) => keyed.done(&state, person, person.consent.is_on(), Vec::new()).await?,
            Err(WorldError::WorldExists) if keyed.before(&state, person).await?.is_some() => {
                // By the same call, beside this one.
            }
            Err(refused) => return Err(refused.into()),
        }
    }
    Ok((StatusCode::CREATED, shown(&state, &key).await?))
}

/// A world of yours.
#[utoipa::path(
    get, path = "/api/worlds/{world_id}", operation_id = "world", tag = "world",
    params(InWorld),
    responses(
        (status = 200, description = "The world", body = WorldShape),
        (status = 404, description = "WORLD_NOT_FOUND"),
    ),
)]
pub(crate) async fn show(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<InWorld>,
) -> Result<Json<WorldShape>, ApiError> {
    shown(&state, &path.of(&caller.person)?).await
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = WorldChange)]
pub(crate) struct Change {
    /// The id stays as it is.
    #[serde(default, deserialize_with = "new_name")]
    #[schema(value_type = Option<String>, nullable = false, min_length = 1, max_length = 100)]
    name: Option<Words>,
    #[serde(default, deserialize_with = "turn_limit")]
    #[schema(nullable = false, minimum = 1, maximum = 50)]
    turn_limit: Option<u32>,
    /// Null: all agents answer again.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    main_agent: Setting<WrittenId<AgentId>>,
    /// Null turns session mode off.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    current_chat_id: Setting<WrittenId<ChatId>>,
}

/// Changes a world; what is not named stays.
#[utoipa::path(
    patch, path = "/api/worlds/{world_id}", operation_id = "change_world", tag = "world",
    params(InWorld, KeyedCall), request_body = Change,
    responses(
        (status = 200, description = "The world, changed", body = WorldShape),
        (status = 404, description = "WORLD_NOT_FOUND, AGENT_NOT_FOUND, CHAT_NOT_FOUND"),
    ),
)]
pub(crate) async fn change(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<InWorld>,
    KeyedBody(keyed, change): KeyedBody<Change>,
) -> Result<Json<WorldShape>, ApiError> {
    let person = &caller.person;
    let key = path.of(person)?;
    if keyed.before(&state, person).await?.is_none() {
        let keeper = keeper(&state);
        keeper.own(&key).await?;
        keeper.change(&key, patch(change)?).await?;
        keyed.done(&state, person, person.consent.is_on(), Vec::new()).await?;
    }
    shown(&state, &key).await
}

/// Deletes a world with everything in it.
#[utoipa::path(
    delete, path = "/api/worlds/{world_id}", operation_id = "delete_world", tag = "world",
    params(InWorld, KeyedCall),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "WORLD_NOT_FOUND"),
    ),
)]
pub(crate) async fn delete(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<InWorld>,
    KeyedCall(keyed): KeyedCall,
) -> Result<StatusCode, ApiError> {
    let person = &caller.person;
    let key = path.of(person)?;
    if keyed.before(&state, person).await?.is_none() {
        keeper(&state).delete(&key).await?;
        // Another world may get its name.
        state.worlds.failed_edits.drop_of(&key);
        keyed.done(&state, person, person.consent.is_on(), Vec::new()).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// A world as it is now.
pub(crate) async fn shown(state: &AppState, key: &WorldKey) -> Result<Json<WorldShape>, ApiError> {
    let keeper = keeper(state);
    let world = keeper.own(key).await?;
    Ok(Json(world_shape(keeper.outline(world).await?)))
}

fn world_shape(outline: Outline) -> WorldShape {
    let Outline { world, agents, chats, stored } = outline;
    WorldShape::of(world, agents, chats.into_iter().map(chat_shape).collect(), stored)
}

fn chat_shape(outline: ChatOutline) -> ChatShape {
    let ChatOutline { chat, messages, stored } = outline;
    ChatShape::of(chat, messages, stored)
}

fn world_id(name: &Words) -> Result<WorldId, ApiError> {
    let id = WorldId::from_name(name.as_str()).map_err(|_| no_id())?;
    if id.as_str() == TEMPLATES {
        return Err(invalid("name", "stands for the templates"));
    }
    Ok(id)
}

/// What is said about a name that gives no id.
fn no_id() -> ApiError {
    invalid("name", "has neither letter nor digit")
}

fn new_world(state: &AppState, key: WorldKey, wanted: Wanted) -> Result<NewWorld, ApiError> {
    let Wanted { name, turn_limit, template, main_agent } = wanted;
    let agents = template.map(|id| agents_of(state, &id)).transpose()?.unwrap_or_default();
    let main_agent = main_agent.map(|agent| agent.or(Code::AGENT_NOT_FOUND)).transpose()?;
    let chat = chat::new(state, None)?;
    let turn_limit = turn_limit.unwrap_or(TURN_LIMIT);
    Ok(NewWorld { key, name, turn_limit, main_agent, chat, agents })
}

fn agents_of(state: &AppState, template: &str) -> Result<Vec<Agent>, ApiError> {
    let known = state.worlds.templates.get(template);
    Ok(known.ok_or_else(|| invalid("template", "unknown"))?.agents.clone())
}

fn patch(change: Change) -> Result<WorldPatch, ApiError> {
    let Change { name, turn_limit, main_agent, current_chat_id } = change;
    Ok(WorldPatch {
        name,
        turn_limit,
        main_agent: main_agent.patch(|agent| agent.or(Code::AGENT_NOT_FOUND))?,
        current_chat: current_chat_id.patch(|chat| chat.or(Code::CHAT_NOT_FOUND))?,
    })
}

fn turn_limit<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    match u32::deserialize(from)? {
        limit if (1..=TURN_LIMIT_MAX).contains(&limit) => Ok(Some(limit)),
        _ => Err(rule(format_args!("not 1 to {TURN_LIMIT_MAX}"))),
    }
}
