//! What the program keeps among the words only to show it again: results of tools, made to look like
//! messages of an agent. The program leaves them out of what models read, too.

use serde_json::Value;

const KIND: &str = "__type";
const RESULT: &str = "synthetic_assistant_tool_result";
const ONLY_SHOWN: &str = "displayOnly";

/// Whether this is such a message: its text is an object that says so. An object without a type may be
/// what somebody wrote.
pub(super) fn is_only_shown(content: &str) -> bool {
    let content = content.trim();
    if !content.starts_with('{') || !content.contains(KIND) {
        return false;
    }
    let object: Value = serde_json::from_str(content).unwrap_or_default();
    object[KIND] == RESULT || (object[KIND].is_string() && is_marked(&object))
}

/// Whether fields beside the words say so.
pub(super) fn is_marked(object: &Value) -> bool {
    object[KIND] == RESULT || object[ONLY_SHOWN] == true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_says_so_is_only_shown() {
        for content in [
            r#"{"__type":"synthetic_assistant_tool_result","version":1,"content":"leaf"}"#,
            r#" {"__type":"something","displayOnly":true} "#,
        ] {
            assert!(is_only_shown(content), "{content}");
        }
        for content in [
            "synthetic_assistant_tool_result",
            r#"{"displayOnly":true}"#,
            r#"{"__type":"something"}"#,
            r#"["__type"]"#,
            r#"{"__type":"synthetic_assistant_tool_result""#,
            "",
        ] {
            assert!(!is_only_shown(content), "{content}");
        }
    }
}
