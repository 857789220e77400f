//! Worlds: what the door holds for them, and how they are found and shown.
//!
//! - `path`: what stands between the slashes of their paths.
//! - `shape`: worlds, agents, chats and messages as JSON. `frame`: what a stream says.
//! - `follow`: one chat as it goes on, for whoever listens.
//! - [`bookmarks`]: how far listeners were. `edit_errors`: edits that failed.

pub mod bookmarks;
pub(crate) mod edit_errors;
pub(crate) mod follow;
pub(crate) mod frame;
pub(crate) mod path;
pub(crate) mod shape;

use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use axum::http::uri::{PathAndQuery, Uri};
use unsaid_app::answer::voices::Voices;
use unsaid_app::world::Keeper;
use unsaid_app::world::failed_edits::FailedEdits;
use unsaid_app::world::template::Templates;

use self::bookmarks::Bookmarks;
use crate::state::AppState;

/// What worlds need.
pub struct Worlds {
    /// Who speaks.
    pub voices: Voices,
    /// For how long an edit can be undone, in milliseconds.
    pub undo_ms: i64,
    /// How far listeners were who may come back.
    pub bookmarks: Bookmarks,
    /// Edits that failed.
    pub failed_edits: Arc<FailedEdits>,
    /// Worlds that are ready made.
    pub templates: Templates,
}

/// Where the calls of worlds are also found, without the prefix of the others.
const SHORT: &str = "/worlds";

/// What everything about worlds is done with.
pub(crate) fn keeper(state: &AppState) -> Keeper<'_> {
    Keeper { worlds: &*state.store, people: &*state.store, logs: &state.sessions.logs }
}

/// `/worlds` is `/api/worlds`: the same route, the same call, the same line in log and metrics.
pub(crate) async fn under_api(mut request: Request<Body>) -> Request<Body> {
    let rest = request.uri().path().strip_prefix(SHORT);
    if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        && let Some(uri) = prefixed(request.uri())
    {
        *request.uri_mut() = uri;
    }
    request
}

fn prefixed(uri: &Uri) -> Option<Uri> {
    let mut parts = uri.clone().into_parts();
    let short = parts.path_and_query?;
    parts.path_and_query = Some(PathAndQuery::try_from(format!("/api{short}")).ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_worlds_have_a_short_path() {
        for (asked, meant) in [
            ("/worlds", "/api/worlds"),
            ("/worlds/", "/api/worlds/"),
            ("/worlds?a=b", "/api/worlds?a=b"),
            ("/worlds/%E6%9D%B1/chats?a=/worlds", "/api/worlds/%E6%9D%B1/chats?a=/worlds"),
            ("http://example.org/worlds/w", "http://example.org/api/worlds/w"),
            ("/worldsxyz", "/worldsxyz"),
            ("/world", "/world"),
            ("/api/worlds", "/api/worlds"),
            ("/Worlds", "/Worlds"),
            ("//worlds", "//worlds"),
            ("/", "/"),
        ] {
            let request = Request::get(asked).body(Body::empty()).unwrap();
            assert_eq!(under_api(request).await.uri(), meant, "{asked}");
        }
    }
}
