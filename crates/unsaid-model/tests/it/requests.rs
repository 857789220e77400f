//! What is sent, to the letter.

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use unsaid_core::port::model::{
    Echo, Model, ModelEvent, ModelRequest, ModelTurn, Piece, ToolChoice, ToolResult,
};
use unsaid_model::Provider;

use crate::script::script;
use crate::server::{Server, events};
use crate::talk::{PROVIDERS, ask, heard, model, options, question, tools, words};

/// A talk with a picture, forced to use a tool.
pub(crate) fn with_picture() -> ModelRequest {
    let picture = Piece::Image { mime: "image/png".to_owned(), bytes: vec![1, 2, 255] };
    ModelRequest {
        system: words("You are kind."),
        turns: vec![
            heard("hello"),
            ModelTurn::Said(words("hi")),
            ModelTurn::Heard(vec![
                Piece::Text(words("<message>")),
                picture,
                Piece::Text(words("</message>")),
            ]),
        ],
        tools: tools(),
        choice: ToolChoice::Forced,
    }
}

/// The body as it was sent, and what of the head matters.
async fn sent(provider: Provider, request: ModelRequest) -> String {
    let server = Server::saying(events(&script(provider).body));
    ask(&*model(&options(provider, &server.base)), request).await;
    shown(&server)
}

fn shown(server: &Server) -> String {
    let request = server.requests().pop().unwrap();
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let head = request.head.lines().filter(|line| !line.starts_with("host:"));
    let head: Vec<&str> = head.filter(|line| !line.starts_with("content-length:")).collect();
    format!("{}\n\n{body:#}", head.join("\n"))
}

#[tokio::test]
async fn tools_forced_choice_and_pictures() {
    for provider in PROVIDERS {
        insta::assert_snapshot!(
            format!("picture_{}", provider.name()),
            sent(provider, with_picture()).await
        );
    }
}

/// The answer of the script goes back with its results, as the next step of a turn.
async fn next_step(provider: Provider) -> String {
    let server = Server::saying(events(&script(provider).body));
    let model = model(&options(provider, &server.base));
    let mut request = question();
    let mut stream = model.ask(request.clone()).await.unwrap();
    let (mut text, mut calls, mut echo) = (String::new(), Vec::new(), None);
    while let Some(event) = stream.next().await {
        match event.unwrap() {
            ModelEvent::Text(more) => text.push_str(more.as_str()),
            ModelEvent::Call(call) => calls.push(call),
            ModelEvent::End { echo: given, .. } => echo = given,
        }
    }
    let results = calls.iter().rev().map(|call| ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        content: json!({"error": format!("no {}", call.name)}),
    });
    let results = ModelTurn::Results(results.collect());
    request.turns.extend([ModelTurn::Called { text: words(&text), calls, echo }, results]);
    let ids = ids_of(&*model, request).await;
    assert_eq!(ids, ["call00003", "call00004"], "ids go on counting within a turn");
    shown(&server)
}

async fn ids_of(model: &dyn Model, request: ModelRequest) -> Vec<String> {
    let answered = ask(model, request).await;
    let calls = answered.into_iter().filter_map(|event| match event {
        Ok(ModelEvent::Call(call)) => Some(call.id),
        _ => None,
    });
    calls.collect()
}

#[tokio::test]
async fn calls_results_and_echo_go_back() {
    for provider in PROVIDERS {
        insta::assert_snapshot!(format!("step_{}", provider.name()), next_step(provider).await);
    }
}

#[tokio::test]
async fn thoughts_go_back_unchanged() {
    let echoes = [
        json!({"reasoning": "hm", "extras": [{"extra_content": {"google": "sig"}}]}),
        json!([{"text": "hm", "thoughtSignature": "a"}, {"functionCall": {"name": "reply", "id": "f1"}, "thoughtSignature": "b"}]),
        json!([{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "tool_use", "id": "toolu_1", "name": "reply", "input": {}}]),
    ];
    let mut all = Vec::new();
    for (provider, echo) in PROVIDERS.into_iter().zip(echoes) {
        let call = unsaid_core::port::model::ToolCall {
            id: "ours".to_owned(),
            name: "reply".to_owned(),
            arguments: "not json".to_owned(),
        };
        let result =
            ToolResult { id: "ours".to_owned(), name: "reply".to_owned(), content: json!("done") };
        let mut request = question();
        request.tools.clear();
        let called = |echo| ModelTurn::Called { text: words(""), calls: vec![call.clone()], echo };
        // once with the echo, once without, under one id
        request.turns.push(called(Some(Echo(echo))));
        request.turns.push(ModelTurn::Results(vec![result.clone()]));
        request.turns.push(called(None));
        request.turns.push(ModelTurn::Results(vec![result]));
        all.push(sent(provider, request).await);
    }
    insta::assert_snapshot!(all.join("\n\n"));
}

#[tokio::test]
async fn bounds_are_left_out_where_servers_crash_on_them() {
    for provider in PROVIDERS {
        let server = Server::saying(events(&script(provider).body));
        let mut options = options(provider, &server.base);
        for (bounds, expected) in [(true, true), (false, false)] {
            options.schema_bounds = bounds;
            ask(&*model(&options), question()).await;
            let body = server.requests().pop().unwrap().body;
            assert_eq!(body.contains("maxLength"), expected, "{provider:?}");
            assert!(body.contains("additionalProperties"));
        }
    }
}

#[tokio::test]
async fn a_talk_of_one_side_is_made_one_of_two() {
    let mut all = Vec::new();
    for provider in PROVIDERS {
        let request = ModelRequest {
            system: words(""),
            turns: vec![ModelTurn::Said(words("hi")), heard(" "), ModelTurn::Said(words("well"))],
            tools: Vec::new(),
            choice: ToolChoice::Forced,
        };
        let shown = sent(provider, request).await;
        all.push(shown.split_once("\n\n").unwrap().1.to_owned());
    }
    insta::assert_snapshot!(all.join("\n\n"));
}

#[tokio::test]
async fn a_key_is_in_one_header_and_nowhere_else() {
    for provider in PROVIDERS {
        let server = Server::saying(events(&script(provider).body));
        let options = options(provider, &server.base);
        ask(&*model(&options), question()).await;
        let request = server.requests().pop().unwrap();
        let places = request.head.matches("canary-key").count();
        assert_eq!(places, 1, "{provider:?}");
        assert!(!request.head.lines().next().unwrap().contains("canary-key"));
        assert!(!request.body.contains("canary-key"));
        let keyless = unsaid_model::ModelOptions { api_key: None, ..options };
        ask(&*model(&keyless), question()).await;
        assert!(!server.requests().pop().unwrap().head.contains("authorization"));
    }
}
