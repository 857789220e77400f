//! What is asked.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use unsaid_core::port::model::{
    Echo, ModelRequest, ModelTurn, Piece, ToolCall, ToolChoice, ToolSpec,
};

use super::decoder::{ECHO_EXTRAS, ECHO_REASONING, REASONING};
use crate::remote::{NOTHING, StepIds};

pub(super) fn body(model: &str, request: &ModelRequest) -> Value {
    let mut body = json!({
        "model": model,
        "messages": messages(request),
        "stream": true,
    });
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
        match request.choice {
            ToolChoice::Free => {}
            ToolChoice::Forced => body["tool_choice"] = "required".into(),
        }
    }
    body
}

fn tool(spec: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.parameters,
        },
    })
}

fn messages(request: &ModelRequest) -> Vec<Value> {
    let mut ids = StepIds::default();
    let mut messages = Vec::new();
    for turn in &request.turns {
        match turn {
            ModelTurn::Heard(pieces) => {
                messages.push(json!({"role": "user", "content": content(pieces)}));
            }
            ModelTurn::Said(words) => {
                messages.push(json!({"role": "assistant", "content": words.as_str()}));
            }
            ModelTurn::Called { text, calls, echo } => {
                messages.push(called(text.as_str(), calls, echo.as_ref(), &mut ids));
            }
            ModelTurn::Results(results) => messages.extend(results.iter().map(|result| {
                json!({
                    "role": "tool",
                    "tool_call_id": ids.of_result(&result.id).unwrap_or_else(|| result.id.clone()),
                    "content": result.content.to_string(),
                })
            })),
        }
    }
    let nothing = json!({"role": "user", "content": NOTHING});
    let is_own = |message: Option<&Value>| message.is_none_or(|m| m["role"] == "assistant");
    if is_own(messages.first()) {
        messages.insert(0, nothing.clone());
    }
    if is_own(messages.last()) {
        messages.push(nothing);
    }
    if !request.system.as_str().is_empty() {
        messages.insert(0, json!({"role": "system", "content": request.system.as_str()}));
    }
    messages
}

/// Plain text wherever possible: small servers know nothing else.
fn content(pieces: &[Piece]) -> Value {
    let texts: Option<Vec<&str>> = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(words) => Some(words.as_str()),
            Piece::Image { .. } => None,
        })
        .collect();
    match texts {
        Some(texts) => texts.join("\n").into(),
        None => pieces.iter().map(part).collect(),
    }
}

fn part(piece: &Piece) -> Value {
    match piece {
        Piece::Text(words) => json!({"type": "text", "text": words.as_str()}),
        Piece::Image { mime, bytes } => {
            let url = format!("data:{mime};base64,{}", STANDARD.encode(bytes));
            json!({"type": "image_url", "image_url": {"url": url}})
        }
    }
}

fn called(text: &str, calls: &[ToolCall], echo: Option<&Echo>, ids: &mut StepIds) -> Value {
    let echo = echo.map_or(&Value::Null, |echo| &echo.0);
    let calls = calls.iter().zip(ids.step(calls)).enumerate().map(|(at, (call, id))| {
        let mut written = Map::new();
        written.insert("id".to_owned(), id.into());
        written.insert("type".to_owned(), "function".into());
        let function = json!({"name": call.name, "arguments": call.arguments});
        written.insert("function".to_owned(), function);
        if let Some(extras) = echo[ECHO_EXTRAS][at].as_object() {
            written.extend(extras.clone());
        }
        Value::Object(written)
    });
    let content: Value = if text.is_empty() { Value::Null } else { text.into() };
    let mut message =
        json!({"role": "assistant", "content": content, "tool_calls": calls.collect::<Vec<_>>()});
    if let Some(reasoning) = echo[ECHO_REASONING].as_str() {
        message[REASONING] = reasoning.into();
    }
    message
}
