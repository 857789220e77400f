//! What is asked.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use unsaid_core::port::model::{
    Echo, ModelRequest, ModelTurn, Piece, ToolCall, ToolChoice, ToolResult, ToolSpec,
};

use crate::remote::{NOTHING, StepIds};

/// The format wants a limit. The longest reply fits in any script, and every model allows it.
const ANSWER_TOKENS_MAX: u32 = 8_192;

pub(super) fn body(model: &str, request: &ModelRequest) -> Value {
    let mut body = json!({
        "model": model,
        "max_tokens": ANSWER_TOKENS_MAX,
        "messages": messages(request),
        "stream": true,
    });
    if !request.system.as_str().is_empty() {
        body["system"] = request.system.as_str().into();
    }
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
        match request.choice {
            ToolChoice::Free => {}
            ToolChoice::Forced => body["tool_choice"] = json!({"type": "any"}),
        }
    }
    body
}

fn tool(spec: &ToolSpec) -> Value {
    json!({
        "name": spec.name,
        "description": spec.description,
        "input_schema": spec.parameters,
    })
}

fn messages(request: &ModelRequest) -> Vec<Value> {
    let mut ids = StepIds::default();
    let mut talk = Talk::default();
    for turn in &request.turns {
        match turn {
            ModelTurn::Heard(pieces) => {
                talk.say("user", pieces.iter().filter_map(block).collect());
            }
            ModelTurn::Said(words) => {
                talk.say("assistant", text_block(words.as_str()).into_iter().collect());
            }
            ModelTurn::Called { text, calls, echo } => {
                let blocks = called(text.as_str(), calls, echo.as_ref(), &mut ids);
                talk.say("assistant", blocks);
            }
            ModelTurn::Results(results) => {
                talk.say("user", results.iter().map(|result| outcome(result, &mut ids)).collect());
            }
        }
    }
    talk.whole()
}

/// Messages that take turns: people begin, and people have the last word.
#[derive(Default)]
struct Talk(Vec<(&'static str, Vec<Value>)>);

impl Talk {
    fn say(&mut self, role: &'static str, blocks: Vec<Value>) {
        if self.0.is_empty() && role == "assistant" {
            self.0.push(("user", Vec::new()));
        }
        match self.0.last_mut() {
            Some((last, said)) if *last == role => said.extend(blocks),
            Some(_) | None => self.0.push((role, blocks)),
        }
    }

    fn whole(mut self) -> Vec<Value> {
        if self.0.last().is_none_or(|(role, _)| *role == "assistant") {
            self.0.push(("user", Vec::new()));
        }
        let messages = self.0.into_iter().map(|(role, mut blocks)| {
            if blocks.is_empty() {
                blocks.push(json!({"type": "text", "text": NOTHING}));
            }
            json!({"role": role, "content": blocks})
        });
        messages.collect()
    }
}

fn block(piece: &Piece) -> Option<Value> {
    match piece {
        Piece::Text(words) => text_block(words.as_str()),
        Piece::Image { mime, bytes } => Some(json!({
            "type": "image",
            "source": {"type": "base64", "media_type": mime, "data": STANDARD.encode(bytes)},
        })),
    }
}

/// Blank text is refused.
fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

/// The blocks as they came, with their signatures; or written anew if they are not at hand.
fn called(text: &str, calls: &[ToolCall], echo: Option<&Echo>, ids: &mut StepIds) -> Vec<Value> {
    let blocks = echo.and_then(|echo| echo.0.as_array());
    let uses = blocks.into_iter().flatten().filter(|block| block["type"] == "tool_use");
    let theirs: Vec<String> =
        uses.filter_map(|block| block["id"].as_str()).map(str::to_owned).collect();
    match blocks {
        Some(blocks) if theirs.len() == calls.len() => {
            ids.step_named(calls, theirs);
            blocks.clone()
        }
        Some(_) | None => {
            let uses = calls.iter().zip(ids.step(calls)).map(|(call, id)| {
                json!({
                    "type": "tool_use",
                    "id": id,
                    "name": call.name,
                    "input": super::decoder::input(&call.arguments),
                })
            });
            text_block(text).into_iter().chain(uses).collect()
        }
    }
}

fn outcome(result: &ToolResult, ids: &mut StepIds) -> Value {
    json!({
        "type": "tool_result",
        "tool_use_id": ids.of_result(&result.id).unwrap_or_else(|| result.id.clone()),
        "content": result.content.to_string(),
        "is_error": result.content.get("error").is_some(),
    })
}
