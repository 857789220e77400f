//! The model that is none.

use unsaid_core::port::model::{ModelEvent, ModelRequest, ModelTurn, ToolChoice, ToolResult};
use unsaid_model::demo::Demo;

use crate::talk::{ask, heard, show, tools, words};

/// A talk without tools: what is said.
async fn says(turns: &[&str]) -> String {
    let turns = turns.iter().flat_map(|text| [heard(text), ModelTurn::Said(words("…"))]);
    let mut turns: Vec<ModelTurn> = turns.collect();
    turns.pop();
    let request =
        ModelRequest { system: words("x"), turns, tools: Vec::new(), choice: ToolChoice::Free };
    let answered = ask(&Demo, request.clone()).await;
    assert_eq!(answered, ask(&Demo, request).await, "the same again");
    assert!(answered.len() > 4, "in pieces");
    let texts = answered.into_iter().filter_map(|event| match event.unwrap() {
        ModelEvent::Text(text) => Some(text.as_str().to_owned()),
        ModelEvent::Call(_) | ModelEvent::End { .. } => None,
    });
    texts.collect()
}

#[tokio::test]
async fn it_says_what_it_is_and_what_it_remembers() {
    let talks: [&[&str]; 12] = [
        &["hello"],
        &["one", "two", "three", "four", "five"],
        &["My name is Ana.", "I like tea", "What is my name?"],
        &["hello", "what's my name?"],
        &["I like tea", "and rain", "What did I say?"],
        &["What did I say?"],
        &["私の名前は太郎です", "私の名前は何ですか？"],
        &["お茶が好きです", "何て言った？"],
        &["こんにちは"],
        &["Hola, me llamo Íñigo", "¿Cómo me llamo?"],
        &["me gusta el té", "¿Qué dije?"],
        &["me gusta el té"],
    ];
    let mut all = Vec::new();
    for talk in talks {
        all.push(format!("{}\n  {}", talk.join(" | "), says(talk).await));
    }
    insta::assert_snapshot!(all.join("\n"));
}

fn group(last: &str) -> ModelRequest {
    let message = |from: &str, text: &str| {
        format!("<message from=\"{from}\" at=\"2026-01-17 10:30\">{text}</message>")
    };
    let talk = [
        message("Ana", "my name is Ana"),
        message("Bo", "my name is Bo &lt;3 &amp; co"),
        message("Ana", last),
    ];
    ModelRequest {
        system: words("x"),
        turns: vec![heard(&talk.join("\n"))],
        tools: tools(),
        choice: ToolChoice::Forced,
    }
}

#[tokio::test]
async fn with_tools_it_replies_or_skips() {
    let mut all = Vec::new();
    for last in ["what is my name?", "hello", "lunch? (not for you) "] {
        all.push(show(&ask(&Demo, group(last)).await));
    }
    insta::assert_snapshot!(all.join("\n"));
}

#[tokio::test]
async fn a_reply_that_could_not_be_sent_is_not_repeated() {
    let mut request = group("hello");
    let Some(Ok(ModelEvent::Call(call))) = ask(&Demo, request.clone()).await.into_iter().next()
    else {
        panic!("no call")
    };
    let content = serde_json::json!({"error": "failed to send reply"});
    let result = ToolResult { id: call.id.clone(), name: call.name.clone(), content };
    request.turns.push(ModelTurn::Called { text: words(""), calls: vec![call], echo: None });
    request.turns.push(ModelTurn::Results(vec![result]));
    let shown = show(&ask(&Demo, request).await);
    assert_eq!(
        shown,
        "call call00002 skip {\"reason\":\"the reply could not be sent\"}\nend Calls ? ?"
    );
}
