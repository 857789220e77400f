//! What people see and change of themselves.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use unsaid_app::{account, consent, erase};
use unsaid_core::domain::id::PersonId;
use unsaid_core::domain::person::{ConsentLine, Person};
use unsaid_core::domain::text::Words;
use utoipa::ToSchema;

use super::auth::account_type;
use super::preferences::Preferences;
use crate::auth::SignedIn;
use crate::error::ApiError;
use crate::idempotency::{KeyedBody, KeyedCall};
use crate::input::field;
use crate::openapi::word;
use crate::state::AppState;

#[derive(Serialize, ToSchema)]
pub(crate) struct Me {
    #[schema(value_type = String)]
    id: PersonId,
    email: String,
    #[schema(value_type = String)]
    display_name: Words,
    #[schema(schema_with = word::account_type)]
    account_type: &'static str,
    #[schema(format = DateTime)]
    created_at: String,
    preferences: Preferences,
}

/// Your account.
#[utoipa::path(
    get, path = "/api/users/me", operation_id = "me", tag = "account",
    responses(
        (status = 200, description = "You", body = Me),
    ),
)]
pub(crate) async fn show(State(state): State<AppState>, caller: SignedIn) -> Json<Me> {
    Json(me(&state, caller.person))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rename {
    /// Not only white space.
    #[serde(deserialize_with = "field::display_name")]
    #[schema(value_type = String, min_length = 1, max_length = 100)]
    display_name: Words,
}

/// Changes what you are called.
#[utoipa::path(
    patch, path = "/api/users/me", operation_id = "rename", tag = "account",
    params(KeyedCall), request_body = Rename,
    responses(
        (status = 200, description = "You, renamed", body = Me),
    ),
)]
pub(crate) async fn rename(
    State(state): State<AppState>,
    caller: SignedIn,
    KeyedBody(keyed, wanted): KeyedBody<Rename>,
) -> Result<Json<Me>, ApiError> {
    if keyed.before(&state, &caller.person).await?.is_some() {
        return Ok(Json(me(&state, caller.person)));
    }
    let renamed = account::rename(&*state.store, &caller.person.id, wanted.display_name).await?;
    keyed.done(&state, &renamed, renamed.consent.is_on(), Vec::new()).await?;
    Ok(Json(me(&state, renamed)))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Consents {
    consents: Vec<Line>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = ConsentLine)]
struct Line {
    #[schema(format = DateTime)]
    at: String,
    granted: bool,
    /// Which notice you were shown.
    notice_version: String,
    /// Where you said so.
    door: String,
}

/// Every time you allowed or forbade that words are kept.
#[utoipa::path(
    get, path = "/api/users/me/consents", operation_id = "consents", tag = "privacy",
    responses(
        (status = 200, description = "Oldest first", body = Consents),
    ),
)]
pub(crate) async fn consents(
    State(state): State<AppState>,
    caller: SignedIn,
) -> Result<Json<Consents>, ApiError> {
    let ledger = consent::ledger(&*state.store, &caller.person.id).await?;
    let line = |ConsentLine { at, granted, notice_version, door }| Line {
        at: at.to_seconds_text(),
        granted,
        notice_version,
        door,
    };
    Ok(Json(Consents { consents: ledger.into_iter().map(line).collect() }))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Done {
    #[schema(schema_with = word::ok)]
    status: &'static str,
}

/// Erases everything you said; the account stays.
#[utoipa::path(
    post, path = "/api/users/me/erase", operation_id = "erase", tag = "privacy",
    params(KeyedCall),
    responses(
        (status = 200, description = "Nobody can read it any more", body = Done),
    ),
)]
pub(crate) async fn erase(
    State(state): State<AppState>,
    caller: SignedIn,
    KeyedCall(keyed): KeyedCall,
) -> Result<Json<Done>, ApiError> {
    if keyed.before(&state, &caller.person).await?.is_none() {
        erase::claim_now(&*state.store, &*state.clock, &caller.person.id).await?;
        state.forget_at_once(&caller.person.id).await?;
        let is_kept = caller.person.consent.is_on();
        keyed.done(&state, &caller.person, is_kept, Vec::new()).await?;
    }
    Ok(Json(Done { status: "ok" }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Proof {
    #[schema(format = Password)]
    password: String,
}

/// Ends the account and erases everything of it.
#[utoipa::path(
    delete, path = "/api/users/me", operation_id = "delete_account", tag = "account",
    params(KeyedCall), request_body = Proof,
    responses(
        (status = 204, description = "It is gone"),
        (status = 403, description = "WRONG_PASSWORD"),
    ),
)]
pub(crate) async fn delete(
    State(state): State<AppState>,
    caller: SignedIn,
    // A repeat finds no account, and so nobody who could ask.
    KeyedBody(_, Proof { password }): KeyedBody<Proof>,
) -> Result<StatusCode, ApiError> {
    let id = &caller.person.id;
    account::delete(&state.reception(), &*state.store, id, password).await?;
    state.forget_at_once(id).await?;
    caller.leaves(&state);
    Ok(StatusCode::NO_CONTENT)
}

fn me(state: &AppState, person: Person) -> Me {
    let account_type = account_type(&person);
    let preferences = consent::Preferences::of(person.consent, state.clock.now());
    Me {
        id: person.id,
        email: person.email.as_str().to_owned(),
        display_name: person.display_name,
        account_type,
        created_at: person.created_at.to_seconds_text(),
        preferences: preferences.into(),
    }
}
