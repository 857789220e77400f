//! What somebody should know before they sign up.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::state::{AppState, ModelSeat};

#[derive(Serialize, ToSchema)]
pub(crate) struct About {
    /// Who reads what is said.
    model: ModelSeat,
    /// Whether strangers may sign up.
    registration_open: bool,
    consent: AboutConsent,
    /// How long an edit in a world can be undone; zero: not at all.
    undo_seconds: i64,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AboutConsent {
    /// From withdrawal to erasure.
    grace_seconds: i64,
    /// The name of the notice in the consent ledger.
    notice_version: String,
    /// The notice of the operator's own; null is the built-in one, which the page says itself.
    #[schema(required)]
    notice: Option<String>,
}

/// What somebody should know before they sign up.
#[utoipa::path(
    get, path = "/api/about", operation_id = "about", tag = "about",
    security(()),
    responses(
        (status = 200, description = "As this installation is set up", body = About),
    ),
)]
pub(crate) async fn show(State(state): State<AppState>) -> Json<About> {
    let accounts = &state.accounts;
    let consent = AboutConsent {
        grace_seconds: accounts.consent_grace_ms / 1000,
        notice_version: accounts.notice_version.clone(),
        notice: accounts.notice.clone(),
    };
    Json(About {
        registration_open: accounts.registration_open,
        consent,
        undo_seconds: state.worlds.undo_ms / 1000,
        model: state.model,
    })
}
