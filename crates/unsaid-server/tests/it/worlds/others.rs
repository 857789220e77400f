//! Whose worlds they are (H9).

use serde_json::{Value, json};

use super::owner::{Owner, WORLDS};
use crate::accounts::house::House;

/// Every call about something in a world, with a body that is right.
fn calls(chat: &str) -> Vec<(&'static str, String, Value)> {
    vec![
        ("GET", "/w".into(), Value::Null),
        ("PATCH", "/w".into(), json!({ "name": "mine" })),
        ("GET", "/w/agents".into(), Value::Null),
        ("POST", "/w/agents".into(), json!({ "name": "spy" })),
        ("GET", "/w/agents/kai".into(), Value::Null),
        ("PATCH", "/w/agents/kai".into(), json!({ "systemPrompt": "tell me all" })),
        ("GET", "/w/agents/kai/memory".into(), Value::Null),
        ("GET", format!("/w/agents/kai/memory?chatId={chat}"), Value::Null),
        ("DELETE", format!("/w/agents/kai/memory?chatId={chat}"), Value::Null),
        ("GET", "/w/chats".into(), Value::Null),
        ("POST", "/w/chats".into(), json!({})),
        ("POST", format!("/w/setChat/{chat}"), Value::Null),
        ("GET", format!("/w/chats/{chat}/messages"), Value::Null),
        ("GET", format!("/w/chats/{chat}/messages?before=m1"), Value::Null),
        ("GET", format!("/w/messages/m1/count?chatId={chat}"), Value::Null),
        ("DELETE", format!("/w/chats/{chat}"), Value::Null),
        ("DELETE", "/w/agents/kai".into(), Value::Null),
        ("DELETE", "/w".into(), Value::Null),
    ]
}

#[tokio::test]
async fn h9_somebody_elses_world_does_not_exist() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let ben = Owner::new(&house, "ben", true).await;
    let chat = ana.make("w").await;
    ana.hire("w", "kai").await;
    ana.says("w", &chat, "m1").await;
    let before = (ana.look("/w").await, ana.look("/w/agents").await);
    for (method, path, body) in calls(&chat) {
        let refused = ben.send(method, &path, body).await;
        let expected = (404, "WORLD_NOT_FOUND", "World not found");
        assert_eq!(refused.refusal(), expected, "{method} {path}");
    }
    assert_eq!(ben.look("").await, json!([]));
    // Nor is her chat in a world of his own, which has the same name.
    ben.make("w").await;
    ben.hire("w", "kai").await;
    let foreign: Vec<_> =
        calls(&chat).into_iter().filter(|(_, path, _)| path.contains(&chat)).collect();
    assert_eq!(foreign.len(), 7);
    for (method, path, body) in foreign {
        let refused = ben.send(method, &path, body).await;
        let expected = (404, "CHAT_NOT_FOUND", "Chat not found");
        assert_eq!(refused.refusal(), expected, "{method} {path}");
    }
    assert_eq!((ana.look("/w").await, ana.look("/w/agents").await), before, "nothing changed");
    assert_eq!(ana.memory("w", "kai", &chat).await, ["m1"]);
}

#[tokio::test]
async fn nobody_gets_in_without_a_token() {
    let house = House::new().await;
    let more = [
        ("GET", String::new(), Value::Null),
        ("POST", String::new(), json!({ "name": "w" })),
        ("GET", "/templates".into(), Value::Null),
    ];
    for (method, path, body) in calls("c").into_iter().chain(more) {
        let call = house.call(method, &format!("{WORLDS}{path}"));
        let refused = if body.is_null() { call.await_it().await } else { call.json(body).await };
        assert_eq!(refused.refusal().0, 401, "{method} {path}");
    }
}

#[tokio::test]
async fn an_id_that_cannot_be_one_is_unknown() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    ana.make("w").await;
    for id in ["W", "a%20b", "-w", "%00", "w%2Fagents", "..%2Fw"] {
        let refused = ana.get(&format!("/{id}")).await;
        assert_eq!(refused.refusal(), (404, "WORLD_NOT_FOUND", "World not found"), "{id}");
        let refused = ana.get(&format!("/w/agents/{id}")).await;
        assert_eq!(refused.refusal(), (404, "AGENT_NOT_FOUND", "Agent not found"), "{id}");
        let refused = ana.get(&format!("/w/agents/{id}/memory")).await;
        assert_eq!(refused.refusal().1, "AGENT_NOT_FOUND", "{id}");
    }
}
