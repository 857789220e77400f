//! Trying the bot without LINE, on the path that LINE takes. What admins say here is their own, and in
//! memory only.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Deserializer, Serialize};
use unsaid_core::domain::id::MessageId;
use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;
use utoipa::ToSchema;

use super::turns::{Turn, turn};
use crate::auth::Admin;
use crate::error::{ApiError, Code};
use crate::idempotency::{KeyedBody, KeyedCall};
use crate::input::field::WrittenId;
use crate::input::path::PathOf;
use crate::input::rule;
use crate::openapi::word;
use crate::rehearsal::{Heard, Line, Scene, Speech, Spot};
use crate::state::AppState;

/// A text on LINE has at most so many UTF-16 units.
const TEXT_UNITS_MAX: usize = 5_000;
/// Whoever speaks is called with at most so many characters.
const NAME_CHARS_MAX: usize = 40;

/// Where it is tried, as it was written.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OnePlace {
    /// `person` (alone with the bot) or `group`.
    #[param(schema_with = word::try_place)]
    place: String,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OneTried {
    /// `person` (alone with the bot) or `group`.
    #[param(schema_with = word::try_place)]
    place: String,
    #[param(value_type = String, min_length = 1, max_length = 128, pattern = "^[!-~]+$")]
    message_id: WrittenId<MessageId>,
}

fn spot(place: &str) -> Result<Spot, ApiError> {
    match place {
        "person" => Ok(Spot::Person),
        "group" => Ok(Spot::Group),
        _ => Err(Code::NOT_FOUND.into()),
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = Rehearsal)]
pub(crate) struct Shown {
    #[schema(schema_with = word::try_place)]
    place: &'static str,
    /// Never: it is gone with the server.
    stored: bool,
    /// Whether an answer is owed or on its way.
    answering: bool,
    messages: Vec<Tried>,
    turns: Vec<Turn>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = RehearsedMessage)]
struct Tried {
    #[schema(value_type = String)]
    id: MessageId,
    #[schema(schema_with = word::try_from)]
    from: &'static str,
    name: String,
    text: String,
    #[schema(format = DateTime)]
    created_at: String,
}

/// Your own rehearsal so far: what can be heard, and how turns ended.
#[utoipa::path(
    get, path = "/api/admin/line/try/{place}", operation_id = "try_bot", tag = "admin",
    params(OnePlace),
    responses(
        (status = 200, description = "Messages oldest first, turns newest first", body = Shown),
        (status = 404, description = "NOT_FOUND"),
    ),
)]
pub(crate) async fn show(
    State(state): State<AppState>,
    Admin(caller): Admin,
    PathOf(OnePlace { place }): PathOf<OnePlace>,
) -> Result<Json<Shown>, ApiError> {
    let spot = spot(&place)?;
    let Scene { answering, lines, turns } = state.rehearsals.show(&caller.person.id, spot).await?;
    let place = match spot {
        Spot::Person => "person",
        Spot::Group => "group",
    };
    let messages = lines.into_iter().map(tried).collect();
    let turns = turns.into_iter().map(turn).collect();
    Ok(Json(Shown { place, stored: false, answering, messages, turns }))
}

