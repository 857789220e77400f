//! Who answers, where a world has a main agent.

use serde_json::{Value, json};

use super::company::Company;
use crate::accounts::house::House;

impl Company<'_> {
    /// Makes somebody the main agent, or nobody.
    async fn leads(&self, agent: Value) {
        let call = self.house.call("PATCH", "/api/worlds/w").bearer(&self.token);
        let answer = call.json(json!({ "mainAgent": agent })).await;
        assert_eq!((answer.status, &answer.body["mainAgent"]), (200, &agent));
    }
}

#[tokio::test]
async fn without_a_mention_the_main_agent_answers_alone() {
    let house = House::new().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        let ana = Company::of(&house, name, consent, &["o1", "a1", "b1"]).await;
        ana.leads(json!("a1")).await;
        for words in ["hello", "are you there, @o1?", "```\n@o1 is code\n```", "@nobody hi"] {
            let mut frames = ana.says(words).await;
            let said = frames.next().await;
            assert_eq!(said["data"]["content"], words, "what is kept is what was said");
            assert_eq!(said["data"]["seenByAgents"], json!(["o1", "a1", "b1"]), "all hear it");
            ana.answers("a1", "it is me").await;
            let told = frames.rest().await;
            let answers: Vec<_> = told.iter().filter(|frame| frame.contains(": ")).collect();
            assert_eq!(answers, ["a1: it is me"], "{words}: {told:?}");
        }
        assert!(house.asks.lock().await.is_empty());
    }
}

#[tokio::test]
async fn a_mention_goes_past_the_main_agent() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1", "b1"]).await;
    ana.leads(json!("a1")).await;
    let mut frames = ana.says("first of all\nHey @B1, and then\n@o1!").await;
    let mut who = Vec::new();
    for _ in 0..2 {
        let (name, asked) = ana.asked().await;
        asked.answer([unsaid_testkit::model::text("yes")]);
        who.push(name);
    }
    frames.rest().await;
    who.sort_unstable();
    assert_eq!(who, ["b1", "o1"]);
    // An agent that is mentioned may ask the main one, which answers to nobody but who mentions it.
    let mut frames = ana.says("@o1 ask around").await;
    ana.answers("o1", "@a1 what is it?").await;
    ana.answers("a1", "nothing").await;
    frames.rest().await;
    assert!(house.asks.lock().await.is_empty());
    ana.leads(Value::Null).await;
    let mut frames = ana.says("hello all").await;
    for agent in ["o1", "a1", "b1"] {
        ana.answers(agent, "hi").await;
    }
    frames.rest().await;
}

#[tokio::test]
async fn a_main_agent_that_left_leaves_the_answer_to_the_others() {
    let house = House::new().await;
    let ana = Company::new(&house, &["o1", "a1"]).await;
    ana.leads(json!("a1")).await;
    assert_eq!(ana.calls("DELETE", "agents/a1", Value::Null).await.status, 204);
    ana.exchange("o1", "hello", "Hi").await;
    assert_eq!(ana.log().await, ["human: hello", "o1: Hi"]);
}
