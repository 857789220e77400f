use serde_json::{Value, json};
use unsaid_testkit::model::text;

use super::heard::{Guest, Stream};
use crate::accounts::house::House;

const HEADER: &str = "unsaid-stored";

fn told(stream: &Stream) -> Option<&str> {
    stream.headers.get(HEADER).map(|value| value.to_str().unwrap())
}

#[tokio::test]
async fn h7_every_answer_about_a_session_says_whether_it_is_stored() {
    let house = House::new().await;
    for (name, consent, stored) in [("ana", true, "true"), ("bob", false, "false")] {
        let who = Guest::new(&house, name, consent).await;
        let expected = Some(stored);
        let body = json!({
            "id": who.session,
            "messages": [{
                "id": "c-1", "role": "user", "parts": [{ "type": "text", "text": "one" }],
            }],
        });
        let mut stream = who.posts("/api/chat", body).await;
        assert_eq!(told(&stream), expected, "before the first frame");
        let asked = who.asked().await;
        let resume = format!("/api/chat/{}/stream", who.session);
        let call = house.call("GET", &resume).bearer(&who.token);
        let mut resumed = Stream::of(call.stream(Value::Null).await);
        assert_eq!((resumed.status, told(&resumed)), (200, expected));
        asked.answer([text("first")]);
        let (_, exchange) = stream.words().await;
        assert_eq!(exchange["stored"].to_string(), stored);
        resumed.rest().await;
        let message = format!("/api/sessions/{}/messages/c-1", who.session);
        let call = house.call("PUT", &message).bearer(&who.token);
        let mut edited = Stream::of(call.stream(json!({ "message": "two" })).await);
        assert_eq!((edited.status, told(&edited)), (200, expected));
        who.asked().await.answer([text("second")]);
        edited.rest().await;
        let session = format!("/api/sessions/{}", who.session);
        for path in [&session, &format!("{session}/messages"), &resume, "/api/users/me/sessions"] {
            let answer = house.get(path, &who.token).await;
            assert!(answer.status < 300 || !consent, "{answer:?}");
            assert_eq!(answer.header(HEADER), expected, "{path}");
        }
        for (method, path) in [
            ("POST", format!("/api/chat/{}/stop", who.session)),
            ("DELETE", message),
            ("POST", format!("{session}/end")),
            ("DELETE", session.clone()),
        ] {
            let answer = house.call(method, &path).bearer(&who.token).await_it().await;
            assert!(answer.status < 300, "{answer:?}");
            assert_eq!(answer.header(HEADER), expected, "{path}");
        }
    }
}

#[tokio::test]
async fn h7_what_is_taken_back_after_the_switch_was_not_stored() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", false).await;
    let body = json!({
        "id": ana.session,
        "messages": [{ "id": "c-1", "role": "user", "parts": [{ "type": "text", "text": "one" }] }],
    });
    let mut stream = ana.posts("/api/chat", body).await;
    ana.asked().await.answer([text("first")]);
    stream.rest().await;
    let switch = house.call("PATCH", "/api/users/me/preferences").bearer(&ana.token);
    assert_eq!(switch.json(json!({ "store_history": true })).await.status, 200);
    let message = format!("/api/sessions/{}/messages/c-1", ana.session);
    let unsent = house.call("DELETE", &message).bearer(&ana.token).await_it().await;
    assert_eq!((unsent.status, unsent.header(HEADER)), (204, Some("false")));
}
