use serde_json::{Value, json};
use unsaid_testkit::model::text;

use super::company::Company;
use crate::accounts::house::House;

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
