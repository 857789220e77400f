//! What admins see and do: counts, ids and decisions, never text of others.
//!
//! - `sources`: who talks on LINE. `turns`: what became of it. `rehearsal`: trying the bot without.

pub(crate) mod rehearsal;
pub(crate) mod sources;
pub(crate) mod turns;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use unsaid_app::audit;
use unsaid_app::erase::erase_due;
use unsaid_core::domain::audit::{AuditLine, Erased};
use unsaid_core::domain::id::PersonId;
use utoipa::ToSchema;

use crate::auth::Admin;
use crate::error::ApiError;
use crate::idempotency::KeyedCall;
use crate::input::field::{PageSize, Position};
use crate::input::query::QueryOf;
use crate::openapi::word;
use crate::state::AppState;

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AuditQuery {
    /// How many lines; no more than a page.
    #[param(schema_with = word::page_size)]
    limit: Option<PageSize>,
    /// Only lines before this one.
    #[param(schema_with = word::position)]
    before: Option<Position>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Audit {
    audit: Vec<Line>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = AuditLine)]
struct Line {
    id: u64,
    #[schema(format = DateTime)]
    at: String,
    #[schema(value_type = String)]
    user_id: PersonId,
    reason: &'static str,
    sessions: u64,
    messages: u64,
    media: u64,
    #[schema(schema_with = word::sha256)]
    prev_hash: String,
    #[schema(schema_with = word::sha256)]
    hash: String,
}

/// What was erased, when and why; each line seals the one before it.
#[utoipa::path(
    get, path = "/api/admin/audit", operation_id = "audit", tag = "admin",
    params(AuditQuery),
    responses(
        (status = 200, description = "The newest, oldest first", body = Audit),
    ),
)]
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

#[derive(Serialize, ToSchema)]
pub(crate) struct Ran {
    erased: u64,
}

/// Erases now what is due.
#[utoipa::path(
    post, path = "/api/admin/erasures/run", operation_id = "run_erasures", tag = "admin",
    params(KeyedCall),
    responses(
        (status = 200, description = "How many people were erased", body = Ran),
    ),
)]
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
