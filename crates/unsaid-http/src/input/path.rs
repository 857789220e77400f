//! What stands between the slashes.

use axum::extract::path::ErrorKind;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::invalid;
use crate::error::{ApiError, Code};

/// The parameters of the path, each parsed by its type.
#[derive(Debug)]
pub struct PathOf<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathOf<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(parsed)) => Ok(Self(parsed)),
            Err(PathRejection::FailedToDeserializePathParams(failed)) => {
                Err(refused(failed.kind()))
            }
            Err(wrong) => Err(ApiError::new(Code::INTERNAL).with_cause(wrong)),
        }
    }
}

/// The names of parameters are ours; what stood there is not repeated.
#[expect(clippy::wildcard_enum_match_arm, reason = "the kinds are axum's, and may become more")]
fn refused(kind: &ErrorKind) -> ApiError {
    match kind {
        ErrorKind::ParseErrorAtKey { key, .. } | ErrorKind::DeserializeError { key, .. } => {
            invalid(key, "not a valid id")
        }
        ErrorKind::InvalidUtf8InPathParam { key } => invalid(key, "not UTF-8"),
        _ => invalid("", "not a valid id in the path"),
    }
}
