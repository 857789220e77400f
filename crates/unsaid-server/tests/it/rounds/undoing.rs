//! What an undo waits for, and what ends it.

use std::time::Duration;

use serde_json::{Value, json};
use unsaid_core::port::history::History as _;
use unsaid_testkit::model::text;

use super::company::Company;
use crate::accounts::house::{Answer, House, Plan};

impl Company<'_> {
    pub(super) async fn undoes(&self, edit: &str) -> Answer {
        self.calls("POST", &format!("edits/{edit}/undo"), Value::Null).await
    }

    /// Forgets from a message on; the name of that.
    async fn removes(&self, id: &str) -> String {
        let body = json!({ "chatId": self.chat });
        let removed = self.calls("DELETE", &format!("messages/{id}"), body).await;
        assert_eq!(removed.status, 200, "{removed:?}");
        removed.body["editId"].as_str().unwrap().to_owned()
    }

    /// Says something else instead, and is answered; the new id, and the name of the edit.
    async fn replaces(&self, id: &str, words: &str) -> [String; 2] {
        let body = json!({ "chatId": self.chat, "newContent": words, "stream": false });
        let path = format!("messages/{id}");
        let (edited, ()) =
            tokio::join!(self.calls("PUT", &path, body), self.answers("o1", "of course"));
        assert_eq!(edited.status, 200, "{edited:?}");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        [text(&edited.body["messageId"]), text(&edited.body["removal"]["editId"])]
    }

    /// What is shown, on whichever side of consent.
    async fn contents(&self) -> Vec<String> {
        let page = self.gets(&format!("chats/{}/messages", self.chat)).await;
        let messages = page.body["messages"].as_array().unwrap().iter();
        messages.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    }
}

/// What a person may do after an edit.
#[derive(Debug, Clone, Copy)]
enum Then {
    Say,
    Edit,
    Remove,
    Unsend,
}

/// A removal, then something else that a person does: the removal cannot be undone any more.
async fn is_blocked(ana: &Company<'_>, then: Then) {
    let first = ana.exchange("o1", "one", "first").await;
    let second = ana.exchange("o1", "two", "second").await;
    let edit = ana.removes(&second).await;
    match then {
        Then::Say => drop(ana.exchange("o1", "three", "third").await),
        Then::Edit => drop(ana.replaces(&first, "other").await),
        Then::Remove => drop(ana.removes(&first).await),
        Then::Unsend => {
            let path = format!("messages/{first}/unsend");
            let unsent = ana.calls("POST", &path, json!({ "chatId": ana.chat })).await;
            assert_eq!(unsent.status, 200, "{unsent:?}");
        }
    }
    let before = ana.contents().await;
    for _ in 0..2 {
        let blocked = ana.undoes(&edit).await;
        let sentence = "Cannot undo: the chat went on since";
        assert_eq!(blocked.refusal(), (409, "UNDO_BLOCKED", sentence), "{then:?}");
    }
    assert_eq!(ana.contents().await, before, "{then:?}");
    assert!(!before.contains(&"two".to_owned()), "{then:?}: {before:?}");
}

#[tokio::test]
async fn whatever_a_person_does_next_ends_an_undo() {
    let house = House::new().await;
    for (place, then) in [Then::Say, Then::Edit, Then::Remove, Then::Unsend].into_iter().enumerate()
    {
        for consent in [true, false] {
            let name = format!("ana-{place}-{consent}");
            is_blocked(&Company::of(&house, &name, consent, &["o1"]).await, then).await;
        }
    }
}

#[tokio::test]
async fn of_two_edits_only_the_newest_can_be_undone() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1"]).await;
        let first = ana.exchange("o1", "one", "first").await;
        let [second, older] = ana.replaces(&first, "two").await;
        let [_, newer] = ana.replaces(&second, "three").await;
        assert_eq!(ana.undoes(&older).await.refusal().1, "UNDO_BLOCKED");
        let undone = ana.undoes(&newer).await;
        assert_eq!((undone.status, &undone.body["fromMessageId"]), (200, &json!(second)));
        assert_eq!(ana.contents().await, ["two", "of course"]);
        // What comes back is not what an older edit removed.
        assert_eq!(ana.undoes(&older).await.refusal().1, "UNDO_BLOCKED");
        assert_eq!(ana.contents().await, ["two", "of course"]);
    }
}

