//! What is asked.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use unsaid_core::port::model::{
    Echo, ModelRequest, ModelTurn, Piece, ToolCall, ToolChoice, ToolResult, ToolSpec,
};

use crate::remote::{NOTHING, StepIds};

pub(super) fn body(request: &ModelRequest) -> Value {
    let mut body = json!({"contents": contents(request)});
    if !request.system.as_str().is_empty() {
        body["systemInstruction"] = json!({"parts": [{"text": request.system.as_str()}]});
    }
    if !request.tools.is_empty() {
        let declarations: Vec<Value> = request.tools.iter().map(declaration).collect();
        body["tools"] = json!([{"functionDeclarations": declarations}]);
        match request.choice {
            ToolChoice::Free => {}
            ToolChoice::Forced => {
                body["toolConfig"] = json!({"functionCallingConfig": {"mode": "ANY"}});
            }
        }
    }
    body
}

fn declaration(spec: &ToolSpec) -> Value {
    json!({
        "name": spec.name,
        "description": spec.description,
        "parametersJsonSchema": spec.parameters,
    })
}

fn contents(request: &ModelRequest) -> Vec<Value> {
    let mut ids = StepIds::default();
    let mut contents = Vec::new();
    for turn in &request.turns {
        match turn {
            ModelTurn::Heard(pieces) => {
                contents.push(content("user", pieces.iter().filter_map(part).collect()));
            }
            ModelTurn::Said(words) => {
                contents.push(content("model", text_part(words.as_str()).into_iter().collect()));
            }
            ModelTurn::Called { text, calls, echo } => {
                contents.push(called(text.as_str(), calls, echo.as_ref(), &mut ids));
            }
            ModelTurn::Results(results) => {
                let parts = results.iter().map(|result| response(result, &mut ids)).collect();
                contents.push(content("user", parts));
            }
        }
    }
    let is_own = |content: Option<&Value>| content.is_none_or(|content| content["role"] == "model");
    if is_own(contents.first()) {
        contents.insert(0, content("user", Vec::new()));
    }
    if is_own(contents.last()) {
        contents.push(content("user", Vec::new()));
    }
    contents
}

fn content(role: &str, mut parts: Vec<Value>) -> Value {
    if parts.is_empty() {
        parts.push(json!({"text": NOTHING}));
    }
    json!({"role": role, "parts": parts})
}

fn part(piece: &Piece) -> Option<Value> {
    match piece {
        Piece::Text(words) => text_part(words.as_str()),
        Piece::Image { mime, bytes } => {
            Some(json!({"inlineData": {"mimeType": mime, "data": STANDARD.encode(bytes)}}))
        }
    }
}

fn text_part(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| json!({"text": text}))
}

/// The parts as they came, with their signatures; or written anew if they are not at hand.
fn called(text: &str, calls: &[ToolCall], echo: Option<&Echo>, ids: &mut StepIds) -> Value {
    let parts = echo.and_then(|echo| echo.0.as_array());
    let functions = parts.into_iter().flatten().filter_map(|part| part.get("functionCall"));
    let theirs: Vec<String> =
        functions.map(|call| call["id"].as_str().unwrap_or_default().to_owned()).collect();
    match parts {
        Some(parts) if theirs.len() == calls.len() => {
            ids.step_named(calls, theirs);
            content("model", parts.clone())
        }
        Some(_) | None => {
            ids.step_named(calls, vec![String::new(); calls.len()]);
            let written = calls.iter().map(|call| {
                json!({"functionCall": {"name": call.name, "args": arguments(&call.arguments)}})
            });
            content("model", text_part(text).into_iter().chain(written).collect())
        }
    }
}

/// Nothing but an object is taken here.
fn arguments(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Value::Object(fields),
        Ok(_) | Err(_) => json!({"text": text}),
    }
}

fn response(result: &ToolResult, ids: &mut StepIds) -> Value {
    let content = &result.content;
    let content = if content.is_object() { content.clone() } else { json!({"result": content}) };
    let mut response = Map::new();
    response.insert("name".to_owned(), result.name.clone().into());
    response.insert("response".to_owned(), content);
    // Only where it gave one; elsewhere name and order tell.
    if let Some(id) = ids.of_result(&result.id).filter(|id| !id.is_empty()) {
        response.insert("id".to_owned(), id.into());
    }
    json!({"functionResponse": response})
}
