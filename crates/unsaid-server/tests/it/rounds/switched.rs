//! Consent that changes in the middle of a chat: two logs, one order (H2, H6, H7).

use serde_json::{Value, json};
use unsaid_core::port::history::History as _;
use unsaid_testkit::model::{heard, text};

use super::company::{Company, Frames};
use crate::accounts::house::{Answer, House};

impl Company<'_> {
    /// Says something that nobody answers; gives its id.
    pub(super) async fn notes(&self, words: &str) -> String {
        let body = json!({ "message": words, "stream": false });
        let said = self.calls("POST", "messages", body).await;
        assert_eq!(said.status, 200, "{said:?}");
        said.body["messageId"].as_str().unwrap().to_owned()
    }

    pub(super) async fn notes_edit(&self, id: &str, words: &str) -> Answer {
        let body = json!({ "chatId": self.chat, "newContent": words, "stream": false });
        self.calls("PUT", &format!("messages/{id}"), body).await
    }

    pub(super) async fn cuts(&self, id: &str) -> Answer {
        self.calls("DELETE", &format!("messages/{id}"), json!({ "chatId": self.chat })).await
    }

    async fn count_of(&self, id: &str) -> Answer {
        self.gets(&format!("messages/{id}/count?chatId={}", self.chat)).await
    }

    async fn remembers(&self, agent: &str) -> Vec<String> {
        let memory = self.gets(&format!("agents/{agent}/memory?chatId={}", self.chat)).await;
        contents(&memory.body)
    }

    async fn page(&self, before: &str, limit: usize) -> (Vec<String>, bool) {
        let path = format!("chats/{}/messages?before={before}&limit={limit}", self.chat);
        let page = self.gets(&path).await;
        assert_eq!(page.status, 200, "{page:?}");
        (contents(&page.body["messages"]), page.body["hasMore"].as_bool().unwrap())
    }
}

fn edit_of(id: &Value) -> &str {
    id.as_str().expect("it can be undone")
}

fn contents(messages: &Value) -> Vec<String> {
    let messages = messages.as_array().unwrap().iter();
    messages.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

/// Words in turn kept and not: the even ones are. Gives their ids.
pub(super) async fn alternating(ana: &Company<'_>, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for place in 0..count {
        ana.switches(place % 2 == 0).await;
        ids.push(ana.notes(&format!("w{place}")).await);
    }
    ids
}

fn words(places: impl IntoIterator<Item = usize>) -> Vec<String> {
    places.into_iter().map(|place| format!("w{place}")).collect()
}

#[tokio::test]
async fn h7_what_was_not_kept_stays_in_the_lists_where_it_was_said() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", false, &[]).await;
    let ids = alternating(&ana, 5).await;
    assert_eq!(ana.shown().await, words(0..5));
    ana.switches(false).await;
    assert_eq!(ana.shown().await, words([1, 3]));
    ana.switches(true).await;
    assert_eq!(ana.page(&ids[4], 3).await, (words([1, 2, 3]), true));
    assert_eq!(ana.page(&ids[3], 3).await, (words([0, 1, 2]), false));
    assert_eq!(ana.page(&ids[1], 3).await, (words([0]), false));
    let chats = ana.gets("chats").await;
    assert_eq!(chats.body[0]["messageCount"], 5);
    // Whoever reads sees what will be gone with the server.
    let page = ana.gets(&format!("chats/{}/messages", ana.chat)).await;
    let stored = page.body["messages"].as_array().unwrap().iter().map(|one| one["stored"].clone());
    assert!(stored.eq([Value::Null, json!(false), Value::Null, json!(false), Value::Null]));
}

