//! Whether the server lives, and whether it can work.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use unsaid_core::port::error::StoreError;

use crate::error::ApiError;
use crate::state::{AppState, ModelSeat};

/// As long as a store may take for anything.
const PROBE_MAX: Duration = Duration::from_millis(1500);

#[derive(Serialize)]
pub(crate) struct Alive {
    status: &'static str,
}

#[derive(Serialize)]
pub(crate) struct Ready {
    status: &'static str,
    database: &'static str,
    model: ModelSeat,
}

/// `GET /healthz`
pub(crate) async fn alive() -> Json<Alive> {
    Json(Alive { status: "ok" })
}

/// `GET /readyz`
pub(crate) async fn ready(State(state): State<AppState>) -> Result<Json<Ready>, ApiError> {
    let probe = tokio::time::timeout(PROBE_MAX, state.database.check()).await;
    probe.unwrap_or_else(|_| Err(StoreError::Unavailable("no answer in time".into())))?;
    Ok(Json(Ready { status: "ready", database: "ok", model: state.model }))
}
