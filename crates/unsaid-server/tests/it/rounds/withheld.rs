use serde_json::{Value, json};
use unsaid_testkit::model::{heard, text};

use super::company::Company;
use crate::accounts::house::{BEGIN, DAY_MS, House};

impl Company<'_> {
    pub(crate) async fn switches(&self, on: bool) {
        let call = self.house.call("PATCH", "/api/users/me/preferences").bearer(&self.token);
        let answer = call.json(json!({ "store_history": on })).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }

    pub(super) async fn shown(&self) -> Vec<String> {
        let page = self.gets(&format!("chats/{}/messages", self.chat)).await;
        assert_eq!(page.status, 200, "{page:?}");
        let messages = page.body["messages"].as_array().unwrap().iter();
        messages.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn without_consent_a_chat_is_in_memory_and_says_so() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", false, &["o1"]).await;
    let body = json!({ "message": "rosebud", "stream": false });
    let (said, ()) = tokio::join!(ana.calls("POST", "messages", body), ana.answers("o1", "I see"));
    assert_eq!((said.status, &said.body["stored"]), (200, &json!(false)));
    assert_eq!(ana.gets("status").await.body["stored"], false);
    assert_eq!(ana.shown().await, ["rosebud", "I see"]);
    assert!(ana.log().await.is_empty(), "something is kept");
    let mut watching = ana.watches(None).await;
    let mut frames = ana.says("what was it?").await;
    let (_, asked) = ana.asked().await;
    assert!(heard(&asked.request).contains("rosebud"));
    asked.answer([text("rosebud")]);
    frames.rest().await;
    let told = watching.until("idle").await;
    assert_eq!(told[0], "human: what was it?");
    // Numbers of what is in memory are nobody else's.
    let known = watching.last_id.clone().unwrap();
    let mut again = ana.watches(Some(&known)).await;
    let id = said.body["messageId"].as_str().unwrap();
    let unsent =
        ana.calls("POST", &format!("messages/{id}/unsend"), json!({ "chatId": ana.chat })).await;
    assert_eq!(unsent.body["withdrawn"].as_array().unwrap().len(), 1);
    assert_eq!(again.until("unsent").await, ["unsent"]);
    assert_eq!(ana.shown().await, ["what was it?", "rosebud"]);
}

#[tokio::test]
async fn without_consent_edits_and_undo_work_in_memory() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", false, &["o1"]).await;
    let id = ana.exchange("o1", "one", "first").await;
    let mut frames = ana.edits(&id, "other").await;
    let removed = frames.next().await;
    ana.answers("o1", "second").await;
    frames.rest().await;
    assert_eq!(ana.shown().await, ["other", "second"]);
    let edit = removed["data"]["editId"].as_str().unwrap();
    let undone = ana.calls("POST", &format!("edits/{edit}/undo"), Value::Null).await;
    assert_eq!(undone.status, 200, "{undone:?}");
    assert_eq!(ana.shown().await, ["one", "first"]);
}

#[tokio::test]
async fn withdrawal_hides_a_chat_at_once_from_lists_models_and_streams() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    ana.exchange("o1", "rosebud", "I see").await;
    let mut watching = ana.watches(None).await;
    let mut frames = ana.says("more").await;
    let (_, asked) = ana.asked().await;
    ana.switches(false).await;
    // Whoever watches hears of it at once, not with the next words.
    watching.until("reset").await;
    // What is just being said is said to its end, and not kept.
    asked.answer([text("rosebud and more")]);
    let told = frames.rest().await;
    assert_eq!(told[told.len() - 3..], ["o1 error", "response-end", "idle"]);
    assert!(ana.shown().await.is_empty());
    let memory = ana.gets(&format!("agents/o1/memory?chatId={}", ana.chat)).await;
    assert_eq!(memory.body, json!([]));
    let mut frames = ana.says("and now?").await;
    let (_, asked) = ana.asked().await;
    assert!(!heard(&asked.request).contains("rosebud"));
    asked.answer([text("now nothing")]);
    frames.rest().await;
    watching.until("o1: now nothing").await;
    ana.switches(true).await;
    watching.until("reset").await;
    // H7: what was said without consent stays in the lists, where it was said.
    let all = ["rosebud", "I see", "more", "and now?", "now nothing"];
    assert_eq!(ana.shown().await, all);
}

#[tokio::test]
async fn whoever_comes_back_after_consent_has_changed_looks_anew() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    for (on, words) in [(false, "kept"), (true, "in memory")] {
        let mut watching = ana.watches(None).await;
        ana.exchange("o1", words, "I see").await;
        watching.until("o1: I see").await;
        let known = watching.last_id.clone().unwrap();
        drop(watching);
        ana.switches(on).await;
        ana.exchange("o1", "meanwhile", "I see").await;
        let mut again = ana.watches(Some(&known)).await;
        assert_eq!(again.until("reset").await, ["reset"]);
        ana.exchange("o1", "and now", "I see").await;
        assert_eq!(again.until("human: and now").await, ["human: and now"]);
    }
}