#[tokio::test]
async fn h6_an_edit_forgets_what_came_later_in_both_logs_and_can_be_undone() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", false, &[]).await;
    let ids = alternating(&ana, 5).await;
    for (place, id) in ids.iter().enumerate() {
        let count = ana.count_of(id).await;
        assert_eq!(count.body["count"], 5 - place, "{count:?}");
        assert_eq!(count.body["isFirst"], place == 0);
        let preview = count.body["preview"].as_array().unwrap().iter();
        assert!(preview.map(|line| line["text"].as_str().unwrap()).eq(words(place..5)));
        let edited = ana.notes_edit(id, "other").await;
        assert_eq!(edited.status, 200, "{edited:?}");
        assert_eq!(edited.body["removal"]["messagesRemovedTotal"], 5 - place);
        let mut left = words(0..place);
        left.push("other".to_owned());
        assert_eq!(ana.shown().await, left);
        let undone = ana.undoes(edit_of(&edited.body["removal"]["editId"])).await;
        assert_eq!(undone.status, 200, "{undone:?}");
        assert_eq!(undone.body["fromMessageId"], json!(id));
        assert_eq!(undone.body["count"], 5 - place);
        assert_eq!(ana.shown().await, words(0..5));
        let removed = ana.cuts(id).await;
        assert_eq!(removed.body["messagesRemovedTotal"], 5 - place, "{removed:?}");
        assert_eq!(ana.shown().await, words(0..place));
        assert_eq!(ana.undoes(edit_of(&removed.body["editId"])).await.status, 200);
        assert_eq!(ana.shown().await, words(0..5));
    }
}

#[tokio::test]
async fn h6_without_consent_an_edit_forgets_also_what_is_hidden_after_it() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", false, &[]).await;
    let ids = alternating(&ana, 5).await;
    ana.switches(false).await;
    assert_eq!(ana.notes_edit(&ids[2], "other").await.status, 404, "it is hidden");
    assert_eq!(ana.count_of(&ids[3]).await.body["count"], 2);
    let edited = ana.notes_edit(&ids[3], "other").await;
    assert_eq!(edited.body["removal"]["messagesRemovedTotal"], 2, "{edited:?}");
    let undone = ana.undoes(edit_of(&edited.body["removal"]["editId"])).await;
    assert_eq!((undone.status, &undone.body["count"]), (200, &json!(2)), "{undone:?}");
    ana.switches(true).await;
    assert_eq!(ana.shown().await, words(0..5));
    ana.switches(false).await;
    ana.notes_edit(&ids[1], "other").await;
    ana.switches(true).await;
    assert_eq!(ana.shown().await, ["w0", "other"]);
    assert_eq!(ana.log().await, ["human: w0"]);
}

#[tokio::test]
async fn h4_whoever_goes_on_in_one_log_closes_the_way_back_in_the_other() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", false, &[]).await;
    let first = ana.notes("first").await;
    let second = ana.notes("second").await;
    let removed = ana.cuts(&second).await;
    ana.switches(true).await;
    let kept = ana.notes("kept").await;
    let refused = ana.undoes(edit_of(&removed.body["editId"])).await;
    assert_eq!((refused.status, refused.refusal().1), (409, "UNDO_BLOCKED"));
    let removed = ana.cuts(&kept).await;
    let unsent = json!({ "chatId": ana.chat });
    ana.calls("POST", &format!("messages/{first}/unsend"), unsent).await;
    let refused = ana.undoes(edit_of(&removed.body["editId"])).await;
    assert_eq!((refused.status, refused.refusal().1), (409, "UNDO_BLOCKED"));
    assert!(ana.shown().await.is_empty());
}

#[tokio::test]
async fn h4_whoever_removes_in_memory_closes_the_way_back_of_what_is_kept() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &[]).await;
    let ids = alternating(&ana, 3).await;
    let removed = ana.cuts(&ids[2]).await;
    assert_eq!(ana.cuts(&ids[1]).await.status, 200);
    let refused = ana.undoes(edit_of(&removed.body["editId"])).await;
    assert_eq!((refused.status, refused.refusal().1), (409, "UNDO_BLOCKED"));
    assert_eq!(ana.shown().await, words([0]));
}

#[tokio::test]
async fn h4_taking_the_same_back_again_closes_no_way_back() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &[]).await;
    let ids = alternating(&ana, 4).await;
    ana.switches(true).await;
    for (taken, removed) in [(&ids[0], &ids[3]), (&ids[1], &ids[2])] {
        let unsends = async || {
            let chat = json!({ "chatId": ana.chat });
            ana.calls("POST", &format!("messages/{taken}/unsend"), chat).await.status
        };
        assert_eq!(unsends().await, 200);
        let removed = ana.cuts(removed).await;
        unsends().await;
        assert_eq!(ana.undoes(edit_of(&removed.body["editId"])).await.status, 200);
    }
    assert_eq!(ana.log().await, ["human: w2"]);
}

