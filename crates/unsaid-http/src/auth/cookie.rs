//! The page's cookie: a token that scripts cannot read and other sites cannot send.

use axum::http::{HeaderMap, HeaderValue, header};
use cookie::time::Duration;
use cookie::{Cookie, SameSite};

use crate::token::Issued;

/// What it is called.
pub(crate) const NAME: &str = "unsaid_token";

/// The token in the caller's cookie.
pub(super) fn token(headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let cookies = lines.flat_map(Cookie::split_parse).filter_map(Result::ok);
    let mut ours = cookies.filter(|cookie| cookie.name() == NAME);
    match (ours.next(), ours.next()) {
        (Some(cookie), None) => Some(cookie.value().to_owned()),
        // Two of them: somebody else has put one there.
        (Some(_), Some(_)) | (None, _) => None,
    }
}

/// Gives the caller the cookie. `secure`: only over TLS.
pub(crate) fn set(issued: &Issued, secure: bool) -> Option<HeaderValue> {
    written(&issued.text, issued.expires_in_seconds, secure)
}

/// Takes the cookie away.
pub(crate) fn unset(secure: bool) -> Option<HeaderValue> {
    written("", 0, secure)
}

fn written(value: &str, seconds: i64, secure: bool) -> Option<HeaderValue> {
    let cookie = Cookie::build((NAME, value))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Strict)
        .secure(secure)
        .max_age(Duration::seconds(seconds))
        .build();
    let mut line = HeaderValue::from_str(&cookie.to_string()).ok()?;
    line.set_sensitive(true);
    Some(line)
}
