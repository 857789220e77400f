//! What Prometheus reads.

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::state::AppState;

const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// `GET /metrics`
pub(crate) async fn print(State(state): State<AppState>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, TEXT_FORMAT)], state.metrics.render())
}
