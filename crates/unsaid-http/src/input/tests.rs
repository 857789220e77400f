use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use serde::Deserialize;
use tower::ServiceExt as _;
use unsaid_core::domain::id::SessionId;
use unsaid_core::domain::person::Email;
use unsaid_core::port::clock::Chance;

use super::field::{self, PageSize};
use super::json::JsonBody;
use super::path::PathOf;
use super::query::QueryOf;
use crate::body::limited;
use crate::watch::watch;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body1 {
    #[serde(deserialize_with = "field::email")]
    email: Email,
    #[serde(default)]
    flag: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Query1 {
    limit: Option<PageSize>,
}

struct NoChance;

impl Chance for NoChance {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

fn app() -> Router {
    let body = async |JsonBody(body): JsonBody<Body1>| format!("{:?} {:?}", body.email, body.flag);
    let query = async |QueryOf(query): QueryOf<Query1>| {
        query.limit.map_or_else(|| "none".to_owned(), |limit| limit.within(100).to_string())
    };
    let path = async |PathOf(id): PathOf<SessionId>| id.to_string();
    let routes = Router::new()
        .route("/body", post(body))
        .route("/query", get(query))
        .route("/path/{session}", get(path));
    let chance: std::sync::Arc<dyn Chance> = std::sync::Arc::new(NoChance);
    limited(routes, 1_000).layer(from_fn_with_state(chance, watch))
}

async fn ask(request: Request<Body>) -> (StatusCode, String) {
    let response = app().oneshot(request).await.unwrap();
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

async fn send(kind: Option<&str>, body: &str) -> (StatusCode, String) {
    let mut request = Request::post("/body");
    if let Some(kind) = kind {
        request = request.header("content-type", kind);
    }
    ask(request.body(Body::from(body.to_owned())).unwrap()).await
}

async fn details(body: &str) -> String {
    let (status, text) = send(Some("application/json"), body).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{body}: {text}");
    let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["code"], "VALIDATION_ERROR");
    answer["details"].to_string()
}

#[tokio::test]
async fn a_right_body_comes_in() {
    for kind in ["application/json", "application/json; charset=utf-8", "Application/JSON"] {
        let (status, text) = send(Some(kind), r#"{"email":"a@b","flag":null}"#).await;
        assert_eq!((status, text.as_str()), (StatusCode::OK, "Email(…) None"));
    }
}

#[tokio::test]
async fn another_content_type_is_415() {
    for kind in [None, Some("text/plain"), Some("application/x-www-form-urlencoded")] {
        let (status, text) = send(kind, r#"{"email":"a@b"}"#).await;
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{text}");
    }
}

#[tokio::test]
async fn what_is_wrong_in_a_body_is_named_and_not_quoted() {
    let words = r#"{"problem":"the body is not JSON"}"#;
    let cut = ["", "{", "{\"email\":\"s3cret", "{} {}", r#"{"email":1e999}"#];
    for malformed in cut.into_iter().chain(["\u{feff}{}", r#"{"email":"\ud800"}"#]) {
        assert_eq!(details(malformed).await, words, "{malformed}");
    }
    for other in ["[]", "null", "\"s3cret\"", "3"] {
        assert_eq!(details(other).await, r#"{"problem":"the body is not a JSON object"}"#);
    }
    let cases = [
        ("{}", r#"{"field":"email","problem":"missing"}"#),
        (r#"{"email":3}"#, r#"{"field":"email","problem":"of the wrong type"}"#),
        (r#"{"email":"s3cret"}"#, r#"{"field":"email","problem":"not an e-mail address"}"#),
        (r#"{"email":"a@b","flag":"s3cret"}"#, r#"{"field":"flag","problem":"of the wrong type"}"#),
        (r#"{"email":"a@b","more":1}"#, r#"{"field":"more","problem":"unknown"}"#),
        (r#"{"email":"a@b","s3cret words":1}"#, r#"{"problem":"unknown"}"#),
        (r#"{"email":"a@b","email":"c@d"}"#, r#"{"field":"email","problem":"given twice"}"#),
        (r#"{"email":"a@b","\u0065mail":"a@b"}"#, r#"{"field":"email","problem":"given twice"}"#),
        (r#"{"a":[{"b":1,"b":1}]}"#, r#"{"field":"a[0].b","problem":"given twice"}"#),
        (r#"{"s3cret words":1,"s3cret words":2}"#, r#"{"problem":"given twice"}"#),
        (r#"{"email":"a\u0000@b"}"#, r#"{"field":"email","problem":"contains U+0000"}"#),
        (r#"{"email":"a@b","x\u0000":1}"#, r#"{"problem":"contains U+0000"}"#),
    ];
    for (body, expected) in cases {
        assert_eq!(details(body).await, expected, "{body}");
    }
}

#[tokio::test]
async fn a_body_nested_too_deeply_is_refused() {
    let deep = format!("{{\"email\":{}{}}}", "[".repeat(400), "]".repeat(400));
    assert_eq!(details(&deep).await, r#"{"problem":"the body is not JSON"}"#);
}

#[tokio::test]
async fn a_query_is_as_strict() {
    let cases = [
        ("", 200, "none"),
        ("?limit=7", 200, "7"),
        ("?limit=101", 200, "100"),
        ("?limit=99999999999999999999999999", 200, "100"),
        ("?limit=0", 400, r#"{"field":"limit","problem":"less than 1"}"#),
        ("?limit=-1", 400, r#"{"field":"limit","problem":"not a whole number"}"#),
        ("?limit=+1", 400, r#"{"field":"limit","problem":"not a whole number"}"#),
        ("?limit=1.0", 400, r#"{"field":"limit","problem":"not a whole number"}"#),
        ("?limit=", 400, r#"{"field":"limit","problem":"not a whole number"}"#),
        ("?limit=%00", 400, r#"{"problem":"contains U+0000"}"#),
        ("?limit=1&limit=2", 400, r#"{"field":"limit","problem":"given twice"}"#),
        ("?offset=1", 400, r#"{"field":"offset","problem":"unknown"}"#),
    ];
    for (query, status, expected) in cases {
        let request = Request::get(format!("/query{query}")).body(Body::empty()).unwrap();
        let (seen, text) = ask(request).await;
        assert_eq!(seen.as_u16(), status, "{query}: {text}");
        assert!(text.contains(expected), "{query}: {text}");
    }
}

#[tokio::test]
async fn a_parameter_of_the_path_is_parsed_by_its_type() {
    for (path, status, expected) in [
        ("/path/abc", 200, "abc"),
        ("/path/a%20b", 400, "VALIDATION_ERROR"),
        ("/path/%ff", 400, "VALIDATION_ERROR"),
        ("/path/a%00", 400, "VALIDATION_ERROR"),
    ] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let (seen, text) = ask(request).await;
        assert_eq!(seen.as_u16(), status, "{path}: {text}");
        assert!(text.contains(expected), "{path}: {text}");
    }
}
