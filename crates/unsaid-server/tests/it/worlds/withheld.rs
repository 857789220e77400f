//! People who want nothing kept, and the switch (H7, H8).

use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::{Value, json};
use unsaid_app::event::Watchers;
use unsaid_app::follow::follow;
use unsaid_core::port::clock::Clock as _;
use unsaid_core::port::volatile::Volatile as _;
use unsaid_testkit::builder::{chat, chat_id, chat_key, words_of, world_key};

use super::owner::{Owner, text};
use crate::accounts::house::House;

async fn consents(owner: &Owner<'_>, on: bool) {
    let call = owner.house.call("PATCH", "/api/users/me/preferences").bearer(&owner.token);
    assert_eq!(call.json(json!({ "store_history": on })).await.status, 200);
}

/// Whether everything says that words are kept, and how many messages there are.
async fn shown(owner: &Owner<'_>, chat: &str) -> (bool, u64) {
    let world = owner.look("/w").await;
    let listed = owner.look("/w/chats").await;
    let kept = [&world["stored"], &world["chats"][0]["stored"], &listed[0]["stored"]];
    assert!(kept.iter().all(|stored| *stored == kept[0]), "{world} {listed}");
    let count = world["chats"][0]["messageCount"].as_u64().unwrap();
    assert_eq!(owner.seen("w", chat).await.len() as u64, count);
    (kept[0].as_bool().unwrap(), count)
}

#[tokio::test]
async fn h7_without_consent_words_are_shown_from_memory() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", false).await;
    let chat = ana.make("w").await;
    ana.hire("w", "kai").await;
    ana.says("w", &chat, "m1").await;
    ana.hears("w", &chat, "kai", "m1", "m2").await;
    assert_eq!(shown(&ana, &chat).await, (false, 2));
    assert_eq!(ana.memory("w", "kai", &chat).await, ["m1", "m2"]);
    let count = ana.look("/w/messages/m1/count").await;
    assert_eq!((&count["count"], &count["isFirst"]), (&json!(2), &json!(true)));
    assert_eq!(ana.get("/w/messages/m2/count").await.refusal().1, "INVALID_MESSAGE_TYPE");
    let path = format!("/w/chats/{chat}/messages");
    let page = ana.look(&format!("{path}?before=m2&limit=1")).await;
    assert_eq!(
        (text(&page["messages"][0]["content"]), &page["hasMore"]),
        (words_of("m1"), &json!(false))
    );
    let unknown = ana.get(&format!("{path}?before=nothing")).await;
    assert_eq!(unknown.refusal().1, "MESSAGE_NOT_FOUND");
    assert_eq!(ana.delete("/w/agents/kai/memory").await.status, 204);
    assert_eq!(ana.memory("w", "kai", &chat).await, [""; 0]);
    assert_eq!(shown(&ana, &chat).await, (false, 2), "for itself only");
}

#[tokio::test]
async fn h8_what_is_kept_is_hidden_while_consent_is_off() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let chat = ana.make("w").await;
    ana.hire("w", "kai").await;
    ana.says("w", &chat, "kept").await;
    assert_eq!(shown(&ana, &chat).await, (true, 1));
    consents(&ana, false).await;
    assert_eq!(shown(&ana, &chat).await, (false, 0));
    assert_eq!(ana.memory("w", "kai", &chat).await, [""; 0]);
    assert_eq!(ana.get("/w/messages/kept/count").await.refusal().1, "MESSAGE_NOT_FOUND");
    let before = ana.get(&format!("/w/chats/{chat}/messages?before=kept")).await;
    assert_eq!(before.refusal().1, "MESSAGE_NOT_FOUND");
    ana.says("w", &chat, "in-memory").await;
    assert_eq!(ana.seen("w", &chat).await[0].0, "in-memory");
    consents(&ana, true).await;
    // H7: it stays in the lists, where it was said.
    let seen = ana.seen("w", &chat).await;
    assert_eq!([&seen[0].0, &seen[1].0], ["kept", "in-memory"]);
    assert_eq!(shown(&ana, &chat).await, (true, 2));
    assert_eq!(ana.memory("w", "kai", &chat).await, ["kept", "in-memory"]);
    // An edit would find it, and so does the count.
    assert_eq!(ana.look("/w/messages/in-memory/count").await["count"], 1);
}

