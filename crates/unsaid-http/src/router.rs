//! The table of contents: every handler, and the layers every call passes.

use std::any::Any;
use std::sync::Arc;

use axum::middleware::{from_fn, from_fn_with_state, map_request};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Router};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::auth::renewing;
use crate::body::limited;
use crate::error::{ApiError, Code};
use crate::openapi;
use crate::outlast::outlast;
use crate::page;
use crate::route;
use crate::route::docs::Described;
use crate::state::AppState;
use crate::stored;
use crate::watch::watch;
use crate::world;

/// The whole door, with the routes of other doors beside its own. Those bring limits of their own.
pub fn router(state: AppState, others: Router) -> Router {
    let door = layered(routes(), state, others);
    // Before anything is routed.
    Router::new().fallback_service(door).layer(map_request(world::under_api))
}

fn routes() -> Router<AppState> {
    let (routes, collected) = table().split_for_parts();
    routes.layer(Extension(Arc::new(Described::new(&openapi::completed(&collected)))))
}

/// Every handler; its path and method stand in its own description. Without one there is no way in.
fn table() -> OpenApiRouter<AppState> {
    use route::{about, docs, health, metrics, setup};
    OpenApiRouter::with_openapi(openapi::outline())
        .routes(routes!(health::alive))
        .routes(routes!(health::ready))
        .routes(routes!(metrics::print))
        .routes(routes!(about::show))
        .routes(routes!(setup::enter))
        .routes(routes!(docs::json))
        .routes(routes!(docs::page))
        .routes(routes!(docs::style))
        .merge(accounts())
        .merge(choices())
        .merge(stored::said(sessions()))
        .merge(stored::said(talking_in_worlds()))
        .merge(stored::said(worlds()))
}

fn accounts() -> OpenApiRouter<AppState> {
    use route::{admin, auth, export, me, preferences};
    OpenApiRouter::default()
        .routes(routes!(auth::register))
        .routes(routes!(auth::login))
        .routes(routes!(auth::logout))
        .routes(routes!(auth::password))
        .routes(routes!(me::show, me::rename, me::delete))
        .routes(routes!(preferences::show, preferences::change))
        .routes(routes!(me::consents))
        .routes(routes!(me::erase))
        .routes(routes!(export::export))
        .routes(routes!(admin::audit))
        .routes(routes!(admin::run_erasures))
        .routes(routes!(admin::sources::list))
        .routes(routes!(admin::turns::list))
        .merge(stored::said_never(rehearsals()))
}

fn rehearsals() -> OpenApiRouter<AppState> {
    use route::admin::rehearsal;
    OpenApiRouter::default()
        .routes(routes!(rehearsal::show, rehearsal::forget))
        .routes(routes!(rehearsal::say))
        .routes(routes!(rehearsal::unsend))
}

/// What is there for sessions and worlds; none of it is a conversation.
fn choices() -> OpenApiRouter<AppState> {
    use route::session;
    use route::world::template;
    OpenApiRouter::default()
        .routes(routes!(session::experts))
        .routes(routes!(session::credits))
        .routes(routes!(template::list))
}

fn sessions() -> OpenApiRouter<AppState> {
    use route::{chat, session};
    OpenApiRouter::default()
        .routes(routes!(session::list::list))
        .routes(routes!(session::open))
        .routes(routes!(session::show, session::forget))
        .routes(routes!(session::end))
        .routes(routes!(session::message::messages))
        .routes(routes!(session::message::edit, session::message::unsend))
        .routes(routes!(chat::chat))
        .routes(routes!(chat::resume))
        .routes(routes!(chat::stop))
}

fn talking_in_worlds() -> OpenApiRouter<AppState> {
    use route::world::{edit, live, say, take_back};
    OpenApiRouter::default()
        .routes(routes!(say::say))
        .routes(routes!(edit::edit, edit::remove))
        .routes(routes!(edit::errors))
        .routes(routes!(take_back::unsend))
        .routes(routes!(take_back::undo))
        .routes(routes!(live::stop))
        .routes(routes!(live::status))
        .routes(routes!(live::events))
}

fn worlds() -> OpenApiRouter<AppState> {
    use route::world::{self, agent, chat, memory, message};
    OpenApiRouter::default()
        .routes(routes!(world::list, world::make))
        .routes(routes!(world::show, world::change, world::delete))
        .routes(routes!(agent::list, agent::add))
        .routes(routes!(agent::show, agent::change, agent::delete))
        .routes(routes!(memory::show, memory::clear))
        .routes(routes!(chat::list, chat::add))
        .routes(routes!(chat::delete))
        .routes(routes!(chat::set))
        .routes(routes!(message::page))
        .routes(routes!(message::count))
}

/// Every call goes through these, outermost last: limit, renewal, a task of its own, panic, watch.
fn layered(routes: Router<AppState>, state: AppState, others: Router) -> Router {
    let (chance, calls) = (state.chance.clone(), state.calls.clone());
    let body_bytes = state.limits.body_bytes;
    let routes = routes
        .fallback(async || ApiError::new(Code::NOT_FOUND))
        .method_not_allowed_fallback(async || ApiError::new(Code::METHOD_NOT_ALLOWED))
        .with_state(state);
    limited(routes, body_bytes)
        .layer(from_fn(renewing))
        .merge(page::routes())
        .merge(others)
        .layer(from_fn_with_state(calls, outlast))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(chance, watch))
}

/// What the panic said is dropped: it may quote words. The panic hook has logged its place.
fn panicked(_said: Box<dyn Any + Send + 'static>) -> Response {
    ApiError::new(Code::INTERNAL).with_cause("the handler panicked").into_response()
}

#[cfg(test)]
pub(crate) mod tests;
