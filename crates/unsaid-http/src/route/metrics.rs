//! What Prometheus reads.

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::state::AppState;

const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Counters and timings, for Prometheus.
#[utoipa::path(
    get, path = "/metrics", operation_id = "metrics", tag = "about",
    security(()),
    responses(
        (status = 200, description = "All of them", body = String, content_type = "text/plain"),
    ),
)]
pub(crate) async fn print(State(state): State<AppState>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, TEXT_FORMAT)], state.metrics.render())
}