#[tokio::test]
async fn h6_of_a_removal_and_an_unsend_at_once_neither_is_half_done() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &[]).await;
    for _ in 0..20 {
        // Kept, in memory, kept.
        let ids = alternating(&ana, 3).await;
        let unsent = json!({ "chatId": ana.chat });
        let path = format!("messages/{}/unsend", ids[1]);
        let unsends = ana.calls("POST", &path, unsent);
        let (removed, unsent) = tokio::join!(ana.cuts(&ids[1]), unsends);
        let left = match (removed.status, unsent.status) {
            (200, _) => words([0]),
            (404, 200) => words([0, 2]),
            other => panic!("{other:?}"),
        };
        assert_eq!(ana.shown().await, left);
        ana.cuts(&ids[0]).await;
    }
}

#[tokio::test]
async fn h7_an_answer_that_is_kept_is_not_built_on_words_that_are_not() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", false, &["o1"]).await;
    let id = ana.exchange("o1", "rosebud", "I see").await;
    ana.switches(true).await;
    let mut frames = ana.says("what was it?").await;
    let (_, asked) = ana.asked().await;
    assert!(!heard(&asked.request).contains("rosebud"), "its answer would be kept");
    asked.answer([text("I do not know")]);
    frames.rest().await;
    let all = ["rosebud", "I see", "what was it?", "I do not know"];
    assert_eq!(ana.shown().await, all);
    assert_eq!(ana.remembers("o1").await, all, "it heard all of it");
    let mut frames = ana.edits(&id, "other").await;
    ana.answers("o1", "fine").await;
    frames.rest().await;
    assert_eq!(ana.remembers("o1").await, ["other", "fine"]);
    assert_eq!(ana.log().await, ["human: other", "o1: fine"]);
}

#[tokio::test]
async fn an_edit_waits_for_a_round_in_the_other_log_or_cancels_it() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &["o1"]).await;
    let kept = ana.exchange("o1", "kept", "I see").await;
    ana.switches(false).await;
    let mut speaking = ana.says("in memory").await;
    let (_, asked) = ana.asked().await;
    ana.switches(true).await;
    let body = json!({ "chatId": ana.chat, "newContent": "other" });
    let path = format!("messages/{kept}");
    let refused = ana.calls("PUT", &path, body.clone()).await;
    assert_eq!((refused.status, refused.refusal().1), (423, "WORLD_LOCKED"));
    let mut frames = ana.posts_put(&format!("{path}?interrupt=true"), body).await;
    ana.answers("o1", "fine").await;
    frames.rest().await;
    asked.answer([text("too late")]);
    speaking.rest().await;
    assert_eq!(ana.shown().await, ["other", "fine"]);
}

/// An edit that interrupts takes the turn back; what the turn was asked and stays is answered after all.
#[tokio::test]
async fn h5_an_edit_that_interrupts_leaves_earlier_questions_waiting() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", false, &["o1"]).await;
    let _first = ana.says("first").await;
    let (_, speaking) = ana.asked().await;
    let second = ana.says("second").await.of_type("message").await;
    let id = second["data"]["messageId"].as_str().unwrap().to_owned();
    ana.switches(true).await;
    let body = json!({ "chatId": ana.chat, "newContent": "other" });
    let _edited = ana.posts_put(&format!("messages/{id}?interrupt=true"), body.clone()).await;
    speaking.cancelled().await;
    let mut asked = Vec::new();
    for _ in 0..2 {
        let (_, question) = ana.asked().await;
        asked.push(heard(&question.request));
        question.answer([text("fine")]);
    }
    for words in ["first", "other"] {
        assert!(asked.iter().any(|shown| shown.contains(words)), "{words}: {asked:?}");
    }
}

