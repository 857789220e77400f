//! Keys that are refused (H3): those that cannot be one, and those that stand for another call.

use serde_json::{Value, json};

use super::company::Company;
use crate::accounts::house::{Answer, House};

/// A call under these keys.
async fn under(ana: &Company<'_>, keys: &[&str], what: (&str, &str, &Value)) -> Answer {
    let (method, path, body) = what;
    let call = ana.house.call(method, &ana.path(path)).bearer(&ana.token);
    let call = keys.iter().fold(call, |call, key| call.header("idempotency-key", key));
    call.json(body.clone()).await
}

#[tokio::test]
async fn h3_a_key_that_is_none_is_refused_before_anything_happens() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1"]).await;
        let id = ana.exchange("o1", "one", "first").await;
        let page = format!("chats/{}/messages", ana.chat);
        let before = ana.gets(&page).await.body;
        let path = format!("messages/{id}");
        let (edit, in_chat) =
            (json!({ "chatId": ana.chat, "newContent": "x" }), json!({ "chatId": ana.chat }));
        let long = "k".repeat(256);
        for keys in
            [&[""][..], &[" "], &["a b"], &["a\tb"], &["clé"], &[&long], &["k1", "k1"], &["k1", ""]]
        {
            for (method, path) in [
                ("PUT", path.clone()),
                ("DELETE", path.clone()),
                ("POST", format!("{path}/unsend")),
                ("POST", "messages/stop".to_owned()),
                ("POST", format!("edits/{}.x/undo", ana.chat)),
            ] {
                let body = match method {
                    "PUT" => &edit,
                    _ if path.ends_with("undo") => &Value::Null,
                    _ => &in_chat,
                };
                let refused = under(&ana, keys, (method, &path, body)).await;
                let told = (refused.status, refused.refusal().1, &refused.body["details"]["field"]);
                let expected = (400, "VALIDATION_ERROR", &json!("Idempotency-Key"));
                assert_eq!(told, expected, "{method} {path} under {keys:?}");
            }
        }
        assert_eq!(ana.gets(&page).await.body, before);
        assert!(house.asks.lock().await.is_empty());
        let longest = "k".repeat(255);
        let removed = under(&ana, &[&longest], ("DELETE", &path, &in_chat)).await;
        assert_eq!(removed.status, 200, "{removed:?}");
    }
}

#[tokio::test]
async fn h3_a_key_stands_for_one_body_in_edits_and_removals() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1"]).await;
        let id = ana.exchange("o1", "one", "first").await;
        let path = format!("messages/{id}");
        let edit =
            |words: &str| json!({ "chatId": ana.chat, "newContent": words, "stream": false });
        let words = edit("two");
        let (edited, ()) =
            tokio::join!(under(&ana, &["k1"], ("PUT", &path, &words)), ana.answers("o1", "fine"));
        assert_eq!(edited.status, 200, "{edited:?}");
        let reused = |refused: Answer| {
            let sentence = "This Idempotency-Key was used with another body";
            assert_eq!(refused.refusal(), (422, "IDEMPOTENCY_KEY_REUSED", sentence));
            assert!(!refused.body.to_string().contains("two"), "{refused:?}");
        };
        reused(under(&ana, &["k1"], ("PUT", &path, &edit("three"))).await);
        let streamed = json!({ "chatId": ana.chat, "newContent": "two" });
        reused(under(&ana, &["k1"], ("PUT", &path, &streamed)).await);
        let again = under(&ana, &["k1"], ("PUT", &path, &words)).await;
        assert_eq!((again.status, &again.body), (200, &edited.body), "the first is as it was");
        // Another call has keys of its own.
        let new = edited.body["messageId"].as_str().unwrap();
        let path = format!("messages/{new}");
        let in_chat = json!({ "chatId": ana.chat });
        let removed = under(&ana, &["k1"], ("DELETE", &path, &in_chat)).await;
        assert_eq!((removed.status, &removed.body["messagesRemovedTotal"]), (200, &json!(2)));
        let elsewhere = format!("{path}?chatId={}", ana.chat);
        reused(under(&ana, &["k1"], ("DELETE", &elsewhere, &Value::Null)).await);
        let again = under(&ana, &["k1"], ("DELETE", &path, &in_chat)).await;
        assert_eq!((again.status, &again.body), (200, &removed.body));
        assert!(house.asks.lock().await.is_empty());
    }
}

