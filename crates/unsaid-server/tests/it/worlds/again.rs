//! `Idempotency-Key` in worlds (H3).

use serde_json::{Value, json};

use super::owner::{Owner, WORLDS, text};
use crate::accounts::house::{Answer, House};

/// A call under the key `k1`.
async fn keyed(owner: &Owner<'_>, method: &str, path: &str, body: &Value) -> Answer {
    let call = owner.house.call(method, &format!("{WORLDS}{path}")).bearer(&owner.token);
    let call = call.header("idempotency-key", "k1");
    if body.is_null() { call.await_it().await } else { call.json(body.clone()).await }
}

#[tokio::test]
async fn h3_what_is_made_twice_is_made_once() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("ben", false)] {
        let owner = Owner::new(&house, name, consent).await;
        for (path, body, list) in [
            ("", json!({ "name": "w" }), ""),
            ("/w/agents", json!({ "name": "kai" }), "/w/agents"),
            ("/w/chats", json!({ "name": "plans" }), "/w/chats"),
        ] {
            let made = keyed(&owner, "POST", path, &body).await;
            assert_eq!(made.status, 201, "{made:?}");
            let count = owner.look(list).await.as_array().unwrap().len();
            let again = keyed(&owner, "POST", path, &body).await;
            assert_eq!((again.status, &again.body), (201, &made.body), "{path}");
            assert_eq!(owner.look(list).await.as_array().unwrap().len(), count);
            let other = keyed(&owner, "POST", path, &json!({ "name": "other" })).await;
            assert_eq!(other.refusal().1, "IDEMPOTENCY_KEY_REUSED", "{path}");
        }
        let unkeyed = owner.post("", json!({ "name": "w" })).await;
        assert_eq!(unkeyed.refusal().1, "WORLD_EXISTS", "without a key it is another call");
    }
}

#[tokio::test]
async fn h3_a_key_stands_for_one_query_too() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    ana.post("", json!({ "name": "w" })).await;
    ana.post("/w/agents", json!({ "name": "kai" })).await;
    let one = text(&ana.look("/w").await["currentChatId"]);
    let two = text(&ana.post("/w/chats", json!({})).await.body["id"]);
    let forget = |chat: &str| format!("/w/agents/kai/memory?chatId={chat}");
    for _ in 0..2 {
        assert_eq!(keyed(&ana, "DELETE", &forget(&one), &Value::Null).await.status, 204);
    }
    let reused = keyed(&ana, "DELETE", &forget(&two), &Value::Null).await;
    assert_eq!((reused.status, reused.refusal().1), (422, "IDEMPOTENCY_KEY_REUSED"));
}

#[tokio::test]
async fn h3_a_repeat_shows_what_is_so_now() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let (world, agent) = (json!({ "name": "w" }), json!({ "name": "kai" }));
    keyed(&ana, "POST", "", &world).await;
    keyed(&ana, "POST", "/w/agents", &agent).await;
    let chat = keyed(&ana, "POST", "/w/chats", &json!({})).await;
    let chat = text(&chat.body["id"]);
    ana.patch("/w", json!({ "name": "renamed" })).await;
    ana.patch("/w/agents/kai", json!({ "autoReply": false })).await;
    let again = keyed(&ana, "POST", "", &world).await;
    assert_eq!((again.status, &again.body["name"]), (201, &json!("renamed")));
    let again = keyed(&ana, "POST", "/w/agents", &agent).await;
    assert_eq!((again.status, &again.body["autoReply"]), (201, &json!(false)));
    ana.delete(&format!("/w/chats/{chat}")).await;
    ana.delete("/w/agents/kai").await;
    let gone = keyed(&ana, "POST", "/w/chats", &json!({})).await;
    assert_eq!(gone.refusal().1, "CHAT_NOT_FOUND");
    let gone = keyed(&ana, "POST", "/w/agents", &agent).await;
    assert_eq!(gone.refusal().1, "AGENT_NOT_FOUND");
    ana.delete("/w").await;
    let gone = keyed(&ana, "POST", "", &world).await;
    assert_eq!(gone.refusal().1, "WORLD_NOT_FOUND");
}

#[tokio::test]
async fn h3_a_change_is_not_made_again() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let first = ana.make("w").await;
    let second = ana.chat("w", "second").await;
    ana.hire("w", "kai").await;
    let name = json!({ "name": "one" });
    for path in ["/w", "/w/agents/kai"] {
        assert_eq!(keyed(&ana, "PATCH", path, &name).await.body["name"], "one");
        ana.patch(path, json!({ "name": "two" })).await;
        let again = keyed(&ana, "PATCH", path, &name).await;
        assert_eq!((again.status, &again.body["name"]), (200, &json!("two")), "{path}");
    }
    let set = format!("/w/setChat/{second}");
    assert_eq!(keyed(&ana, "POST", &set, &Value::Null).await.status, 200);
    ana.post(&format!("/w/setChat/{first}"), Value::Null).await;
    let again = keyed(&ana, "POST", &set, &Value::Null).await;
    assert_eq!((again.status, &again.body["currentChatId"]), (200, &json!(first)));
}

#[tokio::test]
async fn h3_what_is_deleted_twice_is_deleted_once() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let first = ana.make("w").await;
    ana.hire("w", "kai").await;
    ana.says("w", &first, "m1").await;
    let memory = "/w/agents/kai/memory";
    assert_eq!(keyed(&ana, "DELETE", memory, &Value::Null).await.status, 204);
    ana.says("w", &first, "m2").await;
    assert_eq!(keyed(&ana, "DELETE", memory, &Value::Null).await.status, 204);
    assert_eq!(ana.memory("w", "kai", &first).await, ["m2"]);
    for path in [format!("/w/chats/{first}"), "/w/agents/kai".into(), "/w".into()] {
        for _ in 0..2 {
            assert_eq!(keyed(&ana, "DELETE", &path, &Value::Null).await.status, 204, "{path}");
        }
        assert_eq!(ana.delete(&path).await.status, 404, "{path}");
    }
    // A world of the same name is deleted by another call only.
    ana.make("w").await;
    assert_eq!(keyed(&ana, "DELETE", "/w", &Value::Null).await.status, 204);
    assert_eq!(ana.get("/w").await.status, 200);
}
