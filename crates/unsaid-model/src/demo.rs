//! Answers without a language model, and says so: to try the house before there is a model in it.
//!
//! The same request always gets the same answer, made of nothing but the request itself. So it shows
//! what memory is at work: what was taken back, it cannot know any more.
//!
//! - `memory`: who said what, and what was asked about it
//! - `language`: English, Japanese or Spanish, after the last message
//! - `speech`: the sentences

mod language;
mod memory;
mod speech;

use async_trait::async_trait;
use futures_util::stream;
use serde_json::{Value, json};
use unsaid_core::domain::text::Words;
use unsaid_core::port::model::{
    EndReason, Model, ModelError, ModelEvent, ModelRequest, ModelStream, ModelTurn, ToolCall, Usage,
};

use crate::remote::CallIds;
use language::Language;
use memory::Memory;

/// Whoever ends a message with this does not want an answer to it.
const NOT_FOR_YOU: &str = "(not for you)";
const DELTA_CHARS_MAX: usize = 6;

/// A model that is none.
#[derive(Debug, Clone, Copy)]
pub struct Demo;

#[async_trait]
impl Model for Demo {
    async fn ask(&self, request: ModelRequest) -> Result<ModelStream, ModelError> {
        let events = match decide(&request) {
            Deed::Say(text) => said(&text),
            Deed::Call { name, arguments } => {
                let id = CallIds::after(&request).draw();
                let call = ToolCall { id, name: name.to_owned(), arguments: arguments.to_string() };
                vec![ModelEvent::Call(call), end(EndReason::Calls)]
            }
        };
        Ok(Box::pin(stream::iter(events.into_iter().map(Ok))))
    }

    fn takes_images(&self) -> bool {
        false
    }
}

enum Deed {
    Say(String),
    Call { name: &'static str, arguments: Value },
}

fn decide(request: &ModelRequest) -> Deed {
    let can = |name: &str| request.tools.iter().any(|tool| tool.name == name);
    let memory = Memory::of(request);
    let last = memory.last().trim_end();
    if can("skip") && last.ends_with(NOT_FOR_YOU) {
        return skip("the message says that it is not for me");
    }
    if can("skip") && has_failed(request) {
        return skip("the reply could not be sent");
    }
    let text = speech::answer(Language::of(last), &memory);
    if can("reply") {
        Deed::Call { name: "reply", arguments: json!({"message": text}) }
    } else {
        Deed::Say(text)
    }
}

fn skip(reason: &str) -> Deed {
    Deed::Call { name: "skip", arguments: json!({"reason": reason}) }
}

/// Saying the same again would fail again.
fn has_failed(request: &ModelRequest) -> bool {
    match request.turns.last() {
        Some(ModelTurn::Results(results)) => {
            results.iter().any(|result| result.content.get("error").is_some())
        }
        Some(ModelTurn::Heard(_) | ModelTurn::Said(_) | ModelTurn::Called { .. }) | None => false,
    }
}

/// In pieces, as a language model would.
fn said(text: &str) -> Vec<ModelEvent> {
    let mut events = Vec::new();
    for word in text.split_inclusive(' ') {
        let letters: Vec<char> = word.chars().collect();
        let pieces = letters.chunks(DELTA_CHARS_MAX).map(|piece| piece.iter().collect::<String>());
        events.extend(pieces.map(|piece| ModelEvent::Text(Words::lossy(piece))));
    }
    events.push(end(EndReason::Done));
    events
}

fn end(reason: EndReason) -> ModelEvent {
    ModelEvent::End { reason, usage: Usage::default(), echo: None }
}
