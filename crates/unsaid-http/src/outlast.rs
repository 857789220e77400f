//! Calls that change something outlast their callers.
//!
//! Whoever hangs up drops everything that was waiting for them. A change may be on its way to the disk by
//! then: it would happen, and nobody who watches would hear of it, no turn would be cancelled for it (H5),
//! and what is only in memory would not follow. So such a call has a task of its own, and ends in it.

use std::panic::resume_unwind;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use crate::error::{ApiError, Code};

/// The layer.
pub(crate) async fn outlast(
    State(calls): State<TaskTracker>,
    request: Request,
    next: Next,
) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    let response = to_its_end(&calls, next.run(request)).await;
    response.unwrap_or_else(IntoResponse::into_response)
}

/// Does some work to its end, also if whoever waits for it goes away.
pub(crate) async fn to_its_end<T: Send + 'static>(
    calls: &TaskTracker,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, ApiError> {
    calls.spawn(work.in_current_span()).await.map_err(|ended| match ended.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(ended) => ApiError::new(Code::INTERNAL).with_cause(ended),
    })
}
