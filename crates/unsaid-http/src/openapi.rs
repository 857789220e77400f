//! The description of the API, made from the handlers themselves.
//!
//! A handler says what it takes and gives in its `#[utoipa::path]`; the router collects that together
//! with the handler, so neither can be there without the other. Of refusals a handler names only its
//! own, by their codes in the description of a status: what every call of its kind can be refused
//! with is added here, from the table of errors.
//!
//! - [`refusals`]: that addition
//! - [`line`]: the one call that belongs to another door
//! - [`word`]: texts of which there are only a few
//! - [`page`]: the same for people

mod line;
pub(crate) mod page;
mod refusals;
pub(crate) mod word;

use serde_json::{Value, json};
use utoipa::OpenApi;

use crate::auth::COOKIE;
use crate::error;

/// Everything about the API that belongs to no single call.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Unsaid",
        description = "A chat backend in which people own the history.\n\nEverything is JSON in UTF-8; \
            times are RFC 3339 in UTC. Unknown fields are refused. Every answer carries \
            `x-request-id`, and every refusal has the same body, whose `code` never changes its \
            meaning. A token with little left is renewed with the answer, in the way it came. Every \
            answer about a conversation says in `Unsaid-Stored` whether it is stored: `true`, or \
            `false` for what is in memory only.\n\nThe paths of worlds are also there without `/api`: \
            `/worlds` is `/api/worlds`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    components(schemas(error::Body)),
    security(("bearer" = []), ("cookie" = [])),
    tags(
        (name = "account", description = "Signing up, in and out, and what you are called"),
        (name = "privacy", description = "Whether what you say is kept, and erasing it"),
        (name = "session", description = "Talking with experts"),
        (name = "world", description = "Worlds of your own: several agents, several chats"),
        (name = "admin", description = "What admins see and do: never words of others"),
        (name = "line", description = "The door for LINE, if it is open"),
        (name = "about", description = "The server itself"),
    ),
)]
struct Api;

/// The document before any call is in it.
pub(crate) fn outline() -> utoipa::openapi::OpenApi {
    Api::openapi()
}

/// The whole document: with how to prove who you are, what can be refused, and the other door.
pub(crate) fn completed(collected: &utoipa::openapi::OpenApi) -> Value {
    // it is made of texts and numbers, so it can be written
    let mut document = serde_json::to_value(collected).unwrap_or_default();
    document["components"]["securitySchemes"] = json!({
        "bearer": {
            "type": "http", "scheme": "bearer",
            "description": "The token of `POST /api/auth/login`.",
        },
        "cookie": {
            "type": "apiKey", "in": "cookie", "name": COOKIE,
            "description": "The same token for the page. Calls that change something need its `Origin`.",
        },
    });
    document["paths"][line::PATH] = line::webhook();
    refusals::add(&mut document);
    document
}

#[cfg(test)]
mod tests;
