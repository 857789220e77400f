//! What frames hold, to the letter, and what else a stream says.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{advance, pause};
use unsaid_app::event::{Notice, RoundNotice};
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::ChatId;
use unsaid_core::limits::Limits;
use unsaid_core::port::model::ModelError;
use unsaid_testkit::failing::Fault;
use unsaid_testkit::model::{fails, text};

use super::company::Company;
use crate::accounts::house::{House, Plan};

const NO_MODEL: &str = "The model does not answer";

impl Company<'_> {
    /// The number of the newest event in what is kept.
    async fn newest_event(&self) -> String {
        let key = ConversationKey::Chat(ChatId::new(self.chat.as_str()).unwrap());
        self.house.store.newest_event(&key).await.unwrap().to_string()
    }
}

#[tokio::test]
async fn a_comment_comes_every_15_seconds() {
    let house = House::new().await;
    let ana = Company::new(&house, &[]).await;
    let mut watching = ana.watches(None).await;
    ana.says("hello").await.rest().await;
    watching.until("idle").await;
    // It waits for more, and nobody is there to say it.
    assert_eq!(watching.bytes_now(), None);
    pause();
    for _ in 0..3 {
        advance(Duration::from_secs(14)).await;
        assert_eq!(watching.bytes_now(), None, "not so soon");
        advance(Duration::from_millis(1_500)).await;
        let told = watching.bytes_now().expect("a comment");
        assert!(told.starts_with(':') && told.ends_with("\n\n"), "{told:?}");
        assert_eq!(told.trim_matches([':', ' ', '\n']), "", "it says nothing: {told:?}");
    }
}

#[tokio::test]
async fn a_stream_of_events_is_neither_stored_nor_held_back_on_its_way() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "hello", "Hi").await;
    let known = ana.newest_event().await;
    for frames in [
        ana.watches(None).await,
        ana.watches(Some(&known)).await,
        ana.watches(Some("unknown")).await,
        ana.edits(&id, "other").await,
    ] {
        assert_eq!(frames.status, 200);
        assert_eq!(frames.headers["content-type"], "text/event-stream");
        assert_eq!(frames.headers["cache-control"], "no-store");
        assert_eq!(frames.headers["x-accel-buffering"], "no");
    }
}

#[tokio::test]
async fn an_answer_as_it_comes_to_the_letter() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut watching = ana.watches(None).await;
    let mut frames = ana.says("hello").await;
    let said = frames.next().await;
    let (_, asked) = ana.asked().await;
    let world = |kind: &str, agents: Value| json!({ "type": "world", "data": { "type": kind, "activeAgents": agents } });
    assert_eq!(frames.next().await, world("response-start", json!(["o1"])));
    asked.say(text("Good "));
    let started = frames.next().await;
    let id = started["data"]["messageId"].as_str().unwrap().to_owned();
    let sse = |kind: &str| json!({ "agentName": "o1", "type": kind, "messageId": id });
    assert_eq!(started, json!({ "type": "sse", "data": sse("start") }));
    let mut chunk = sse("chunk");
    chunk["content"] = json!("Good ");
    assert_eq!(frames.next().await, json!({ "type": "sse", "data": chunk }));
    let known = frames.last_id.clone();
    asked.answer([text("day")]);
    chunk["content"] = json!("day");
    assert_eq!(frames.next().await, json!({ "type": "sse", "data": chunk }));
    assert_eq!(frames.next().await, json!({ "type": "sse", "data": sse("end") }));
    assert_eq!(frames.last_id, known, "what does not last has no number");
    let whole = frames.next().await;
    let question = &said["data"]["messageId"];
    let expected = json!({
        "messageId": id, "chatId": ana.chat, "role": "assistant", "sender": "o1", "agentId": "o1",
        "content": "Good day", "createdAt": "2026-01-17T10:30:00.000Z",
        "replyToMessageId": question, "seenByAgents": ["o1"],
    });
    assert_eq!(whole, json!({ "type": "message", "data": expected }));
    assert_ne!(frames.last_id, known, "what lasts has one");
    assert_eq!(watching.of_type("message").await, said);
    assert_eq!(watching.of_type("message").await, whole, "everybody is told the same");
    assert_eq!(watching.last_id, frames.last_id, "under the same number");
    let mut rest = vec![frames.next().await];
    while rest.last() != Some(&Value::Null) {
        rest.push(frames.next().await);
    }
    rest.pop();
    assert_eq!(rest.last(), Some(&world("idle", json!([]))));
    assert!(rest.len() == 1 || rest[..1] == [world("response-end", json!([]))], "{rest:?}");
}

#[tokio::test]
async fn an_answer_that_breaks_says_why_to_the_letter() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut frames = ana.says("hello").await;
    let (_, asked) = ana.asked().await;
    asked.say(text("half an ans"));
    let started = frames.of_type("sse").await;
    let id = &started["data"]["messageId"];
    frames.until("o1> half an ans").await;
    asked.say(fails(ModelError::Cut));
    let broken = json!({
        "agentName": "o1", "type": "error", "messageId": id, "content": NO_MODEL,
    });
    assert_eq!(frames.of_type("sse").await, json!({ "type": "sse", "data": broken }));
    let failed = json!({ "code": "MODEL_UNAVAILABLE", "error": NO_MODEL });
    assert_eq!(frames.of_type("error").await, json!({ "type": "error", "data": failed }));
    assert_eq!(frames.rest().await, ["idle"]);
    assert_eq!(ana.log().await, ["human: hello"]);
}

