//! Bodies.

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{invalid, read};
use crate::body::RawBody;
use crate::error::{ApiError, Code};

/// A body in JSON, exactly as `T` has it.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request<Body>, state: &S) -> Result<Self, ApiError> {
        if !is_json(request.headers()) {
            return Err(ApiError::new(Code::UNSUPPORTED_MEDIA_TYPE));
        }
        let RawBody(bytes) = RawBody::from_request(request, state).await?;
        let whole: Value =
            serde_json::from_slice(&bytes).map_err(|_| invalid("", "the body is not JSON"))?;
        if !whole.is_object() {
            return Err(invalid("", "the body is not a JSON object"));
        }
        refuse_nul("", &whole)?;
        read(whole).map(Self)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let mut kinds = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(kind), None) = (kinds.next(), kinds.next()) else { return false };
    let essence = kind.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
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
