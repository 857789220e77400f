//! Request ids, the request log and the HTTP metrics: the outermost layer, passed by every call.
//!
//! A log line holds the route, never the path or the query: they may carry words and keys.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::time::Instant;
use tracing::Instrument as _;
use unsaid_core::port::clock::Chance;

use crate::error::ApiError;

/// Calls answered, by method, route and status.
pub const REQUESTS_TOTAL: &str = "unsaid_http_requests_total";
/// Seconds until an answer began, by method and route.
pub const REQUEST_SECONDS: &str = "unsaid_http_request_seconds";

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const REQUEST_ID_CHARS_MAX: usize = 64;
const UNMATCHED: &str = "unmatched";

/// Names the metrics of this door for whoever reads `/metrics`.
pub fn describe_metrics() {
    metrics::describe_counter!(REQUESTS_TOTAL, "calls answered");
    metrics::describe_histogram!(
        REQUEST_SECONDS,
        metrics::Unit::Seconds,
        "time until an answer began"
    );
}

/// The name of one call, in every answer and on every log line about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// The caller's own id if it is harmless, else a new one.
    fn of(headers: &HeaderMap, chance: &dyn Chance) -> Self {
        let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
        match given {
            Some(id) if is_harmless(id) => Self(id.to_owned()),
            Some(_) | None => Self::random(chance),
        }
    }

    fn random(chance: &dyn Chance) -> Self {
        let mut bytes = [0; 16];
        chance.fill(&mut bytes);
        let hex = bytes.iter().fold(String::with_capacity(32), |mut hex, byte| {
            // writing to a string cannot fail
            write!(hex, "{byte:02x}").unwrap_or_default();
            hex
        });
        Self(hex)
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_harmless(id: &str) -> bool {
    (1..=REQUEST_ID_CHARS_MAX).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// The layer.
pub(crate) async fn watch(
    State(chance): State<Arc<dyn Chance>>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = RequestId::of(request.headers(), &*chance);
    let method = method_name(request.method());
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let route = route.unwrap_or_else(|| UNMATCHED.to_owned());
    request.extensions_mut().insert(id.clone());

    // The runtime's own clock: it measures, it does not date anything, and tests can hold it still.
    let begun = Instant::now();
    // An error span, so that the id is on the line of a failure under every filter.
    let span = tracing::error_span!("request", request_id = id.as_str());
    let response = next.run(request).instrument(span.clone()).await;
    let seconds = begun.elapsed().as_secs_f64();

    let _entered = span.entered();
    let mut response = written_out(response, &id);
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    record(method, route, response.status(), seconds);
    response
}

/// Gives a failure its body, and its cause to the log.
fn written_out(mut response: Response, id: &RequestId) -> Response {
    let Some(error) = response.extensions_mut().remove::<ApiError>() else {
        return response;
    };
    let code = error.code().name();
    if let Some(cause) = error.cause() {
        if error.code().status().is_server_error() {
            tracing::error!(code, cause, "request failed");
        } else {
            tracing::debug!(code, cause, "request refused");
        }
    }
    let (mut parts, _) = response.into_parts();
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // The empty body's length is already on it, and is no longer true.
    parts.headers.remove(header::CONTENT_LENGTH);
    (parts, error.body(id.as_str())).into_response()
}

fn record(method: &'static str, route: String, status: StatusCode, seconds: f64) {
    let millis = (seconds * 1e6).round() / 1e3;
    tracing::info!(method, path = route, status = status.as_u16(), millis, "answered");
    metrics::histogram!(REQUEST_SECONDS, "method" => method, "path" => route.clone())
        .record(seconds);
    metrics::counter!(
        REQUESTS_TOTAL,
        "method" => method, "path" => route, "status" => status.as_str().to_owned()
    )
    .increment(1);
}

/// The method as a label: strangers must not be able to make new ones.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}
