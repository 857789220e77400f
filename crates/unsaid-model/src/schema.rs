//! The schemas of tools, as a server may need them.

use serde_json::{Map, Value};

/// Some servers compile a schema into a grammar and crash on these, or take minutes.
const BOUNDS: &[&str] = &[
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "pattern",
    "format",
];
/// Below these stand names that people chose: a property may well be called `format`.
const NAMED: &[&str] = &["properties", "patternProperties", "$defs", "definitions"];
/// Below these stand values, not schemas.
const VALUES: &[&str] = &["enum", "const", "default", "examples", "required"];

/// The schema without its bounds. Ours are checked when the arguments come, whatever was sent.
pub(crate) fn without_bounds(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => Value::Object(unbounded_fields(fields)),
        Value::Array(items) => Value::Array(items.iter().map(without_bounds).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

fn unbounded_fields(fields: &Map<String, Value>) -> Map<String, Value> {
    let kept = fields.iter().filter(|(key, _)| !BOUNDS.contains(&key.as_str()));
    kept.map(|(key, value)| {
        let is = |keys: &[&str]| keys.contains(&key.as_str());
        let value = if let (true, Value::Object(named)) = (is(NAMED), value) {
            let parts = named.iter().map(|(name, part)| (name.clone(), without_bounds(part)));
            Value::Object(parts.collect())
        } else if is(VALUES) {
            value.clone()
        } else {
            without_bounds(value)
        };
        (key.clone(), value)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bounds_go_and_names_stay() {
        let schema = json!({
            "type": "object",
            "properties": {
                "message": {"type": "string", "minLength": 1, "maxLength": 5000, "pattern": "x"},
                "format": {"type": "string", "format": "date", "enum": ["format"]},
                "tags": {"type": "array", "maxItems": 3, "items": {"type": "number", "minimum": 1}},
            },
            "required": ["format"],
            "additionalProperties": false,
        });
        assert_eq!(
            without_bounds(&schema),
            json!({
                "type": "object",
                "properties": {
                    "message": {"type": "string"},
                    "format": {"type": "string", "enum": ["format"]},
                    "tags": {"type": "array", "items": {"type": "number"}},
                },
                "required": ["format"],
                "additionalProperties": false,
            })
        );
    }
}
