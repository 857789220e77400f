//! The table of contents: every path, and the layers every call passes.

use std::any::Any;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use tower_http::catch_panic::CatchPanicLayer;

use crate::auth::renewing;
use crate::body::limited;
use crate::error::{ApiError, Code};
use crate::route;
use crate::state::AppState;
use crate::watch::watch;

/// The whole door, with the routes of other doors beside its own. Those bring limits of their own.
pub fn router(state: AppState, others: Router) -> Router {
    layered(routes(), state, others)
}

fn routes() -> Router<AppState> {
    Router::new()
        .route("/healthz", get(route::health::alive))
        .route("/readyz", get(route::health::ready))
        .route("/metrics", get(route::metrics::print))
        .route("/setup", get(route::setup::enter))
        .nest("/api", accounts().merge(sessions()))
}

fn accounts() -> Router<AppState> {
    use route::{admin, auth, export, me, preferences};
    Router::new()
        .route("/auth/register", post(auth::register))
        .route("/auth/login", post(auth::login))
        .route("/auth/logout", post(auth::logout))
        .route("/auth/password", post(auth::password))
        .route("/users/me", get(me::show).patch(me::rename).delete(me::delete))
        .route("/users/me/preferences", get(preferences::show).patch(preferences::change))
        .route("/users/me/consents", get(me::consents))
        .route("/users/me/erase", post(me::erase))
        .route("/users/me/export", get(export::export))
        .route("/admin/audit", get(admin::audit))
        .route("/admin/erasures/run", post(admin::run_erasures))
        .route("/admin/line/sources", get(admin::sources::list))
}

fn sessions() -> Router<AppState> {
    use route::{chat, session};
    Router::new()
        .route("/experts", get(session::experts))
        .route("/users/credits", get(session::credits))
        .route("/users/me/sessions", get(session::list))
        .route("/sessions", post(session::open))
        .route("/sessions/{session_id}", get(session::show).delete(session::forget))
        .route("/sessions/{session_id}/end", post(session::end))
        .route("/sessions/{session_id}/messages", get(session::messages))
        .route(
            "/sessions/{session_id}/messages/{message_id}",
            put(session::edit).delete(session::unsend),
        )
        .route("/chat", post(chat::chat))
        .route("/chat/{session_id}/stream", get(chat::resume))
        .route("/chat/{session_id}/stop", post(chat::stop))
}

/// Every call goes through these, outermost last: limit, renewal, panic, watch.
fn layered(routes: Router<AppState>, state: AppState, others: Router) -> Router {
    let chance = state.chance.clone();
    let body_bytes = state.limits.body_bytes;
    let routes = routes
        .fallback(async || ApiError::new(Code::NOT_FOUND))
        .method_not_allowed_fallback(async || ApiError::new(Code::METHOD_NOT_ALLOWED))
        .with_state(state);
    limited(routes, body_bytes)
        .layer(from_fn(renewing))
        .merge(others)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(chance, watch))
}

/// What the panic said is dropped: it may quote words. The panic hook has logged its place.
fn panicked(_said: Box<dyn Any + Send + 'static>) -> Response {
    ApiError::new(Code::INTERNAL).with_cause("the handler panicked").into_response()
}

#[cfg(test)]
mod tests;
