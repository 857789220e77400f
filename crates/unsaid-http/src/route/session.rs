//! Sessions with experts: opening, looking, ending, reading, taking back.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use unsaid_app::call::Call;
use unsaid_app::session::{self, Experts, Listed, place};
use unsaid_core::domain::conversation::log::Entry;
use unsaid_core::domain::id::{AgentId, MessageId, PersonId, SessionId};
use unsaid_core::domain::message::{Message, Part};
use unsaid_core::domain::session::{Session, SessionKind, SessionStatus};
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::people::NewSession;

use super::chat;
use crate::auth::SignedIn;
use crate::error::{ApiError, Code};
use crate::idempotency::{KeyedBody, KeyedBodyOrNone, KeyedCall};
use crate::input::field::{PageSize, Position, SessionUuid};
use crate::input::path::PathOf;
use crate::input::query::QueryOf;
use crate::state::AppState;
use crate::token::random_id;

/// How many sessions are listed unless asked otherwise.
const LISTED: usize = 50;
/// So much of the newest message is shown in a list.
const PREVIEW_CHARS: usize = 100;
const OFF: &str = "History storage is disabled";

#[derive(Serialize)]
pub(crate) struct ExpertList {
    experts: Vec<ExpertLine>,
}

#[derive(Serialize)]
struct ExpertLine {
    id: AgentId,
    name: String,
    description: String,
}

/// `GET /api/experts`
pub(crate) async fn experts(State(state): State<AppState>, _caller: SignedIn) -> Json<ExpertList> {
    let experts = state.sessions.experts.iter().map(|expert| ExpertLine {
        id: expert.id.clone(),
        name: expert.name.clone(),
        description: expert.description.clone(),
    });
    Json(ExpertList { experts: experts.collect() })
}

#[derive(Serialize)]
pub(crate) struct CreditLine {
    user_id: PersonId,
    free_remaining: Option<u32>,
    paid_remaining: Option<u32>,
    total_available: Option<u32>,
}

/// `GET /api/users/credits`
pub(crate) async fn credits(State(state): State<AppState>, caller: SignedIn) -> Json<CreditLine> {
    let left = session::credits(&caller.person, state.sessions.terms);
    Json(CreditLine {
        user_id: caller.person.id,
        free_remaining: left.map(|left| left.free),
        paid_remaining: left.map(|left| left.paid),
        total_available: left.map(|left| left.free.saturating_add(left.paid)),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    #[serde(default)]
    expert_id: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Opened {
    status: &'static str,
    session: OpenedSession,
}

#[derive(Serialize)]
struct OpenedSession {
    id: SessionId,
    expert_id: Option<AgentId>,
    session_type: &'static str,
    duration_minutes: Option<u32>,
    started_at: String,
    expires_at: Option<String>,
    status: &'static str,
    stored: bool,
}

/// `POST /api/sessions`
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

#[derive(Serialize)]
pub(crate) struct Shown {
    session_id: SessionId,
    status: &'static str,
    session_type: &'static str,
    remaining_seconds: Option<i64>,
    expires_at: Option<String>,
    started_at: String,
}

/// `GET /api/sessions/{id}`
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
        session_id: session.id,
    }))
}

#[derive(Serialize)]
pub(crate) struct Ended {
    session_id: SessionId,
    status: &'static str,
    duration_used_seconds: i64,
}