#[tokio::test]
async fn an_agent_is_made_to_forget_in_both_logs() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let chat = ana.make("w").await;
    ana.hire("w", "kai").await;
    ana.says("w", &chat, "kept").await;
    consents(&ana, false).await;
    ana.says("w", &chat, "in-memory").await;
    assert_eq!(ana.memory("w", "kai", &chat).await, ["in-memory"]);
    assert_eq!(ana.delete("/w/agents/kai/memory").await.status, 204);
    for on in [false, true] {
        consents(&ana, on).await;
        assert_eq!(ana.memory("w", "kai", &chat).await, [""; 0]);
        assert_eq!(shown(&ana, &chat).await, (on, if on { 2 } else { 1 }));
    }
}

#[tokio::test]
async fn deleting_a_chat_or_a_world_takes_what_is_in_memory() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", false).await;
    let first = ana.make("w").await;
    let second = ana.chat("w", "second").await;
    ana.says("w", &first, "m1").await;
    ana.says("w", &second, "m2").await;
    assert_eq!(house.volatile.held().await.unwrap().len(), 2);
    ana.delete(&format!("/w/chats/{first}")).await;
    assert_eq!(house.volatile.held().await.unwrap().len(), 1);
    ana.delete("/w").await;
    assert_eq!(house.volatile.held().await.unwrap(), []);
}

#[tokio::test]
async fn what_is_in_memory_follows_a_chat_that_is_deleted_elsewhere() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", false).await;
    let first = ana.make("w").await;
    let second = ana.chat("w", "second").await;
    ana.says("w", &first, "m1").await;
    ana.says("w", &second, "m2").await;
    let held = async || {
        let now = house.clock.now();
        let watchers = Watchers::default();
        let (store, memory) = (&*house.store, &*house.volatile);
        follow(store, store, memory, &watchers, now).await.unwrap();
        memory.held().await.unwrap().into_iter().map(|held| held.key).collect::<Vec<_>>()
    };
    assert_eq!(held().await.len(), 2);
    // Another server knows nothing of this memory.
    let key = world_key(&ana.id, "w");
    let deleted = house.store.delete_chat(&key, &chat_id(&first), chat("spare", 0)).await;
    assert!(deleted.unwrap().is_ok());
    assert_eq!(held().await, [chat_key(&second)]);
    assert_eq!(house.store.delete_world(&key).await.unwrap(), Ok(()));
    assert_eq!(held().await, []);
}

#[tokio::test]
async fn the_export_has_settings_and_what_was_said() {
    let house = House::new().await;
    let ana = Owner::new(&house, "ana", true).await;
    let chat = ana.make("w").await;
    let agent = json!({ "name": "Kai", "systemPrompt": "You are Kai." });
    ana.post("/w/agents", agent).await;
    ana.says("w", &chat, "kept").await;
    ana.hears("w", &chat, "kai", "kept", "answer").await;
    consents(&ana, false).await;
    ana.says("w", &chat, "in-memory").await;
    let request = Request::get("/api/users/me/export")
        .header("authorization", format!("Bearer {}", ana.token));
    let response = house.response(request.body(Body::empty()).unwrap()).await;
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let lines: Vec<Value> = bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    let of =
        |kind: &str| -> Vec<&Value> { lines.iter().filter(|line| line["type"] == kind).collect() };
    assert_eq!((of("world").len(), of("chat").len()), (1, 1));
    assert_eq!(of("world")[0]["id"], "w");
    assert_eq!(of("agent")[0]["system_prompt"], "You are Kai.");
    assert_eq!(of("chat")[0]["id"], json!(chat));
    let said: Vec<[Value; 4]> = of("message")
        .into_iter()
        .map(|line| {
            ["conversation_id", "content", "stored", "hidden"].map(|field| line[field].clone())
        })
        .collect();
    let line = |id: &str, stored: bool, hidden: Value| {
        [json!(chat), json!(words_of(id)), json!(stored), hidden]
    };
    let expected = [
        line("kept", true, json!(true)),
        line("answer", true, json!(true)),
        line("in-memory", false, Value::Null),
    ];
    assert_eq!(said, expected);
}
