//! What the model says: something, and nothing every fourth time.

use serde_json::json;

use crate::scripted;

/// Begins to listen; its address. It ends with the process.
pub(super) fn start() -> String {
    let reply = answer("reply", &json!({"message": "That is how it is."}));
    let skip = answer("skip", &json!({"reason": "They talk among themselves."}));
    scripted::start(vec![reply.clone(), reply.clone(), reply, skip])
}

fn answer(tool: &str, arguments: &serde_json::Value) -> Vec<u8> {
    let function = json!({"name": tool, "arguments": arguments.to_string()});
    let calls = json!([{"id": "call-1", "type": "function", "function": function}]);
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    let choice = json!({"index": 0, "message": message, "finish_reason": "tool_calls"});
    scripted::response("application/json", &json!({"choices": [choice]}).to_string())
}