/// `POST /api/sessions/{id}/end`
pub(crate) async fn end(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(SessionUuid(id)): PathOf<SessionUuid>,
    // Ending twice is ending once, with or without a key.
    _keyed: KeyedCall,
) -> Result<Json<Ended>, ApiError> {
    let volatile = &*state.sessions.logs.volatile.history;
    let now = state.clock.now();
    let session = session::end(&*state.store, volatile, &caller.person.id, &id, now).await?;
    Ok(Json(Ended {
        status: status(session.status(now)),
        duration_used_seconds: used_seconds(&session, now),
        session_id: session.id,
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListQuery {
    limit: Option<PageSize>,
    offset: Option<Position>,
}

#[derive(Serialize)]
pub(crate) struct SessionList {
    sessions: Vec<SessionLine>,
    total: u64,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'static str>,
}

#[derive(Serialize)]
struct SessionLine {
    id: SessionId,
    expert_id: Option<AgentId>,
    expert_name: Option<String>,
    started_at: String,
    ended_at: Option<String>,
    message_count: u64,
    last_message_preview: Option<String>,
    session_type: &'static str,
}

/// `GET /api/users/me/sessions`
pub(crate) async fn list(
    State(state): State<AppState>,
    caller: SignedIn,
    QueryOf(query): QueryOf<ListQuery>,
) -> Result<Json<SessionList>, ApiError> {
    let most = state.limits.page_size;
    let limit = query.limit.map_or(LISTED.min(most), |limit| limit.within(most));
    let offset = query.offset.map_or(0, |Position(offset)| offset);
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let kept = &*state.sessions.logs.kept.history;
    let listed = session::list(&*state.store, kept, &caller.person.id, start, limit).await?;
    let Some((listed, total)) = listed else {
        let sessions = Vec::new();
        return Ok(Json(SessionList { sessions, total: 0, has_more: false, message: Some(OFF) }));
    };
    let now = state.clock.now();
    let has_more = offset.saturating_add(listed.len() as u64) < total;
    let experts = &state.sessions.experts;
    let sessions = listed.into_iter().map(|listed| line(experts, listed, now)).collect();
    Ok(Json(SessionList { sessions, total, has_more, message: None }))
}

#[derive(Serialize)]
pub(crate) struct Messages {
    session_id: SessionId,
    messages: Vec<MessageLine>,
}

#[derive(Serialize)]
struct MessageLine {
    id: MessageId,
    role: &'static str,
    content: String,
    timestamp: String,
}

/// `GET /api/sessions/{id}/messages`
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

#[derive(Deserialize)]
pub(crate) struct OneMessage {
    session_id: SessionUuid,
    message_id: MessageId,
}

/// `DELETE /api/sessions/{id}/messages/{message_id}`
pub(crate) async fn unsend(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(OneMessage { session_id: SessionUuid(id), message_id }): PathOf<OneMessage>,
    // Taking back twice is taking back once, with or without a key.
    _keyed: KeyedCall,
) -> Result<StatusCode, ApiError> {
    let session = session::own(&*state.store, &caller.person.id, &id).await?;
    let sessions = &state.sessions;
    let call = Call::new(place(&session), state.clock.now());
    sessions.logs.unsend(call, message_id, sessions.ripple).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewWords {
    message: String,
}

/// `PUT /api/sessions/{id}/messages/{message_id}`
pub(crate) async fn edit(
    State(state): State<AppState>,
    caller: SignedIn,
    PathOf(OneMessage { session_id: SessionUuid(id), message_id }): PathOf<OneMessage>,
    KeyedBody(keyed, NewWords { message }): KeyedBody<NewWords>,
) -> Result<Response, ApiError> {
    let words = chat::words(&state, "message", message)?;
    chat::Turn::of(state, caller.person, &id, keyed).await?.edit(message_id, words).await
}

/// `DELETE /api/sessions/{id}`
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

fn expert(experts: &Experts, wanted: Option<String>) -> Result<AgentId, ApiError> {
    let wanted = wanted.map(|wanted| AgentId::from_name(&wanted)).transpose();
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

fn line(experts: &Experts, listed: Listed, now: Timestamp) -> SessionLine {
    let Listed { held, newest } = listed;
    let session = held.session;
    let expert = session.expert.as_ref().and_then(|id| experts.get(id));
    let ran_out = session.expires_at().filter(|end| *end <= now);
    SessionLine {
        expert_name: expert.map(|expert| expert.name.clone()),
        started_at: session.started_at.to_seconds_text(),
        ended_at: session.ended_at.or(ran_out).map(Timestamp::to_seconds_text),
        message_count: held.messages,
        last_message_preview: newest.map(|entry| preview(&entry.message)),
        session_type: kind(session.kind),
        expert_id: session.expert,
        id: session.id,
    }
}

fn message_line(entry: Entry) -> MessageLine {
    let role = if entry.message.author.is_person() { "user" } else { "assistant" };
    let (content, timestamp) = (text_of(&entry.message), entry.message.at.to_seconds_text());
    MessageLine { id: entry.message.id, role, content, timestamp }
}

fn preview(message: &Message) -> String {
    text_of(message).chars().take(PREVIEW_CHARS).collect()
}

/// The text of a message.
pub(crate) fn text_of(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        Part::Media { .. } | Part::Original { .. } => None,
    });
    texts.collect::<Vec<_>>().join("\n")
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
