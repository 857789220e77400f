//! New tokens go out with successful answers.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::token::Issued;

const NEW_TOKEN: HeaderName = HeaderName::from_static("x-new-token");
const EXPIRES_IN: HeaderName = HeaderName::from_static("x-token-expires-in");

/// What goes out with the answer to a call, put there while the call is looked at.
#[derive(Clone, Default)]
pub(crate) struct Renewal(Arc<Mutex<Slot>>);

#[derive(Default)]
struct Slot {
    is_somebodys: bool,
    renewed: Option<Renewed>,
}

/// A new token, in the way the old one came.
pub(super) enum Renewed {
    Bearer(Issued),
    Cookie(Option<HeaderValue>),
}

impl Renewal {
    /// The call is somebody's, and this goes out with its answer.
    pub(super) fn put(&self, renewed: Option<Renewed>) {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = Slot { is_somebodys: true, renewed };
    }
}

impl fmt::Debug for Renewal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Renewal(…)")
    }
}

/// The layer.
pub(crate) async fn renewing(mut request: Request, next: Next) -> Response {
    let renewal = Renewal::default();
    request.extensions_mut().insert(renewal.clone());
    let mut response = next.run(request).await;
    let slot = std::mem::take(&mut *renewal.0.lock().unwrap_or_else(PoisonError::into_inner));
    if slot.is_somebodys {
        let unless_said = response.headers_mut().entry(header::CACHE_CONTROL);
        unless_said.or_insert(HeaderValue::from_static("no-store"));
    }
    if response.status().is_success()
        && let Some(renewed) = slot.renewed
    {
        renewed.write(response.headers_mut());
    }
    response
}

impl Renewed {
    fn write(self, headers: &mut HeaderMap) {
        match self {
            Self::Bearer(issued) => {
                if let Ok(mut token) = HeaderValue::from_str(&issued.text) {
                    token.set_sensitive(true);
                    headers.insert(NEW_TOKEN, token);
                    headers.insert(EXPIRES_IN, HeaderValue::from(issued.expires_in_seconds));
                }
            }
            Self::Cookie(line) => headers.extend(line.map(|line| (header::SET_COOKIE, line))),
        }
    }
}