fn tried(line: Line) -> Tried {
    let Line { heard: Heard { id, at }, by_bot, name, text } = line;
    Tried {
        id,
        from: if by_bot { "bot" } else { "person" },
        name: name.into(),
        text: text.into(),
        created_at: at.to_seconds_text(),
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrySaying {
    /// At most 5000 UTF-16 units, as on LINE.
    #[serde(deserialize_with = "text")]
    #[schema(value_type = String, min_length = 1, max_length = 5000)]
    text: Words,
    /// Who says it; in a group every name is somebody else.
    #[serde(default, deserialize_with = "name")]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 40)]
    name: Option<Words>,
    /// Whether it mentions the bot, as LINE marks it.
    #[serde(default)]
    mention: bool,
}

fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Words, D::Error> {
    let text = String::deserialize(from)?;
    match text.encode_utf16().count() {
        0 => Err(rule("empty")),
        units if units > TEXT_UNITS_MAX => Err(rule("longer than 5000 UTF-16 units")),
        _ => Words::new(text).map_err(rule),
    }
}

fn name<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Words>, D::Error> {
    let name = String::deserialize(from)?;
    Words::bounded(name.trim(), NAME_CHARS_MAX).map(Some).map_err(rule)
}

#[derive(Serialize, ToSchema)]
#[schema(as = TriedSaying)]
pub(crate) struct SaidShape {
    id: String,
    #[schema(format = DateTime)]
    created_at: String,
}

/// Says something to the bot, as a person or in a group.
#[utoipa::path(
    post, path = "/api/admin/line/try/{place}/messages", operation_id = "try_saying", tag = "admin",
    params(OnePlace, KeyedCall), request_body = TrySaying,
    responses(
        (status = 201, description = "It was heard; whether the bot answers is its decision", body = SaidShape),
        (status = 404, description = "NOT_FOUND"),
    ),
)]
pub(crate) async fn say(
    State(state): State<AppState>,
    Admin(caller): Admin,
    PathOf(OnePlace { place }): PathOf<OnePlace>,
    KeyedBody(keyed, TrySaying { text, name, mention }): KeyedBody<TrySaying>,
) -> Result<(StatusCode, Json<SaidShape>), ApiError> {
    let (spot, person) = (spot(&place)?, &caller.person);
    if let Some(before) = keyed.before(&state, person).await?
        && let [id, at] = before.ids.as_slice()
    {
        let at = Timestamp::from_millis(at.parse().unwrap_or_default());
        return Ok(said(id.clone(), at));
    }
    let speech = Speech { text, name, mentions: mention };
    let Heard { id, at } = state.rehearsals.say(&person.id, spot, speech).await?;
    let ids = vec![id.to_string(), at.as_millis().to_string()];
    // Nothing of it is kept, whatever the admin wants kept elsewhere.
    keyed.done(&state, person, false, ids).await?;
    Ok(said(id.to_string(), at))
}

fn said(id: String, at: Timestamp) -> (StatusCode, Json<SaidShape>) {
    (StatusCode::CREATED, Json(SaidShape { id, created_at: at.to_seconds_text() }))
}

#[derive(Serialize, ToSchema)]
#[schema(as = TriedUnsending)]
pub(crate) struct UnsentShape {
    #[schema(value_type = String)]
    id: MessageId,
    #[schema(schema_with = word::unsent)]
    status: &'static str,
}

/// Takes back something that was said in your rehearsal.
#[utoipa::path(
    post, path = "/api/admin/line/try/{place}/messages/{message_id}/unsend", operation_id = "try_unsending", tag = "admin",
    params(OneTried, KeyedCall),
    responses(
        (status = 200, description = "It is gone", body = UnsentShape),
        (status = 404, description = "NOT_FOUND, MESSAGE_NOT_FOUND"),
    ),
)]
pub(crate) async fn unsend(
    State(state): State<AppState>,
    Admin(caller): Admin,
    PathOf(OneTried { place, message_id }): PathOf<OneTried>,
    KeyedCall(keyed): KeyedCall,
) -> Result<Json<UnsentShape>, ApiError> {
    let (spot, person) = (spot(&place)?, &caller.person);
    let id = message_id.or(Code::MESSAGE_NOT_FOUND)?;
    if keyed.before(&state, person).await?.is_none() {
        if !state.rehearsals.unsend(&person.id, spot, &id).await? {
            return Err(Code::MESSAGE_NOT_FOUND.into());
        }
        keyed.done(&state, person, false, Vec::new()).await?;
    }
    Ok(Json(UnsentShape { id, status: "unsent" }))
}

/// Forgets your rehearsal, to begin anew.
#[utoipa::path(
    delete, path = "/api/admin/line/try/{place}", operation_id = "try_anew", tag = "admin",
    params(OnePlace, KeyedCall),
    responses(
        (status = 204, description = "It is forgotten"),
        (status = 404, description = "NOT_FOUND"),
    ),
)]
pub(crate) async fn forget(
    State(state): State<AppState>,
    Admin(caller): Admin,
    PathOf(OnePlace { place }): PathOf<OnePlace>,
    KeyedCall(keyed): KeyedCall,
) -> Result<StatusCode, ApiError> {
    let (spot, person) = (spot(&place)?, &caller.person);
    if keyed.before(&state, person).await?.is_none() {
        state.rehearsals.forget(&person.id, spot).await?;
        keyed.done(&state, person, false, Vec::new()).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}