#[tokio::test]
async fn an_edit_of_what_was_not_kept_tells_first_what_went() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", false, &["o1"]).await;
    let id = ana.exchange("o1", "rosebud", "I see").await;
    ana.switches(true).await;
    let mut frames = ana.edits(&id, "other").await;
    let removed = frames.next().await;
    assert_eq!((&removed["type"], &removed["data"]["count"]), (&json!("removed"), &json!(2)));
    assert_eq!(removed["data"]["result"]["editId"], removed["data"]["editId"]);
    ana.answers("o1", "fine").await;
    frames.rest().await;
    assert_eq!(ana.shown().await, ["other", "fine"]);
    let gone = ana.gets(&format!("messages/{id}/count?chatId={}", ana.chat)).await;
    assert_eq!(gone.status, 404);
}

#[tokio::test]
async fn of_several_edits_at_once_of_what_was_not_kept_one_is_made() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", false, &["o1"]).await;
    let id = ana.exchange("o1", "rosebud", "I see").await;
    ana.switches(true).await;
    let quiet = json!({ "autoReply": false });
    assert_eq!(ana.calls("PATCH", "agents/o1", quiet).await.status, 200);
    let path = format!("messages/{id}");
    let edit = async |words: &str| {
        let body = json!({ "chatId": ana.chat, "newContent": words, "stream": false });
        ana.calls("PUT", &path, body).await.status
    };
    let (one, two, three) = tokio::join!(edit("one"), edit("two"), edit("three"));
    let mut statuses = [one, two, three];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 404, 404]);
    assert_eq!(ana.shown().await.len(), 1);
}

#[tokio::test]
async fn h13_keys_of_whoever_wants_nothing_kept_are_in_memory_only() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &[]).await;
    let mut ids = Vec::new();
    for words in ["one", "two"] {
        let body = json!({ "message": words, "stream": false });
        let said = ana.calls("POST", "messages", body).await;
        ids.push(said.body["messageId"].as_str().unwrap().to_owned());
    }
    ana.switches(false).await;
    let chat = json!({ "chatId": ana.chat });
    let calls = [
        ("POST", format!("messages/{}/unsend", ids[1])),
        ("DELETE", format!("messages/{}", ids[0])),
    ];
    for (method, path) in calls {
        for _ in 0..2 {
            let call = house.call(method, &ana.path(&path)).bearer(&ana.token);
            let made = call.header("idempotency-key", "k1").json(chat.clone()).await;
            assert_eq!(made.status, 200, "{method}: {made:?}");
        }
    }
    assert!(ana.log().await.is_empty());
    let kept = house.store.forget_before(BEGIN.plus_millis(DAY_MS)).await;
    assert_eq!(kept, Ok(0), "keys in the database");
}

/// What waits in the other log was not asked by the round that is stopped.
#[tokio::test]
async fn a_stop_leaves_what_waits_in_the_other_log_to_be_answered() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &["o1"]).await;
    let _kept = ana.says("kept").await;
    let (_, speaking) = ana.asked().await;
    ana.switches(false).await;
    let mut waiting = ana.says("in memory").await;
    let stopped = ana.calls("POST", "messages/stop", json!({ "chatId": ana.chat })).await;
    assert_eq!(stopped.body["stopped"], true);
    speaking.cancelled().await;
    ana.answers("o1", "fine").await;
    assert_eq!(waiting.rest().await.last().map(String::as_str), Some("idle"));
    assert_eq!(ana.shown().await, ["in memory", "fine"]);
}

/// What was removed beside it cannot come back any more, so its words need not wait.
#[tokio::test]
async fn whoever_goes_on_in_memory_closes_the_way_back_of_what_is_kept() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", false, &[]).await;
    let mut frames = ana.says("in memory").await;
    let id = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
    ana.switches(true).await;
    ana.says("kept").await.rest().await;
    ana.switches(false).await;
    let path = format!("messages/{id}?chatId={}", ana.chat);
    let removed = ana.calls("DELETE", &path, Value::Null).await;
    assert_eq!(removed.body["messagesRemovedTotal"], 2);
    let key = format!("chat:{}", ana.chat).parse().unwrap();
    let has_way_back = async || house.store.overview(&key).await.unwrap().unwrap().has_way_back;
    assert!(has_way_back().await);
    ana.says("something else").await.rest().await;
    assert!(!has_way_back().await);
}
