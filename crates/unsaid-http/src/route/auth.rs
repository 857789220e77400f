//! Signing up, in and out.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use unsaid_app::account;
use unsaid_app::register::{NewPerson, register_from};
use unsaid_app::sign_in::{Typed, sign_in};
use unsaid_core::domain::id::PersonId;
use unsaid_core::domain::password::Password;
use unsaid_core::domain::person::{Email, Person};
use unsaid_core::domain::text::Words;
use utoipa::ToSchema;

use crate::auth::{self, SignedIn};
use crate::client::ClientAddress;
use crate::error::{ApiError, Code};
use crate::input::field;
use crate::input::json::{JsonBody, NoBody};
use crate::input::query::QueryOf;
use crate::openapi::word;
use crate::state::AppState;
use crate::token::random_id;

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Registration {
    #[serde(deserialize_with = "field::email")]
    #[schema(value_type = String, format = Email, max_length = 254)]
    email: Email,
    #[serde(deserialize_with = "field::password")]
    #[schema(value_type = String, format = Password, min_length = 8, max_length = 128)]
    password: Password,
    /// What you want to be called. `display_name` is taken in its place.
    #[serde(alias = "display_name", deserialize_with = "field::display_name")]
    #[schema(value_type = String, min_length = 1, max_length = 100)]
    name: Words,
    /// Whether what you say may be kept; no, unless you say so.
    #[serde(default)]
    store_history_consent: Option<bool>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Registered {
    #[schema(schema_with = word::ok)]
    status: &'static str,
    #[schema(value_type = String, format = "uuid")]
    user_id: PersonId,
    message: &'static str,
}

/// Makes an account.
#[utoipa::path(
    post, path = "/api/auth/register", operation_id = "register", tag = "account",
    security(()),
    request_body = Registration,
    responses(
        (status = 201, description = "The account is there", body = Registered),
        (status = 403, description = "REGISTRATION_CLOSED"),
        (status = 409, description = "EMAIL_TAKEN"),
    ),
)]
pub(crate) async fn register(
    State(state): State<AppState>,
    ClientAddress(from): ClientAddress,
    JsonBody(wanted): JsonBody<Registration>,
) -> Result<(StatusCode, Json<Registered>), ApiError> {
    if !state.accounts.registration_open {
        return Err(Code::REGISTRATION_CLOSED.into());
    }
    let id = new_person_id(&state)?;
    let new = NewPerson {
        id: id.clone(),
        email: wanted.email,
        display_name: wanted.name,
        admin: false,
        consent: wanted.store_history_consent.unwrap_or(false),
        notice_version: state.accounts.notice_version.clone(),
        door: "sign-up",
    };
    register_from(&state.reception(), &from, new, wanted.password).await?;
    let message = "Registration successful";
    Ok((StatusCode::CREATED, Json(Registered { status: "ok", user_id: id, message })))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Credentials {
    email: String,
    #[schema(format = Password)]
    password: String,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LoginQuery {
    /// Puts the token into a cookie that scripts cannot read, and not into the answer.
    #[serde(default, deserialize_with = "field::yes_or_no")]
    cookie: bool,
}

#[derive(Serialize, ToSchema)]
struct LoggedIn {
    /// Missing if it is in the cookie.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// In seconds.
    expires_in: i64,
    #[schema(schema_with = word::bearer)]
    token_type: &'static str,
    user: User,
}

#[derive(Serialize, ToSchema)]
struct User {
    #[schema(value_type = String, format = "uuid")]
    id: PersonId,
    email: String,
    #[schema(value_type = String)]
    display_name: Words,
    #[schema(schema_with = word::account_type)]
    account_type: &'static str,
}

/// Signs in with address and password.
#[utoipa::path(
    post, path = "/api/auth/login", operation_id = "login", tag = "account",
    security(()),
    params(LoginQuery), request_body = Credentials,
    responses(
        (status = 200, description = "Signed in", body = LoggedIn),
        (status = 401, description = "INVALID_CREDENTIALS"),
    ),
)]
pub(crate) async fn login(
    State(state): State<AppState>,
    ClientAddress(from): ClientAddress,
    QueryOf(query): QueryOf<LoginQuery>,
    JsonBody(Credentials { email, password }): JsonBody<Credentials>,
) -> Result<Response, ApiError> {
    let person = sign_in(&state.reception(), &from, Typed { email, password }).await?;
    let issued = state.accounts.tokens.sign_in(&person, state.clock.now(), &*state.chance);
    let issued = issued.ok_or(Code::INTERNAL)?;
    let cookie =
        query.cookie.then(|| auth::set(&issued, state.accounts.public.is_secure())).flatten();
    let body = LoggedIn {
        expires_in: issued.expires_in_seconds,
        token: (!query.cookie).then_some(issued.text),
        token_type: "Bearer",
        user: user(person),
    };
    let mut response = Json(body).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.headers_mut().extend(cookie.map(|line| (header::SET_COOKIE, line)));
    Ok(response)
}

/// Ends this sign-in; its tokens are worth nothing from now on.
#[utoipa::path(
    post, path = "/api/auth/logout", operation_id = "logout", tag = "account",
    responses(
        (status = 204, description = "Signed out"),
    ),
)]
pub(crate) async fn logout(
    State(state): State<AppState>,
    caller: SignedIn,
    _: NoBody,
) -> Result<StatusCode, ApiError> {
    let end = state.accounts.tokens.end_of(&caller.token).max(caller.token.until);
    state.store.end_sign_in(&caller.token.sign_in, end).await?;
    caller.leaves(&state);
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPassword {
    #[schema(format = Password)]
    current_password: String,
    #[serde(deserialize_with = "field::password")]
    #[schema(value_type = String, format = Password, min_length = 8, max_length = 128)]
    new_password: Password,
}

/// Changes the password, and ends every sign-in.
#[utoipa::path(
    post, path = "/api/auth/password", operation_id = "change_password", tag = "account",
    request_body = NewPassword,
    responses(
        (status = 204, description = "Changed"),
        (status = 403, description = "WRONG_PASSWORD"),
    ),
)]
pub(crate) async fn password(
    State(state): State<AppState>,
    caller: SignedIn,
    JsonBody(NewPassword { current_password, new_password }): JsonBody<NewPassword>,
) -> Result<StatusCode, ApiError> {
    let id = &caller.person.id;
    account::change_password(&state.reception(), id, current_password, new_password).await?;
    caller.leaves(&state);
    Ok(StatusCode::NO_CONTENT)
}

/// What kind of account somebody has, as clients are told.
pub(crate) fn account_type(person: &Person) -> &'static str {
    if person.admin { "admin" } else { "user" }
}

/// The id of somebody new.
pub(crate) fn new_person_id(state: &AppState) -> Result<PersonId, ApiError> {
    let id = PersonId::new(random_id(&*state.chance));
    id.map_err(|error| ApiError::new(Code::INTERNAL).with_cause(error))
}

fn user(person: Person) -> User {
    let account_type = account_type(&person);
    let email = person.email.as_str().to_owned();
    User { id: person.id, email, display_name: person.display_name, account_type }
}
