use std::time::Duration;

use serde_json::{Value, json};
use unsaid_testkit::model::{heard, text};

use super::company::Company;
use crate::accounts::house::{House, MINUTE_MS, Plan};

#[tokio::test]
async fn an_unsent_message_takes_its_answers_along_and_again_is_the_same() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    let mut watching = ana.watches(None).await;
    let mut frames = ana.says("rosebud").await;
    let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
    ana.answers("o1", "rosebud?").await;
    ana.answers("a1", "ah").await;
    frames.rest().await;
    watching.until("a1: ah").await;
    let path = format!("messages/{id}/unsend");
    let unsent = ana.calls("POST", &path, json!({ "chatId": ana.chat })).await;
    assert_eq!(unsent.status, 200, "{unsent:?}");
    assert_eq!(unsent.body["messageId"], id);
    assert_eq!(unsent.body["withdrawn"].as_array().unwrap().len(), 2);
    let again = ana.calls("POST", &path, json!({ "chatId": ana.chat })).await;
    assert_eq!((again.status, &again.body), (200, &unsent.body));
    for _ in 0..3 {
        watching.until("unsent").await;
    }
    assert_eq!(ana.log().await, Vec::<String>::new());
    let mut frames = ana.says("what did I say?").await;
    let (_, asked) = ana.asked().await;
    assert!(!heard(&asked.request).contains("rosebud"));
    asked.answer([text("nothing")]);
    ana.answers("a1", "nothing").await;
    frames.rest().await;
}

/// Whoever acts on the first frame is there before any agent was asked, or just after.
#[tokio::test]
async fn what_is_owed_counts_as_running_from_the_first_frame_on() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1"]).await;
        for words in ["one", "two", "three"] {
            let mut frames = ana.says(words).await;
            let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
            let body = json!({ "chatId": ana.chat, "newContent": "other" });
            let locked = ana.calls("PUT", &format!("messages/{id}"), body).await;
            assert_eq!((locked.status, locked.refusal().1), (423, "WORLD_LOCKED"));
            let status = ana.gets(&format!("status?chatId={}", ana.chat)).await;
            assert_eq!(status.body["isProcessing"], true);
            let stopped = ana.calls("POST", "messages/stop", json!({ "chatId": ana.chat })).await;
            assert_eq!(stopped.body["stopped"], true, "{stopped:?}");
            assert_eq!(frames.rest().await.last().map(String::as_str), Some("idle"));
            let status = ana.gets(&format!("status?chatId={}", ana.chat)).await;
            assert_eq!(status.body["isProcessing"], false);
        }
        let page = ana.gets(&format!("chats/{}/messages", ana.chat)).await;
        assert_eq!(page.body["messages"].as_array().unwrap().len(), 3, "nobody answered");
    }
}

#[tokio::test]
async fn an_unsend_does_not_wait_for_a_round_and_ends_it() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut frames = ana.says("rosebud").await;
    let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
    let (_, asked) = ana.asked().await;
    asked.say(text("You said "));
    frames.until("o1> You said ").await;
    let body = json!({ "chatId": ana.chat });
    let unsent = ana.calls("POST", &format!("messages/{id}/unsend"), body).await;
    assert_eq!((unsent.status, &unsent.body["withdrawn"]), (200, &json!([])));
    asked.cancelled().await;
    let told = frames.rest().await;
    assert_eq!(told, ["unsent", "o1 error", "response-end", "idle"]);
    assert!(ana.log().await.is_empty());
}

#[tokio::test]
async fn an_undo_brings_back_what_an_edit_removed() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let first = ana.exchange("o1", "one", "first").await;
    ana.exchange("o1", "two", "second").await;
    let before = ana.gets(&format!("chats/{}/messages", ana.chat)).await.body;
    let mut watching = ana.watches(None).await;
    let mut frames = ana.edits(&first, "instead").await;
    let edit = frames.next().await["data"]["editId"].as_str().unwrap().to_owned();
    ana.answers("o1", "of course").await;
    frames.rest().await;
    watching.until("o1: of course").await;
    let undone = ana.calls("POST", &format!("edits/{edit}/undo"), Value::Null).await;
    assert_eq!(undone.status, 200, "{undone:?}");
    assert_eq!(undone.body, json!({ "editId": edit, "fromMessageId": first, "count": 4 }));
    let mut told = watching.until("restored 4").await;
    told.retain(|frame| !frame.starts_with("response") && frame != "idle");
    assert_eq!(told, ["removed 2", "restored 4"]);
    assert_eq!(ana.gets(&format!("chats/{}/messages", ana.chat)).await.body, before);
    let again = ana.calls("POST", &format!("edits/{edit}/undo"), Value::Null).await;
    assert_eq!(again.refusal().1, "UNDO_BLOCKED");
    assert!(house.asks.lock().await.is_empty());
}

#[tokio::test]
async fn an_undo_is_over_when_its_time_is_or_somebody_went_on() {
    let plan = Plan { undo: Duration::from_mins(5), ..Plan::default() };
    let house = House::planned(plan).await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    let removed =
        ana.calls("DELETE", &format!("messages/{id}"), json!({ "chatId": ana.chat })).await;
    assert_eq!(removed.status, 200, "{removed:?}");
    assert_eq!(removed.body["resubmissionStatus"], "skipped");
    assert_eq!(removed.body["messagesRemovedTotal"], 2);
    let edit = removed.body["editId"].as_str().unwrap().to_owned();
    house.clock.advance(5 * MINUTE_MS);
    let late = ana.calls("POST", &format!("edits/{edit}/undo"), Value::Null).await;
    assert_eq!((late.status, late.refusal().1), (410, "UNDO_EXPIRED"));
    let id = ana.exchange("o1", "two", "second").await;
    let removed =
        ana.calls("DELETE", &format!("messages/{id}?chatId={}", ana.chat), Value::Null).await;
    let edit = removed.body["editId"].as_str().unwrap().to_owned();
    ana.exchange("o1", "three", "third").await;
    let blocked = ana.calls("POST", &format!("edits/{edit}/undo"), Value::Null).await;
    assert_eq!((blocked.status, blocked.refusal().1), (409, "UNDO_BLOCKED"));
    for unknown in ["nothing", "no.such", &format!("{}.nothing", ana.chat)] {
        let unknown = ana.calls("POST", &format!("edits/{unknown}/undo"), Value::Null).await;
        assert_eq!((unknown.status, unknown.refusal().1), (404, "EDIT_NOT_FOUND"));
    }
}

#[tokio::test]
async fn a_stopped_round_says_nothing_more_and_keeps_what_was_said() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    let mut frames = ana.says("hello").await;
    ana.answers("o1", "Hi").await;
    let (name, asked) = ana.asked().await;
    assert_eq!(name, "a1");
    let body = json!({ "chatId": ana.chat });
    let stopped = ana.calls("POST", "messages/stop", body.clone()).await;
    assert_eq!(stopped.body, json!({ "status": "ok", "stopped": true }));
    asked.cancelled().await;
    let told = frames.rest().await;
    assert_eq!(told.last().map(String::as_str), Some("idle"));
    assert_eq!(ana.log().await, ["human: hello", "o1: Hi"]);
    let again = ana.calls("POST", "messages/stop", body).await;
    assert_eq!(again.body["stopped"], false);
}
