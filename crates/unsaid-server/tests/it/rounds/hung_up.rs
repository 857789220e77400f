//! Callers who hang up while something is written for them: it happens, and everybody is told.

use serde_json::{Value, json};

use super::company::Company;
use crate::accounts::house::House;

/// Calls, and does not wait for anything.
async fn hangs_up(ana: &Company<'_>, method: &str, path: &str, body: Value) {
    let call = ana.house.call(method, &ana.path(path)).bearer(&ana.token).stream(body);
    tokio::select! {
        biased;
        response = call => panic!("answered before it could be waited for: {response:?}"),
        () = std::future::ready(()) => {}
    }
}

#[tokio::test]
async fn what_was_said_is_heard_and_answered() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1"]).await;
        let mut watched = ana.watches(None).await;
        hangs_up(&ana, "POST", "messages", json!({ "message": "one" })).await;
        let said = watched.of_type("message").await;
        assert_eq!(said["data"]["content"], "one");
        ana.answers("o1", "first").await;
        let answer = watched.of_type("message").await;
        assert_eq!(answer["data"]["content"], "first");
    }
}

#[tokio::test]
async fn h5_what_is_taken_back_ends_the_round_at_once() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1"]).await;
        let mut frames = ana.says("one").await;
        let said = frames.next().await;
        let id = said["data"]["messageId"].as_str().unwrap().to_owned();
        let (_, asked) = ana.asked().await;
        let path = format!("messages/{id}/unsend");
        hangs_up(&ana, "POST", &path, json!({ "chatId": ana.chat })).await;
        let removed = frames.of_type("removed").await;
        assert_eq!(removed["data"]["fromMessageId"], json!(id));
        asked.cancelled().await;
    }
}

#[tokio::test]
async fn h6_an_edit_is_made_whole() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1"]).await;
        let id = ana.exchange("o1", "one", "first").await;
        let mut watched = ana.watches(None).await;
        let edit = json!({ "chatId": ana.chat, "newContent": "two" });
        hangs_up(&ana, "PUT", &format!("messages/{id}"), edit).await;
        watched.of_type("removed").await;
        ana.answers("o1", "second").await;
        watched.until("idle").await;
        let page = ana.gets(&format!("chats/{}/messages", ana.chat)).await.body;
        let words: Vec<&str> = page["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|message| message["content"].as_str().unwrap())
            .collect();
        assert_eq!(words, ["two", "second"]);
    }
}
