use axum::body::{Body, to_bytes};
use axum::http::{Method, Request};
use tower::ServiceExt as _;

use super::*;
use crate::router::tests::app;

async fn get(path: &str, headers: &[(HeaderName, &str)]) -> Response {
    let mut request = Request::get(path).body(Body::empty()).unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
    }
    app().oneshot(request).await.unwrap()
}

async fn bytes(response: Response) -> Vec<u8> {
    to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec()
}

fn script() -> &'static File {
    FILES.iter().find(|file| kind(file.path).starts_with("text/javascript")).unwrap()
}

#[tokio::test]
async fn every_screen_begins_with_the_same_file() {
    for path in ["/", "/app", "/app/", "/app/worlds/w/chats/c", "/app/%E6%9D%B1"] {
        let response = get(path, &[]).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-cache");
        assert_eq!(bytes(response).await, file(FIRST).unwrap().plain, "{path}");
    }
}

#[tokio::test]
async fn the_page_may_load_only_what_is_ours() {
    let response = get("/", &[]).await;
    let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; "), "{policy}");
    for never in ["unsafe", "http:", "https:", "*", "data:"] {
        assert!(!policy.contains(never), "{policy}");
    }
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    assert_eq!(response.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    assert_eq!(response.headers()[header::REFERRER_POLICY], "no-referrer");
    assert_eq!(response.headers()[header::X_FRAME_OPTIONS], "DENY");
    assert_eq!(response.headers()["x-dns-prefetch-control"], "off");
    let page = String::from_utf8(bytes(response).await).unwrap();
    assert!(!page.contains("<style"), "{page}");
    assert!(page.matches("<script").count() == page.matches("src=\"/assets/").count(), "{page}");
    assert!(!page.contains("://"), "{page}");
}

#[tokio::test]
async fn who_has_it_already_is_told_so() {
    let response = get("/", &[]).await;
    let tag = response.headers()[header::ETAG].to_str().unwrap().to_owned();
    let strong = tag.trim_start_matches("W/");
    for known in [&format!("\"other\", {tag}"), strong, "*"] {
        let again = get("/", &[(header::IF_NONE_MATCH, known)]).await;
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{known}");
        assert_eq!(again.headers()[header::ETAG], tag.as_str());
        assert_eq!(again.headers()[header::VARY], "accept-encoding");
        assert!(bytes(again).await.is_empty());
    }
    let other = get("/", &[(header::IF_NONE_MATCH, "W/\"other\"")]).await;
    assert_eq!(other.status(), StatusCode::OK);
}

#[tokio::test]
async fn what_has_a_hash_is_kept_for_ever_and_comes_compressed() {
    let script = script();
    let plain = get(script.path, &[]).await;
    assert_eq!(plain.headers()[header::CACHE_CONTROL], FOR_EVER);
    assert_eq!(plain.headers()[header::VARY], "accept-encoding");
    assert!(plain.headers().get(header::CONTENT_ENCODING).is_none());
    assert_eq!(bytes(plain).await, script.plain);
    for wish in ["gzip", "br, GZIP;q=0.5"] {
        let zipped = get(script.path, &[(header::ACCEPT_ENCODING, wish)]).await;
        assert_eq!(zipped.headers()[header::CONTENT_ENCODING], "gzip", "{wish}");
        assert_eq!(zipped.headers()[header::CONTENT_TYPE], "text/javascript; charset=utf-8");
        assert_eq!(bytes(zipped).await, script.zipped);
    }
    for wish in ["br", "gzip;q=0", "gzip; q=0.0"] {
        let plain = get(script.path, &[(header::ACCEPT_ENCODING, wish)]).await;
        assert!(plain.headers().get(header::CONTENT_ENCODING).is_none(), "{wish}");
    }
}

#[test]
fn the_first_load_is_small() {
    let bytes: usize = FILES.iter().map(|file| file.zipped.len()).sum();
    assert!(bytes < 200_000, "{bytes}");
}

#[tokio::test]
async fn other_paths_and_methods_are_refused_as_ever() {
    for path in ["/assets/none.js", "/assets/", "/assets/..%2Findex.html", "/apple", "/index.html"]
    {
        let response = get(path, &[]).await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json", "{path}");
    }
    let request = Request::builder().method(Method::POST).uri("/app/x").body(Body::empty());
    let response = app().oneshot(request.unwrap()).await.unwrap();
    assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(response.headers()[header::ALLOW], "GET,HEAD");
}

#[tokio::test]
async fn a_link_that_is_refused_is_a_page_for_browsers_and_json_for_programs() {
    let asked = async |accept: &str| get("/setup?key=x", &[(header::ACCEPT, accept)]).await;
    for accept in ["text/html,application/xhtml+xml,*/*;q=0.8", "image/png, Text/HTML;q=0.9"] {
        let response = asked(accept).await;
        assert_eq!(response.status(), StatusCode::FORBIDDEN, "{accept}");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
        assert_eq!(response.headers()[header::CONTENT_SECURITY_POLICY], POLICY);
        for never in [header::ETAG, header::SET_COOKIE] {
            assert!(!response.headers().contains_key(&never), "{never}");
        }
        assert_eq!(bytes(response).await, file(FIRST).unwrap().plain, "{accept}");
    }
    for accept in ["*/*", "application/json", "text/plain", ""] {
        let response = asked(accept).await;
        assert_eq!(response.status(), StatusCode::FORBIDDEN, "{accept}");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json", "{accept}");
    }
}
