//! What admins see and do: counts, ids and decisions, never text.
//!
//! - `sources`: who talks on LINE.

pub(crate) mod sources;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use unsaid_app::audit;
use unsaid_app::erase::erase_due;
use unsaid_core::domain::audit::{AuditLine, Erased};
use unsaid_core::domain::id::PersonId;

use crate::auth::Admin;
use crate::error::ApiError;
use crate::idempotency::KeyedCall;
use crate::input::field::{PageSize, Position};
use crate::input::query::QueryOf;
use crate::state::AppState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditQuery {
    limit: Option<PageSize>,
    before: Option<Position>,
}

#[derive(Serialize)]
pub(crate) struct Audit {
    audit: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    id: u64,
    at: String,
    user_id: PersonId,
    reason: &'static str,
    sessions: u64,
    messages: u64,
    media: u64,
    prev_hash: String,
    hash: String,
}

/// `GET /api/admin/audit`
pub(crate) async fn audit(
    State(state): State<AppState>,
    _admin: Admin,
    QueryOf(query): QueryOf<AuditQuery>,
) -> Result<Json<Audit>, ApiError> {
    let most = state.limits.page_size;
    let limit = query.limit.map_or(most, |limit| limit.within(most));
    let before = query.before.map(|Position(id)| id);
    let lines = audit::page(&*state.store, before, limit).await?;
    Ok(Json(Audit { audit: lines.into_iter().map(line).collect() }))
}

#[derive(Serialize)]
pub(crate) struct Ran {
    erased: u64,
}

/// `POST /api/admin/erasures/run`
pub(crate) async fn run_erasures(
    State(state): State<AppState>,
    Admin(caller): Admin,
    KeyedCall(keyed): KeyedCall,
) -> Result<Json<Ran>, ApiError> {
    if let Some(before) = keyed.before(&state, &caller.person).await? {
        let erased = before.ids.first().and_then(|count| count.parse().ok());
        return Ok(Json(Ran { erased: erased.unwrap_or_default() }));
    }
    let report = erase_due(&*state.store, &*state.clock, &|| false).await?;
    for (person, error) in &report.failed {
        tracing::error!(%person, kind = error.name(), %error, "erasure failed");
    }
    let is_kept = caller.person.consent.is_on();
    keyed.done(&state, &caller.person, is_kept, vec![report.erased.to_string()]).await?;
    Ok(Json(Ran { erased: report.erased }))
}

fn line(line: AuditLine) -> Line {
    let AuditLine { id, at, person, reason, erased, prev_hash, hash } = line;
    let Erased { sessions, messages, media } = erased;
    let (at, reason) = (at.to_seconds_text(), reason.as_str());
    Line { id, at, user_id: person, reason, sessions, messages, media, prev_hash, hash }
}