/// Also where only the other log is edited.
#[tokio::test]
async fn h5_an_edit_in_memory_interrupts_a_round_of_what_is_kept() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &["o1"]).await;
    let _kept = ana.says("kept").await;
    let (_, speaking) = ana.asked().await;
    ana.switches(false).await;
    let waiting = ana.says("in memory").await.of_type("message").await;
    let id = waiting["data"]["messageId"].as_str().unwrap().to_owned();
    let body = json!({ "chatId": ana.chat, "newContent": "other" });
    let mut edited = ana.posts_put(&format!("messages/{id}?interrupt=true"), body).await;
    speaking.cancelled().await;
    // Whose turn was waiting may begin before the edit is made, and is then cancelled by it.
    let question = loop {
        let (_, question) = ana.asked().await;
        if heard(&question.request).contains("other") {
            break question;
        }
        question.cancelled().await;
    };
    question.answer([text("fine")]);
    assert_eq!(edited.rest().await.last().map(String::as_str), Some("idle"));
    assert_eq!(ana.shown().await, ["other", "fine"]);
}

/// What an edit removed was in memory, and memory is gone: the new words are not taken away as well.
#[tokio::test]
async fn an_undo_that_could_bring_nothing_back_is_refused() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", false, &[]).await;
    let id = ana.notes("in memory").await;
    ana.switches(true).await;
    let edited = ana.notes_edit(&id, "kept").await;
    let edit = edit_of(&edited.body["removal"]["editId"]).to_owned();
    let key = format!("chat:{}", ana.chat).parse().unwrap();
    house.volatile.drop_conversation(&key).await.unwrap();
    let refused = ana.undoes(&edit).await;
    assert_eq!((refused.status, refused.refusal().1), (404, "EDIT_NOT_FOUND"));
    assert_eq!(ana.shown().await, ["kept"]);
}

#[tokio::test]
async fn what_is_said_in_memory_while_a_round_of_what_is_kept_runs_is_answered_next() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &["o1"]).await;
    let mut kept = ana.says("kept").await;
    let (_, first) = ana.asked().await;
    ana.switches(false).await;
    let mut in_memory = ana.says("in memory").await;
    first.answer([text("I see")]);
    kept.rest().await;
    ana.answers("o1", "and so do I").await;
    assert_eq!(in_memory.rest().await.last().map(String::as_str), Some("idle"));
    assert_eq!(ana.shown().await, ["in memory", "and so do I"]);
}

#[tokio::test]
async fn what_goes_from_memory_is_told_before_what_is_kept_instead() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &[]).await;
    let ids = alternating(&ana, 3).await;
    let mut watching = ana.watches(None).await;
    let path = ana.path(&format!("messages/{}", ids[1]));
    let edits = async || {
        let call = house.call("PUT", &path).bearer(&ana.token).header("idempotency-key", "k1");
        Frames::of(call.stream(json!({ "chatId": ana.chat, "newContent": "other" })).await)
    };
    for mut own in [edits().await, edits().await] {
        let first = own.next().await;
        assert_eq!(first["data"]["fromMessageId"], json!(ids[1]));
        assert_eq!(first["data"]["result"]["messagesRemovedTotal"], 2, "{first}");
        own.until("human: other").await;
    }
    let told = watching.until("human: other").await;
    assert_eq!(told, ["removed 1", "removed 1", "human: other"]);
}

#[tokio::test]
async fn h3_the_same_edit_of_both_logs_again_is_told_the_same() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &[]).await;
    let ids = alternating(&ana, 5).await;
    for (key, id) in [("k1", &ids[3]), ("k2", &ids[0])] {
        let edits = async || {
            let path = ana.path(&format!("messages/{id}"));
            let call = house.call("PUT", &path).bearer(&ana.token).header("idempotency-key", key);
            call.json(json!({ "chatId": ana.chat, "newContent": key, "stream": false })).await
        };
        let first = edits().await;
        assert_eq!(first.status, 200, "{first:?}");
        let again = edits().await;
        assert_eq!((again.status, again.body), (200, first.body));
    }
    assert_eq!(ana.shown().await, ["k2"]);
}

impl Company<'_> {
    async fn posts_put(&self, path: &str, body: Value) -> Frames {
        let call = self.house.call("PUT", &self.path(path)).bearer(&self.token);
        Frames::of(call.stream(body).await)
    }
}
