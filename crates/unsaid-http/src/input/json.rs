//! Bodies.

mod once;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;

use self::once::Once;
use super::{explained, invalid, read};
use crate::body::RawBody;
use crate::error::{ApiError, Code};

/// A body in JSON, exactly as `T` has it.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request<Body>, state: &S) -> Result<Self, ApiError> {
        refuse_other_types(request.headers())?;
        let RawBody(bytes) = RawBody::from_request(request, state).await?;
        parsed(&bytes).map(Self)
    }
}

/// The body of a call that takes none: nothing at all, `null` or `{}`.
#[derive(Debug)]
pub struct NoBody;

impl<S: Send + Sync> FromRequest<S> for NoBody {
    type Rejection = ApiError;

    async fn from_request(request: Request<Body>, state: &S) -> Result<Self, ApiError> {
        let is_json = refuse_other_types(request.headers());
        let RawBody(bytes) = RawBody::from_request(request, state).await?;
        parsed_or_none::<NoFields>(is_json, &bytes).map(|_| Self)
    }
}

/// What may stand in a body that means nothing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoFields {}

/// Only JSON is taken.
pub(crate) fn refuse_other_types(headers: &HeaderMap) -> Result<(), ApiError> {
    let mut kinds = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(kind), None) = (kinds.next(), kinds.next()) else {
        return Err(Code::UNSUPPORTED_MEDIA_TYPE.into());
    };
    let essence = kind.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    if essence.trim().eq_ignore_ascii_case("application/json") {
        Ok(())
    } else {
        Err(Code::UNSUPPORTED_MEDIA_TYPE.into())
    }
}

/// A body that is JSON, and gives no field twice.
fn whole(bytes: &[u8]) -> Result<Value, ApiError> {
    let not_json = || invalid("", "the body is not JSON");
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = serde_path_to_error::deserialize(&mut reader);
    let Once(whole) = read.map_err(|error| match error.inner().classify() {
        Category::Data => explained(&error.path().to_string(), &error.inner().to_string()),
        Category::Io | Category::Syntax | Category::Eof => not_json(),
    })?;
    reader.end().map_err(|_| not_json())?;
    Ok(whole)
}

/// Reads a body; an object, and nothing in it that `T` does not know.
pub(crate) fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let whole = whole(bytes)?;
    if !whole.is_object() {
        return Err(invalid("", "the body is not a JSON object"));
    }
    refuse_nul("", &whole)?;
    read(whole)
}

/// The same for a body that may be left out, or be null. What is not there needs no type.
pub(crate) fn parsed_or_none<T: DeserializeOwned>(
    is_json: Result<(), ApiError>,
    bytes: &[u8],
) -> Result<Option<T>, ApiError> {
    if bytes.is_empty() {
        return Ok(None);
    }
    is_json?;
    if bytes.trim_ascii() == b"null" { Ok(None) } else { parsed(bytes).map(Some) }
}

/// Some stores cannot hold U+0000, so nobody takes it.
fn refuse_nul(at: &str, value: &Value) -> Result<(), ApiError> {
    match value {
        Value::String(text) if text.contains('\0') => Err(invalid(at, "contains U+0000")),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        Value::Array(values) => values.iter().try_for_each(|value| refuse_nul(at, value)),
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            if name.contains('\0') {
                return Err(invalid(at, "contains U+0000"));
            }
            let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
            refuse_nul(&at, value)
        }),
    }
}
