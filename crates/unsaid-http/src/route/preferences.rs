//! The switch that says whether words are kept.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use unsaid_app::consent::{self, Switch};
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::people::ConsentMove;
use utoipa::ToSchema;

use crate::auth::SignedIn;
use crate::error::ApiError;
use crate::idempotency::{KeyedBody, KeyedCall};
use crate::state::AppState;

/// Whether what was there before a grant still is.
const HISTORY: HeaderName = HeaderName::from_static("unsaid-history");
const KEPT: &str = "kept";
const ERASED: &str = "erased";

#[derive(Serialize, ToSchema)]
pub(crate) struct Preferences {
    /// Whether what you say is kept.
    store_history: bool,
    #[schema(format = DateTime)]
    store_history_changed_at: String,
    /// When what was kept is erased, if it is going to be.
    #[schema(format = DateTime, required)]
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

/// Whether what you say is kept.
#[utoipa::path(
    get, path = "/api/users/me/preferences", operation_id = "preferences", tag = "privacy",
    responses(
        (status = 200, description = "The switch", body = Preferences),
    ),
)]
pub(crate) async fn show(State(state): State<AppState>, caller: SignedIn) -> Json<Preferences> {
    Json(consent::Preferences::of(caller.person.consent, state.clock.now()).into())
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WantedPreferences)]
pub(crate) struct Wanted {
    store_history: bool,
}

/// Allows or forbids that what you say is kept.
#[utoipa::path(
    patch, path = "/api/users/me/preferences", operation_id = "change_preferences", tag = "privacy",
    params(KeyedCall), request_body = Wanted,
    responses(
        (status = 200, description = "The switch as it is now", body = Preferences, headers(
            ("Unsaid-History" = String, description = "After a grant: whether what was there before still is")
        )),
    ),
)]
pub(crate) async fn change(
    State(state): State<AppState>,
    caller: SignedIn,
    KeyedBody(keyed, Wanted { store_history }): KeyedBody<Wanted>,
) -> Result<Response, ApiError> {
    let SignedIn { person, via, .. } = caller;
    if let Some(before) = keyed.before(&state, &person).await? {
        let now = consent::Preferences::of(person.consent, state.clock.now());
        let kept = store_history.then(|| before.ids.iter().all(|said| said != ERASED));
        return Ok(answer(now, kept));
    }
    let to = ConsentMove {
        grant: store_history,
        now: state.clock.now(),
        grace_ms: state.accounts.consent_grace_ms,
        notice_version: state.accounts.notice_version.clone(),
        door: via.door().to_owned(),
    };
    let switch = Switch { person: person.id.clone(), to };
    let switched = consent::switch(&*state.store, switch).await?;
    if switched.erased {
        state.forget_erased(&person.id).await;
    } else {
        state.look_again_for(&person.id);
    }
    let said = switched.erased.then(|| ERASED.to_owned());
    keyed.done(&state, &person, store_history, said.into_iter().collect()).await?;
    Ok(answer(switched.preferences, store_history.then_some(!switched.erased)))
}

/// What the switch shows, and after a grant whether what was there before still is.
fn answer(preferences: consent::Preferences, kept: Option<bool>) -> Response {
    let mut response = Json(Preferences::from(preferences)).into_response();
    if let Some(kept) = kept {
        let history = HeaderValue::from_static(if kept { KEPT } else { ERASED });
        response.headers_mut().insert(HISTORY, history);
    }
    response
}
