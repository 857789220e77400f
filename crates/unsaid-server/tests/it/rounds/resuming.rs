use serde_json::{Value, json};
use unsaid_testkit::model::text;

use super::company::Company;
use crate::accounts::house::{House, PASSWORD};

#[tokio::test]
async fn whoever_comes_back_misses_nothing_and_hears_nothing_twice() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut watching = ana.watches(None).await;
    ana.exchange("o1", "one", "first").await;
    watching.until("human: one").await;
    let known = watching.last_id.clone().unwrap();
    drop(watching);
    let two = ana.exchange("o1", "two", "second").await;
    let body = json!({ "chatId": ana.chat });
    ana.calls("POST", &format!("messages/{two}/unsend"), body).await;
    ana.exchange("o1", "three", "third").await;
    let mut again = ana.watches(Some(&known)).await;
    let told = again.until("o1: third").await;
    assert_eq!(told, ["o1: first", "unsent", "unsent", "human: three", "o1: third"]);
}

/// Whoever is slow reads of the first round's end when the second is over, and finds its answer too.
#[tokio::test]
async fn an_answer_that_was_told_whole_is_not_spoken_afterwards() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut watching = ana.watches(None).await;
    ana.exchange("o1", "one", "first").await;
    ana.exchange("o1", "two", "second").await;
    let told = watching.until("o1: second").await;
    assert!(!told.contains(&"o1> second".to_owned()), "it is ahead of the notices: {told:?}");
    for _ in 0..2 {
        let told = watching.until("idle").await;
        assert!(
            told.iter().all(|frame| frame.starts_with("response") || frame == "idle"),
            "{told:?}"
        );
    }
}

#[tokio::test]
async fn an_event_that_is_not_known_makes_whoever_comes_look_anew() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let bob = Company::of(&house, "bob", true, &["o1"]).await;
    let mut watching = bob.watches(None).await;
    bob.exchange("o1", "hello", "hi").await;
    watching.until("o1: hi").await;
    let foreign = watching.last_id.clone().unwrap();
    for unknown in [foreign.as_str(), "0", "99999999999999999999999", "-1", "x", ""] {
        let mut frames = ana.watches(Some(unknown)).await;
        assert_eq!(frames.next().await, json!({ "type": "reset", "data": {} }), "{unknown}");
        let id = ana.exchange("o1", "one", "first").await;
        assert_eq!(frames.next().await["data"]["messageId"], id);
    }
}

#[tokio::test]
async fn whoever_joins_late_gets_the_words_so_far_as_one_chunk() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut first = ana.says("hello").await;
    let (_, asked) = ana.asked().await;
    for words in ["one ", "two ", "three "] {
        asked.say(text(words));
        first.until(&format!("o1> {words}")).await;
    }
    let mut late = ana.watches(None).await;
    let told = late.until("o1> one two three ").await;
    assert_eq!(told, ["response-start o1", "o1 start", "o1> one two three "]);
    asked.answer([text("four")]);
    let told = late.until("idle").await;
    assert_eq!(told, ["o1> four", "o1 end", "o1: one two three four", "response-end", "idle"]);
}

#[tokio::test]
async fn leaving_stops_nothing() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let frames = ana.says("hello").await;
    let (_, asked) = ana.asked().await;
    drop(frames);
    let mut watching = ana.watches(None).await;
    asked.answer([text("Hi")]);
    watching.until("o1: Hi").await;
    assert_eq!(ana.log().await, ["human: hello", "o1: Hi"]);
}

#[tokio::test]
async fn too_many_streams_are_refused_before_anything_is_said() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut open = Vec::new();
    for _ in 0..10 {
        open.push(ana.watches(None).await);
    }
    let refused = ana.calls("POST", "messages", json!({ "message": "hello" })).await;
    assert_eq!((refused.status, refused.refusal().1), (429, "RATE_LIMITED"));
    assert!(refused.header("retry-after").is_some());
    assert!(ana.log().await.is_empty());
    open.pop();
    let mut frames = ana.says("hello").await;
    ana.answers("o1", "Hi").await;
    frames.rest().await;
}

