//! What is answered.

use serde_json::Value;
use unsaid_core::port::model::{EndReason, ModelError};

use crate::remote::{Answer, Decoder, error_of_status};

#[derive(Default)]
pub(super) struct Gemini {
    /// As they came: signatures belong to parts, and parts must not be joined.
    parts: Vec<Value>,
}

impl Decoder for Gemini {
    fn event(&mut self, data: &str, answer: &mut Answer) -> Result<(), ModelError> {
        let chunk = serde_json::from_str(data).map_err(|_error| ModelError::Garbled)?;
        self.chunk(&chunk, answer)
    }

    fn document(&mut self, document: &Value, answer: &mut Answer) -> Result<(), ModelError> {
        // Without `alt=sse`, which proxies lose, the chunks are the items of a list.
        let chunks = document.as_array().map_or(std::slice::from_ref(document), Vec::as_slice);
        chunks.iter().try_for_each(|chunk| self.chunk(chunk, answer))
    }

    fn echo(&mut self) -> Option<Value> {
        (!self.parts.is_empty()).then(|| std::mem::take(&mut self.parts).into())
    }
}

impl Gemini {
    fn chunk(&mut self, chunk: &Value, answer: &mut Answer) -> Result<(), ModelError> {
        if let Some(error) = chunk.get("error") {
            let code = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
            return Err(error_of_status(code.unwrap_or(500)));
        }
        count(&chunk["usageMetadata"], answer);
        if chunk["promptFeedback"]["blockReason"].is_string() {
            answer.finish(EndReason::Refused);
        }
        if chunk.get("usageMetadata").or(chunk.get("candidates")).is_some() {
            answer.recognise();
        }
        let Some(candidate) = chunk["candidates"].get(0) else { return Ok(()) };
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            self.part(part, answer)?;
        }
        if let Some(reason) = candidate["finishReason"].as_str() {
            answer.finish(end_reason(reason)?);
        }
        Ok(())
    }

    fn part(&mut self, part: &Value, answer: &mut Answer) -> Result<(), ModelError> {
        if let Some(call) = part.get("functionCall") {
            let number = answer.begin_call(call["name"].as_str().unwrap_or_default())?;
            if let (Some(growing), Some(arguments)) = (answer.call(number), call.get("args")) {
                growing.arguments = arguments.to_string();
            }
        } else if part["thought"] != true {
            answer.text(part["text"].as_str().unwrap_or_default());
        }
        // An empty text is refused when it comes back, unless it carries a signature.
        let is_empty = part["text"] == "" && part.get("thoughtSignature").is_none();
        if !is_empty {
            self.parts.push(part.clone());
        }
        Ok(())
    }
}

fn count(usage: &Value, answer: &mut Answer) {
    let spoken = usage["candidatesTokenCount"].as_u64();
    let thought = usage["thoughtsTokenCount"].as_u64();
    let output = spoken.or(thought).map(|_| spoken.unwrap_or(0) + thought.unwrap_or(0));
    answer.count(usage["promptTokenCount"].as_u64(), output);
}

/// A reason that nobody knows is not taken for a good one.
fn end_reason(reason: &str) -> Result<EndReason, ModelError> {
    match reason {
        "STOP" => Ok(EndReason::Done),
        "MAX_TOKENS" => Ok(EndReason::Length),
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" => {
            Err(ModelError::Garbled)
        }
        _ => Ok(EndReason::Refused),
    }
}
