//! Whether the server lives, and whether it can work.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use unsaid_core::port::error::StoreError;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::openapi::word;
use crate::state::{AppState, ModelSeat};

/// As long as a store may take for anything.
const PROBE_MAX: Duration = Duration::from_millis(1500);

#[derive(Serialize, ToSchema)]
pub(crate) struct Alive {
    #[schema(schema_with = word::ok)]
    status: &'static str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Ready {
    #[schema(schema_with = word::ready)]
    status: &'static str,
    #[schema(schema_with = word::ok)]
    database: &'static str,
    model: ModelSeat,
}

/// Whether the server lives.
#[utoipa::path(
    get, path = "/healthz", operation_id = "alive", tag = "about",
    security(()),
    responses(
        (status = 200, description = "It does", body = Alive),
    ),
)]
pub(crate) async fn alive() -> Json<Alive> {
    Json(Alive { status: "ok" })
}

/// Whether the server can work, and which model answers.
#[utoipa::path(
    get, path = "/readyz", operation_id = "ready", tag = "about",
    security(()),
    responses(
        (status = 200, description = "It can", body = Ready),
        (status = 503, description = "STORAGE_UNAVAILABLE, STORAGE_DAMAGED"),
        (status = 507, description = "STORAGE_FULL"),
    ),
)]
pub(crate) async fn ready(State(state): State<AppState>) -> Result<Json<Ready>, ApiError> {
    let probe = tokio::time::timeout(PROBE_MAX, state.database.check()).await;
    probe.unwrap_or_else(|_| Err(StoreError::Unavailable("no answer in time".into())))?;
    Ok(Json(Ready { status: "ready", database: "ok", model: state.model }))
}
