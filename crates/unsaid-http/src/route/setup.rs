//! The way in for the owner of a new installation.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use unsaid_app::owner::owner;

use super::auth::new_person_id;
use crate::auth;
use crate::error::{ApiError, Code};
use crate::input::query::QueryOf;
use crate::page;
use crate::state::AppState;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SetupQuery {
    /// The key in the link that the server printed.
    #[param(value_type = Option<String>)]
    #[serde(default)]
    key: String,
}

/// Lets the owner of a new installation in, once.
#[utoipa::path(
    get, path = "/setup", operation_id = "setup", tag = "about",
    security(()),
    params(SetupQuery),
    responses(
        (status = 303, description = "Signed in by cookie; go on to the page", headers(
            ("Location" = String), ("Set-Cookie" = String)
        )),
        (status = 403, description = "SETUP_LINK_INVALID"),
        (status = 503, description = "STORAGE_UNAVAILABLE, STORAGE_DAMAGED"),
        (status = 507, description = "STORAGE_FULL"),
    ),
)]
pub(crate) async fn enter(
    State(state): State<AppState>,
    method: Method,
    headers: HeaderMap,
    QueryOf(SetupQuery { key }): QueryOf<SetupQuery>,
) -> Result<Response, ApiError> {
    // Somebody who only looks ahead must not use the link up.
    if method != Method::GET {
        return Err(Code::METHOD_NOT_ALLOWED.into());
    }
    let now = state.clock.now();
    let Some(taken) = state.accounts.setup.take(&key, now) else {
        let page = page::refused(&headers, Code::SETUP_LINK_INVALID.status());
        return page.ok_or_else(|| Code::SETUP_LINK_INVALID.into());
    };
    let id = new_person_id(&state)?;
    let made = owner(&*state.store, id, &state.accounts.notice_version, now).await;
    let owner = match made {
        Ok(owner) => owner,
        Err(error) => {
            state.accounts.setup.put_back(taken);
            return Err(error.into());
        }
    };
    let issued = state.accounts.tokens.sign_in(&owner, now, &*state.chance);
    let issued = issued.ok_or(Code::INTERNAL)?;
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, HeaderValue::from_static("/"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let cookie = auth::set(&issued, state.accounts.public.is_secure());
    headers.extend(cookie.map(|line| (header::SET_COOKIE, line)));
    Ok(response)
}
