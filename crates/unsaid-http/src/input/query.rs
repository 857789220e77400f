//! What follows the `?`.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::{invalid, read};
use crate::error::ApiError;

/// The query, exactly as `T` has it. Everything in it is text: `T` parses it.
#[derive(Debug)]
pub struct QueryOf<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for QueryOf<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let query = parts.uri.query().unwrap_or_default();
        if query.contains('\0') || query.contains("%00") {
            return Err(invalid("", "contains U+0000"));
        }
        let pairs = form_urlencoded::parse(query.as_bytes());
        read(serde_urlencoded::Deserializer::new(pairs)).map(Self)
    }
}
