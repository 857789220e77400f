//! The agents of a world.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Deserializer};
use unsaid_app::world::WorldError;
use unsaid_core::domain::id::{AgentId, Roster};
use unsaid_core::domain::text::{TextError, Words};
use unsaid_core::domain::world::{Agent, HUMAN};
use unsaid_core::port::worlds::AgentPatch;
use utoipa::ToSchema;

use super::no_id;
use crate::auth::SignedIn;
use crate::error::ApiError;
use crate::idempotency::{KeyedBody, KeyedCall};
use crate::input::field::{Setting, display_name, given, new_name};
use crate::input::path::PathOf;
use crate::input::{invalid, rule};
use crate::state::AppState;
use crate::world::keeper;
use crate::world::path::{InWorld, OneAgent};
use crate::world::shape::AgentShape;

/// The name of a provider or a model has at most so many characters.
const SHORT_CHARS_MAX: usize = 100;

/// The name of a provider or a model.
struct Short(String);

impl<'de> Deserialize<'de> for Short {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let words = Words::bounded(text.trim(), SHORT_CHARS_MAX).map_err(rule)?;
        Ok(Self(words.into()))
    }
}

/// The agents of a world.
#[utoipa::path(
    get, path = "/api/worlds/{world_id}/agents", operation_id = "agents", tag = "world",
    params(InWorld),
    responses(
        (status = 200, description = "In order of creation", body = Vec<AgentShape>),
        (status = 404, description = "WORLD_NOT_FOUND"),
    ),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<InWorld>,
) -> Result<Json<Vec<AgentShape>>, ApiError> {
    let agents = keeper(&state).agents(&path.of(&caller.person)?).await?;
    Ok(Json(agents.into_iter().map(AgentShape::of).collect()))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = NewAgent)]
pub(crate) struct Wanted {
    /// With at least one letter or digit: its id is made from it.
    #[serde(deserialize_with = "display_name")]
    #[schema(value_type = String, min_length = 1, max_length = 100)]
    name: Words,
    /// What it is told to be.
    #[serde(default)]
    #[schema(max_length = 20000)]
    system_prompt: String,
    /// Of its model, if not the installation's.
    #[serde(default)]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 100)]
    provider: Option<Short>,
    /// If not the installation's.
    #[serde(default)]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 100)]
    model: Option<Short>,
    /// Whether it answers without being mentioned.
    #[serde(default = "yes")]
    auto_reply: bool,
}

/// Adds an agent. It hears what is said from now on.
#[utoipa::path(
    post, path = "/api/worlds/{world_id}/agents", operation_id = "add_agent", tag = "world",
    params(InWorld, KeyedCall), request_body = Wanted,
    responses(
        (status = 201, description = "It is there", body = AgentShape),
        (status = 404, description = "WORLD_NOT_FOUND, AGENT_NOT_FOUND"),
        (status = 409, description = "AGENT_EXISTS, LIMIT_REACHED"),
    ),
)]
pub(crate) async fn add(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<InWorld>,
    KeyedBody(keyed, wanted): KeyedBody<Wanted>,
) -> Result<(StatusCode, Json<AgentShape>), ApiError> {
    let person = &caller.person;
    let key = path.of(person)?;
    let agent = new_agent(&state, wanted)?;
    let (id, keeper) = (agent.id.clone(), keeper(&state));
    if keyed.before(&state, person).await?.is_none() {
        match keeper.add_agent(&key, agent, state.limits.agents_per_world).await {
            Ok(_) => keyed.done(&state, person, person.consent.is_on(), Vec::new()).await?,
            Err(WorldError::AgentExists) if keyed.before(&state, person).await?.is_some() => {
                // By the same call, beside this one.
            }
            Err(refused) => return Err(refused.into()),
        }
    }
    let agent = keeper.agent(&key, &id).await?;
    Ok((StatusCode::CREATED, Json(AgentShape::of(agent))))
}

/// An agent.
#[utoipa::path(
    get, path = "/api/worlds/{world_id}/agents/{agent_id}", operation_id = "agent", tag = "world",
    params(OneAgent),
    responses(
        (status = 200, description = "The agent", body = AgentShape),
        (status = 404, description = "WORLD_NOT_FOUND, AGENT_NOT_FOUND"),
    ),
)]
pub(crate) async fn show(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<OneAgent>,
) -> Result<Json<AgentShape>, ApiError> {
    let (key, id) = path.of(&caller.person)?;
    Ok(Json(AgentShape::of(keeper(&state).agent(&key, &id).await?)))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = AgentChange)]
