//! Calls that take no body refuse one: what is not known is not ignored.

use serde_json::{Value, json};
use unsaid_core::port::people::PersonChange;
use unsaid_testkit::builder::person_id;

use super::house::House;

const JSON: &str = "application/json";
const SIGN_OUT: (&str, &str) = ("POST", "/api/auth/logout");

/// Every call that changes something and takes no body, in a place that may be there.
async fn without_body(house: &House) -> Vec<(String, String)> {
    let document = house.call("GET", "/api/openapi.json").await_it().await.body;
    let mut calls = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            if method != "get" && operation.get("requestBody").is_none() {
                calls.push((method.to_uppercase(), somewhere(path)));
            }
        }
    }
    calls
}

fn somewhere(path: &str) -> String {
    let session = "0198c0de-0000-4000-8000-000000000000";
    let path = path.replace("{session_id}", session).replace("{place}", "person");
    let parts = path.split('/').map(|part| if part.starts_with('{') { "x" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// The token of an admin, who may call everything.
async fn admin(house: &House) -> String {
    let id = house.sign_up("ana", true).await;
    let change = PersonChange::Admin(true);
    assert!(house.store.change(&person_id(&id), change).await.unwrap());
    house.token("ana").await
}

#[tokio::test]
async fn what_takes_no_body_refuses_one() {
    let house = House::new().await;
    let token = admin(&house).await;
    let calls = without_body(&house).await;
    for expected in [
        SIGN_OUT,
        ("POST", "/api/users/me/erase"),
        ("POST", "/api/worlds/x/setChat/x"),
        ("POST", "/api/worlds/x/edits/x/undo"),
        ("DELETE", "/api/worlds/x"),
    ] {
        let is_there = calls.iter().any(|(method, path)| (&**method, &**path) == expected);
        assert!(is_there, "{expected:?}: {calls:?}");
    }
    for (method, path) in &calls {
        let call = || house.call(method, path).bearer(&token);
        for (body, details) in [
            (r#"{"zz":1}"#, json!({ "field": "zz", "problem": "unknown" })),
            ("{{{", json!({ "problem": "the body is not JSON" })),
            ("[]", json!({ "problem": "the body is not a JSON object" })),
        ] {
            let refused = call().raw(JSON, body).await;
            assert_eq!(refused.refusal().1, "VALIDATION_ERROR", "{method} {path}: {refused:?}");
            assert_eq!((refused.status, &refused.body["details"]), (400, &details), "{path}");
        }
        let other = call().raw("text/plain", "{}").await;
        assert_eq!(other.status, 415, "{method} {path}: {other:?}");
    }
    let still = house.get("/api/users/me", &token).await;
    assert_eq!(still.status, 200, "nothing of it happened: {still:?}");
}

#[tokio::test]
async fn nothing_null_and_an_empty_object_are_no_body() {
    let house = House::new().await;
    let token = admin(&house).await;
    for (method, path) in without_body(&house).await {
        if (method.as_str(), path.as_str()) == SIGN_OUT {
            continue;
        }
        let call = || house.call(&method, &path).bearer(&token);
        for taken in [
            call().await_it().await,
            // Clients name the type of bodies that they do not send.
            call().raw("text/plain", "").await,
            call().raw(JSON, "null").await,
            call().raw(JSON, " {} ").await,
        ] {
            assert!(![400, 415].contains(&taken.status), "{method} {path}: {taken:?}");
        }
    }
    let (method, path) = SIGN_OUT;
    let left = house.call(method, path).bearer(&token).json(json!({})).await;
    assert_eq!((left.status, left.body), (204, Value::Null));
    assert_eq!(house.get("/api/users/me", &token).await.status, 401);
}