#[tokio::test]
async fn an_answer_that_is_cancelled_says_so_to_the_letter() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut frames = ana.says("hello").await;
    let (_, asked) = ana.asked().await;
    asked.say(text("half an ans"));
    let id = frames.of_type("sse").await["data"]["messageId"].clone();
    frames.until("o1> half an ans").await;
    ana.calls("POST", "messages/stop", json!({ "chatId": ana.chat })).await;
    let broken = json!({
        "agentName": "o1", "type": "error", "messageId": id, "content": "Cancelled",
    });
    assert_eq!(frames.of_type("sse").await, json!({ "type": "sse", "data": broken }));
    let told = frames.rest().await;
    assert!(!told.contains(&"error".to_owned()), "nothing broke: {told:?}");
    assert_eq!(told.last().map(String::as_str), Some("idle"));
}

#[tokio::test]
async fn storage_that_does_not_answer_is_told_and_ends_a_stream() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut watching = ana.watches(None).await;
    ana.exchange("o1", "hello", "Hi").await;
    watching.until("idle").await;
    let known = watching.last_id.clone().unwrap();
    house.faults.fail("events_after", Fault::Unavailable);
    let body = json!({ "message": "rosebud", "stream": false });
    let said = async { ana.calls("POST", "messages", body).await };
    let (said, ()) = tokio::join!(said, ana.answers("o1", "I see"));
    assert_eq!(said.status, 200, "{said:?}");
    let failed = json!({ "code": "STORAGE_UNAVAILABLE", "error": "Storage does not answer" });
    assert_eq!(watching.of_type("error").await, json!({ "type": "error", "data": failed }));
    assert_eq!(watching.next().await, Value::Null);
    // Whoever comes back has missed nothing.
    let mut again = ana.watches(Some(&known)).await;
    assert_eq!(again.until("o1: I see").await, ["human: rosebud", "o1: I see"]);
}

#[tokio::test]
async fn what_was_removed_and_restored_is_told_to_the_letter() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let first = ana.exchange("o1", "one", "first").await;
    let second = ana.exchange("o1", "two", "second").await;
    let mut watching = ana.watches(None).await;
    let in_chat = json!({ "chatId": ana.chat });
    let removed = ana.calls("DELETE", &format!("messages/{second}"), in_chat.clone()).await;
    let edit = removed.body["editId"].clone();
    let told = json!({ "fromMessageId": second, "count": 2, "editId": edit });
    assert_eq!(watching.of_type("removed").await, json!({ "type": "removed", "data": told }));
    let path = format!("edits/{}/undo", edit.as_str().unwrap());
    assert_eq!(ana.calls("POST", &path, Value::Null).await.status, 200);
    let told = json!({ "editId": edit, "fromMessageId": second, "count": 2 });
    let before = watching.last_id.clone().unwrap();
    let restored = watching.of_type("restored").await;
    assert_eq!(restored, json!({ "type": "restored", "data": told }));
    let number = |id: &str| id.parse::<u64>().unwrap();
    let after = watching.last_id.clone().unwrap();
    assert!(number(&after) > number(&before), "it lasts, under a number of its own");
    let unsent = ana.calls("POST", &format!("messages/{first}/unsend"), in_chat).await;
    let answer = unsent.body["withdrawn"][0].clone();
    let mut gone = Vec::new();
    for _ in 0..2 {
        let data = watching.of_type("removed").await["data"].clone();
        assert_eq!((&data["unsent"], &data["count"]), (&json!(true), &json!(1)), "{data}");
        assert_eq!(data.as_object().unwrap().len(), 3, "{data}");
        gone.push(data["fromMessageId"].clone());
    }
    assert_eq!(gone, [json!(first), answer]);
    let mut again = ana.watches(Some(&before)).await;
    assert_eq!(again.of_type("restored").await, restored, "also later");
}

#[tokio::test]
async fn a_round_ends_at_its_calls_and_says_who_was_not_asked() {
    let limits = Limits { calls_per_round: 2, ..Plan::default().limits };
    let house = House::planned(Plan { limits, ..Plan::default() }).await;
    let ana = Company::new(&house, &["o1", "a1", "b1"]).await;
    let mut frames = ana.says("hello").await;
    ana.answers("o1", "one").await;
    ana.answers("a1", "two").await;
    let limit = json!({ "kind": "turn-limit", "agentId": "b1" });
    assert_eq!(frames.of_type("system").await, json!({ "type": "system", "data": limit }));
    assert_eq!(frames.rest().await, ["idle"]);
    assert_eq!(ana.log().await, ["human: hello", "o1: one", "a1: two"]);
    assert!(house.asks.lock().await.is_empty());
    // The next message has as many again; also to each other they say no more than that.
    let mut frames = ana.says("@b1 and you?").await;
    ana.answers("b1", "@o1 what is this?").await;
    ana.answers("o1", "@b1 a round").await;
    let limit = json!({ "kind": "turn-limit", "agentId": "b1" });
    assert_eq!(frames.of_type("system").await, json!({ "type": "system", "data": limit }));
    assert_eq!(frames.rest().await, ["idle"]);
    assert!(house.asks.lock().await.is_empty());
}

/// Somebody who looked whether there is something to answer, and found nothing, says so late.
#[tokio::test]
async fn the_end_of_another_round_does_not_close_a_stream_before_all_is_told() {
    let limits = Limits { calls_per_round: 1, ..Plan::default().limits };
    let house = House::planned(Plan { limits, ..Plan::default() }).await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    let mut watched = ana.watches(None).await;
    let mut frames = ana.says("hello").await;
    let key = ConversationKey::Chat(ChatId::new(ana.chat.as_str()).unwrap());
    house.watchers.tell(&key, &Notice::Round(RoundNotice::Over));
    ana.answers("o1", "one").await;
    watched.until("idle").await;
    let limit = json!({ "kind": "turn-limit", "agentId": "a1" });
    assert_eq!(frames.of_type("system").await["data"], limit);
    assert_eq!(frames.rest().await, ["idle"]);
}