pub(crate) struct Change {
    /// The id stays as it is.
    #[serde(default, deserialize_with = "new_name")]
    #[schema(value_type = Option<String>, nullable = false, min_length = 1, max_length = 100)]
    name: Option<Words>,
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false, max_length = 20000)]
    system_prompt: Option<String>,
    /// Null: the installation's.
    #[serde(default)]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 100)]
    provider: Setting<Short>,
    /// Null: the installation's.
    #[serde(default)]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 100)]
    model: Setting<Short>,
    #[serde(default, deserialize_with = "given")]
    #[schema(nullable = false)]
    auto_reply: Option<bool>,
}

/// Changes an agent; what is not named stays.
#[utoipa::path(
    patch, path = "/api/worlds/{world_id}/agents/{agent_id}", operation_id = "change_agent", tag = "world",
    params(OneAgent, KeyedCall), request_body = Change,
    responses(
        (status = 200, description = "The agent, changed", body = AgentShape),
        (status = 404, description = "WORLD_NOT_FOUND, AGENT_NOT_FOUND"),
    ),
)]
pub(crate) async fn change(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<OneAgent>,
    KeyedBody(keyed, change): KeyedBody<Change>,
) -> Result<Json<AgentShape>, ApiError> {
    let person = &caller.person;
    let ((key, id), keeper) = (path.of(person)?, keeper(&state));
    if keyed.before(&state, person).await?.is_some() {
        return Ok(Json(AgentShape::of(keeper.agent(&key, &id).await?)));
    }
    let changed = keeper.change_agent(&key, &id, patch(&state, change)?).await?;
    keyed.done(&state, person, person.consent.is_on(), Vec::new()).await?;
    Ok(Json(AgentShape::of(changed)))
}

/// Removes an agent. What it said stays.
#[utoipa::path(
    delete, path = "/api/worlds/{world_id}/agents/{agent_id}", operation_id = "delete_agent", tag = "world",
    params(OneAgent, KeyedCall),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "WORLD_NOT_FOUND, AGENT_NOT_FOUND"),
    ),
)]
pub(crate) async fn delete(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(path): PathOf<OneAgent>,
    KeyedCall(keyed): KeyedCall,
) -> Result<StatusCode, ApiError> {
    let person = &caller.person;
    let (key, id) = path.of(person)?;
    if keyed.before(&state, person).await?.is_none() {
        keeper(&state).delete_agent(&key, &id).await?;
        keyed.done(&state, person, person.consent.is_on(), Vec::new()).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

fn new_agent(state: &AppState, wanted: Wanted) -> Result<Agent, ApiError> {
    let Wanted { name, system_prompt, provider, model, auto_reply } = wanted;
    let id = AgentId::from_name(name.as_str()).map_err(|_| no_id())?;
    not_a_persons(&name)?;
    let system_prompt = prompt(state, system_prompt)?;
    let (provider, model) = (provider.map(|Short(it)| it), model.map(|Short(it)| it));
    Ok(Agent { id, name, system_prompt, provider, model, auto_reply, joined: Roster::ZERO })
}

fn patch(state: &AppState, change: Change) -> Result<AgentPatch, ApiError> {
    let Change { name, system_prompt, provider, model, auto_reply } = change;
    name.as_ref().map_or(Ok(()), not_a_persons)?;
    let system_prompt = system_prompt.map(|text| prompt(state, text)).transpose()?;
    let text = |Short(text)| Ok::<_, ApiError>(text);
    let (provider, model) = (provider.patch(text)?, model.patch(text)?);
    Ok(AgentPatch { name, system_prompt, provider, model, auto_reply })
}

/// Whoever reads a chat must be able to tell an agent from the person.
fn not_a_persons(name: &Words) -> Result<(), ApiError> {
    match AgentId::from_name(name.as_str()) {
        Ok(id) if id.as_str() == HUMAN => Err(invalid("name", "stands for the person")),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// What an agent is told to be, within the limit; nothing is enough.
fn prompt(state: &AppState, text: String) -> Result<Words, ApiError> {
    match Words::bounded(text, state.limits.message_chars) {
        Ok(words) => Ok(words),
        Err(TextError::Empty) => Ok(Words::lossy("")),
        Err(wrong @ (TextError::TooLong { .. } | TextError::Nul)) => {
            Err(invalid("systemPrompt", &wrong.to_string()))
        }
    }
}

fn yes() -> bool {
    true
}
