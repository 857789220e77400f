//! What is asked in these tests, and how answers are shown.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::json;
use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::model::{
    Model, ModelError, ModelEvent, ModelRequest, ModelTurn, Piece, ToolChoice, ToolSpec,
};
use unsaid_model::{ModelOptions, Provider, Secret, connect};
use unsaid_testkit::clock::{MovedClock, SeededChance};

pub(crate) const PROVIDERS: [Provider; 3] =
    [Provider::OpenAi, Provider::Gemini, Provider::Anthropic];

pub(crate) fn words(text: &str) -> Words {
    Words::new(text).unwrap()
}

pub(crate) fn heard(text: &str) -> ModelTurn {
    ModelTurn::Heard(vec![Piece::Text(words(text))])
}

pub(crate) fn tools() -> Vec<ToolSpec> {
    let tool = |name: &str, field: &str, max: u32| ToolSpec {
        name: name.to_owned(),
        description: format!("What {name} is for."),
        parameters: json!({
            "type": "object",
            "properties": {field: {"type": "string", "minLength": 1, "maxLength": max}},
            "required": [field],
            "additionalProperties": false,
        }),
    };
    vec![tool("reply", "message", 5000), tool("skip", "reason", 500)]
}

/// One short question, with tools.
pub(crate) fn question() -> ModelRequest {
    ModelRequest {
        system: words("You are kind."),
        turns: vec![heard("hello")],
        tools: tools(),
        choice: ToolChoice::Free,
    }
}

/// Quick limits, no second try.
pub(crate) fn options(provider: Provider, base: &str) -> ModelOptions {
    ModelOptions {
        name: Some("some-model".to_owned()),
        base_url: Some(Secret::new(base)),
        api_key: Some(Secret::new("canary-key")),
        call_timeout: Duration::from_secs(20),
        idle_timeout: Duration::from_secs(10),
        retry_within: Duration::ZERO,
        ..ModelOptions::of(provider)
    }
}

pub(crate) fn clock() -> Arc<MovedClock> {
    // 2026-01-17T10:30:00Z
    Arc::new(MovedClock::at(Timestamp::from_millis(1_768_645_800_000)))
}

pub(crate) fn model(options: &ModelOptions) -> Arc<dyn Model> {
    connect(options, clock(), Arc::new(SeededChance::new(7))).unwrap()
}

/// All that comes of a question.
pub(crate) type Answered = Vec<Result<ModelEvent, ModelError>>;

pub(crate) async fn ask(model: &dyn Model, request: ModelRequest) -> Answered {
    match model.ask(request).await {
        Ok(stream) => stream.collect().await,
        Err(error) => vec![Err(error)],
    }
}

/// A server of one provider's kind that answers with these bytes.
pub(crate) async fn ask_server(provider: Provider, bytes: impl Into<Vec<u8>>) -> Answered {
    let server = crate::server::Server::saying(bytes);
    ask(&*model(&options(provider, &server.base)), question()).await
}

pub(crate) fn is_whole(answered: &Answered) -> bool {
    matches!(answered.last(), Some(Ok(ModelEvent::End { .. })))
}

/// The only error, which is the last of all.
pub(crate) fn error(answered: &Answered) -> ModelError {
    match answered.split_last() {
        Some((Err(error), before)) if before.iter().all(Result::is_ok) => error.clone(),
        other => panic!("no error: {other:?}"),
    }
}

/// One line for each event.
pub(crate) fn show(answered: &Answered) -> String {
    let lines = answered.iter().map(|item| match item {
        Ok(ModelEvent::Text(text)) => format!("text {:?}", text.as_str()),
        Ok(ModelEvent::Call(call)) => format!("call {} {} {}", call.id, call.name, call.arguments),
        Ok(ModelEvent::End { reason, usage, echo }) => {
            let count = |tokens: Option<u64>| tokens.map_or("?".to_owned(), |n| n.to_string());
            let (input, output) = (count(usage.input_tokens), count(usage.output_tokens));
            let echo = echo.as_ref().map(|echo| format!(" echo {}", echo.0)).unwrap_or_default();
            format!("end {reason:?} {input} {output}{echo}")
        }
        Err(error) => format!("error {error:?}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}
