use serde_json::{Value, json};

use super::company::Company;
use crate::accounts::house::House;

#[tokio::test]
async fn somebody_elses_world_is_not_there() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "hello", "Hi").await;
    let body = json!({ "chatId": ana.chat });
    let removed = ana.calls("DELETE", &format!("messages/{id}"), body.clone()).await;
    let edit = removed.body["editId"].as_str().unwrap().to_owned();
    let eve = house.somebody("eve", true).await;
    let edited = json!({ "chatId": ana.chat, "newContent": "x" });
    let calls = [
        ("POST", "messages".to_owned(), json!({ "message": "x" })),
        ("PUT", format!("messages/{id}"), edited),
        ("DELETE", format!("messages/{id}"), body.clone()),
        ("POST", format!("messages/{id}/unsend"), body.clone()),
        ("POST", format!("edits/{edit}/undo"), Value::Null),
        ("POST", "messages/stop".to_owned(), body),
        ("GET", "status".to_owned(), Value::Null),
        ("GET", "edit-errors".to_owned(), Value::Null),
        ("GET", "events".to_owned(), Value::Null),
    ];
    for (method, path, body) in &calls {
        let call = house.call(method, &ana.path(path)).bearer(&eve);
        let refused = call.json(body.clone()).await;
        assert_eq!((refused.status, refused.refusal().1), (404, "WORLD_NOT_FOUND"), "{path}");
        let refused = house.call(method, &ana.path(path)).json(body.clone()).await;
        assert_eq!((refused.status, refused.refusal().1), (401, "UNAUTHENTICATED"), "{path}");
    }
    // A chat of hers in a world of the same name is still not that chat.
    let eve = Company::of(&house, "eva", true, &["o1"]).await;
    for (method, path, body) in &calls {
        if body["chatId"].is_string() {
            let refused = eve.calls(method, path, body.clone()).await;
            assert_eq!((refused.status, refused.refusal().1), (404, "CHAT_NOT_FOUND"), "{path}");
        }
    }
    let undo = eve.calls("POST", &format!("edits/{edit}/undo"), Value::Null).await;
    assert_eq!((undo.status, undo.refusal().1), (404, "EDIT_NOT_FOUND"));
    let undone = ana.calls("POST", &format!("edits/{edit}/undo"), Value::Null).await;
    assert_eq!(undone.status, 200, "{undone:?}");
}

#[tokio::test]
async fn what_is_not_there_or_not_a_persons_is_refused() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    ana.exchange("o1", "hello", "Hi").await;
    let page = ana.gets(&format!("chats/{}/messages", ana.chat)).await;
    let answer = page.body["messages"][1]["messageId"].as_str().unwrap().to_owned();
    let body = json!({ "chatId": ana.chat });
    let edited = json!({ "chatId": ana.chat, "newContent": "x" });
    for (id, status, code) in
        [(answer.as_str(), 400, "INVALID_MESSAGE_TYPE"), ("unknown", 404, "MESSAGE_NOT_FOUND")]
    {
        for (method, path, body) in [
            ("PUT", format!("messages/{id}"), &edited),
            ("DELETE", format!("messages/{id}"), &body),
            ("POST", format!("messages/{id}/unsend"), &body),
        ] {
            let refused = ana.calls(method, &path, body.clone()).await;
            assert_eq!((refused.status, refused.refusal().1), (status, code), "{method} {path}");
        }
    }
    assert_eq!(ana.log().await, ["human: hello", "o1: Hi"]);
}

#[tokio::test]
async fn a_body_that_is_not_right_changes_nothing() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let long = "x".repeat(20_001);
    let cases = [
        (json!({}), "message"),
        (json!({ "message": "" }), "message"),
        (json!({ "message": " \n" }), "message"),
        (json!({ "message": 1 }), "message"),
        (json!({ "message": long }), "message"),
        (json!({ "message": "a\u{0}b" }), "message"),
        (json!({ "message": "x", "stream": "no" }), "stream"),
        (json!({ "message": "x", "sender": "o1" }), "sender"),
    ];
    for (body, field) in cases {
        let refused = ana.calls("POST", "messages", body).await;
        assert_eq!((refused.status, refused.refusal().1), (400, "VALIDATION_ERROR"), "{field}");
        assert_eq!(refused.body["details"]["field"], field, "{refused:?}");
    }
    assert!(ana.log().await.is_empty());
    let unnamed = ana.calls("DELETE", "messages/x", Value::Null).await;
    assert_eq!(unnamed.body["details"]["field"], "chatId", "{unnamed:?}");
}

#[tokio::test]
async fn with_session_mode_off_nothing_is_said_and_everything_can_be_forgotten() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let first = ana.exchange("o1", "one", "first").await;
    let second = ana.exchange("o1", "two", "second").await;
    let off = house.call("PATCH", "/api/worlds/w").bearer(&ana.token);
    let off = off.json(json!({ "currentChatId": null })).await;
    assert_eq!((off.status, &off.body["currentChatId"]), (200, &Value::Null));
    let edited = json!({ "chatId": ana.chat, "newContent": "x" });
    for (method, path, body) in [
        ("POST", "messages".to_owned(), json!({ "message": "x" })),
        ("POST", "messages".to_owned(), json!({ "message": "x", "chatId": ana.chat })),
        ("PUT", format!("messages/{first}"), edited),
        ("POST", format!("edits/{}.x/undo", ana.chat), Value::Null),
    ] {
        let refused = ana.calls(method, &path, body).await;
        let sentence = "Cannot resubmit: session mode is OFF";
        assert_eq!(refused.refusal(), (409, "SESSION_OFF", sentence), "{path}");
    }
    assert_eq!(ana.log().await.len(), 4);
    let body = json!({ "chatId": ana.chat });
    let unsent = ana.calls("POST", &format!("messages/{second}/unsend"), body.clone()).await;
    assert_eq!(unsent.status, 200);
    let removed = ana.calls("DELETE", &format!("messages/{first}"), body).await;
    assert_eq!(removed.status, 200);
    assert!(ana.log().await.is_empty());
    let on = ana.calls("POST", &format!("setChat/{}", ana.chat), Value::Null).await;
    assert_eq!((on.status, &on.body["currentChatId"]), (200, &json!(ana.chat)));
    ana.exchange("o1", "three", "third").await;
}
