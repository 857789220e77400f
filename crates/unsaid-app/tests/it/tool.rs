//! What a model may do, and what it is told when it does it wrong.

use serde_json::json;
use unsaid_app::tool::{MANNER, ToolError, Tools, Wish};
use unsaid_core::port::model::ToolCall;
use unsaid_testkit::builder::words;

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: "c1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
}

fn error(name: &str, arguments: &str) -> String {
    Tools::reply_and_skip().read(&call(name, arguments)).unwrap_err().to_string()
}

#[test]
fn valid_calls_are_wishes() {
    let tools = Tools::reply_and_skip();
    let longest = "\u{1f600}".repeat(5_000);
    for said in ["x", "日本語", longest.as_str()] {
        let arguments = json!({ "message": said }).to_string();
        let wish = Wish::Reply { message: words(said) };
        assert_eq!(tools.read(&call("reply", &arguments)), Ok(wish));
    }
    let wish = Wish::Skip { reason: words("not for me") };
    assert_eq!(tools.read(&call("skip", r#"{"reason":"not for me"}"#)), Ok(wish));
    let nul = tools.read(&call("reply", r#"{"message":"a\u0000b"}"#));
    assert_eq!(nul, Ok(Wish::Reply { message: words("a\u{fffd}b") }));
}

#[test]
fn mistakes_name_the_field_and_the_rule_and_never_the_words() {
    let long = |field: &str, length: usize| json!({ field: "x".repeat(length) }).to_string();
    for (name, arguments, told) in [
        ("reply", "", "not JSON"),
        ("reply", r#"{"message": secret}"#, "not JSON"),
        ("reply", r#""secret""#, "arguments must be of type object"),
        ("reply", "{}", "required: message"),
        ("reply", r#"{"message":""}"#, "message must have at least 1 characters"),
        ("reply", r#"{"message":["secret"]}"#, "message must be of type string"),
        ("reply", &long("message", 5_001), "message must have at most 5000 characters"),
        ("skip", r#"{"reason":""}"#, "reason must have at least 1 characters"),
        ("skip", &long("reason", 501), "reason must have at most 500 characters"),
        ("skip", r#"{"reason":"r","secret":1}"#, "no other properties are allowed"),
    ] {
        assert_eq!(error(name, arguments), format!("invalid parameters: {told}"), "{arguments}");
    }
    assert_eq!(error("weather", "{}"), "unknown tool: weather");
    assert_eq!(error(&"w".repeat(100), "{}").len(), "unknown tool: ".len() + 64);
}

#[test]
fn results_are_held_to_their_schemas() {
    let tools = Tools::reply_and_skip();
    for (name, content, fits) in [
        ("reply", json!({"status": "sent"}), true),
        ("skip", json!({"status": "skipped"}), true),
        ("reply", json!({"status": "skipped"}), false),
        ("skip", json!({"status": "skipped", "more": 1}), false),
    ] {
        let result = tools.result(&call(name, "{}"), content.clone());
        match result {
            Ok(result) => assert!(fits && result.content == content, "{name}"),
            Err(error) => assert!(!fits && error == ToolError::Internal, "{name}"),
        }
    }
}

#[test]
fn errors_have_the_texts_of_the_contract() {
    for (error, text) in [
        (ToolError::Internal, "internal error"),
        (ToolError::FailedToLoad, "failed to load conversation"),
        (ToolError::FailedToSend, "failed to send reply"),
        (ToolError::AlreadyReplied, "already replied"),
    ] {
        let result = error.result_of(&call("reply", "{}"));
        assert_eq!((result.id.as_str(), result.content), ("c1", json!({ "error": text })));
    }
}

#[test]
fn the_model_is_given_names_descriptions_and_schemas() {
    let specs = Tools::reply_and_skip().specs();
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    assert_eq!(names, ["reply", "skip"]);
    for spec in &specs {
        assert_eq!(spec.parameters["additionalProperties"], json!(false));
        assert!(!spec.description.is_empty());
        assert!(MANNER.contains(&format!("`{}`", spec.name)));
    }
    assert_eq!(specs[0].parameters["properties"]["message"]["maxLength"], json!(5_000));
    assert_eq!(specs[1].parameters["properties"]["reason"]["maxLength"], json!(500));
}
