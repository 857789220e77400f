use serde_json::json;
use unsaid_testkit::model::{heard, text};

use super::heard::{Guest, Stream, said};
use crate::accounts::house::House;

fn path(ana: &Guest<'_>, message: &str) -> String {
    format!("/api/sessions/{}/messages/{message}", ana.session)
}

#[tokio::test]
async fn a_message_taken_back_is_forgotten_with_the_words_of_its_answer() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let stored = ana.exchange("my name is Ana", "Hello Ana").await;
    ana.exchange("and I like tea", "Noted").await;
    let message = path(&ana, stored["user_message_id"].as_str().unwrap());
    for _ in 0..2 {
        let gone = house.call("DELETE", &message).bearer(&ana.token).await_it().await;
        assert_eq!(gone.status, 204);
    }
    let left = said(&[("user", "and I like tea"), ("assistant", "Noted")]);
    assert_eq!(ana.messages().await, left);
    let mut stream = ana.asks("what is my name").await;
    let asked = ana.asked().await;
    assert!(!heard(&asked.request).contains("Ana"), "{}", heard(&asked.request));
    asked.answer([text("I do not know")]);
    stream.rest().await;
    let unknown = house.call("DELETE", &path(&ana, "unknown")).bearer(&ana.token).await_it().await;
    assert_eq!(unknown.refusal().1, "MESSAGE_NOT_FOUND");
}

#[tokio::test]
async fn what_is_taken_back_while_it_is_answered_is_answered_no_more() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let body = json!({
        "session_id": ana.session, "message": "my secret", "client_message_id": "mine-1",
    });
    let mut stream = ana.posts("/api/chat", body).await;
    let asked = ana.asked().await;
    asked.say(text("Your sec"));
    while stream.next().await["delta"] != "Your sec" {}
    let gone = house.call("DELETE", &path(&ana, "mine-1")).bearer(&ana.token).await_it().await;
    assert_eq!(gone.status, 204);
    asked.cancelled().await;
    asked.answer([text("ret")]);
    assert_eq!(stream.rest().await, [json!({ "type": "abort" }), json!("[DONE]")]);
    assert_eq!(ana.messages().await, said(&[]));
    ana.exchange("something else", "Yes?").await;
}

#[tokio::test]
async fn an_edit_forgets_what_followed_and_is_answered_anew() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    ana.exchange("first", "one").await;
    let stored = ana.exchange("second", "two").await;
    ana.exchange("third", "three").await;
    let id = stored["user_message_id"].as_str().unwrap();
    let call = house.call("PUT", &path(&ana, id)).bearer(&ana.token);
    let mut stream = Stream::of(call.stream(json!({ "message": "2nd" })).await);
    assert_eq!(stream.status, 200);
    let asked = ana.asked().await;
    let prompt = heard(&asked.request);
    assert!(prompt.contains("first") && prompt.contains("2nd"), "{prompt}");
    assert!(!prompt.contains("second") && !prompt.contains("third"), "{prompt}");
    asked.answer([text("TWO")]);
    let (words, stored) = stream.words().await;
    assert_eq!((words.as_str(), &stored["stored"]), ("TWO", &json!(true)));
    let expected = [("user", "first"), ("assistant", "one"), ("user", "2nd"), ("assistant", "TWO")];
    assert_eq!(ana.messages().await, said(&expected));
}

#[tokio::test]
async fn an_edit_that_cannot_be_made_changes_nothing() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let stored = ana.exchange("hello", "hi").await;
    let own = stored["user_message_id"].as_str().unwrap();
    let answer = stored["assistant_message_id"].as_str().unwrap();
    let put = async |id: &str, body| {
        let answer = house.call("PUT", &path(&ana, id)).bearer(&ana.token).json(body).await;
        (answer.status, answer.refusal().1.to_owned())
    };
    let words = || json!({ "message": "other" });
    assert_eq!(put("unknown", words()).await, (404, "MESSAGE_NOT_FOUND".into()));
    assert_eq!(put(answer, words()).await, (400, "INVALID_MESSAGE_TYPE".into()));
    assert_eq!(put(own, json!({ "message": "" })).await, (400, "VALIDATION_ERROR".into()));
    assert_eq!(put(own, json!({ "text": "x" })).await, (400, "VALIDATION_ERROR".into()));
    let mut stream = ana.asks("more").await;
    let asked = ana.asked().await;
    assert_eq!(put(own, words()).await, (423, "SESSION_BUSY".into()));
    asked.answer([text("yes")]);
    stream.rest().await;
    let expected = [("user", "hello"), ("assistant", "hi"), ("user", "more"), ("assistant", "yes")];
    assert_eq!(ana.messages().await, said(&expected));
}

#[tokio::test]
async fn an_answer_cannot_be_taken_back_and_nobody_speaks_of_editing_it() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let stored = ana.exchange("hello", "hi").await;
    let answer = stored["assistant_message_id"].as_str().unwrap();
    let refused = house.call("DELETE", &path(&ana, answer)).bearer(&ana.token).await_it().await;
    let sentence = "This can only be done with a person's message";
    assert_eq!(refused.refusal(), (400, "INVALID_MESSAGE_TYPE", sentence));
    assert_eq!(ana.messages().await.len(), 2);
}

#[tokio::test]
async fn a_deleted_session_is_gone_and_its_bill_stays() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    ana.exchange("hello", "hi").await;
    let path = format!("/api/sessions/{}", ana.session);
    let gone = house.call("DELETE", &path).bearer(&ana.token).await_it().await;
    assert_eq!(gone.status, 204);
    for path in [path.clone(), format!("{path}/messages")] {
        assert_eq!(house.get(&path, &ana.token).await.status, 404);
    }
    assert_eq!(house.get("/api/users/me/sessions", &ana.token).await.body["total"], 0);
    let me = house.get("/api/users/me", &ana.token).await.body["id"].as_str().unwrap().to_owned();
    let bill = house.store.billing(&me.try_into().unwrap()).await.unwrap();
    assert_eq!(bill.len(), 1);
    assert_eq!(house.call("DELETE", &path).bearer(&ana.token).await_it().await.status, 404);
}

#[tokio::test]
async fn erasing_now_ends_answers_and_empties_lists() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    ana.exchange("hello", "hi").await;
    let mut stream = ana.asks("more").await;
    let asked = ana.asked().await;
    let erased = house.call("POST", "/api/users/me/erase").bearer(&ana.token).await_it().await;
    assert_eq!((erased.status, erased.body), (200, json!({ "status": "ok" })));
    asked.cancelled().await;
    assert_eq!(stream.rest().await.pop(), Some(json!("[DONE]")));
    assert_eq!(house.get("/api/users/me/sessions", &ana.token).await.body["total"], 0);
}
