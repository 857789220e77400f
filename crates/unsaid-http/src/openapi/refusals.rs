//! What calls can be refused with.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::error::{Code, table};

/// Beside the handler, these stand before every call that asks the store.
const OF_THE_STORE: [Code; 3] =
    [Code::RATE_LIMITED, Code::STORAGE_UNAVAILABLE, Code::STORAGE_DAMAGED];
const OF_A_CHANGE: [Code; 3] = [Code::WRONG_ORIGIN, Code::VERSION_CONFLICT, Code::STORAGE_FULL];
const OF_A_BODY: [Code; 3] = [Code::VALIDATION_ERROR, Code::BODY_TOO_SLOW, Code::BODY_TOO_LARGE];

/// Gives every call the refusals of its kind, and all of them their sentences and the common body.
/// Those with the same codes are written once.
pub(super) fn add(document: &mut Value) {
    let mut answers = Map::new();
    let paths = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for path in paths {
        for (method, operation) in path.as_object_mut().into_iter().flatten() {
            let mut refusals = of_its_kind(method, operation);
            refusals.extend(its_own(operation));
            for (status, codes) in by_status(refusals) {
                let names: Vec<&str> = codes.iter().map(|code| code.name()).collect();
                let name = names.join("-");
                let reference = json!({ "$ref": format!("#/components/responses/{name}") });
                operation["responses"][status] = reference;
                answers.insert(name, answer(&codes, &names));
            }
        }
    }
    document["components"]["responses"] = Value::Object(answers);
}

fn of_its_kind(method: &str, operation: &Value) -> Vec<Code> {
    // The other door has its own ways, and names all of them.
    if operation["tags"][0] == "line" {
        return Vec::new();
    }
    let is_signed_in = operation.get("security").is_none();
    let has_body = operation.get("requestBody").is_some();
    let parameters = operation["parameters"].as_array();
    let has_key = parameters.is_some_and(|all| all.iter().any(|one| one["in"] == "header"));
    let mut codes = vec![Code::INTERNAL];
    if is_signed_in {
        codes.push(Code::UNAUTHENTICATED);
    }
    if operation["tags"][0] == "admin" {
        codes.push(Code::FORBIDDEN);
    }
    if is_signed_in || has_body {
        codes.extend(OF_THE_STORE);
    }
    if is_signed_in && method != "get" {
        codes.extend(OF_A_CHANGE);
    } else if has_body {
        codes.push(Code::STORAGE_FULL);
    }
    // What takes no body refuses one.
    let reads_body = has_body || (is_signed_in && method != "get");
    if reads_body {
        codes.push(Code::UNSUPPORTED_MEDIA_TYPE);
    }
    if reads_body || has_key {
        codes.extend(OF_A_BODY);
    } else if parameters.is_some() {
        codes.push(Code::VALIDATION_ERROR);
    }
    if is_signed_in && has_key {
        codes.push(Code::IDEMPOTENCY_KEY_REUSED);
    }
    codes
}

/// Those that the handler names: codes, in the description of their status.
fn its_own(operation: &Value) -> Vec<Code> {
    let answers = operation["responses"].as_object().into_iter().flatten();
    answers
        .flat_map(|(_, answer)| named(answer["description"].as_str().unwrap_or_default()))
        .collect()
}

/// The codes in a description that is nothing but codes.
pub(super) fn named(description: &str) -> Vec<Code> {
    let code = |name: &str| table().iter().find(|code| code.name() == name).copied();
    description.split(", ").map(code).collect::<Option<_>>().unwrap_or_default()
}

fn by_status(codes: Vec<Code>) -> BTreeMap<String, Vec<Code>> {
    let mut statuses = BTreeMap::<String, Vec<Code>>::new();
    for code in codes {
        let known = statuses.entry(code.status().as_str().to_owned()).or_default();
        if !known.contains(&code) {
            known.push(code);
        }
    }
    statuses
}

fn answer(codes: &[Code], names: &[&str]) -> Value {
    let sentences = codes.iter().map(|code| format!("`{}`: {}", code.name(), code.sentence()));
    let mut answer = json!({
        "description": sentences.collect::<Vec<_>>().join(". "),
        "content": { "application/json": { "schema": { "allOf": [
            { "$ref": "#/components/schemas/Error" },
            { "type": "object", "properties": { "code": { "enum": names } } },
        ] } } },
    });
    if codes.iter().any(|code| code.retry_seconds().is_some()) {
        answer["headers"]["Retry-After"] = json!({
            "description": "After how many seconds it may go better.",
            "schema": { "type": "integer", "minimum": 0 },
        });
    }
    answer
}
