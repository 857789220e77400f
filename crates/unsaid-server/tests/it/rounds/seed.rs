//! What the original design feared: its ten edge cases and six risks, each with the better outcome.
//! What needs a server of its own is in `worlds_proof`: the sixth risk and the ninth edge case with
//! messages that came without ids (`imported`), the eighth with files that cannot be written
//! (`unwritable`).

use std::collections::HashSet;

use serde_json::{Value, json};
use unsaid_core::port::history::{Commit, Committed};
use unsaid_core::port::worlds::WorldKey;
use unsaid_testkit::builder::{chat_key, message_by, say};
use unsaid_testkit::failing::Fault;
use unsaid_testkit::model::{heard, text};

use super::company::{Company, agent};
use crate::accounts::house::{Answer, BEGIN, House};

impl Company<'_> {
    async fn puts(&self, id: &str, words: &str) -> Answer {
        let body = json!({ "chatId": self.chat, "newContent": words, "stream": false });
        self.calls("PUT", &format!("messages/{id}"), body).await
    }

    async fn counts(&self, id: &str) -> Value {
        self.gets(&format!("messages/{id}/count?chatId={}", self.chat)).await.body
    }
}

#[tokio::test]
async fn edge_1_a_message_that_is_not_found_changes_nothing() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    ana.exchange("o1", "one", "first").await;
    let refused = ana.puts("unknown", "other").await;
    assert_eq!((refused.status, refused.refusal().1), (404, "MESSAGE_NOT_FOUND"));
    assert_eq!(ana.log().await, ["human: one", "o1: first"]);
}

#[tokio::test]
async fn edge_2_agents_that_did_not_hear_a_message_need_not_forget_it() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    let key = WorldKey { owner: ana.owner.clone(), id: "w".to_owned().try_into().unwrap() };
    house.store.add_agent(&key, agent("late"), 10).await.unwrap().unwrap();
    let removed =
        ana.calls("DELETE", &format!("messages/{id}"), json!({ "chatId": ana.chat })).await;
    assert_eq!(removed.body["totalAgents"], 2);
    assert_eq!(removed.body["processedAgents"], json!(["o1", "late"]));
    assert_eq!(removed.body["failedAgents"], json!([]));
    assert_eq!(removed.body["messagesRemovedTotal"], 2);
}

#[tokio::test]
async fn edge_3_an_edit_while_agents_respond_is_refused() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    let mut frames = ana.says("two").await;
    let (_, asked) = ana.asked().await;
    assert_eq!(ana.puts(&id, "other").await.refusal().1, "WORLD_LOCKED");
    asked.answer([text("second")]);
    frames.rest().await;
    assert_eq!(ana.log().await.len(), 4);
}

#[tokio::test]
async fn edge_4_of_several_edits_at_once_one_succeeds() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    let answer = async {
        let (_, asked) = ana.asked().await;
        asked.answer([text("fine")]);
    };
    let (one, two, three, ()) =
        tokio::join!(ana.puts(&id, "a"), ana.puts(&id, "b"), ana.puts(&id, "c"), answer);
    let mut statuses = [one.status, two.status, three.status];
    statuses.sort_unstable();
    assert_eq!(statuses[0], 200);
    assert!(statuses[1..].iter().all(|status| [404, 409, 423].contains(status)), "{statuses:?}");
    assert_eq!(ana.log().await.len(), 2);
}

#[tokio::test]
async fn edge_5_an_old_message_can_be_edited_and_says_how_much_goes() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    for _ in 0..6 {
        ana.exchange("o1", "more", "and more").await;
    }
    let count = ana.counts(&id).await;
    assert_eq!((&count["count"], &count["isFirst"]), (&json!(14), &json!(true)));
    assert_eq!(count["preview"].as_array().unwrap().len(), 10);
    let (edited, ()) = tokio::join!(ana.puts(&id, "other"), ana.answers("o1", "fine"));
    assert_eq!(edited.body["removal"]["messagesRemovedTotal"], 14);
    assert_eq!(ana.log().await, ["human: other", "o1: fine"]);
}

#[tokio::test]
async fn edge_6_with_nothing_after_it_only_the_message_goes() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    ana.exchange("o1", "one", "first").await;
    let mut frames = ana.says("@nobody-else two").await;
    let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
    let (_, asked) = ana.asked().await;
    ana.calls("POST", "messages/stop", json!({ "chatId": ana.chat })).await;
    asked.cancelled().await;
    frames.rest().await;
    let count = ana.counts(&id).await;
    assert_eq!((&count["count"], &count["isFirst"]), (&json!(1), &json!(false)));
    let (edited, ()) = tokio::join!(ana.puts(&id, "other"), ana.answers("o1", "fine"));
    assert_eq!(edited.body["removal"]["messagesRemovedTotal"], 1);
    assert_eq!(ana.log().await, ["human: one", "o1: first", "human: other", "o1: fine"]);
}

#[tokio::test]
async fn edge_7_there_is_no_copy_of_a_memory_that_could_be_corrupt() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    let mut frames = ana.says("@o1 one").await;
    let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
    ana.answers("o1", "first").await;
    frames.rest().await;
    // What one agent forgot is still one log for all.
    ana.calls("DELETE", "agents/a1/memory", Value::Null).await;
    let (edited, ()) = tokio::join!(ana.puts(&id, "@o1 other"), ana.answers("o1", "fine"));
    assert_eq!(edited.body["removal"]["failedAgents"], json!([]));
    assert_eq!(ana.log().await, ["human: @o1 other", "o1: fine"]);
}

