//! Calls that are not right: what is wrong is named, and nothing changes.

use serde_json::{Value, json};
use unsaid_core::limits::Limits;

use super::company::Company;
use crate::accounts::house::{Answer, House, Plan};

/// The field that a refusal names.
fn field(refused: &Answer) -> &Value {
    assert_eq!((refused.status, refused.refusal().1), (400, "VALIDATION_ERROR"), "{refused:?}");
    &refused.body["details"]["field"]
}

#[tokio::test]
async fn an_edit_that_is_not_right_names_the_field_and_changes_nothing() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1"]).await;
        let id = ana.exchange("o1", "one", "first").await;
        let page = format!("chats/{}/messages", ana.chat);
        let before = ana.gets(&page).await.body;
        let path = format!("messages/{id}");
        let edit = |words: Value| json!({ "chatId": ana.chat, "newContent": words });
        let with = |field: &str, value: Value| {
            let mut body = edit(json!("other"));
            body[field] = value;
            body
        };
        for (body, wrong) in [
            (json!({ "chatId": ana.chat }), "newContent"),
            (json!({ "newContent": "other" }), "chatId"),
            (edit(Value::Null), "newContent"),
            (edit(json!(1)), "newContent"),
            (edit(json!("")), "newContent"),
            (edit(json!(" \n\t")), "newContent"),
            (edit(json!("x".repeat(20_001))), "newContent"),
            (edit(json!("a\u{0}b")), "newContent"),
            (with("chatId", json!(7)), "chatId"),
            (with("chatId", Value::Null), "chatId"),
            (with("chatId", json!("a\u{0}b")), "chatId"),
            (with("stream", json!("no")), "stream"),
            (with("sender", json!("o1")), "sender"),
            (with("message", json!("other")), "message"),
        ] {
            assert_eq!(field(&ana.calls("PUT", &path, body.clone()).await), wrong, "{body}");
        }
        for body in [json!([]), json!("other"), json!(null)] {
            let refused = ana.calls("PUT", &path, body.clone()).await;
            assert_eq!((refused.status, refused.refusal().1), (400, "VALIDATION_ERROR"), "{body}");
        }
        assert_eq!(ana.gets(&page).await.body, before);
        assert_eq!(ana.gets("edit-errors").await.body, json!([]), "nothing failed");
        assert!(house.asks.lock().await.is_empty());
        let longest = "é".repeat(20_000);
        let body = with("newContent", json!(longest));
        let mut body = body.clone();
        body["stream"] = json!(false);
        let (edited, ()) = tokio::join!(ana.calls("PUT", &path, body), ana.answers("o1", "fine"));
        assert_eq!(edited.status, 200, "characters are counted, not bytes");
    }
}

#[tokio::test]
async fn unsending_stopping_and_removing_need_a_chat_and_nothing_else() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    let calls = [
        ("POST", format!("messages/{id}/unsend")),
        ("POST", "messages/stop".to_owned()),
        ("DELETE", format!("messages/{id}")),
    ];
    for (method, path) in &calls {
        for (body, wrong) in [
            (json!({}), "chatId"),
            (json!({ "chatId": null }), "chatId"),
            (json!({ "chatId": 1 }), "chatId"),
            (json!({ "chatId": "a\u{0}b" }), "chatId"),
            (json!({ "chatId": ana.chat, "newContent": "x" }), "newContent"),
        ] {
            let refused = ana.calls(method, path, body.clone()).await;
            assert_eq!(field(&refused), wrong, "{method} {path} {body}");
        }
        let refused = ana.calls(method, path, json!([ana.chat])).await;
        assert_eq!((refused.status, refused.refusal().1), (400, "VALIDATION_ERROR"), "{path}");
        for unknown in ["", "no such chat", &"x".repeat(10_000)] {
            let refused = ana.calls(method, path, json!({ "chatId": unknown })).await;
            assert_eq!((refused.status, refused.refusal().1), (404, "CHAT_NOT_FOUND"), "{path}");
        }
        let call = house.call(method, &ana.path(path)).bearer(&ana.token);
        let refused = call.raw("text/plain", &json!({ "chatId": ana.chat }).to_string()).await;
        let code = "UNSUPPORTED_MEDIA_TYPE";
        assert_eq!((refused.status, refused.refusal().1), (415, code), "{path}");
    }
    // Only a removal may have nothing to say; then its chat is in the query, or it has none.
    for (method, path) in &calls[..2] {
        let call = house.call(method, &ana.path(path)).bearer(&ana.token);
        let refused = call.raw("application/json", "").await;
        assert_eq!((refused.status, refused.refusal().1), (400, "VALIDATION_ERROR"), "{path}");
    }
    assert_eq!(field(&ana.calls("DELETE", &calls[2].1, Value::Null).await), "chatId");
    assert_eq!(ana.log().await, ["human: one", "o1: first"]);
}

