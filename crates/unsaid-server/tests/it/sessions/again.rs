use serde_json::{Value, json};
use unsaid_testkit::model::text;

use super::heard::{Guest, Stream, said};
use crate::accounts::house::House;

async fn keyed(ana: &Guest<'_>, key: &str, body: &Value) -> Stream {
    let call = ana.house.call("POST", "/api/chat").bearer(&ana.token);
    Stream::of(call.header("idempotency-key", key).stream(body.clone()).await)
}

#[tokio::test]
async fn the_same_call_is_made_once_and_heard_again() {
    for consent in [true, false] {
        let house = House::new().await;
        let ana = Guest::new(&house, "ana", consent).await;
        let body = json!({ "session_id": ana.session, "message": "hello" });
        let mut first = keyed(&ana, "k1", &body).await;
        let asked = ana.asked().await;
        asked.say(text("Good "));
        let mut second = keyed(&ana, "k1", &body).await;
        assert_eq!(second.status, 200);
        asked.answer([text("morning")]);
        let (words, stored) = first.words().await;
        assert_eq!((words.as_str(), &stored["stored"]), ("Good morning", &json!(consent)));
        assert_eq!(second.words().await, (words.clone(), stored.clone()));
        let mut third = keyed(&ana, "k1", &body).await;
        assert_eq!(third.words().await, (words, stored), "consent {consent}");
        let other = json!({ "session_id": ana.session, "message": "other" });
        assert_eq!(keyed(&ana, "k1", &other).await.status, 422);
        assert!(house.asks.lock().await.is_empty());
    }
}

#[tokio::test]
async fn an_answer_given_anew_is_heard_again_too() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let stored = ana.exchange("hello", "hi").await;
    let body = json!({
        "id": ana.session, "messages": [], "trigger": "regenerate-message",
        "messageId": stored["assistant_message_id"],
    });
    let mut anew = keyed(&ana, "k1", &body).await;
    ana.asked().await.answer([text("hey")]);
    let heard = anew.words().await;
    assert_eq!(heard.0, "hey");
    assert_eq!(keyed(&ana, "k1", &body).await.words().await, heard);
    assert_eq!(ana.messages().await, said(&[("user", "hello"), ("assistant", "hey")]));
}

#[tokio::test]
async fn the_same_client_id_is_the_same_message() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let body = json!({
        "session_id": ana.session, "message": "hello", "client_message_id": "mine",
    });
    let mut stream = ana.posts("/api/chat", body.clone()).await;
    ana.asked().await.answer([text("hi")]);
    let once = stream.words().await;
    let mut again = ana.posts("/api/chat", body).await;
    assert_eq!(again.words().await, once);
    assert_eq!(ana.messages().await, said(&[("user", "hello"), ("assistant", "hi")]));
    let body = json!({
        "session_id": ana.session, "message": "good evening", "client_message_id": "mine",
    });
    let mut edited = ana.posts("/api/chat", body).await;
    ana.asked().await.answer([text("evening")]);
    edited.rest().await;
    let left = said(&[("user", "good evening"), ("assistant", "evening")]);
    assert_eq!(ana.messages().await, left);
}

#[tokio::test]
async fn a_session_is_opened_once() {
    let house = House::new().await;
    let token = house.somebody("ana", true).await;
    let open = async || {
        let call = house.call("POST", "/api/sessions").bearer(&token);
        call.header("idempotency-key", "k").json(json!({})).await
    };
    let first = open().await;
    let again = open().await;
    assert_eq!((again.status, again.body), (201, first.body));
    assert_eq!(house.get("/api/users/me/sessions", &token).await.body["total"], 1);
}