#[tokio::test]
async fn edge_8_a_full_disk_removes_nothing_and_the_same_call_can_be_made_again() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    house.faults.fail("commit", Fault::Full);
    let failed = ana.puts(&id, "rosebud").await;
    assert_eq!((failed.status, failed.refusal().1), (507, "STORAGE_FULL"));
    assert_eq!(ana.log().await, ["human: one", "o1: first"]);
    let errors = ana.gets("edit-errors").await;
    let error = &errors.body[0];
    assert_eq!((&error["messageId"], &error["code"]), (&json!(id), &json!("STORAGE_FULL")));
    assert_eq!((&error["chatId"], error["id"].is_string()), (&json!(ana.chat), true));
    assert_eq!(error["at"], "2026-01-17T10:30:00.000Z");
    assert!(!errors.body.to_string().contains("rosebud"));
    let (edited, ()) = tokio::join!(ana.puts(&id, "other"), ana.answers("o1", "fine"));
    assert_eq!(edited.status, 200, "{edited:?}");
}

#[tokio::test]
async fn edge_9_every_message_has_an_id_of_its_own() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    for _ in 0..5 {
        ana.exchange("o1", "more", "and more").await;
    }
    let page = ana.gets(&format!("chats/{}/messages", ana.chat)).await;
    let messages = page.body["messages"].as_array().unwrap().iter();
    let ids: Vec<&str> = messages.map(|message| message["messageId"].as_str().unwrap()).collect();
    let plain =
        |id: &&str| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    assert!(ids.iter().all(|id| id.len() == 10 && plain(id)), "{ids:?}");
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 10);
}

#[tokio::test]
async fn edge_10_the_only_message_of_a_chat_can_be_edited() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut frames = ana.says("one").await;
    let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
    let (_, asked) = ana.asked().await;
    ana.calls("POST", "messages/stop", json!({ "chatId": ana.chat })).await;
    asked.cancelled().await;
    frames.rest().await;
    let count = ana.counts(&id).await;
    assert_eq!((&count["count"], &count["isFirst"]), (&json!(1), &json!(true)));
    let (edited, ()) = tokio::join!(ana.puts(&id, "other"), ana.answers("o1", "fine"));
    assert_eq!(edited.body["removal"]["messagesRemovedTotal"], 1);
    assert_eq!(ana.log().await, ["human: other", "o1: fine"]);
}

#[tokio::test]
async fn risk_1_nothing_is_ever_half_removed() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    let mut frames = ana.says("one").await;
    let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
    ana.answers("o1", "first").await;
    ana.answers("a1", "second").await;
    frames.rest().await;
    house.faults.fail("commit", Fault::Unavailable);
    let failed = ana.puts(&id, "other").await;
    assert_eq!((failed.status, failed.refusal().1), (503, "STORAGE_UNAVAILABLE"));
    assert!(failed.header("retry-after").is_some());
    assert_eq!(ana.log().await, ["human: one", "o1: first", "a1: second"]);
}

#[tokio::test]
async fn risk_2_a_hundred_agents_take_one_commit() {
    let house = House::new().await;
    let names: Vec<String> = (0..100).map(|number| format!("a{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let ana = Company::new(&house, &names).await;
    // It wants no answer: whoever gives answers commits, too, and would be counted.
    for id in ["one", "two"] {
        let said = Commit::new(say(message_by(&ana.owner.to_string(), id)), BEGIN);
        let said = house.store.commit(&chat_key(&ana.chat), said.owned_by(ana.owner.clone())).await;
        assert!(matches!(said, Ok(Committed::Applied(..))), "{said:?}");
    }
    let before = house.faults.calls("commit");
    let removed = ana.calls("DELETE", "messages/one", json!({ "chatId": ana.chat })).await;
    assert_eq!(removed.body["totalAgents"], 100);
    assert_eq!(removed.body["messagesRemovedTotal"], 2);
    assert_eq!(house.faults.calls("commit") - before, 1);
}

#[tokio::test]
async fn risk_3_an_answer_to_the_old_words_never_comes() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let mut frames = ana.says("rosebud").await;
    let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
    let (_, old) = ana.asked().await;
    let body = json!({ "chatId": ana.chat, "newContent": "other", "stream": false });
    let answer = async {
        let (_, asked) = ana.asked().await;
        assert!(!heard(&asked.request).contains("rosebud"));
        old.answer([text("about rosebud")]);
        asked.answer([text("fine")]);
    };
    let path = format!("messages/{id}?interrupt=true");
    let (edited, ()) = tokio::join!(ana.calls("PUT", &path, body), answer);
    assert_eq!(edited.status, 200, "{edited:?}");
    assert_eq!(ana.log().await, ["human: other", "o1: fine"]);
}

#[tokio::test]
async fn risk_4_what_was_removed_can_be_brought_back() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    let removed =
        ana.calls("DELETE", &format!("messages/{id}"), json!({ "chatId": ana.chat })).await;
    assert!(ana.log().await.is_empty());
    let edit = removed.body["editId"].as_str().unwrap();
    let undone = ana.calls("POST", &format!("edits/{edit}/undo"), Value::Null).await;
    assert_eq!(undone.status, 200, "{undone:?}");
    assert_eq!(ana.log().await, ["human: one", "o1: first"]);
}

#[tokio::test]
async fn risk_5_an_id_that_is_taken_is_given_to_nobody_else() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    // The same chance again: the first id that it gives is known already.
    house.chance.again();
    let id = ana.exchange("o1", "one", "first").await;
    house.chance.again();
    let next = ana.exchange("o1", "two", "second").await;
    assert_ne!(id, next);
    let log = ana.log().await;
    assert_eq!(log, ["human: one", "o1: first", "human: two", "o1: second"]);
}
