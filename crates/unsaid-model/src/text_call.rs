//! Calls that a model wrote as text, because its server has no place for them.

use serde_json::Value;
use unsaid_core::port::model::{ToolCall, ToolSpec};

const OPEN: &str = "<tool_call>";
const CLOSE: &str = "</tool_call>";
const FENCE: &str = "```";

/// The calls that this text is, if it is nothing else: JSON alone, in `<tool_call>` tags, or in
/// fences, with a name that is among the tools. Prose may stand around tags and fences.
///
/// Ids are made of the text: the same text gives the same ids.
#[must_use]
pub fn calls_in_text(text: &str, tools: &[ToolSpec]) -> Option<Vec<ToolCall>> {
    let text = text.trim();
    let written = if text.contains(OPEN) {
        tagged(text)
    } else if text.contains(FENCE) {
        fenced(text)
    } else {
        vec![text]
    };
    let mut values = Vec::new();
    for part in written {
        values.extend(json_values(part)?);
    }
    let calls: Vec<(String, String)> =
        values.iter().flat_map(unwrapped).map(call).collect::<Option<_>>()?;
    let is_known = |name: &str| tools.iter().any(|tool| tool.name == name);
    if calls.is_empty() || !calls.iter().all(|(name, _)| is_known(name)) {
        return None;
    }
    let calls = calls.into_iter().enumerate();
    let calls = calls.map(|(at, (name, arguments))| ToolCall { id: id(text, at), name, arguments });
    Some(calls.collect())
}

/// What stands in tags. The last one is often left open.
fn tagged(text: &str) -> Vec<&str> {
    let parts = text.split(OPEN).skip(1);
    parts.map(|part| part.split(CLOSE).next().unwrap_or(part)).collect()
}

/// What stands in fences, without the name of the language.
fn fenced(text: &str) -> Vec<&str> {
    let blocks = text.split(FENCE).skip(1).step_by(2);
    blocks
        .map(|block| block.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'))
        .collect()
}

/// JSON values, one after another; none if there is anything else.
fn json_values(text: &str) -> Option<Vec<Value>> {
    let mut rest = text.trim();
    let mut values = Vec::new();
    while !rest.is_empty() {
        // A number or a word alone is no call, and reading it would be no proof of JSON.
        if !rest.starts_with(['{', '[']) {
            return None;
        }
        let mut reader = serde_json::Deserializer::from_str(rest).into_iter();
        values.push(reader.next()?.ok()?);
        rest = rest[reader.byte_offset()..]
            .trim_start_matches(|c: char| c.is_whitespace() || c == ';' || c == ',');
    }
    Some(values)
}

/// Lists, and what some models put around a list.
fn unwrapped(value: &Value) -> Vec<&Value> {
    match (value, value.get("tool_calls")) {
        (Value::Array(calls), _) | (_, Some(Value::Array(calls))) => calls.iter().collect(),
        _ => vec![value],
    }
}

/// Name and arguments of one call.
fn call(value: &Value) -> Option<(String, String)> {
    let function = value.get("function").filter(|function| function.is_object()).unwrap_or(value);
    let name = ["name", "function", "tool"].iter().find_map(|key| function[*key].as_str())?;
    let arguments = ["arguments", "parameters", "args", "input"];
    let arguments = arguments.iter().find_map(|key| function.get(*key))?;
    // Some write the object as a text of its own.
    let text = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
    Some((name.to_owned(), text))
}

/// Nine letters and digits, as everywhere: a hash of the text and the place.
fn id(text: &str, at: usize) -> String {
    let bytes = text.bytes().chain(at.to_le_bytes());
    // FNV-1a: good enough to tell texts apart, and the same on every machine.
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("t{:08x}", (hash >> 32) ^ (hash & 0xffff_ffff))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Option<String> {
        let tools = ["reply", "skip"].map(|name| ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            parameters: json!({}),
        });
        let calls = calls_in_text(text, &tools)?;
        assert!(calls.iter().all(|call| call.id.len() == 9));
        let shown = calls.iter().map(|call| format!("{}{}", call.name, call.arguments));
        Some(shown.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn calls_are_found_in_every_dress() {
        let hi = r#"reply{"message":"hi {}"}"#;
        for text in [
            r#"{"name":"reply","arguments":{"message":"hi {}"}}"#,
            r#" {"name": "reply", "parameters": {"message": "hi {}"}} "#,
            r#"{"name":"reply","arguments":"{\"message\":\"hi {}\"}"}"#,
            r#"{"type":"function","function":{"name":"reply","arguments":{"message":"hi {}"}}}"#,
            r#"{"function":"reply","args":{"message":"hi {}"}}"#,
            r#"[{"name":"reply","arguments":{"message":"hi {}"}}]"#,
            r#"{"tool_calls":[{"name":"reply","arguments":{"message":"hi {}"}}]}"#,
            "```json\n{\"name\":\"reply\",\"arguments\":{\"message\":\"hi {}\"}}\n```",
            "Sure!\n```\n{\"name\":\"reply\",\"arguments\":{\"message\":\"hi {}\"}}\n```\nDone.",
            "<tool_call>\n{\"name\":\"reply\",\"arguments\":{\"message\":\"hi {}\"}}\n</tool_call>",
            "hm <tool_call>{\"name\":\"reply\",\"arguments\":{\"message\":\"hi {}\"}}",
        ] {
            assert_eq!(read(text).as_deref(), Some(hi), "{text}");
        }
        let two = "<tool_call>{\"name\":\"reply\",\"arguments\":{}}</tool_call>\n\
                   <tool_call>{\"name\":\"skip\",\"arguments\":{}}</tool_call>";
        assert_eq!(read(two).as_deref(), Some("reply{} skip{}"));
        let two = r#"{"name":"reply","parameters":{}}; {"name":"skip","parameters":{}}"#;
        assert_eq!(read(two).as_deref(), Some("reply{} skip{}"));
    }

    #[test]
    fn everything_else_is_text() {
        for text in [
            "",
            "hello",
            "{",
            "7",
            "[]",
            "```",
            "```json\n```",
            r#"{"message":"hi"}"#,
            r#"{"name":"Ana","arguments":{}}"#,
            r#"{"name":"reply"}"#,
            r#"{"name":"reply","arguments":{}} and then some"#,
            r#"Use {"name":"reply","arguments":{}}"#,
            "<tool_call>reply</tool_call>",
            "```json\n{\"name\":\"reply\",",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn ids_differ_by_text_and_place() {
        assert_ne!(id("a", 0), id("a", 1));
        assert_ne!(id("a", 0), id("b", 0));
    }
}