#[tokio::test]
async fn a_chat_that_is_deleted_ends_its_streams() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    ana.exchange("o1", "hello", "Hi").await;
    let mut watching = ana.watches(None).await;
    let mut frames = ana.says("again").await;
    let (_, asked) = ana.asked().await;
    let gone = ana.calls("DELETE", &format!("chats/{}", ana.chat), Value::Null).await;
    assert_eq!(gone.status, 204, "{gone:?}");
    asked.cancelled().await;
    let told = watching.rest().await;
    assert!(told.contains(&"reset".to_owned()), "{told:?}");
    frames.rest().await;
}

#[tokio::test]
async fn whoever_watches_hears_at_once_that_a_chat_or_its_world_is_deleted() {
    let house = House::new().await;
    for (name, consent, speaks, path) in [
        ("ana", true, true, "chats/chat-of-ana"),
        ("bob", true, false, "chats/chat-of-bob"),
        ("eve", false, true, "chats/chat-of-eve"),
        ("kim", true, true, ""),
        ("lea", false, false, ""),
    ] {
        let who = Company::of(&house, name, consent, &["o1"]).await;
        if speaks {
            who.exchange("o1", "hello", "Hi").await;
        }
        let mut watching = who.watches(None).await;
        let path = who.path(path);
        let call = house.call("DELETE", path.trim_end_matches('/')).bearer(&who.token);
        let gone = call.await_it().await;
        assert_eq!(gone.status, 204, "{gone:?}");
        assert_eq!(watching.rest().await, ["reset"], "{name}");
        assert_eq!(who.gets(&format!("events?chatId={}", who.chat)).await.status, 404);
    }
}

#[tokio::test]
async fn whoever_watches_another_chat_goes_on() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let other = ana.calls("POST", "chats", json!({})).await;
    let mut watching = ana.watches(None).await;
    let path = format!("chats/{}", other.body["id"].as_str().unwrap());
    assert_eq!(ana.calls("DELETE", &path, Value::Null).await.status, 204);
    ana.exchange("o1", "hello", "Hi").await;
    assert_eq!(watching.until("human: hello").await, ["human: hello"]);
}

#[tokio::test]
async fn watchers_hear_of_an_erasure_and_end_with_the_account() {
    let house = House::new().await;
    for (name, consent, told) in [("ana", true, "removed 2"), ("bob", false, "reset")] {
        let who = Company::of(&house, name, consent, &["o1"]).await;
        who.exchange("o1", "hello", "Hi").await;
        let mut watching = who.watches(None).await;
        let erase = house.call("POST", "/api/users/me/erase").bearer(&who.token);
        assert_eq!(erase.await_it().await.status, 200);
        assert_eq!(watching.until(told).await, [told], "{name}");
        who.exchange("o1", "again", "Hi again").await;
        watching.until("idle").await;
        let delete = house.call("DELETE", "/api/users/me").bearer(&who.token);
        let gone = delete.json(json!({ "password": PASSWORD })).await;
        assert_eq!(gone.status, 204, "{gone:?}");
        assert_eq!(watching.rest().await, ["reset"], "{name}");
    }
}

#[tokio::test]
async fn whoever_watches_hears_once_that_a_round_is_over() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let (mut watching, mut told) = (ana.watches(None).await, Vec::new());
    for words in ["one", "two", "three"] {
        let mut frames = ana.says(words).await;
        told.extend(watching.until(&format!("human: {words}")).await);
        ana.answers("o1", "I see").await;
        told.extend(watching.until("idle").await);
        frames.rest().await;
    }
    assert!(!told.windows(2).any(|pair| pair == ["idle", "idle"]), "{told:?}");
}
