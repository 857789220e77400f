//! What is answered.
//!
//! Read with patience: servers leave out `index`, give every call the index 0, a new id in every
//! chunk, or the name in every chunk; they send arguments as an object, content as a list, an empty
//! finish reason in every chunk, and no `[DONE]`.

use serde_json::{Map, Value, json};
use unsaid_core::port::model::{EndReason, ModelError};

use crate::remote::{Answer, Decoder, error_of_status};

/// Thoughts; some servers want them back with the calls that came of them.
pub(super) const REASONING: &str = "reasoning_content";
pub(super) const ECHO_REASONING: &str = "reasoning";
pub(super) const ECHO_EXTRAS: &str = "extras";
/// Where Google's door for this format puts its thought signatures.
const EXTRA: &str = "extra_content";

#[derive(Default)]
pub(super) struct OpenAi {
    calls: Vec<KnownCall>,
    reasoning: String,
}

/// A call as the server names it.
#[derive(Default)]
struct KnownCall {
    number: usize,
    index: Option<u64>,
    id: String,
    extra: Option<Value>,
}

impl Decoder for OpenAi {
    fn event(&mut self, data: &str, answer: &mut Answer) -> Result<(), ModelError> {
        if data.trim() == "[DONE]" {
            answer.mark_end();
            return Ok(());
        }
        let chunk: Value = serde_json::from_str(data).map_err(|_error| ModelError::Garbled)?;
        self.chunk(&chunk, answer)
    }

    fn document(&mut self, document: &Value, answer: &mut Answer) -> Result<(), ModelError> {
        // Google's door for this format sends its errors in a list.
        self.chunk(document.get(0).unwrap_or(document), answer)
    }

    fn echo(&mut self) -> Option<Value> {
        let has_extras = self.calls.iter().any(|call| call.extra.is_some());
        if !has_extras && self.reasoning.is_empty() {
            return None;
        }
        let mut echo = Map::new();
        if has_extras {
            let extras = self.calls.iter().map(|call| match &call.extra {
                Some(extra) => json!({EXTRA: extra}),
                None => Value::Null,
            });
            echo.insert(ECHO_EXTRAS.to_owned(), extras.collect());
        }
        if !self.reasoning.is_empty() {
            echo.insert(ECHO_REASONING.to_owned(), self.reasoning.clone().into());
        }
        Some(Value::Object(echo))
    }
}

impl OpenAi {
    fn chunk(&mut self, chunk: &Value, answer: &mut Answer) -> Result<(), ModelError> {
        if !chunk["error"].is_null() {
            return Err(error_of(&chunk["error"]));
        }
        let usage = &chunk["usage"];
        answer.count(usage["prompt_tokens"].as_u64(), usage["completion_tokens"].as_u64());
        let Some(choices) = chunk["choices"].as_array() else { return Ok(()) };
        answer.recognise();
        let Some(choice) = choices.first() else { return Ok(()) };
        // Those that do not stream say `message`.
        let message = choice.get("delta").unwrap_or(&choice["message"]);
        let is_piece = choice.get("delta").is_some();
        text(&message["content"], answer);
        if let Some(thought) = message[REASONING].as_str() {
            self.reasoning.push_str(thought);
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            self.call(call, is_piece, answer)?;
        }
        if message["refusal"].as_str().is_some_and(|refusal| !refusal.is_empty()) {
            answer.finish(EndReason::Refused);
        }
        if let Some(reason) = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()) {
            answer.finish(end_reason(reason)?);
        }
        Ok(())
    }

    fn call(
        &mut self,
        call: &Value,
        is_piece: bool,
        answer: &mut Answer,
    ) -> Result<(), ModelError> {
        let index = call["index"].as_u64();
        let id = call["id"].as_str().unwrap_or_default();
        let function = &call["function"];
        let name = function["name"].as_str().unwrap_or_default();
        let arguments = &function["arguments"];
        let known = if is_piece { self.known(index, id, name, answer) } else { None };
        let known = if let Some(known) = known {
            known
        } else {
            let number = answer.begin_call("")?;
            self.calls.push(KnownCall { number, index, id: id.to_owned(), extra: None });
            self.calls.len() - 1
        };
        let known = &mut self.calls[known];
        if let Some(extra) = call.get(EXTRA) {
            known.extra = Some(extra.clone());
        }
        if let Some(growing) = answer.call(known.number) {
            // In pieces or repeated: a name that begins anew is a repetition.
            if growing.name != name && growing.arguments.is_empty() {
                growing.name.push_str(name);
            }
            match arguments.as_str() {
                Some(piece) => growing.arguments.push_str(piece),
                None if arguments.is_null() => {}
                None => growing.arguments.push_str(&arguments.to_string()),
            }
        }
        Ok(())
    }

    /// Which of the calls this piece belongs to; none: a new one.
    fn known(
        &self,
        index: Option<u64>,
        id: &str,
        name: &str,
        answer: &mut Answer,
    ) -> Option<usize> {
        let at = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None if !id.is_empty() => self.calls.iter().rposition(|call| call.id == id),
            // Without index and id: a name begins a call, anything else goes on with the last.
            None if !name.is_empty() => None,
            None => self.calls.len().checked_sub(1),
        }?;
        let known = &self.calls[at];
        let is_other = !id.is_empty() && id != known.id && !name.is_empty();
        let is_complete = answer.call(known.number).is_some_and(|call| call.is_whole());
        // All calls at index 0: another name and id after complete arguments is another call.
        (!(is_other && is_complete)).then_some(at)
    }
}

/// A text, or a list of typed parts; thoughts among them are not for people.
fn text(content: &Value, answer: &mut Answer) {
    match content {
        Value::String(text) => answer.text(text),
        Value::Array(parts) => {
            for part in parts.iter().filter(|part| part["type"] == "text") {
                answer.text(part["text"].as_str().unwrap_or_default());
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
    }
}

/// A reason that nobody knows is not taken for a good one.
fn end_reason(reason: &str) -> Result<EndReason, ModelError> {
    match reason.to_ascii_lowercase().as_str() {
        "stop" | "eos" | "eos_token" | "stop_sequence" | "end_turn" => Ok(EndReason::Done),
        "tool_calls" | "tool_call" | "function_call" | "tool_use" => Ok(EndReason::Calls),
        "length" | "max_tokens" | "model_length" => Ok(EndReason::Length),
        "error" => Err(ModelError::Failing { status: 500 }),
        "abort" | "cancelled" => Err(ModelError::Cut),
        _ => Ok(EndReason::Refused),
    }
}

/// An error inside of a 200: by its number, or by what it is called.
fn error_of(error: &Value) -> ModelError {
    let number = ["code", "status"].iter().find_map(|key| {
        let value = &error[*key];
        value.as_u64().or_else(|| value.as_str().and_then(|text| text.parse().ok()))
    });
    if let Some(status) = number.and_then(|number| u16::try_from(number).ok()) {
        return error_of_status(status);
    }
    let is = |name: &str| error["code"] == *name || error["type"] == *name;
    error_of_status(if is("rate_limit_exceeded") || is("insufficient_quota") {
        429
    } else if is("invalid_request_error") {
        400
    } else {
        500
    })
}
