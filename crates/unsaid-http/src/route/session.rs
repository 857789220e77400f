//! Sessions with experts: opening, looking, ending, forgetting.
//!
//! - `list`: those that were kept.
//! - `message`: what was said in one: reading, editing, taking back.

pub(crate) mod list;
pub(crate) mod message;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use unsaid_app::session::{self, Experts};
use unsaid_core::domain::id::{ExpertId, PersonId, SessionId};
use unsaid_core::domain::session::{Session, SessionKind, SessionStatus};
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::people::NewSession;
use utoipa::ToSchema;

use crate::auth::SignedIn;
use crate::error::{ApiError, Code};
use crate::idempotency::{KeyedBodyOrNone, KeyedCall};
use crate::input::field::SessionUuid;
use crate::input::path::PathOf;
use crate::openapi::word;
use crate::state::AppState;
use crate::token::random_id;

#[derive(Serialize, ToSchema)]
pub(crate) struct ExpertList {
    experts: Vec<ExpertLine>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Expert)]
struct ExpertLine {
    #[schema(value_type = String)]
    id: ExpertId,
    name: String,
    description: String,
}

/// Who can be talked to.
#[utoipa::path(
    get, path = "/api/experts", operation_id = "experts", tag = "session",
    responses(
        (status = 200, description = "All of them", body = ExpertList),
    ),
)]
pub(crate) async fn experts(State(state): State<AppState>, _caller: SignedIn) -> Json<ExpertList> {
    let experts = state.sessions.experts.iter().map(|expert| ExpertLine {
        id: expert.id.clone(),
        name: expert.name.clone(),
        description: expert.description.clone(),
    });
    Json(ExpertList { experts: experts.collect() })
}

#[derive(Serialize, ToSchema)]
#[schema(as = Credits)]
pub(crate) struct CreditLine {
    #[schema(value_type = String)]
    user_id: PersonId,
    #[schema(required)]
    free_remaining: Option<u32>,
    #[schema(required)]
    paid_remaining: Option<u32>,
    #[schema(required)]
    total_available: Option<u32>,
}

/// How many sessions you may still open; null if they are not counted.
#[utoipa::path(
    get, path = "/api/users/credits", operation_id = "credits", tag = "session",
    responses(
        (status = 200, description = "What is left", body = CreditLine),
    ),
)]
pub(crate) async fn credits(State(state): State<AppState>, caller: SignedIn) -> Json<CreditLine> {
    let left = session::credits(&caller.person, state.sessions.terms);
    Json(CreditLine {
        user_id: caller.person.id,
        free_remaining: left.map(|left| left.free),
        paid_remaining: left.map(|left| left.paid),
        total_available: left.map(|left| left.free.saturating_add(left.paid)),
    })
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WantedSession)]
pub(crate) struct Wanted {
    /// One of the experts; the first of them if none is named.
    #[serde(default)]
    expert_id: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Opened {
    #[schema(schema_with = word::ok)]
    status: &'static str,
    session: OpenedSession,
}

#[derive(Serialize, ToSchema)]
struct OpenedSession {
    #[schema(value_type = String, format = "uuid")]
    id: SessionId,
    #[schema(value_type = Option<String>, required)]
    expert_id: Option<ExpertId>,
    #[schema(schema_with = word::session_type)]
    session_type: &'static str,
    /// Null if it is not timed.
    #[schema(required)]
    duration_minutes: Option<u32>,
    #[schema(format = DateTime)]
    started_at: String,
    #[schema(format = DateTime, required)]
    expires_at: Option<String>,
    #[schema(schema_with = word::session_status)]
    status: &'static str,
    /// Whether what is said in it is kept.
    stored: bool,
}

/// Opens a session with an expert.
#[utoipa::path(
    post, path = "/api/sessions", operation_id = "open_session", tag = "session",
    params(KeyedCall), request_body = Option<Wanted>,
    responses(
        (status = 201, description = "It is open", body = Opened),
        (status = 400, description = "UNKNOWN_EXPERT"),
        (status = 402, description = "NO_CREDITS"),
        (status = 404, description = "SESSION_NOT_FOUND"),
    ),
)]
pub(crate) async fn open(
    State(state): State<AppState>,
    caller: SignedIn,
    KeyedBodyOrNone(keyed, wanted): KeyedBodyOrNone<Wanted>,
) -> Result<(StatusCode, Json<Opened>), ApiError> {
    let person = &caller.person;
    let is_kept = person.consent.is_on();
    if let Some(before) = keyed.before(&state, person).await? {
        let id = before.ids.first().and_then(|id| SessionId::new(id.as_str()).ok());
        let id = id.ok_or(Code::SESSION_NOT_FOUND)?;
        let session = session::own(&*state.store, &person.id, &id).await?;
        return Ok((StatusCode::CREATED, Json(opened(session, is_kept, state.clock.now()))));
    }
    let experts = &state.sessions.experts;
    let expert = expert(experts, wanted.and_then(|wanted| wanted.expert_id))?;
    let id = SessionId::new(random_id(&*state.chance));
    let id = id.map_err(|error| ApiError::new(Code::INTERNAL).with_cause(error))?;
    let now = state.clock.now();
    let new = NewSession { id, owner: person.id.clone(), expert, now };
    let session = session::open(&*state.store, experts, new, state.sessions.terms).await?;
    keyed.done(&state, person, is_kept, vec![session.id.to_string()]).await?;
    Ok((StatusCode::CREATED, Json(opened(session, is_kept, now))))
}

