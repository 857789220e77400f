//! The page: files that were built into this binary, and the policy under which browsers show them.
//!
//! What has a hash in its name never changes and is kept by browsers for ever. The first file names
//! those hashes, so it is asked for again every time; usually the answer is that it is the same.

use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest as _, Sha256};

use crate::error::{ApiError, Code};

/// Scripts, styles and calls of our own and nothing else; no inline script, nobody's frame. HTML is
/// made from text by two libraries only, which say so to the browser.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types svelte-trusted-html dompurify";
const FOR_EVER: &str = "public, max-age=31536000, immutable";
const ASK_AGAIN: &str = "no-cache";
const FIRST: &str = "/index.html";

/// A file of the page.
struct File {
    path: &'static str,
    plain: &'static [u8],
    zipped: &'static [u8],
}

static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// The name of the first file as it is in this binary; weak, because it comes in two encodings.
static FIRST_TAG: LazyLock<Option<HeaderValue>> = LazyLock::new(|| {
    let digest = Sha256::digest(file(FIRST)?.plain);
    let name = digest.iter().take(16).fold(String::new(), |name, byte| format!("{name}{byte:02x}"));
    HeaderValue::from_str(&format!("W/\"{name}\"")).ok()
});

/// Where the page is found.
pub(crate) fn routes() -> Router {
    Router::new()
        .route("/", get(first))
        .route("/app", get(first))
        .route("/app/", get(first))
        .route("/app/{*screen}", get(first))
        .route("/assets/{name}", get(asset))
        .method_not_allowed_fallback(async || ApiError::new(Code::METHOD_NOT_ALLOWED))
}

/// Every screen begins with the same file; which one it is, is read from the address there.
async fn first(headers: HeaderMap) -> Result<Response, ApiError> {
    let file = file(FIRST).ok_or(Code::NOT_FOUND)?;
    let tag = FIRST_TAG.as_ref();
    let mut response = match tag {
        Some(tag) if knows(&headers, tag) => StatusCode::NOT_MODIFIED.into_response(),
        Some(_) | None => sent(file, &headers),
    };
    response.headers_mut().extend(tag.map(|tag| (header::ETAG, tag.clone())));
    Ok(shown(response, ASK_AGAIN))
}

/// The same file for somebody who is refused at an address that people open in a browser: the page
/// says in their language what happened. Programs, which do not ask for HTML, get none of it.
pub(crate) fn refused(headers: &HeaderMap, status: StatusCode) -> Option<Response> {
    let file = file(FIRST).filter(|_| takes_html(headers))?;
    let mut response = shown(sent(file, headers), "no-store");
    *response.status_mut() = status;
    Some(response)
}

/// As browsers are to show it.
fn shown(mut response: Response, keep: &'static str) -> Response {
    let answered = response.headers_mut();
    for (name, value) in [
        (header::CACHE_CONTROL, keep),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::VARY, "accept-encoding"),
        // For those who do not read the policy.
        (header::X_FRAME_OPTIONS, "DENY"),
        // Nobody outside learns by a look-up which links a model has written.
        (HeaderName::from_static("x-dns-prefetch-control"), "off"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        answered.insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, ApiError> {
    let file = file(&format!("/assets/{name}")).ok_or(Code::NOT_FOUND)?;
    let mut response = sent(file, &headers);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(FOR_EVER));
    Ok(response)
}

fn file(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}

fn sent(file: &'static File, headers: &HeaderMap) -> Response {
    const NOSNIFF: (HeaderName, &str) = (header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    const VARY: (HeaderName, &str) = (header::VARY, "accept-encoding");
    let kind = (header::CONTENT_TYPE, kind(file.path));
    if takes_gzip(headers) {
        let encoding = (header::CONTENT_ENCODING, "gzip");
        ([kind, NOSNIFF, VARY, encoding], file.zipped).into_response()
    } else {
        ([kind, NOSNIFF, VARY], file.plain).into_response()
    }
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some(_) | None => "application/octet-stream",
    }
}

/// Whether the caller takes gzip: named, and not with a weight of nothing.
fn takes_gzip(headers: &HeaderMap) -> bool {
    listed(headers, &header::ACCEPT_ENCODING).any(|wish| {
        let (name, weight) = wish.split_once(';').unwrap_or((wish, ""));
        let weight = weight.trim().strip_prefix("q=").map(str::parse::<f32>);
        name.trim().eq_ignore_ascii_case("gzip") && !matches!(weight, Some(Ok(0.0)))
    })
}

/// Whether the caller names HTML among what it takes, as browsers do; `*/*` names nothing.
fn takes_html(headers: &HeaderMap) -> bool {
    listed(headers, &header::ACCEPT).any(|wish| {
        let name = wish.split(';').next().unwrap_or_default();
        name.trim().eq_ignore_ascii_case("text/html")
    })
}

/// Whether the caller has it already. Tags are compared weakly, as they are for a GET.
fn knows(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let own = tag.to_str().map(strong).ok();
    listed(headers, &header::IF_NONE_MATCH)
        .any(|known| known.trim() == "*" || own.as_ref() == Some(&strong(known)))
}

fn listed<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(name).into_iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(','))
}

#[cfg(test)]
mod tests;
