use serde_json::{Value, json};
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::port::clock::Clock as _;
use unsaid_core::port::model::ModelError;
use unsaid_testkit::model::{fails, heard, text};
use unsaid_testkit::talk::Talk;

use super::heard::{Guest, Stream, said};
use crate::accounts::house::House;

#[tokio::test]
async fn an_answer_is_streamed_frame_by_frame() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let mut stream = ana.asks("I am Ana").await;
    assert_eq!(stream.status, 200);
    assert_eq!(stream.headers["x-vercel-ai-ui-message-stream"], "v1");
    assert_eq!(stream.headers["content-type"], "text/event-stream");
    assert_eq!(stream.headers["cache-control"], "no-store");
    assert_eq!(stream.headers["x-accel-buffering"], "no");
    let asked = ana.asked().await;
    let start = stream.next().await;
    assert_eq!(start["type"], "start");
    let answer_id = start["messageId"].as_str().unwrap().to_owned();
    asked.say(text("Hello"));
    assert_eq!(stream.next().await, json!({ "type": "text-start", "id": "text" }));
    let delta = |words: &str| json!({ "type": "text-delta", "id": "text", "delta": words });
    assert_eq!(stream.next().await, delta("Hello"));
    asked.say(text(" Ana"));
    assert_eq!(stream.next().await, delta(" Ana"));
    asked.answer([]);
    let rest = stream.rest().await;
    let user_id = rest[1]["data"]["user_message_id"].clone();
    assert_eq!(
        rest,
        [
            json!({ "type": "text-end", "id": "text" }),
            json!({
                "type": "data-stored",
                "data": {
                    "stored": true,
                    "user_message_id": user_id,
                    "assistant_message_id": answer_id,
                },
                "transient": true,
            }),
            json!({ "type": "finish" }),
            json!("[DONE]"),
        ]
    );
    assert_eq!(ana.messages().await, said(&[("user", "I am Ana"), ("assistant", "Hello Ana")]));
}

#[tokio::test]
async fn the_model_remembers_its_own_session_only() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    ana.exchange("I am Ana", "Hello Ana").await;
    let other = Guest::with(&house, ana.token.clone()).await;
    let mut stream = other.asks("who am I").await;
    let asked = other.asked().await;
    assert!(!heard(&asked.request).contains("I am Ana"));
    asked.answer([text("I do not know")]);
    stream.rest().await;
    let mut stream = ana.asks("who am I").await;
    let asked = ana.asked().await;
    let prompt = heard(&asked.request);
    assert!(prompt.contains("I am Ana") && prompt.contains("who am I"), "{prompt}");
    asked.answer([text("Ana")]);
    assert_eq!(stream.words().await.0, "Ana");
}

#[tokio::test]
async fn a_model_that_fails_says_so_and_nothing_is_kept_of_it() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let mut stream = ana.asks("hello").await;
    let asked = ana.asked().await;
    asked.say(text("Half of"));
    asked.say(fails(ModelError::Cut));
    let frames = stream.rest().await;
    let last = &frames[frames.len() - 2..];
    let told = json!({ "type": "error", "errorText": "The model does not answer" });
    assert_eq!(last, [told, json!("[DONE]")]);
    assert_eq!(ana.messages().await, said(&[("user", "hello")]));
    // The next turn is not held up by it.
    ana.exchange("again", "Hello").await;
}

#[tokio::test]
async fn what_cannot_be_answered_is_refused_before_the_stream() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let ben = house.somebody("ben", true).await;
    let session = ana.session.as_str();
    let refusals = [
        (ana.token.as_str(), json!({ "message": "hi" }), (400, "VALIDATION_ERROR")),
        (&ana.token, json!({ "session_id": session }), (400, "VALIDATION_ERROR")),
        (&ana.token, json!({ "session_id": session, "message": " \n" }), (400, "VALIDATION_ERROR")),
        (&ana.token, json!({ "session_id": session, "message": 5 }), (400, "VALIDATION_ERROR")),
        (&ana.token, json!({ "session_id": "x", "message": "hi" }), (400, "VALIDATION_ERROR")),
        (
            &ana.token,
            json!({ "session_id": session, "message": "hi", "colour": "red" }),
            (400, "VALIDATION_ERROR"),
        ),
        (
            &ana.token,
            json!({ "session_id": session, "message": "hi", "client_message_id": "a b" }),
            (400, "VALIDATION_ERROR"),
        ),
        (
            &ana.token,
            json!({ "session_id": session, "message": "x".repeat(20_001) }),
            (400, "VALIDATION_ERROR"),
        ),
        (&ben, json!({ "session_id": session, "message": "hi" }), (404, "SESSION_NOT_FOUND")),
        (
            &ana.token,
            json!({ "session_id": "00000000-0000-4000-8000-000000000000", "message": "hi" }),
            (404, "SESSION_NOT_FOUND"),
        ),
        ("nonsense", json!({ "session_id": session, "message": "hi" }), (401, "UNAUTHENTICATED")),
    ];
    for (token, body, expected) in refusals {
        let answer = house.call("POST", "/api/chat").bearer(token).json(body.clone()).await;
        let (status, code, _) = answer.refusal();
        assert_eq!((status, code), expected, "{body}");
    }
    assert_eq!(ana.messages().await, said(&[]));
}

