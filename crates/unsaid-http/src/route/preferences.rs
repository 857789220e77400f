//! The switch that says whether words are kept.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use unsaid_app::consent::{self, Switch};
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::people::ConsentMove;

use crate::auth::SignedIn;
use crate::error::ApiError;
use crate::input::json::JsonBody;
use crate::state::AppState;

/// Whether what was there before a grant still is.
const HISTORY: HeaderName = HeaderName::from_static("unsaid-history");

#[derive(Serialize)]
pub(crate) struct Preferences {
    store_history: bool,
    store_history_changed_at: String,
    history_deletion_scheduled_at: Option<String>,
}

impl From<consent::Preferences> for Preferences {
    fn from(preferences: consent::Preferences) -> Self {
        let consent::Preferences { store_history, changed_at, deletion_scheduled_at } = preferences;
        Self {
            store_history,
            store_history_changed_at: changed_at.to_seconds_text(),
            history_deletion_scheduled_at: deletion_scheduled_at.map(Timestamp::to_seconds_text),
        }
    }
}

/// `GET /api/users/me/preferences`
pub(crate) async fn show(State(state): State<AppState>, caller: SignedIn) -> Json<Preferences> {
    Json(consent::Preferences::of(caller.person.consent, state.clock.now()).into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    store_history: bool,
}

/// `PATCH /api/users/me/preferences`
pub(crate) async fn change(
    State(state): State<AppState>,
    caller: SignedIn,
    JsonBody(Wanted { store_history }): JsonBody<Wanted>,
) -> Result<Response, ApiError> {
    let to = ConsentMove {
        grant: store_history,
        now: state.clock.now(),
        grace_ms: state.accounts.consent_grace_ms,
        notice_version: state.accounts.notice_version.clone(),
        door: caller.via.door().to_owned(),
    };
    let person = caller.person.id.clone();
    let switched = consent::switch(&*state.store, Switch { person, to }).await?;
    state.look_again_for(&caller.person.id);
    let mut response = Json(Preferences::from(switched.preferences)).into_response();
    if store_history {
        let history = if switched.erased { "erased" } else { "kept" };
        response.headers_mut().insert(HISTORY, HeaderValue::from_static(history));
    }
    Ok(response)
}
