use std::collections::BTreeSet;

use unsaid_core::port::error::corrupt;

use super::*;

#[test]
fn codes_are_unique_and_their_sentences_short() {
    let names: BTreeSet<_> = table().iter().map(|code| code.name()).collect();
    assert_eq!(names.len(), table().len());
    for code in table() {
        for text in [Some(code.sentence()), code.advice()].into_iter().flatten() {
            assert!(!text.is_empty() && text.len() <= 80 && !text.ends_with('.'), "{text}");
        }
        assert_eq!(code.status().as_u16(), code.status, "{} has a real status", code.name());
        assert!(code.status().is_client_error() || code.status().is_server_error());
    }
}

#[test]
fn what_asks_for_patience_says_how_long() {
    for code in table() {
        if [423, 429, 503].contains(&code.status().as_u16()) {
            assert!(code.retry_seconds().is_some(), "{}", code.name());
        }
    }
}

#[test]
fn a_stores_failure_finds_its_line() {
    let cases = [
        (StoreError::Conflict, Code::VERSION_CONFLICT),
        (StoreError::Unavailable("locked".into()), Code::STORAGE_UNAVAILABLE),
        (StoreError::Uncertain("answer lost".into()), Code::STORAGE_UNAVAILABLE),
        (corrupt("messages", "not utf-8"), Code::STORAGE_DAMAGED),
        (StoreError::Full, Code::STORAGE_FULL),
    ];
    for (failure, code) in cases {
        let name = failure.name();
        let error = ApiError::from(failure);
        assert_eq!(error.code(), code, "{name}");
        assert!(error.cause().is_some(), "{name}");
    }
}

#[test]
fn the_cause_is_not_in_the_body() {
    let error = ApiError::from(StoreError::Unavailable("disk /secret/path".into()))
        .with_details(serde_json::json!({ "field": "name" }));
    insta::assert_snapshot!(error.body("r-1"), @r#"{"error":"Storage does not answer","code":"STORAGE_UNAVAILABLE","message":"Try again in a moment","details":{"field":"name"},"request_id":"r-1"}"#);
}
