//! The sources on LINE, as admins see them.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use unsaid_app::sources::{self, Listed};
use unsaid_core::domain::id::SourceId;
use unsaid_core::domain::source::SourceKind;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::history::SourceReport;
use utoipa::ToSchema;

use super::turns::decision;
use crate::auth::Admin;
use crate::error::ApiError;
use crate::input::field::{PageSize, source_id};
use crate::input::query::QueryOf;
use crate::openapi::word;
use crate::state::AppState;

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SourcesQuery {
    /// How many sources; no more than a page.
    #[param(schema_with = word::page_size)]
    limit: Option<PageSize>,
    /// Only sources after this one.
    #[serde(default, deserialize_with = "source_id")]
    #[param(value_type = Option<String>, min_length = 1, max_length = 64, pattern = "^[!-~]+$")]
    after: Option<SourceId>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Sources {
    sources: Vec<Source>,
    has_more: bool,
}

#[derive(Serialize, ToSchema)]
struct Source {
    #[schema(value_type = String)]
    id: SourceId,
    #[schema(schema_with = word::source_kind)]
    kind: &'static str,
    messages: u64,
    /// Whether what is said there is kept; otherwise it is gone when the server restarts.
    stored: bool,
    #[schema(format = DateTime, required)]
    last_activity: Option<String>,
    #[schema(required)]
    last_decision: Option<LastDecision>,
}

#[derive(Serialize, ToSchema)]
struct LastDecision {
    #[schema(schema_with = word::decision)]
    decision: &'static str,
    #[schema(format = DateTime)]
    at: String,
}

/// Who talks on LINE: counts and times, never words.
#[utoipa::path(
    get, path = "/api/admin/line/sources", operation_id = "line_sources", tag = "admin",
    params(SourcesQuery),
    responses(
        (status = 200, description = "In the order of their ids", body = Sources),
    ),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    _admin: Admin,
    QueryOf(query): QueryOf<SourcesQuery>,
) -> Result<Json<Sources>, ApiError> {
    let most = state.limits.page_size;
    let limit = query.limit.map_or(most, |limit| limit.within(most));
    let page = sources::list(&*state.store, query.after.as_ref(), limit).await?;
    let sources = page.sources.into_iter().map(|listed| source(listed, state.keeps_line)).collect();
    Ok(Json(Sources { sources, has_more: page.has_more }))
}

fn source(listed: Listed, stored: bool) -> Source {
    let SourceReport { id, messages, last_at, last_decision } = listed.report;
    Source {
        id,
        kind: kind(listed.kind),
        messages,
        stored,
        last_activity: last_at.map(Timestamp::to_seconds_text),
        last_decision: last_decision.map(|(decided, at)| LastDecision {
            decision: decision(&decided),
            at: at.to_seconds_text(),
        }),
    }
}

fn kind(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Person => "user",
        SourceKind::Group => "group",
        SourceKind::Room => "room",
    }
}
