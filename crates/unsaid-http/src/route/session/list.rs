//! The sessions of somebody that were kept.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use unsaid_app::session::{self, Experts, Listed};
use unsaid_core::domain::id::{ExpertId, SessionId};
use unsaid_core::domain::message::Message;
use unsaid_core::domain::time::Timestamp;
use utoipa::ToSchema;

use super::kind;
use crate::auth::SignedIn;
use crate::error::ApiError;
use crate::input::field::{PageSize, Position};
use crate::input::query::QueryOf;
use crate::openapi::word;
use crate::state::AppState;

/// How many sessions are listed unless asked otherwise.
const LISTED: usize = 50;
/// So much of the newest message is shown in a list.
const PREVIEW_CHARS: usize = 100;
const OFF: &str = "History storage is disabled";

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// How many sessions; no more than a page.
    #[param(schema_with = word::page_size)]
    limit: Option<PageSize>,
    /// How many are left out before them.
    #[param(schema_with = word::position)]
    offset: Option<Position>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SessionList {
    sessions: Vec<SessionLine>,
    total: u64,
    has_more: bool,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'static str>,
}

#[derive(Serialize, ToSchema)]
struct SessionLine {
    #[schema(value_type = String, format = "uuid")]
    id: SessionId,
    #[schema(value_type = Option<String>, required)]
    expert_id: Option<ExpertId>,
    #[schema(required)]
    expert_name: Option<String>,
    #[schema(format = DateTime)]
    started_at: String,
    #[schema(format = DateTime, required)]
    ended_at: Option<String>,
    message_count: u64,
    /// The beginning of the newest message.
    #[schema(required)]
    last_message_preview: Option<String>,
    #[schema(schema_with = word::session_type)]
    session_type: &'static str,
}

/// Your sessions that were kept, newest first.
#[utoipa::path(
    get, path = "/api/users/me/sessions", operation_id = "sessions", tag = "session",
    params(ListQuery),
    responses(
        (status = 200, description = "A page of them", body = SessionList),
    ),
)]
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

fn preview(message: &Message) -> String {
    message.text().chars().take(PREVIEW_CHARS).collect()
}
