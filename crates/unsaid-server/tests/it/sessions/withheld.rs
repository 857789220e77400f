use serde_json::{Value, json};
use unsaid_app::event::Watchers;
use unsaid_app::follow::follow;
use unsaid_core::domain::session::SessionTerms;
use unsaid_core::port::clock::Clock as _;
use unsaid_core::port::volatile::Volatile as _;
use unsaid_testkit::model::{heard, text};

use super::heard::{Guest, Stream, said};
use crate::accounts::house::{DAY_MS, House, MINUTE_MS, Plan};

const CANARY: &str = "canary-4711-in-confidence";

fn not_stored() -> Value {
    json!({ "stored": false, "user_message_id": null, "assistant_message_id": null })
}

#[tokio::test]
async fn without_consent_the_model_remembers_from_memory_and_nothing_is_kept() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", false).await;
    assert_eq!(ana.exchange(&format!("I am {CANARY}"), "Hello").await, not_stored());
    let mut stream = ana.asks("who am I").await;
    let asked = ana.asked().await;
    assert!(heard(&asked.request).contains(CANARY));
    asked.answer([text("You told me")]);
    assert_eq!(stream.words().await, ("You told me".into(), not_stored()));
    for (name, bytes) in walk(house.dir.path()) {
        let found = bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
        assert!(!found, "{name} holds the words");
    }
}

#[tokio::test]
async fn with_consent_the_same_search_finds_them() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    ana.exchange(&format!("I am {CANARY}"), "Hello").await;
    let holds = |bytes: &[u8]| bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes());
    assert!(walk(house.dir.path()).iter().any(|(_, bytes)| holds(bytes)));
}

#[tokio::test]
async fn what_is_in_memory_can_be_taken_back_and_edited() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", false).await;
    let say = async |id: &str, words: &str| {
        let body = json!({ "session_id": ana.session, "message": words, "client_message_id": id });
        let mut stream = ana.posts("/api/chat", body).await;
        ana.asked().await.answer([text("yes")]);
        stream.rest().await;
    };
    say("m1", "my name is Ana").await;
    say("m2", "I like tea").await;
    let path = |id: &str| format!("/api/sessions/{}/messages/{id}", ana.session);
    for _ in 0..2 {
        let gone = house.call("DELETE", &path("m1")).bearer(&ana.token).await_it().await;
        assert_eq!(gone.status, 204);
    }
    let call = house.call("PUT", &path("m2")).bearer(&ana.token);
    let mut stream = Stream::of(call.stream(json!({ "message": "I like coffee" })).await);
    let asked = ana.asked().await;
    let prompt = heard(&asked.request);
    assert!(prompt.contains("coffee") && !prompt.contains("tea") && !prompt.contains("Ana is"));
    assert!(!prompt.contains("my name"), "{prompt}");
    asked.answer([text("Coffee it is")]);
    assert_eq!(stream.words().await, ("Coffee it is".into(), not_stored()));
}

#[tokio::test]
async fn consent_withdrawn_during_an_answer_keeps_the_question_only() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let mut stream = ana.asks("hello").await;
    let asked = ana.asked().await;
    asked.say(text("Good "));
    while stream.next().await["delta"] != "Good " {}
    ana.switches(false).await;
    asked.answer([text("morning")]);
    let (words, stored) = stream.words().await;
    assert_eq!(words, "morning");
    assert_eq!((&stored["stored"], &stored["assistant_message_id"]), (&json!(false), &Value::Null));
    assert!(stored["user_message_id"].is_string());
    ana.switches(true).await;
    assert_eq!(ana.messages().await, said(&[("user", "hello")]));
}

#[tokio::test]
async fn consent_given_during_an_answer_keeps_neither_half() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", false).await;
    let mut stream = ana.asks("hello").await;
    let asked = ana.asked().await;
    house.clock.advance(1);
    ana.switches(true).await;
    asked.answer([text("morning")]);
    assert_eq!(stream.words().await, ("morning".into(), not_stored()));
    let path = format!("/api/sessions/{}/messages", ana.session);
    assert_eq!(house.get(&path, &ana.token).await.status, 404);
}

#[tokio::test]
async fn what_is_hidden_is_hidden_from_the_model_too() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    ana.exchange("my name is Ana", "Hello").await;
    ana.switches(false).await;
    let mut stream = ana.asks("who am I").await;
    let asked = ana.asked().await;
    assert!(!heard(&asked.request).contains("my name is"));
    asked.answer([text("I do not know")]);
    stream.rest().await;
    ana.switches(true).await;
    let mut stream = ana.asks("who am I").await;
    let asked = ana.asked().await;
    assert!(heard(&asked.request).contains("my name is Ana"));
    asked.answer([text("Ana")]);
    stream.rest().await;
}

