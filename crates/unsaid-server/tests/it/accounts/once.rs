//! `Idempotency-Key` on the calls about oneself (H3).

use serde_json::json;
use unsaid_testkit::talk::Talk;

use super::house::{Answer, House};

const ME: &str = "/api/users/me";
const SWITCH: &str = "/api/users/me/preferences";
const KEY: &str = "idempotency-key";

async fn switch(house: &House, token: &str, key: &str, on: bool) -> Answer {
    let call = house.call("PATCH", SWITCH).bearer(token).header(KEY, key);
    call.json(json!({ "store_history": on })).await
}

#[tokio::test]
async fn h3_a_repeated_call_takes_effect_once_and_shows_what_is_so_now() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    let off = switch(&house, &token, "k1", false).await;
    assert_eq!(off.status, 200);
    let on = switch(&house, &token, "k2", true).await;
    assert_eq!(on.header("unsaid-history"), Some("kept"));
    let again = switch(&house, &token, "k1", false).await;
    assert_eq!((again.status, &again.body), (200, &on.body), "it is still on");
    let again = switch(&house, &token, "k2", true).await;
    assert_eq!(again.header("unsaid-history"), Some("kept"));
    let lines = house.get("/api/users/me/consents", &token).await.body;
    assert_eq!(lines["consents"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_key_with_another_body_is_refused() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("ben", false)] {
        let token = house.somebody(name, consent).await;
        let rename = |name: &str| {
            let call = house.call("PATCH", ME).bearer(&token).header(KEY, "k1");
            call.json(json!({ "display_name": name }))
        };
        assert_eq!(rename("One").await.status, 200);
        assert_eq!(rename("One").await.status, 200);
        let refused = rename("Two").await;
        assert_eq!(refused.refusal().0, 422);
        assert_eq!(refused.refusal().1, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(house.get(ME, &token).await.body["display_name"], "One");
        // the same key for another call, or of somebody else, is another key
        let other = house.call("POST", "/api/users/me/erase").bearer(&token).header(KEY, "k1");
        assert_eq!(other.await_it().await.status, 200);
    }
}

#[tokio::test]
async fn h3_erase_now_is_not_repeated() {
    let house = House::new().await;
    let id = house.sign_up("ana", true).await;
    let token = house.token("ana").await;
    let erase =
        || house.call("POST", "/api/users/me/erase").bearer(&token).header(KEY, "k1").await_it();
    assert_eq!(erase().await.status, 200);
    let talk = Talk::chat(&house.store).owned_by(&id);
    talk.say("m1").await;
    assert_eq!(erase().await.body, json!({ "status": "ok" }));
    assert_eq!(talk.heard().await, ["m1"], "it was said after the call that counts");
}

#[tokio::test]
async fn a_malformed_key_is_refused() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    for key in ["", " ", "a b", "ä", &"k".repeat(256)] {
        let answer = switch(&house, &token, key, false).await;
        assert_eq!(answer.refusal().1, "VALIDATION_ERROR", "{key:?}");
        assert_eq!(answer.body["details"]["field"], "Idempotency-Key");
    }
    let twice = house.call("PATCH", SWITCH).bearer(&token).header(KEY, "a").header(KEY, "b");
    assert_eq!(twice.json(json!({ "store_history": false })).await.status, 400);
    assert_eq!(switch(&house, &token, &"k".repeat(255), true).await.status, 200);
    assert_eq!(house.get(SWITCH, &token).await.body["store_history"], true);
}

#[tokio::test]
async fn h7_the_keys_of_people_without_consent_are_not_stored() {
    use unsaid_core::port::keys::KeyUse;
    let house = House::new().await;
    let id = house.sign_up("ana", false).await;
    let token = house.token("ana").await;
    let call = house.call("PATCH", ME).bearer(&token).header(KEY, "k1");
    assert_eq!(call.json(json!({ "display_name": "x" })).await.status, 200);
    let asked = KeyUse {
        person: id.try_into().unwrap(),
        scope: "PATCH /api/users/me".to_owned(),
        ..unsaid_testkit::builder::key_use("ana", "k1", 0)
    };
    assert_eq!(house.store.used(&asked).await.unwrap(), None);
    let on = house.call("PATCH", SWITCH).bearer(&token).json(json!({ "store_history": true }));
    assert_eq!(on.await.status, 200);
    let call = house.call("PATCH", ME).bearer(&token).header(KEY, "k2");
    assert_eq!(call.json(json!({ "display_name": "y" })).await.status, 200);
    let key = unsaid_testkit::builder::idempotency_key("k2");
    assert!(house.store.used(&KeyUse { key, ..asked }).await.unwrap().is_some());
}
