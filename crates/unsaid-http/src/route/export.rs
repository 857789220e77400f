//! Everything that is held on somebody, for themselves.

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tracing::{Instrument as _, Span};
use unsaid_app::export::{Desk, Export, ExportError};
use unsaid_core::domain::id::PersonId;

use crate::auth::SignedIn;
use crate::error::ApiError;
use crate::state::AppState;

/// Gives a copy of everything held on oneself.
///
/// One JSON object a line, each with its `type`; `docs/reference/export.md` lists them. A connection that
/// breaks off means that it is not all.
#[utoipa::path(
    get, path = "/api/users/me/export", operation_id = "export", tag = "account",
    responses((status = 200, description = "JSON Lines", body = String,
        content_type = "application/x-ndjson")),
)]
pub(crate) async fn export(
    State(state): State<AppState>,
    caller: SignedIn,
) -> Result<Response, ApiError> {
    let id = caller.person.id;
    let mut writing = Writing { export: Export::of_account(id.clone()), state, id };
    // A store that is away from the beginning is an ordinary refusal; later it can only break off.
    let first = writing.next().await?;
    let span = Span::current();
    let told = stream::try_unfold((first, writing), move |so_far| {
        following(so_far).instrument(span.clone())
    });
    let headers = [
        (CONTENT_TYPE, "application/x-ndjson"),
        (CONTENT_DISPOSITION, "attachment; filename=\"unsaid-export.jsonl\""),
        (CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, Body::from_stream(told)).into_response())
}

/// An export on its way out.
struct Writing {
    export: Export,
    state: AppState,
    id: PersonId,
}

impl Writing {
    async fn next(&mut self) -> Result<Option<String>, ExportError> {
        let AppState { store, sessions, clock, .. } = &self.state;
        let memory = Some(&*sessions.volatile);
        self.export.next(Desk { store: &**store, memory, clock: &**clock }).await
    }
}

/// The lines that were read already, or else the next. A failure ends the connection: nobody takes a
/// part for the whole.
async fn following(
    (read, mut writing): (Option<String>, Writing),
) -> Result<Option<(String, (Option<String>, Writing))>, ExportError> {
    let lines = match read {
        Some(lines) => Some(lines),
        None => writing.next().await.inspect_err(|error| {
            tracing::error!(person = %writing.id, %error, "export broke off");
        })?,
    };
    Ok(lines.map(|lines| (lines, (None, writing))))
}
