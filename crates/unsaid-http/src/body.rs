//! Bodies, read within their limit and their time.

use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, FromRequest, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};

use crate::error::{ApiError, Code};

/// A body that is not there by then, from its first byte to its last, is not waited for.
const BODY_WITHIN: Duration = Duration::from_secs(30);

/// Puts a limit on the bodies of `routes`.
///
/// A body that declares too much is refused before anything of it is read; one that declares
/// nothing is refused by [`RawBody`] as soon as it has sent too much. Whoever goes on sending it must
/// be heard out by the connection, or the refusal does not arrive.
pub fn limited(routes: Router, bytes_max: usize) -> Router {
    routes
        .layer(DefaultBodyLimit::max(bytes_max))
        .layer(from_fn_with_state(bytes_max, refuse_what_declares_too_much))
}

/// The whole body, as it came. Every other way to read one goes through this.
#[derive(Debug)]
pub struct RawBody(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = ApiError;

    async fn from_request(request: Request<Body>, state: &S) -> Result<Self, ApiError> {
        let reading = Bytes::from_request(request, state);
        let Ok(read) = tokio::time::timeout(BODY_WITHIN, reading).await else {
            return Err(ApiError::new(Code::BODY_TOO_SLOW));
        };
        match read {
            Ok(bytes) => Ok(Self(bytes)),
            Err(refused) if refused.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                Err(ApiError::new(Code::BODY_TOO_LARGE))
            }
            Err(broken) => Err(ApiError::new(Code::VALIDATION_ERROR).with_cause(broken)),
        }
    }
}

async fn refuse_what_declares_too_much(
    State(bytes_max): State<usize>,
    request: Request,
    next: Next,
) -> Response {
    if declared_bytes(request.headers()) > bytes_max as u64 {
        return ApiError::new(Code::BODY_TOO_LARGE).into_response();
    }
    next.run(request).await
}

fn declared_bytes(headers: &HeaderMap) -> u64 {
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    declared.and_then(|text| text.parse().ok()).unwrap_or(0)
}
