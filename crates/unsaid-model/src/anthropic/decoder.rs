//! What is answered.

use serde_json::{Value, json};
use unsaid_core::port::model::{EndReason, ModelError};

use crate::remote::{Answer, Decoder, error_of_status};

#[derive(Default)]
pub(super) struct Anthropic {
    blocks: Vec<Block>,
}

/// A block of the answer.
struct Block {
    /// Its place, as the server counts.
    index: u64,
    /// As it began; what comes later is put into it, so that it can go back.
    value: Value,
    /// The call it is, if it is one.
    call: Option<usize>,
}

impl Decoder for Anthropic {
    fn event(&mut self, data: &str, answer: &mut Answer) -> Result<(), ModelError> {
        let event: Value = serde_json::from_str(data).map_err(|_error| ModelError::Garbled)?;
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => {
                answer.recognise();
                count(&event["message"]["usage"], answer);
            }
            "content_block_start" => self.begin(&event, answer)?,
            "content_block_delta" => self.grow(&event, answer),
            "message_delta" => {
                count(&event["usage"], answer);
                if let Some(reason) = event["delta"]["stop_reason"].as_str() {
                    answer.finish(end_reason(reason));
                }
            }
            "message_stop" => answer.mark_end(),
            "error" => return Err(error_of(&event["error"])),
            // Blocks end by themselves; pings, and what is not invented yet, say nothing.
            _ => {}
        }
        Ok(())
    }

    fn document(&mut self, document: &Value, answer: &mut Answer) -> Result<(), ModelError> {
        if document["type"] == "error" {
            return Err(error_of(&document["error"]));
        }
        for (index, block) in document["content"].as_array().into_iter().flatten().enumerate() {
            self.begin(&json!({"index": index, "content_block": block}), answer)?;
        }
        count(&document["usage"], answer);
        if let Some(reason) = document["stop_reason"].as_str() {
            answer.finish(end_reason(reason));
        }
        Ok(())
    }

    /// Only thoughts must go back; without them the calls are written anew.
    fn echo(&mut self) -> Option<Value> {
        let is_thought = |block: &Block| {
            block.value["type"] == "thinking" || block.value["type"] == "redacted_thinking"
        };
        if !self.blocks.iter().any(is_thought) {
            return None;
        }
        let blocks = std::mem::take(&mut self.blocks).into_iter().map(|block| block.value);
        // A blank text is refused when it comes back.
        let is_blank = |block: &Value| block["text"].as_str().is_some_and(|t| t.trim().is_empty());
        let blocks = blocks.filter(|block| !is_blank(block)).map(|mut block| {
            if let Some(text) = block["input"].as_str() {
                block["input"] = input(text);
            }
            block
        });
        Some(blocks.collect())
    }
}

impl Anthropic {
    fn begin(&mut self, event: &Value, answer: &mut Answer) -> Result<(), ModelError> {
        answer.recognise();
        let mut value = event["content_block"].clone();
        let mut call = None;
        match value["type"].as_str() {
            Some("text") => answer.text(value["text"].as_str().unwrap_or_default()),
            Some("tool_use") => {
                let number = answer.begin_call(value["name"].as_str().unwrap_or_default())?;
                call = Some(number);
                // Empty at first in a stream, where the arguments follow as pieces of text.
                let is_given = value["input"].as_object().is_some_and(|input| !input.is_empty());
                let given = if is_given { value["input"].to_string() } else { String::new() };
                value["input"] = given.clone().into();
                if let Some(growing) = answer.call(number) {
                    growing.arguments = given;
                }
            }
            Some(_) | None => {}
        }
        let index = event["index"].as_u64().unwrap_or_default();
        self.blocks.push(Block { index, value, call });
        Ok(())
    }

    fn grow(&mut self, event: &Value, answer: &mut Answer) {
        let index = event["index"].as_u64().unwrap_or_default();
        let Some(block) = self.blocks.iter_mut().rfind(|block| block.index == index) else {
            return;
        };
        let delta = &event["delta"];
        let (field, piece) = match delta["type"].as_str() {
            Some("text_delta") => ("text", &delta["text"]),
            Some("input_json_delta") => ("input", &delta["partial_json"]),
            Some("thinking_delta") => ("thinking", &delta["thinking"]),
            Some("signature_delta") => ("signature", &delta["signature"]),
            Some(_) | None => return,
        };
        let piece = piece.as_str().unwrap_or_default();
        let grown = format!("{}{piece}", block.value[field].as_str().unwrap_or_default());
        match (field, block.call) {
            ("text", _) => answer.text(piece),
            ("input", Some(number)) => {
                if let Some(call) = answer.call(number) {
                    call.arguments.push_str(piece);
                }
            }
            _ => {}
        }
        block.value[field] = grown.into();
    }
}

/// Nothing but an object is taken here.
pub(super) fn input(arguments: &str) -> Value {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(fields)) => Value::Object(fields),
        Ok(_) | Err(_) if arguments.trim().is_empty() => json!({}),
        Ok(_) | Err(_) => json!({"text": arguments}),
    }
}

fn count(usage: &Value, answer: &mut Answer) {
    // What was read from a cache was read all the same.
    let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"];
    let cached: u64 = cached.iter().filter_map(|key| usage[*key].as_u64()).sum();
    let input = usage["input_tokens"].as_u64().map(|tokens| tokens + cached);
    answer.count(input, usage["output_tokens"].as_u64());
}

/// A reason that nobody knows is not taken for a good one.
fn end_reason(reason: &str) -> EndReason {
    match reason {
        "end_turn" | "stop_sequence" => EndReason::Done,
        "tool_use" => EndReason::Calls,
        "max_tokens" | "model_context_window_exceeded" => EndReason::Length,
        _ => EndReason::Refused,
    }
}

fn error_of(error: &Value) -> ModelError {
    error_of_status(match error["type"].as_str().unwrap_or_default() {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => 500,
    })
}