/// What was refused was not made: the key is still free.
#[tokio::test]
async fn h3_a_call_that_was_refused_leaves_its_key_free() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1"]).await;
        let id = ana.exchange("o1", "one", "first").await;
        let mut frames = ana.says("two").await;
        let (_, asked) = ana.asked().await;
        let path = format!("messages/{id}");
        let body = json!({ "chatId": ana.chat, "newContent": "other", "stream": false });
        let locked = under(&ana, &["k1"], ("PUT", &path, &body)).await;
        assert_eq!((locked.status, locked.refusal().1), (423, "WORLD_LOCKED"));
        asked.answer([unsaid_testkit::model::text("second")]);
        frames.rest().await;
        let (edited, ()) =
            tokio::join!(under(&ana, &["k1"], ("PUT", &path, &body)), ana.answers("o1", "fine"));
        assert_eq!(
            (edited.status, &edited.body["removal"]["messagesRemovedTotal"]),
            (200, &json!(4))
        );
    }
}

/// Whoever found a round running and comes again to interrupt it makes the same call.
#[tokio::test]
async fn h3_whether_to_interrupt_is_no_part_of_what_a_key_stands_for() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1"]).await;
        let id = ana.exchange("o1", "one", "first").await;
        let path = format!("messages/{id}");
        let body = json!({ "chatId": ana.chat, "newContent": "two", "stream": false });
        let (edited, ()) =
            tokio::join!(under(&ana, &["k1"], ("PUT", &path, &body)), ana.answers("o1", "fine"));
        assert_eq!(edited.status, 200, "{edited:?}");
        for query in ["interrupt=true", "interrupt=false", "%69nterrupt=true"] {
            let again = under(&ana, &["k1"], ("PUT", &format!("{path}?{query}"), &body)).await;
            assert_eq!((again.status, &again.body), (200, &edited.body), "{query}");
        }
        // What it is about stays part of it, wherever that stands.
        let new = edited.body["messageId"].as_str().unwrap();
        let path = |query: &str| format!("messages/{new}?{query}");
        let here = format!("chatId={}", ana.chat);
        let interrupting = path(&format!("interrupt=true&{here}"));
        let removed = under(&ana, &["k1"], ("DELETE", &interrupting, &Value::Null)).await;
        assert_eq!((removed.status, &removed.body["messagesRemovedTotal"]), (200, &json!(2)));
        for query in [here.clone(), format!("{here}&interrupt=true")] {
            let again = under(&ana, &["k1"], ("DELETE", &path(&query), &Value::Null)).await;
            assert_eq!((again.status, &again.body), (200, &removed.body), "{query}");
        }
        let made = ana.calls("POST", "chats", Value::Null).await.body;
        let elsewhere = path(&format!("chatId={}", made["id"].as_str().unwrap()));
        let reused = under(&ana, &["k1"], ("DELETE", &elsewhere, &Value::Null)).await;
        assert_eq!((reused.status, reused.refusal().1), (422, "IDEMPOTENCY_KEY_REUSED"));
        let undo = format!("edits/{}/undo", removed.body["editId"].as_str().unwrap());
        let undone = under(&ana, &["k2"], ("POST", &undo, &Value::Null)).await;
        assert_eq!(undone.status, 200, "{undone:?}");
        let undo = format!("{undo}?interrupt=true");
        let again = under(&ana, &["k2"], ("POST", &undo, &Value::Null)).await;
        assert_eq!((again.status, &again.body), (200, &undone.body));
        assert!(house.asks.lock().await.is_empty());
    }
}
