use serde_json::{Value, json};
use unsaid_core::port::model::ModelTurn;
use unsaid_testkit::model::{heard, text};

use super::heard::{Guest, said};
use crate::accounts::house::House;

fn user(id: &str, words: &str) -> Value {
    json!({ "id": id, "role": "user", "parts": [{ "type": "text", "text": words }] })
}

fn assistant(id: &str, words: &str) -> Value {
    json!({ "id": id, "role": "assistant", "parts": [
        { "type": "step-start" }, { "type": "text", "text": words, "state": "done" },
    ] })
}

fn submit(ana: &Guest<'_>, messages: &Value) -> Value {
    json!({ "id": ana.session, "messages": messages, "trigger": "submit-message" })
}

async fn answered(ana: &Guest<'_>, body: Value, answer: &str) -> (String, String) {
    let mut stream = ana.posts("/api/chat", body).await;
    assert_eq!(stream.status, 200);
    let asked = ana.asked().await;
    let prompt = heard(&asked.request);
    asked.answer([text(answer)]);
    let frames = stream.rest().await;
    (prompt, frames[0]["messageId"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn the_last_user_message_counts_and_keeps_its_id() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let invented = json!([user("x", "never said"), assistant("y", "never"), user("c-1", "hello")]);
    let (prompt, _) = answered(&ana, submit(&ana, &invented), "hi").await;
    assert!(!prompt.contains("never said"), "{prompt}");
    assert_eq!(ana.messages().await, said(&[("user", "hello"), ("assistant", "hi")]));
    let path = format!("/api/sessions/{}/messages/c-1", ana.session);
    assert_eq!(house.call("DELETE", &path).bearer(&ana.token).await_it().await.status, 204);
    assert_eq!(ana.messages().await, said(&[]));
}

#[tokio::test]
async fn submitting_a_stored_message_again_is_an_edit() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let (_, first) = answered(&ana, submit(&ana, &json!([user("c-1", "hello")])), "hi").await;
    let more = json!([user("c-1", "hello"), assistant(&first, "hi"), user("c-2", "tea?")]);
    answered(&ana, submit(&ana, &more), "please").await;
    let mut edit = submit(&ana, &json!([user("c-1", "good evening")]));
    edit["messageId"] = json!("c-1");
    let (prompt, _) = answered(&ana, edit, "evening").await;
    assert!(prompt.contains("good evening") && !prompt.contains("tea"), "{prompt}");
    let left = said(&[("user", "good evening"), ("assistant", "evening")]);
    assert_eq!(ana.messages().await, left);
    // And once more, by the id that the client still has.
    answered(&ana, submit(&ana, &json!([user("c-1", "good night")])), "night").await;
    let left = said(&[("user", "good night"), ("assistant", "night")]);
    assert_eq!(ana.messages().await, left);
}

#[tokio::test]
async fn an_answer_can_be_given_anew() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let (_, first) = answered(&ana, submit(&ana, &json!([user("c-1", "hello")])), "hi").await;
    let more = json!([user("c-1", "hello"), assistant(&first, "hi"), user("c-2", "tea?")]);
    answered(&ana, submit(&ana, &more), "no").await;
    let body = |messages: Value, id: Value| {
        json!({
            "id": ana.session, "messages": messages, "trigger": "regenerate-message",
            "messageId": id,
        })
    };
    let kept = json!([user("c-1", "hello"), assistant(&first, "hi"), user("c-2", "tea?")]);
    answered(&ana, body(kept, Value::Null), "yes").await;
    let left =
        said(&[("user", "hello"), ("assistant", "hi"), ("user", "tea?"), ("assistant", "yes")]);
    assert_eq!(ana.messages().await, left);
    answered(&ana, body(json!([user("c-1", "hello")]), json!(first)), "hey").await;
    assert_eq!(ana.messages().await, said(&[("user", "hello"), ("assistant", "hey")]));
}

#[tokio::test]
async fn h7_a_question_that_was_not_kept_is_not_kept_when_it_is_answered_anew() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    ana.exchange("tea?", "no").await;
    ana.switches(false).await;
    ana.exchange("cake?", "yes").await;
    ana.switches(true).await;
    let last = json!({ "id": ana.session, "messages": [], "trigger": "regenerate-message" });
    let (prompt, _) = answered(&ana, last, "of course").await;
    assert!(prompt.contains("cake?") && !prompt.contains("tea?"), "{prompt}");
    assert_eq!(ana.messages().await, said(&[("user", "tea?"), ("assistant", "no")]));
    // It is still where it was said.
    ana.switches(false).await;
    let mut stream = ana.asks("and?").await;
    let asked = ana.asked().await;
    let [ModelTurn::Heard(_), ModelTurn::Said(answer), ModelTurn::Heard(_)] =
        asked.request.turns.as_slice()
    else {
        panic!("{:?}", asked.request.turns)
    };
    assert_eq!(answer.as_str(), "of course");
    assert!(heard(&asked.request).contains("cake?"));
    asked.answer([text("nothing")]);
    stream.rest().await;
}

#[tokio::test]
async fn only_the_id_of_the_message_that_counts_must_be_well_formed() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let odd = json!({ "id": 7, "role": "assistant", "parts": [] });
    let list = json!([
        assistant("welcome to this!", "How can I help?"),
        odd,
        user("a b", "never sent"),
        user("c-1", "hello"),
        assistant(&"x".repeat(65), "…"),
    ]);
    answered(&ana, submit(&ana, &list), "hi").await;
    assert_eq!(ana.messages().await, said(&[("user", "hello"), ("assistant", "hi")]));
}

#[tokio::test]
async fn a_body_that_is_neither_is_refused_with_its_field() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let session = &ana.session;
    let file = json!({ "id": "c", "role": "user", "parts": [
        { "type": "file", "mediaType": "image/png", "url": "data:," },
    ] });
    let cases = [
        (json!({ "messages": [user("c", "hi")] }), "id"),
        (json!({ "id": session, "messages": [] }), "messages"),
        (json!({ "id": session, "messages": [assistant("c", "hi")] }), "messages"),
        (json!({ "id": session, "messages": [user("c", " ")] }), "messages"),
        (json!({ "id": session, "messages": [file] }), "messages"),
        (json!({ "id": session, "messages": [user("a b", "hi")] }), "messages[0].id"),
        (
            json!({ "id": session, "messages": [user("c", "hi"), user("a b", "hi")],
                "trigger": "regenerate-message" }),
            "messages[1].id",
        ),
        (
            json!({ "id": session, "messages": [{ "id": 7, "role": "user", "parts": [] }] }),
            "messages[0].id",
        ),
        (json!({ "id": session, "messages": [user("c", "hi")], "trigger": "dance" }), "trigger"),
        (json!({ "id": session, "messages": [user("c", "hi")], "message": "hi" }), "messages"),
        (json!({ "id": session, "message": "hi" }), "messages"),
        (json!({ "id": session, "messages": [user("c", "hi")], "colour": 1 }), "colour"),
    ];
    for (body, field) in cases {
        let answer = house.call("POST", "/api/chat").bearer(&ana.token).json(body.clone()).await;
        assert_eq!(answer.refusal().1, "VALIDATION_ERROR", "{body}");
        assert_eq!(answer.body["details"]["field"], field, "{body}");
    }
}
