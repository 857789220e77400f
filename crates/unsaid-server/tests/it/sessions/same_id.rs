//! The ids of clients are their own: one of them may be said in both logs, because only one is shown.

use serde_json::{Value, json};
use unsaid_core::port::clock::Clock as _;
use unsaid_testkit::model::{heard, text};

use super::heard::{Guest, Stream};
use crate::accounts::house::House;

impl Guest<'_> {
    async fn says_as(&self, id: &str, words: &str) {
        let mut stream = self.posts("/api/chat", self.body(id, words)).await;
        assert_eq!(stream.status, 200);
        self.asked().await.answer([text("I see")]);
        stream.rest().await;
    }

    fn body(&self, id: &str, words: &str) -> Value {
        json!({ "session_id": self.session, "message": words, "client_message_id": id })
    }

    fn path_of(&self, id: &str) -> String {
        format!("/api/sessions/{}/messages/{id}", self.session)
    }

    async fn unsends(&self, id: &str) -> u16 {
        let call = self.house.call("DELETE", &self.path_of(id)).bearer(&self.token);
        call.await_it().await.status
    }

    /// What the model is shown now, whatever consent says.
    async fn shown(&self) -> String {
        let mut shown = String::new();
        for consent in [true, false] {
            self.switches(consent).await;
            let mut stream = self.asks("and now?").await;
            let asked = self.asked().await;
            shown.push_str(&heard(&asked.request));
            asked.answer([text("I see")]);
            stream.rest().await;
        }
        shown
    }
}

#[tokio::test]
async fn h4_an_id_of_both_logs_is_taken_back_in_both() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    ana.says_as("mine", "I like horses").await;
    ana.switches(false).await;
    ana.says_as("mine", "I like zebras").await;
    assert_eq!(ana.unsends("mine").await, 204);
    let shown = ana.shown().await;
    assert!(!shown.contains("horses") && !shown.contains("zebras"), "{shown}");
    assert_eq!(ana.unsends("mine").await, 204, "again is the same");
}

#[tokio::test]
async fn h4_what_was_taken_back_while_it_was_kept_stays_out_of_memory() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    ana.says_as("mine", "I like horses").await;
    assert_eq!(ana.unsends("mine").await, 204);
    ana.switches(false).await;
    let late = ana.posts("/api/chat", ana.body("mine", "I like horses")).await;
    assert_eq!(late.status, 404, "what comes late stays out");
    assert!(!ana.shown().await.contains("horses"));
}

#[tokio::test]
async fn h4_words_in_memory_under_the_id_of_a_hidden_answer_are_taken_back() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    let stored = ana.exchange("who is there?", "I").await;
    let answer = stored["assistant_message_id"].as_str().unwrap();
    ana.switches(false).await;
    ana.says_as(answer, "I like zebras").await;
    assert_eq!(ana.unsends(answer).await, 204);
    assert!(!ana.shown().await.contains("zebras"));
    assert_eq!(ana.unsends(answer).await, 204, "again is the same");
}

#[tokio::test]
async fn h7_no_key_of_an_edit_in_memory_is_kept_because_something_kept_goes_with_it() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", false).await;
    ana.says_as("mine", "I like zebras").await;
    ana.switches(true).await;
    ana.says_as("kept", "I like horses").await;
    ana.switches(false).await;
    let edits = async || {
        let call = house.call("PUT", &ana.path_of("mine")).bearer(&ana.token);
        let call = call.header("idempotency-key", "k1");
        Stream::of(call.stream(json!({ "message": "I like cats" })).await)
    };
    let mut first = edits().await;
    ana.asked().await.answer([text("I see")]);
    assert_eq!(first.words().await.0, "I see");
    assert_eq!(edits().await.words().await.0, "I see", "it is known, in memory");
    assert!(house.asks.lock().await.is_empty());
    let all = house.clock.now().plus_millis(1);
    assert_eq!(house.store.forget_before(all).await.unwrap(), 0);
}

#[tokio::test]
async fn h3_what_was_said_in_memory_is_not_said_again_where_it_would_be_kept() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", false).await;
    ana.says_as("mine", "I like zebras").await;
    ana.switches(true).await;
    let mut again = ana.posts("/api/chat", ana.body("mine", "I like zebras")).await;
    assert_eq!(again.status, 200);
    let (words, stored) = again.words().await;
    assert_eq!((words.as_str(), &stored["stored"]), ("I see", &json!(false)), "it was answered");
    assert!(house.asks.lock().await.is_empty());
    assert_eq!(ana.unsends("mine").await, 204);
    let late = ana.posts("/api/chat", ana.body("mine", "I like zebras")).await;
    assert_eq!(late.status, 404, "what comes late stays out");
    assert!(!ana.shown().await.contains("zebras"));
}

#[tokio::test]
async fn h6_an_edit_of_an_id_of_both_logs_begins_where_it_was_said_first() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", true).await;
    ana.says_as("mine", "I like horses").await;
    ana.switches(false).await;
    ana.says_as("mine", "I like zebras").await;
    for (consent, words) in [(false, "I like cats"), (true, "I like dogs")] {
        ana.switches(consent).await;
        let call = house.call("PUT", &ana.path_of("mine")).bearer(&ana.token);
        let mut stream = Stream::of(call.stream(json!({ "message": words })).await);
        assert_eq!(stream.status, 200, "{words}");
        let asked = ana.asked().await;
        assert!(heard(&asked.request).contains(words));
        asked.answer([text("I see")]);
        let (_, stored) = stream.words().await;
        assert_eq!(stored["stored"], consent);
    }
    let shown = ana.shown().await;
    for gone in ["horses", "zebras", "cats"] {
        assert!(!shown.contains(gone), "{shown}");
    }
    assert!(shown.contains("dogs"), "{shown}");
}
