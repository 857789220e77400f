//! How it fails, on order.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::stream;
use tokio_util::sync::CancellationToken;

use super::rules::refusal;

const FLOOD: Bytes = Bytes::from_static(&[b' '; 16 << 10]);

/// What comes instead of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Another status.
    Status {
        /// Which.
        status: u16,
        /// With this advice.
        retry_after: Option<Duration>,
    },
    /// Nothing, until [`super::StandIn::hang_up`].
    Hang,
    /// The end of the connection.
    Cut,
    /// A redirect to this address.
    Redirect(String),
    /// A success whose body never ends.
    Flood,
}

impl Fault {
    /// Another status, without advice.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::Status { status, retry_after: None }
    }

    /// Too many requests; come again after this many seconds.
    #[must_use]
    pub fn limited(seconds: u64) -> Self {
        Self::Status { status: 429, retry_after: Some(Duration::from_secs(seconds)) }
    }

    /// The status that is seen outside, if one is.
    pub(super) fn seen_as(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } => Some(*status),
            Self::Redirect(_) => Some(307),
            Self::Flood => Some(200),
            Self::Hang | Self::Cut => None,
        }
    }

    /// What hangs does so until it is let go; then it is cut.
    pub(super) async fn happen(self, hanging: CancellationToken) -> Response {
        match self {
            Self::Status { status, retry_after } => {
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::IM_A_TEAPOT);
                let mut response = refusal(status, "on order");
                if let Some(wait) = retry_after {
                    response.headers_mut().insert(header::RETRY_AFTER, wait.as_secs().into());
                }
                response
            }
            Self::Hang => {
                hanging.cancelled().await;
                cut()
            }
            Self::Cut => cut(),
            Self::Redirect(to) => {
                let mut response = StatusCode::TEMPORARY_REDIRECT.into_response();
                if let Ok(to) = HeaderValue::try_from(to) {
                    response.headers_mut().insert(header::LOCATION, to);
                }
                response
            }
            Self::Flood => {
                let flood = stream::repeat_with(|| Ok::<_, Infallible>(FLOOD));
                Response::new(Body::from_stream(flood))
            }
        }
    }
}

fn cut() -> Response {
    let mut response = Response::default();
    response.extensions_mut().insert(Cut);
    response
}

/// Instead of an answer, the connection ends.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("cut on order")]
pub(super) struct Cut;