#[tokio::test]
async fn erasing_empties_memory_at_once() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", false).await;
    ana.exchange("my name is Ana", "Hello").await;
    assert_eq!(house.volatile.held().await.unwrap().len(), 1);
    house.call("POST", "/api/users/me/erase").bearer(&ana.token).await_it().await;
    assert_eq!(house.volatile.held().await.unwrap(), []);
}

#[tokio::test]
async fn a_grant_after_the_due_moment_empties_memory_at_once() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    ana.switches(false).await;
    house.clock.advance(30 * DAY_MS - MINUTE_MS);
    let ana = Guest { token: house.token("ana").await, ..ana };
    ana.exchange(&format!("I am {CANARY}"), "Hello").await;
    assert_eq!(house.volatile.held().await.unwrap().len(), 1);
    house.clock.advance(MINUTE_MS);
    ana.switches(true).await;
    assert_eq!(house.volatile.held().await.unwrap(), []);
    let next = Guest::with(&house, ana.token.clone()).await;
    next.exchange("hello", "hi").await;
    assert_eq!(next.messages().await, said(&[("user", "hello"), ("assistant", "hi")]));
}

#[tokio::test]
async fn an_export_holds_what_is_in_memory_and_says_so() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", false).await;
    ana.exchange(&format!("my name is {CANARY}"), "Hello").await;
    let request = axum::http::Request::get("/api/users/me/export")
        .header("authorization", format!("Bearer {}", ana.token))
        .body(axum::body::Body::empty())
        .unwrap();
    let response = house.response(request).await;
    assert_eq!(response.status(), 200);
    let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let lines = std::str::from_utf8(&bytes).unwrap().lines();
    let records = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let message = records
        .filter(|record| record["type"] == "message")
        .find(|record| record["content"].as_str().is_some_and(|content| content.contains(CANARY)));
    assert_eq!(message.unwrap()["stored"], false);
}

#[tokio::test]
async fn memory_follows_an_erasure_made_elsewhere() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", false).await;
    let ben = Guest::new(&house, "ben", false).await;
    ana.exchange("my name is Ana", "Hello").await;
    ben.exchange("my name is Ben", "Hello").await;
    let follow = async || {
        let now = house.clock.now();
        follow(&*house.store, &*house.store, &*house.volatile, &Watchers::default(), now)
            .await
            .unwrap()
    };
    assert_eq!(follow().await, 0);
    house.clock.advance(1);
    let id = house.get("/api/users/me", &ana.token).await.body["id"].as_str().unwrap().to_owned();
    let id = id.try_into().unwrap();
    unsaid_app::erase::claim_now(&*house.store, &*house.clock, &id).await.unwrap();
    assert_eq!(follow().await, 1);
    assert_eq!(house.volatile.held().await.unwrap().len(), 1);
}

#[tokio::test]
async fn ending_a_session_empties_its_memory_and_forgets_the_expert() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", false).await;
    ana.exchange("my name is Ana", "Hello").await;
    let path = format!("/api/sessions/{}/end", ana.session);
    house.call("POST", &path).bearer(&ana.token).await_it().await;
    assert_eq!(house.volatile.held().await.unwrap(), []);
    let session = house.store.session(&ana.session.clone().try_into().unwrap()).await.unwrap();
    assert_eq!(session.unwrap().expert, None);
}

#[tokio::test]
async fn a_session_that_ran_out_is_ended_in_memory_too() {
    let terms = SessionTerms { free: 3, free_minutes: 5, paid_minutes: 45 };
    let house = House::planned(Plan { terms, ..Plan::default() }).await;
    let ana = Guest::new(&house, "ana", false).await;
    ana.exchange("my name is Ana", "Hello").await;
    house.clock.advance(5 * MINUTE_MS);
    let now = house.clock.now();
    let watchers = Watchers::default();
    assert_eq!(
        follow(&*house.store, &*house.store, &*house.volatile, &watchers, now).await.unwrap(),
        1
    );
    assert_eq!(house.volatile.held().await.unwrap(), []);
    let session = house.store.session(&ana.session.clone().try_into().unwrap()).await.unwrap();
    assert_eq!(session.unwrap().expert, None);
}

/// Every file below a directory, with its bytes.
fn walk(dir: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    files
}