#[tokio::test]
async fn what_agents_say_meanwhile_does_not_end_an_undo() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1", "a1"]).await;
        let first = ana.exchange("o1", "@o1 one", "first").await;
        let path = format!("messages/{first}");
        let body = json!({ "chatId": ana.chat, "newContent": "all of you", "stream": false });
        let answers = async {
            ana.answers("o1", "nothing").await;
            ana.answers("a1", "@o1 nothing?").await;
            ana.answers("o1", "nothing at all").await;
        };
        let (edited, ()) = tokio::join!(ana.calls("PUT", &path, body), answers);
        assert_eq!(edited.body["messages"].as_array().unwrap().len(), 3, "{edited:?}");
        let edit = edited.body["removal"]["editId"].as_str().unwrap();
        let undone = ana.undoes(edit).await;
        assert_eq!((undone.status, &undone.body["count"]), (200, &json!(2)), "{undone:?}");
        assert_eq!(ana.contents().await, ["@o1 one", "first"]);
    }
}

#[tokio::test]
async fn an_undo_waits_for_agents_unless_it_interrupts_them() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1"]).await;
        let first = ana.exchange("o1", "one", "first").await;
        let mut frames = ana.edits(&first, "rosebud").await;
        let edit = frames.next().await["data"]["editId"].as_str().unwrap().to_owned();
        let (_, asked) = ana.asked().await;
        asked.say(text("about "));
        frames.until("o1> about ").await;
        let locked = ana.undoes(&edit).await;
        let sentence = "Cannot edit messages while agents are responding";
        assert_eq!(locked.refusal(), (423, "WORLD_LOCKED", sentence));
        assert_eq!(locked.body["message"], "Please wait for agents to finish responding");
        assert_eq!(locked.header("retry-after"), Some("2"));
        let path = format!("edits/{edit}/undo");
        let locked = ana.calls("POST", &format!("{path}?interrupt=false"), Value::Null).await;
        assert_eq!(locked.status, 423, "{locked:?}");
        assert_eq!(ana.contents().await, ["rosebud"]);
        let undone = ana.calls("POST", &format!("{path}?interrupt=true"), Value::Null).await;
        let expected = json!({ "editId": edit, "fromMessageId": first, "count": 2 });
        assert_eq!((undone.status, &undone.body), (200, &expected));
        asked.cancelled().await;
        asked.answer([text("rosebud")]);
        let told = frames.rest().await;
        assert_eq!(told.last().map(String::as_str), Some("idle"));
        assert!(!told.contains(&"o1> rosebud".to_owned()), "{told:?}");
        assert_eq!(ana.contents().await, ["one", "first"]);
        assert!(house.asks.lock().await.is_empty(), "what is back is answered already");
    }
}

#[tokio::test]
async fn without_time_for_it_nothing_can_be_undone() {
    let house = House::planned(Plan { undo: Duration::ZERO, ..Plan::default() }).await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1"]).await;
        let first = ana.exchange("o1", "rosebud", "first").await;
        let mut watching = ana.watches(None).await;
        let mut frames = ana.edits(&first, "other").await;
        let removed = frames.next().await;
        assert_eq!(removed["data"].get("editId"), None, "{removed}");
        assert_eq!(removed["data"]["result"].get("editId"), None, "{removed}");
        let second = frames.next().await["data"]["messageId"].as_str().unwrap().to_owned();
        ana.answers("o1", "fine").await;
        frames.rest().await;
        let told = watching.of_type("removed").await;
        assert_eq!(told["data"].get("editId"), None, "{told}");
        let body = json!({ "chatId": ana.chat });
        let removed = ana.calls("DELETE", &format!("messages/{second}"), body).await;
        assert_eq!((removed.status, removed.body.get("editId")), (200, None), "{removed:?}");
        for edit in [format!("{}.", ana.chat), format!("{}.0000000000000000", ana.chat)] {
            let refused = ana.undoes(&edit).await;
            assert_eq!((refused.status, refused.refusal().1), (404, "EDIT_NOT_FOUND"));
        }
        let key = format!("chat:{}", ana.chat).parse().unwrap();
        let whole = if consent {
            house.store.whole(&key).await.unwrap()
        } else {
            house.volatile.whole(&key).await.unwrap()
        };
        assert!(whole.is_some_and(|whole| whole.undo.is_none()), "nothing is kept for it");
    }
}
