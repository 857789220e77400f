//! What people see and change of themselves.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use unsaid_app::{account, consent, erase};
use unsaid_core::domain::id::PersonId;
use unsaid_core::domain::person::{ConsentLine, Person};
use unsaid_core::domain::text::Words;

use super::auth::account_type;
use super::preferences::Preferences;
use crate::auth::SignedIn;
use crate::error::ApiError;
use crate::idempotency::{KeyedBody, KeyedCall};
use crate::input::field;
use crate::state::AppState;

#[derive(Serialize)]
pub(crate) struct Me {
    id: PersonId,
    email: String,
    display_name: Words,
    account_type: &'static str,
    created_at: String,
    preferences: Preferences,
}

/// `GET /api/users/me`
pub(crate) async fn show(State(state): State<AppState>, caller: SignedIn) -> Json<Me> {
    Json(me(&state, caller.person))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rename {
    #[serde(deserialize_with = "field::display_name")]
    display_name: Words,
}

/// `PATCH /api/users/me`
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

#[derive(Serialize)]
pub(crate) struct Consents {
    consents: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    at: String,
    granted: bool,
    notice_version: String,
    door: String,
}

/// `GET /api/users/me/consents`
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

#[derive(Serialize)]
pub(crate) struct Done {
    status: &'static str,
}

/// `POST /api/users/me/erase`
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Proof {
    password: String,
}

/// `DELETE /api/users/me`
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
