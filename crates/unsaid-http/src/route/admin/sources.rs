//! The sources on LINE, as admins see them.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use unsaid_app::sources::{self, Listed};
use unsaid_core::domain::conversation::change::Decided;
use unsaid_core::domain::id::SourceId;
use unsaid_core::domain::source::SourceKind;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::history::SourceReport;

use crate::auth::Admin;
use crate::error::ApiError;
use crate::input::field::{PageSize, source_id};
use crate::input::query::QueryOf;
use crate::state::AppState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourcesQuery {
    limit: Option<PageSize>,
    #[serde(default, deserialize_with = "source_id")]
    after: Option<SourceId>,
}

#[derive(Serialize)]
pub(crate) struct Sources {
    sources: Vec<Source>,
    has_more: bool,
}

#[derive(Serialize)]
struct Source {
    id: SourceId,
    kind: &'static str,
    messages: u64,
    last_activity: Option<String>,
    last_decision: Option<LastDecision>,
}

#[derive(Serialize)]
struct LastDecision {
    decision: &'static str,
    at: String,
}

/// `GET /api/admin/line/sources`
pub(crate) async fn list(
    State(state): State<AppState>,
    _admin: Admin,
    QueryOf(query): QueryOf<SourcesQuery>,
) -> Result<Json<Sources>, ApiError> {
    let most = state.limits.page_size;
    let limit = query.limit.map_or(most, |limit| limit.within(most));
    let page = sources::list(&*state.store, query.after.as_ref(), limit).await?;
    let sources = page.sources.into_iter().map(source).collect();
    Ok(Json(Sources { sources, has_more: page.has_more }))
}

fn source(listed: Listed) -> Source {
    let SourceReport { id, messages, last_at, last_decision } = listed.report;
    Source {
        id,
        kind: kind(listed.kind),
        messages,
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

fn decision(decided: &Decided) -> &'static str {
    match decided {
        Decided::Answered => "answered",
        Decided::Silent => "silent",
        Decided::Failed { code: _ } => "failed",
        Decided::Stopped => "stopped",
        Decided::Cancelled => "cancelled",
        Decided::Released => "released",
    }
}
