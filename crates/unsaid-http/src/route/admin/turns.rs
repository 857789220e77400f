//! What became of turns, as admins see them.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use unsaid_app::sources;
use unsaid_core::domain::conversation::change::{Decided, EndedTurn};
use unsaid_core::domain::id::{Fence, SourceId};
use utoipa::ToSchema;

use crate::auth::Admin;
use crate::error::{ApiError, Code};
use crate::input::field::{PageSize, Position, WrittenId};
use crate::input::path::PathOf;
use crate::input::query::QueryOf;
use crate::openapi::word;
use crate::state::AppState;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OneSource {
    #[param(value_type = String, min_length = 1, max_length = 64, pattern = "^[!-~]+$")]
    source_id: WrittenId<SourceId>,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TurnsQuery {
    /// How many turns; no more than a page.
    #[param(schema_with = word::page_size)]
    limit: Option<PageSize>,
    /// Only turns before this one.
    #[param(schema_with = word::position)]
    before: Option<Position>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Turns {
    turns: Vec<Turn>,
    has_more: bool,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Turn {
    id: u64,
    #[schema(schema_with = word::decision)]
    decision: &'static str,
    /// What broke, if something did.
    #[schema(required)]
    code: Option<String>,
    #[schema(format = DateTime)]
    began_at: String,
    #[schema(format = DateTime)]
    ended_at: String,
}

/// What became of those who asked in one source: how turns ended and when, never words.
#[utoipa::path(
    get, path = "/api/admin/line/sources/{source_id}/turns", operation_id = "line_turns", tag = "admin",
    params(OneSource, TurnsQuery),
    responses(
        (status = 200, description = "Newest first", body = Turns),
        (status = 404, description = "NOT_FOUND"),
    ),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    _admin: Admin,
    PathOf(OneSource { source_id }): PathOf<OneSource>,
    QueryOf(query): QueryOf<TurnsQuery>,
) -> Result<Json<Turns>, ApiError> {
    let source = source_id.or(Code::NOT_FOUND)?;
    let most = state.limits.page_size;
    let limit = query.limit.map_or(most, |limit| limit.within(most));
    let before = query.before.map(|Position(id)| Fence::new(id));
    let found = sources::turns(&*state.store, source, before, limit).await?;
    let sources::Turns { turns, has_more } = found.ok_or(Code::NOT_FOUND)?;
    Ok(Json(Turns { turns: turns.into_iter().map(turn).collect(), has_more }))
}

pub(super) fn turn(ended: EndedTurn) -> Turn {
    let EndedTurn { fence, began_at, decided, ended_at } = ended;
    Turn {
        id: fence.get(),
        decision: decision(&decided),
        code: match decided {
            Decided::Failed { code } => Some(code),
            Decided::Answered
            | Decided::Silent
            | Decided::Stopped
            | Decided::Cancelled
            | Decided::Released => None,
        },
        began_at: began_at.to_seconds_text(),
        ended_at: ended_at.to_seconds_text(),
    }
}

pub(super) fn decision(decided: &Decided) -> &'static str {
    match decided {
        Decided::Answered => "answered",
        Decided::Silent => "silent",
        Decided::Failed { code: _ } => "failed",
        Decided::Stopped => "stopped",
        Decided::Cancelled => "cancelled",
        Decided::Released => "released",
    }
}
