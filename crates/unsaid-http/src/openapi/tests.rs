use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, Response};
use serde_json::Value;
use tower::ServiceExt as _;

use crate::router::tests::app;

/// The document as the server sends it.
async fn document() -> Value {
    let request = Request::get("/api/openapi.json").body(Body::empty()).unwrap();
    serde_json::from_str(&body(app().oneshot(request).await.unwrap()).await).unwrap()
}

async fn body(response: Response<Body>) -> String {
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What the router says to a call from nobody.
async fn code(router: &Router, method: &Method, path: &str) -> Value {
    let path = path.replace(['{', '}'], "");
    let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
    let text = body(router.clone().oneshot(request).await.unwrap()).await;
    let answer: Value = serde_json::from_str(&text).unwrap_or_default();
    answer["code"].clone()
}

#[tokio::test]
async fn the_whole_document() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&document().await).unwrap());
}

#[tokio::test]
async fn what_is_described_is_there_and_nothing_else() {
    let router = app();
    let document = document().await;
    for (path, methods) in document["paths"].as_object().unwrap() {
        if path == super::line::PATH {
            continue;
        }
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let said = code(&router, &method, path).await;
            assert_ne!(said, "NOT_FOUND", "{path}");
            let is_described = methods.get(method.as_str().to_lowercase()).is_some();
            assert_eq!(said != "METHOD_NOT_ALLOWED", is_described, "{method} {path}");
        }
    }
}

#[test]
fn nothing_is_routed_without_a_description() {
    let table = include_str!("../router.rs");
    for undescribed in [".route(", ".route_service(", ".nest(", ".nest_service("] {
        assert!(!table.contains(undescribed), "{undescribed}: use .routes(routes!(…))");
    }
}

#[tokio::test]
async fn calls_have_names_of_their_own_and_a_group() {
    let document = document().await;
    let tags: Vec<&Value> =
        document["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
    let mut names = Vec::new();
    for operation in operations(&document) {
        assert!(tags.contains(&&operation["tags"][0]), "{operation}");
        assert!(operation["summary"].as_str().unwrap().ends_with('.'), "{operation}");
        names.push(operation["operationId"].to_string());
    }
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[tokio::test]
async fn a_refusal_has_the_status_of_its_codes() {
    let document = document().await;
    for operation in operations(&document) {
        for (status, answer) in operation["responses"].as_object().unwrap() {
            let Some(reference) = answer["$ref"].as_str() else {
                assert!(status.as_str() < "400", "{answer}");
                continue;
            };
            let answer = document.pointer(reference.trim_start_matches('#')).unwrap();
            let schema = &answer["content"]["application/json"]["schema"]["allOf"];
            assert_eq!(schema[0]["$ref"], "#/components/schemas/Error");
            for code in schema[1]["properties"]["code"]["enum"].as_array().unwrap() {
                let known = super::refusals::named(code.as_str().unwrap());
                assert_eq!(known[0].status().as_str(), status, "{code}");
            }
        }
    }
}

fn operations(document: &Value) -> impl Iterator<Item = &Value> {
    let paths = document["paths"].as_object().unwrap().values();
    paths.flat_map(|methods| methods.as_object().unwrap().values())
}

#[tokio::test]
async fn the_page_names_every_call_and_loads_only_its_style() {
    let request = Request::get("/api/docs").body(Body::empty()).unwrap();
    let response = app().oneshot(request).await.unwrap();
    let headers = response.headers().clone();
    assert_eq!(headers["content-type"], "text/html; charset=utf-8");
    assert_eq!(headers["x-content-type-options"], "nosniff");
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'self';"), "{policy}");
    let page = body(response).await;
    for operation in operations(&document().await) {
        let name = operation["operationId"].as_str().unwrap();
        assert!(page.contains(&format!("<h3 id=\"{name}\">")), "{name}");
    }
    for forbidden in ["<script", "<style", " style=", "http://", "https://"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    let request = Request::get("/api/docs.css").body(Body::empty()).unwrap();
    let style = app().oneshot(request).await.unwrap();
    assert_eq!(style.headers()["content-type"], "text/css; charset=utf-8");
}
