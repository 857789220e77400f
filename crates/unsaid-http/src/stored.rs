//! Every answer about a conversation says whether it is stored (H7): in a header, because many of
//! their bodies have a shape that is not ours to change.
//!
//! A call that knows where its words are says so itself ([`Stored`]). For all others the caller's
//! consent decides, as it was when they came in.

use std::sync::{Arc, OnceLock};

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{OpenApi, RefOr};
use utoipa_axum::router::OpenApiRouter;

use crate::state::AppState;

const HEADER: HeaderName = HeaderName::from_static("unsaid-stored");
/// The same, as it is written for people.
const NAME: &str = "Unsaid-Stored";

/// An answer, and whether what it is about is stored.
#[derive(Debug)]
pub(crate) struct Stored<T>(pub(crate) bool, pub(crate) T);

impl<T: IntoResponse> IntoResponse for Stored<T> {
    fn into_response(self) -> Response {
        let Self(stored, answer) = self;
        let mut response = answer.into_response();
        response.headers_mut().insert(HEADER, value(stored));
        response
    }
}

/// Whether the caller of a call wants things stored, once it is known who that is.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallersWish(Arc<OnceLock<bool>>);

impl CallersWish {
    /// It is known. Where nothing is ever stored, that stays so.
    pub(crate) fn put(&self, stored: bool) {
        self.0.get_or_init(|| stored);
    }
}

/// Lets every answer of these routes say it.
pub(crate) fn said(routes: OpenApiRouter<AppState>) -> OpenApiRouter<AppState> {
    layered(routes, None)
}

/// The same for routes where nothing is ever stored.
pub(crate) fn said_never(routes: OpenApiRouter<AppState>) -> OpenApiRouter<AppState> {
    layered(routes, Some(false))
}

fn layered(mut routes: OpenApiRouter<AppState>, decided: Option<bool>) -> OpenApiRouter<AppState> {
    describe(routes.get_openapi_mut());
    routes.layer(from_fn_with_state(decided, say))
}

async fn say(State(decided): State<Option<bool>>, mut request: Request, next: Next) -> Response {
    let wish = CallersWish::default();
    if let Some(stored) = decided {
        wish.put(stored);
    }
    request.extensions_mut().insert(wish.clone());
    let mut response = next.run(request).await;
    if let Some(stored) = wish.0.get() {
        response.headers_mut().entry(HEADER).or_insert(value(*stored));
    }
    response
}

fn value(stored: bool) -> HeaderValue {
    HeaderValue::from_static(if stored { "true" } else { "false" })
}

fn describe(document: &mut OpenApi) {
    let operations = document.paths.paths.values_mut().flat_map(operations);
    let answers = operations.flat_map(|operation| operation.responses.responses.iter_mut());
    for (status, answer) in answers {
        if let RefOr::T(answer) = answer
            && status.starts_with('2')
        {
            let words = ObjectBuilder::new().schema_type(Type::String);
            let header = HeaderBuilder::new()
                .schema(Some(words.enum_values(Some(["true", "false"]))))
                .description(Some("Whether what this is about is stored, or in memory only."));
            answer.headers.insert(NAME.to_owned(), RefOr::T(header.build()));
        }
    }
}

fn operations(path: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, patch, .. } = path;
    [get, put, post, delete, patch].into_iter().flatten()
}
