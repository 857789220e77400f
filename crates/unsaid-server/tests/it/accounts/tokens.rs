//! Bearer tokens.

use serde_json::json;

use super::house::{BEGIN, DAY_MS, House, MINUTE_MS, PASSWORD};

const ME: &str = "/api/users/me";

#[tokio::test]
async fn without_a_valid_token_nobody_comes_in() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    assert_eq!(house.get(ME, &token).await.status, 200);
    let nobody = house.call("GET", ME).await_it().await;
    assert_eq!(nobody.refusal(), (401, "UNAUTHENTICATED", "Authentication required"));
    assert_eq!(nobody.header("www-authenticate"), Some("Bearer"));
    for value in [
        "Bearer",
        "Bearer ",
        "Bearer x",
        &format!("Basic {token}"),
        &token,
        &format!("Bearer {token}x"),
    ] {
        let answer = house.call("GET", ME).header("authorization", value).await_it().await;
        assert_eq!(answer.refusal().0, 401, "{value}");
    }
    let twice = house.call("GET", ME).bearer(&token).bearer(&token).await_it().await;
    assert_eq!(twice.status, 401);
    let lower = house.call("GET", ME).header("authorization", &format!("bearer {token}"));
    assert_eq!(lower.await_it().await.status, 200);
}

#[tokio::test]
async fn every_call_about_oneself_needs_a_token() {
    let house = House::new().await;
    for (method, path) in [
        ("GET", "/api/users/me"),
        ("PATCH", "/api/users/me"),
        ("DELETE", "/api/users/me"),
        ("GET", "/api/users/me/preferences"),
        ("PATCH", "/api/users/me/preferences"),
        ("GET", "/api/users/me/consents"),
        ("POST", "/api/users/me/erase"),
        ("POST", "/api/auth/logout"),
        ("POST", "/api/auth/password"),
        ("GET", "/api/admin/audit"),
        ("POST", "/api/admin/erasures/run"),
    ] {
        let answer = house.call(method, path).await_it().await;
        assert_eq!(answer.refusal().0, 401, "{method} {path}");
    }
}

#[tokio::test]
async fn a_token_expires() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    house.clock.set(BEGIN.plus_millis(60 * MINUTE_MS - 1));
    assert_eq!(house.get(ME, &token).await.status, 200);
    house.clock.set(BEGIN.plus_millis(60 * MINUTE_MS));
    assert_eq!(house.get(ME, &token).await.status, 401);
}

#[tokio::test]
async fn a_successful_answer_brings_a_new_token_when_little_is_left() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    house.clock.advance(30 * MINUTE_MS);
    let early = house.get(ME, &token).await;
    assert_eq!((early.status, early.header("x-new-token")), (200, None));
    house.clock.advance(1);
    let answer = house.get(ME, &token).await;
    assert_eq!(answer.header("x-token-expires-in"), Some("3600"));
    let new = answer.header("x-new-token").unwrap().to_owned();
    assert_ne!(new, token);
    // both count until they expire
    assert_eq!(house.get(ME, &token).await.status, 200);
    house.clock.advance(59 * MINUTE_MS);
    assert_eq!(house.get(ME, &token).await.status, 401);
    assert_eq!(house.get(ME, &new).await.status, 200);
}

#[tokio::test]
async fn a_refusal_brings_no_new_token() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    house.clock.advance(31 * MINUTE_MS);
    let refused = house.call("PATCH", ME).bearer(&token).json(json!({ "display_name": 1 })).await;
    assert_eq!((refused.status, refused.header("x-new-token")), (400, None));
}

#[tokio::test]
async fn no_token_counts_beyond_the_cap() {
    let house = House::new().await;
    let mut token = house.somebody("ana", true).await;
    let cap = BEGIN.plus_millis(30 * DAY_MS);
    let mut last_seconds = 0;
    while house.clock.advance(45 * MINUTE_MS) < cap {
        let answer = house.get(ME, &token).await;
        assert_eq!(answer.status, 200);
        if let Some(new) = answer.header("x-new-token") {
            last_seconds = answer.header("x-token-expires-in").unwrap().parse().unwrap();
            token = new.to_owned();
        }
    }
    assert!(last_seconds < 3_600, "the last one is cut off at the cap: {last_seconds}");
    house.clock.set(cap.plus_millis(-1));
    let answer = house.get(ME, &token).await;
    assert_eq!((answer.status, answer.header("x-new-token")), (200, None));
    house.clock.set(cap);
    assert_eq!(house.get(ME, &token).await.status, 401);
}

#[tokio::test]
async fn another_password_ends_all_tokens() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    let other = house.token("ana").await;
    house.clock.advance(45 * MINUTE_MS);
    let change = json!({ "current_password": PASSWORD, "new_password": "battery staple" });
    let answer = house.call("POST", "/api/auth/password").bearer(&token).json(change).await;
    assert_eq!((answer.status, &answer.body), (204, &json!(null)));
    assert_eq!(answer.header("x-new-token"), None, "it would count for nothing");
    for old in [&token, &other] {
        assert_eq!(house.get(ME, old).await.status, 401);
    }
    assert_eq!(house.login("ana", PASSWORD).await.status, 401);
    // in the same millisecond
    let answer = house.login("ana", "battery staple").await;
    let new = answer.body["token"].as_str().unwrap();
    assert_eq!(house.get(ME, new).await.status, 200);
}

#[tokio::test]
async fn a_wrong_current_password_changes_nothing() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    let path = "/api/auth/password";
    for current in ["wrong horse", "", "x"] {
        let change = json!({ "current_password": current, "new_password": "battery staple" });
        let answer = house.call("POST", path).bearer(&token).json(change).await;
        assert_eq!(answer.refusal(), (403, "WRONG_PASSWORD", "Wrong password"));
    }
    let change = json!({ "current_password": PASSWORD, "new_password": "short" });
    let answer = house.call("POST", path).bearer(&token).json(change).await;
    assert_eq!(answer.body["details"]["field"], "new_password");
    assert_eq!(house.get(ME, &token).await.status, 200);
    assert_eq!(house.login("ana", PASSWORD).await.status, 200);
}

#[tokio::test]
async fn logging_out_ends_a_sign_in_with_all_its_tokens_and_no_other() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    let other = house.token("ana").await;
    house.clock.advance(31 * MINUTE_MS);
    let renewed = house.get(ME, &token).await.header("x-new-token").unwrap().to_owned();
    let answer = house.call("POST", "/api/auth/logout").bearer(&renewed).await_it().await;
    assert_eq!((answer.status, answer.header("x-new-token")), (204, None));
    for ended in [&token, &renewed] {
        assert_eq!(house.get(ME, ended).await.status, 401);
    }
    assert_eq!(house.get(ME, &other).await.status, 200);
}