#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
pub(crate) struct Shown {
    #[schema(value_type = String, format = "uuid")]
    session_id: SessionId,
    #[schema(schema_with = word::session_status)]
    status: &'static str,
    #[schema(schema_with = word::session_type)]
    session_type: &'static str,
    /// Null if it is not timed.
    #[schema(required)]
    remaining_seconds: Option<i64>,
    #[schema(format = DateTime, required)]
    expires_at: Option<String>,
    #[schema(format = DateTime)]
    started_at: String,
    /// Who answers; null if that is not known any more.
    #[schema(value_type = Option<String>, required)]
    expert_id: Option<ExpertId>,
    /// Whether what is said in it now is kept.
    stored: bool,
}

/// How a session of yours stands.
#[utoipa::path(
    get, path = "/api/sessions/{session_id}", operation_id = "session", tag = "session",
    params(SessionUuid),
    responses(
        (status = 200, description = "The session", body = Shown),
        (status = 404, description = "SESSION_NOT_FOUND"),
    ),
)]
pub(crate) async fn show(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(SessionUuid(id)): PathOf<SessionUuid>,
) -> Result<Json<Shown>, ApiError> {
    let session = session::own(&*state.store, &caller.person.id, &id).await?;
    let now = state.clock.now();
    Ok(Json(Shown {
        status: status(session.status(now)),
        session_type: kind(session.kind),
        remaining_seconds: remaining_seconds(&session, now),
        expires_at: session.expires_at().map(Timestamp::to_seconds_text),
        started_at: session.started_at.to_seconds_text(),
        expert_id: session.expert,
        stored: caller.person.consent.is_on(),
        session_id: session.id,
    }))
}

#[derive(Serialize, ToSchema)]
#[schema(as = EndedSession)]
pub(crate) struct Ended {
    #[schema(value_type = String, format = "uuid")]
    session_id: SessionId,
    #[schema(schema_with = word::session_status)]
    status: &'static str,
    duration_used_seconds: i64,
}

/// Ends a session before its time.
#[utoipa::path(
    post, path = "/api/sessions/{session_id}/end", operation_id = "end_session", tag = "session",
    params(SessionUuid, KeyedCall),
    responses(
        (status = 200, description = "It is over", body = Ended),
        (status = 404, description = "SESSION_NOT_FOUND"),
    ),
)]
pub(crate) async fn end(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(SessionUuid(id)): PathOf<SessionUuid>,
    // Ending twice is ending once, with or without a key.
    _keyed: KeyedCall,
) -> Result<Json<Ended>, ApiError> {
    let volatile = &*state.sessions.volatile;
    let now = state.clock.now();
    let session = session::end(&*state.store, volatile, &caller.person.id, &id, now).await?;
    Ok(Json(Ended {
        status: status(session.status(now)),
        duration_used_seconds: used_seconds(&session, now),
        session_id: session.id,
    }))
}

/// Erases a session and what was said in it.
#[utoipa::path(
    delete, path = "/api/sessions/{session_id}", operation_id = "forget_session", tag = "session",
    params(SessionUuid, KeyedCall),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "SESSION_NOT_FOUND"),
    ),
)]
pub(crate) async fn forget(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(SessionUuid(id)): PathOf<SessionUuid>,
    KeyedCall(keyed): KeyedCall,
) -> Result<StatusCode, ApiError> {
    if keyed.before(&state, &caller.person).await?.is_none() {
        let logs = &state.sessions.logs;
        session::forget(&*state.store, logs, &caller.person.id, &id).await?;
        let is_kept = caller.person.consent.is_on();
        keyed.done(&state, &caller.person, is_kept, Vec::new()).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

fn expert(experts: &Experts, wanted: Option<String>) -> Result<ExpertId, ApiError> {
    let wanted = wanted.map(ExpertId::new).transpose();
    wanted.map(|wanted| session::chosen(experts, wanted)).map_err(|_| Code::UNKNOWN_EXPERT.into())
}

fn opened(session: Session, stored: bool, now: Timestamp) -> Opened {
    let session = OpenedSession {
        status: status(session.status(now)),
        session_type: kind(session.kind),
        duration_minutes: session.minutes,
        started_at: session.started_at.to_seconds_text(),
        expires_at: session.expires_at().map(Timestamp::to_seconds_text),
        stored,
        expert_id: session.expert,
        id: session.id,
    };
    Opened { status: "ok", session }
}

fn status(status: SessionStatus) -> &'static str {
    match status {
        SessionStatus::Active => "active",
        SessionStatus::Expired => "expired",
        SessionStatus::Ended => "ended",
    }
}

fn kind(kind: SessionKind) -> &'static str {
    match kind {
        SessionKind::Free => "freemium",
        SessionKind::Paid => "paid",
    }
}

/// None if it is not timed.
fn remaining_seconds(session: &Session, now: Timestamp) -> Option<i64> {
    let end = session.expires_at()?;
    match session.status(now) {
        SessionStatus::Active => Some(seconds_between(now, end)),
        SessionStatus::Expired | SessionStatus::Ended => Some(0),
    }
}

/// From its beginning to its end, and no longer than it was allowed to last.
fn used_seconds(session: &Session, now: Timestamp) -> i64 {
    let end = session.ended_at.unwrap_or(now);
    let end = session.expires_at().map_or(end, |limit| end.min(limit));
    seconds_between(session.started_at, end)
}

fn seconds_between(from: Timestamp, to: Timestamp) -> i64 {
    to.as_millis().saturating_sub(from.as_millis()).div_euclid(1_000).max(0)
}
