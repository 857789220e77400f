//! What stands between the slashes.

use axum::extract::path::ErrorKind;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path, RawPathParams};
use axum::http::request::Parts;
use serde::de::{Deserialize, DeserializeOwned, Deserializer};

use super::invalid;
use crate::error::{ApiError, Code};

/// The parameters of the path, each parsed by its type.
#[derive(Debug)]
pub struct PathOf<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathOf<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::<Named<T>>::from_request_parts(parts, state).await {
            Ok(Path(Named::Parsed(parsed))) => Ok(Self(parsed)),
            Ok(Path(Named::Wrong { field })) => {
                let name = if field == "." { only_name(parts, state).await } else { Some(field) };
                Err(invalid(&name.unwrap_or_default(), "not a valid id"))
            }
            Err(PathRejection::FailedToDeserializePathParams(failed)) => {
                Err(refused(failed.kind()))
            }
            Err(wrong) => Err(ApiError::new(Code::INTERNAL).with_cause(wrong)),
        }
    }
}

/// What was parsed, or which parameter cannot be: axum forgets its name when a type of ours refuses.
enum Named<T> {
    Parsed(T),
    /// `.` is what all of them are parsed into.
    Wrong {
        field: String,
    },
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(match serde_path_to_error::deserialize(from) {
            Ok(parsed) => Self::Parsed(parsed),
            Err(error) => Self::Wrong { field: error.path().to_string() },
        })
    }
}

/// The name of the parameter, where there is only one.
async fn only_name<S: Send + Sync>(parts: &mut Parts, state: &S) -> Option<String> {
    let raw = RawPathParams::from_request_parts(parts, state).await.ok()?;
    let mut names = raw.iter().map(|(name, _)| name.to_owned());
    names.next().filter(|_| names.next().is_none())
}

/// The names of parameters are ours; what stood there is not repeated.
#[expect(clippy::wildcard_enum_match_arm, reason = "the kinds are axum's, and may become more")]
fn refused(kind: &ErrorKind) -> ApiError {
    match kind {
        ErrorKind::InvalidUtf8InPathParam { key } => invalid(key, "not UTF-8"),
        _ => invalid("", "not a valid id in the path"),
    }
}