#[tokio::test]
async fn a_session_answers_one_thing_at_a_time() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let mut stream = ana.asks("first").await;
    let asked = ana.asked().await;
    let body = json!({ "session_id": ana.session, "message": "second" });
    let busy = house.call("POST", "/api/chat").bearer(&ana.token).json(body).await;
    assert_eq!(busy.refusal().1, "SESSION_BUSY");
    assert_eq!((busy.status, busy.header("retry-after")), (423, Some("2")));
    asked.answer([text("one")]);
    stream.rest().await;
    ana.exchange("second", "two").await;
    let expected =
        [("user", "first"), ("assistant", "one"), ("user", "second"), ("assistant", "two")];
    assert_eq!(ana.messages().await, said(&expected));
}

#[tokio::test]
async fn a_session_that_is_over_answers_no_more() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let path = format!("/api/sessions/{}/end", ana.session);
    let ended = house.call("POST", &path).bearer(&ana.token).json(json!({})).await;
    assert_eq!(ended.status, 200);
    let body = json!({ "session_id": ana.session, "message": "hi" });
    let answer = house.call("POST", "/api/chat").bearer(&ana.token).json(body).await;
    assert_eq!(answer.refusal(), (409, "SESSION_NOT_ACTIVE", "The session is over"));
}

async fn resume(ana: &Guest<'_>) -> Stream {
    let path = format!("/api/chat/{}/stream", ana.session);
    let call = ana.house.call("GET", &path).bearer(&ana.token);
    Stream::of(call.stream(Value::Null).await)
}

#[tokio::test]
async fn an_answer_can_be_heard_again_from_its_beginning() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    assert_eq!(resume(&ana).await.status, 204);
    let mut first = ana.asks("hello").await;
    let asked = ana.asked().await;
    asked.say(text("Good "));
    let start = first.next().await;
    first.next().await;
    first.next().await;
    drop(first);
    let mut second = resume(&ana).await;
    assert_eq!(second.next().await, start);
    asked.answer([text("morning")]);
    let (words, stored) = second.words().await;
    assert_eq!((words.as_str(), &stored["stored"]), ("Good morning", &json!(true)));
    assert!(stored["user_message_id"].is_string());
    assert_eq!(resume(&ana).await.status, 204);
}

#[tokio::test]
async fn what_waits_for_an_answer_can_be_listened_to_before_it_is_given() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let key = ConversationKey::Session(ana.session.clone().try_into().unwrap());
    // Said elsewhere, or handed back by a server that ended.
    let talk = Talk { now: house.clock.now(), ..Talk::new(&house.store, key) };
    talk.ask("m1").await;
    let mut stream = resume(&ana).await;
    assert_eq!(stream.status, 200);
    ana.asked().await.answer([text("morning")]);
    assert_eq!(stream.words().await.0, "morning");
    assert_eq!(resume(&ana).await.status, 204);
}

#[tokio::test]
async fn what_is_stopped_is_not_kept() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let mut stream = ana.asks("tell me a story").await;
    let asked = ana.asked().await;
    asked.say(text("Once upon"));
    while stream.next().await["delta"] != "Once upon" {}
    let path = format!("/api/chat/{}/stop", ana.session);
    let stop = async || house.call("POST", &path).bearer(&ana.token).json(json!({})).await;
    assert_eq!(stop().await.body, json!({ "status": "ok", "stopped": true }));
    asked.cancelled().await;
    assert_eq!(stream.rest().await, [json!({ "type": "abort" }), json!("[DONE]")]);
    assert_eq!(ana.messages().await, said(&[("user", "tell me a story")]));
    assert_eq!(stop().await.body, json!({ "status": "ok", "stopped": false }));
    ana.exchange("never mind", "All right").await;
}

#[tokio::test]
async fn after_a_stop_the_next_question_is_heard_at_once() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let path = format!("/api/chat/{}/stop", ana.session);
    for question in ["one", "two", "three"] {
        let stream = ana.asks(question).await;
        assert_eq!(stream.status, 200, "{question}");
        let asked = ana.asked().await;
        asked.say(text("Well"));
        drop(stream);
        let stopped = house.call("POST", &path).bearer(&ana.token).json(json!({})).await;
        assert_eq!(stopped.body["stopped"], true);
    }
    ana.exchange("four", "All right").await;
}

#[tokio::test]
async fn nobody_has_too_many_streams_open() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let mut open = vec![ana.asks("hello").await];
    let asked = ana.asked().await;
    for _ in 1..10 {
        open.push(resume(&ana).await);
        assert_eq!(open.last().unwrap().status, 200);
    }
    assert_eq!(resume(&ana).await.status, 429);
    open.pop();
    assert_eq!(resume(&ana).await.status, 200);
    asked.answer([text("Hello")]);
    for stream in &mut open {
        assert_eq!(stream.words().await.0, "Hello");
    }
}