#[tokio::test]
async fn whether_to_interrupt_is_true_or_false() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    let body = json!({ "chatId": ana.chat });
    let removed = ana.calls("DELETE", &format!("messages/{id}"), body.clone()).await;
    let undo = format!("edits/{}/undo", removed.body["editId"].as_str().unwrap());
    let edited = json!({ "chatId": ana.chat, "newContent": "x" });
    for (method, path, body) in [
        ("PUT", format!("messages/{id}"), &edited),
        ("DELETE", format!("messages/{id}"), &body),
        ("POST", undo.clone(), &Value::Null),
    ] {
        for (query, wrong) in [
            ("interrupt=x", "interrupt"),
            ("interrupt=", "interrupt"),
            ("interrupt=1", "interrupt"),
            ("interrupt=True", "interrupt"),
            ("interupt=true", "interupt"),
        ] {
            let refused = ana.calls(method, &format!("{path}?{query}"), body.clone()).await;
            assert_eq!(field(&refused), wrong, "{method} {query}");
        }
        let path = format!("{path}?interrupt=true&interrupt=true");
        let twice = ana.calls(method, &path, body.clone()).await;
        assert_eq!((twice.status, twice.refusal().1), (400, "VALIDATION_ERROR"), "{method}");
    }
    assert!(ana.log().await.is_empty());
    let undone = ana.calls("POST", &format!("{undo}?interrupt=false"), Value::Null).await;
    assert_eq!(undone.status, 200, "{undone:?}");
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_whatever_is_asked() {
    let limits = Limits { body_bytes: 2_000, ..Plan::default().limits };
    let house = House::planned(Plan { limits, ..Plan::default() }).await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    let large = "x".repeat(2_001);
    for (method, path, field) in [
        ("POST", "messages".to_owned(), "message"),
        ("PUT", format!("messages/{id}"), "newContent"),
        ("DELETE", format!("messages/{id}"), "chatId"),
        ("POST", format!("messages/{id}/unsend"), "chatId"),
        ("POST", "messages/stop".to_owned(), "chatId"),
        ("POST", format!("edits/{}.x/undo", ana.chat), "chatId"),
    ] {
        let refused = ana.calls(method, &path, json!({ field: large })).await;
        let sentence = "The body is too large";
        assert_eq!(refused.refusal(), (413, "BODY_TOO_LARGE", sentence), "{method} {path}");
    }
    assert_eq!(ana.log().await, ["human: one", "o1: first"]);
}

/// An id that chance has given before, to a message that stays: the only conflict that an edit can
/// have, because everything else is decided under the lock of the chat.
#[tokio::test]
async fn an_edit_that_meets_another_message_under_its_new_id_changes_nothing() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    house.chance.again();
    ana.exchange("o1", "one", "first").await;
    let second = ana.exchange("o1", "two", "second").await;
    let path = format!("messages/{second}");
    let body = json!({ "chatId": ana.chat, "newContent": "other", "stream": false });
    house.chance.again();
    let refused = ana.calls("PUT", &path, body.clone()).await;
    let sentence = "Changed by somebody else meanwhile";
    assert_eq!(refused.refusal(), (409, "VERSION_CONFLICT", sentence));
    assert_eq!(ana.log().await, ["human: one", "o1: first", "human: two", "o1: second"]);
    assert_eq!(ana.gets("edit-errors").await.body, json!([]), "the caller can do it again");
    let (edited, ()) = tokio::join!(ana.calls("PUT", &path, body), ana.answers("o1", "fine"));
    assert_eq!(edited.status, 200, "{edited:?}");
    assert_eq!(ana.log().await, ["human: one", "o1: first", "human: other", "o1: fine"]);
}
