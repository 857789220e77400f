use serde_json::Value;
use unsaid_core::port::worlds::WorldKey;
use unsaid_testkit::model::{heard, text};

use super::company::{Company, agent};
use crate::accounts::house::House;

impl Company<'_> {
    /// This agent is asked next, says this, and was shown all of these and none of those.
    async fn is_shown(&self, name: &str, shown: &[&str], not_shown: &[&str], says: &str) {
        let (asked_name, asked) = self.asked().await;
        assert_eq!(asked_name, name);
        let prompt = heard(&asked.request);
        for words in shown {
            assert!(prompt.contains(words), "{name} was not shown {words}");
        }
        for words in not_shown {
            assert!(!prompt.contains(words), "{name} was shown {words}");
        }
        asked.answer([text(says)]);
    }
}

#[tokio::test]
async fn an_agent_hears_people_and_who_speaks_to_it() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    let mut frames = ana.says("hello").await;
    ana.is_shown("o1", &["hello"], &[], "plain words of o1").await;
    ana.is_shown("a1", &["hello"], &["plain words"], "@o1 a question of a1").await;
    ana.is_shown("o1", &["hello", "question of a1"], &[], "an answer").await;
    frames.rest().await;
    let mut frames = ana.says("@a1 and you?").await;
    ana.is_shown("a1", &["hello", "and you"], &["plain words", "an answer"], "fine").await;
    frames.rest().await;
    let memory = ana.gets("agents/a1/memory").await;
    let memory = memory.body.as_array().unwrap().iter();
    let memory: Vec<&str> = memory.map(|message| message["content"].as_str().unwrap()).collect();
    assert_eq!(memory, ["hello", "@o1 a question of a1", "@a1 and you?", "fine"]);
}

#[tokio::test]
async fn whoever_joins_later_or_is_cleared_was_told_nothing_before() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1"]).await;
    ana.exchange("o1", "rosebud", "I see").await;
    let key = WorldKey { owner: ana.owner.clone(), id: "w".to_owned().try_into().unwrap() };
    house.store.add_agent(&key, agent("a1"), 10).await.unwrap().unwrap();
    let mut frames = ana.says("second").await;
    ana.is_shown("o1", &["rosebud", "second"], &[], "still").await;
    ana.is_shown("a1", &["second"], &["rosebud"], "new").await;
    frames.rest().await;
    let cleared = ana.calls("DELETE", "agents/o1/memory", Value::Null).await;
    assert_eq!(cleared.status, 204, "{cleared:?}");
    let mut frames = ana.says("third").await;
    ana.is_shown("o1", &["third"], &["rosebud", "second"], "what?").await;
    ana.is_shown("a1", &["second", "third"], &["rosebud"], "yes").await;
    frames.rest().await;
}

#[tokio::test]
async fn an_agent_that_leaves_during_a_round_is_not_asked() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    let mut frames = ana.says("hello").await;
    let (_, asked) = ana.asked().await;
    let gone = ana.calls("DELETE", "agents/a1", Value::Null).await;
    assert_eq!(gone.status, 204, "{gone:?}");
    asked.answer([text("Hi")]);
    frames.rest().await;
    assert_eq!(ana.log().await, ["human: hello", "o1: Hi"]);
    assert!(house.asks.lock().await.is_empty());
}
