//! The description of the API, for programs and for people.

use std::sync::Arc;

use axum::Extension;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use crate::openapi::page;

/// The page needs its style and nothing else, and nobody may put it into a frame.
const ONLY_OUR_STYLE: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The description, written once.
pub(crate) struct Described {
    json: String,
    page: String,
}

impl Described {
    pub(crate) fn new(document: &Value) -> Self {
        Self { json: document.to_string(), page: page::render(document) }
    }
}

/// This description, in `OpenAPI` 3.1.
#[utoipa::path(
    get, path = "/api/openapi.json", operation_id = "openapi", tag = "about",
    security(()),
    responses(
        (status = 200, description = "All of it", body = Object, content_type = "application/json"),
    ),
)]
pub(crate) async fn json(Extension(described): Extension<Arc<Described>>) -> Response {
    sent("application/json", described.json.clone())
}

/// This description as a page.
#[utoipa::path(
    get, path = "/api/docs", operation_id = "docs", tag = "about",
    security(()),
    responses(
        (status = 200, description = "All of it", body = String, content_type = "text/html"),
    ),
)]
pub(crate) async fn page(Extension(described): Extension<Arc<Described>>) -> Response {
    let mut response = sent("text/html; charset=utf-8", described.page.clone());
    let policy = HeaderValue::from_static(ONLY_OUR_STYLE);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}

/// How that page looks.
#[utoipa::path(
    get, path = "/api/docs.css", operation_id = "docs_style", tag = "about",
    security(()),
    responses(
        (status = 200, description = "Its style", body = String, content_type = "text/css"),
    ),
)]
pub(crate) async fn style() -> Response {
    sent("text/css; charset=utf-8", page::STYLE)
}

fn sent(kind: &'static str, body: impl Into<axum::body::Body>) -> Response {
    const NOSNIFF: (HeaderName, &str) = (header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    ([(header::CONTENT_TYPE, kind), NOSNIFF], body.into()).into_response()
}
