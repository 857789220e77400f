//! The chats of a world.

use serde_json::{Value, json};

use super::owner::{Owner, text, wrong};
use crate::accounts::house::{House, MINUTE_MS};

#[tokio::test]
async fn a_chat_is_added_listed_and_made_current() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let first = ana.make("w").await;
    house.clock.advance(MINUTE_MS + 7);
    let added = ana.post("/w/chats", json!({ "name": " Plans " })).await;
    let plans = json!({
        "id": added.body["id"], "name": "Plans", "messageCount": 0,
        "createdAt": "2026-01-17T10:31:00.007Z", "stored": true,
    });
    assert_eq!((added.status, &added.body), (201, &plans));
    for body in [Value::Null, json!({})] {
        let unnamed = ana.post("/w/chats", body).await;
        assert_eq!((unnamed.status, &unnamed.body["name"]), (201, &json!("New chat")));
    }
    let listed = ana.look("/w/chats").await;
    assert_eq!(listed.as_array().unwrap().len(), 4);
    assert_eq!((&listed[0]["id"], &listed[1]), (&json!(first), &plans), "oldest first");
    let world = ana.look("/w").await;
    assert_eq!((&world["currentChatId"], &world["chats"]), (&json!(first), &listed));
    let id = text(&plans["id"]);
    let set = ana.post(&format!("/w/setChat/{id}"), Value::Null).await;
    assert_eq!((set.status, &set.body["currentChatId"]), (200, &json!(id)));
    assert_eq!(ana.look("/w").await, set.body);
}

#[tokio::test]
async fn session_mode_goes_off_and_on() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let first = ana.make("w").await;
    ana.patch("/w", json!({ "currentChatId": null })).await;
    assert_eq!(ana.look("/w").await["currentChatId"], Value::Null);
    let set = ana.post(&format!("/w/setChat/{first}"), Value::Null).await;
    assert_eq!((set.status, &set.body["currentChatId"]), (200, &json!(first)));
}

#[tokio::test]
async fn unknown_chats_are_not_found() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    ana.make("w").await;
    let elsewhere = ana.make("elsewhere").await;
    let before = ana.look("/w").await;
    for chat in ["nothing", &elsewhere, "%E6%9D%B1", "a%20b", "%00", &"x".repeat(65)] {
        for (method, path) in [
            ("DELETE", format!("/w/chats/{chat}")),
            ("POST", format!("/w/setChat/{chat}")),
            ("GET", format!("/w/chats/{chat}/messages")),
        ] {
            let refused = ana.send(method, &path, Value::Null).await;
            let expected = (404, "CHAT_NOT_FOUND", "Chat not found");
            assert_eq!(refused.refusal(), expected, "{method} {path}");
        }
    }
    let invalid = ana.post("/w/chats", json!({ "name": "" })).await;
    assert_eq!(wrong(&invalid).2, "name");
    let unknown = ana.post("/w/chats", json!({ "title": "x" })).await;
    assert_eq!(wrong(&unknown).2, "title");
    assert_eq!(ana.look("/w").await, before);
    assert_eq!(ana.look("/elsewhere").await["currentChatId"], json!(elsewhere));
}

#[tokio::test]
async fn the_newest_remaining_chat_becomes_current_and_the_last_is_replaced() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let first = ana.make("w").await;
    let second = ana.chat("w", "second").await;
    let third = ana.chat("w", "third").await;
    ana.says("w", &first, "m1").await;
    let delete = async |chat: &str| {
        let gone = ana.delete(&format!("/w/chats/{chat}")).await;
        assert_eq!(gone.status, 204);
        text(&ana.look("/w").await["currentChatId"])
    };
    assert_eq!(delete(&first).await, third);
    assert_eq!(delete(&second).await, third, "it was not current");
    let spare = delete(&third).await;
    let world = ana.look("/w").await;
    assert_eq!(world["chats"].as_array().unwrap().len(), 1);
    assert_eq!(world["chats"][0]["id"], json!(spare));
    assert!(![first, second, third].contains(&spare));
    assert_eq!(ana.look(&format!("/w/chats/{spare}/messages")).await["messages"], json!([]));
}
