//! What a model may do, in one place.
//!
//! Each tool has a file, and two schemas as files beside it: of its arguments and of its result. A
//! model gets the first as it is; whatever it writes is checked here, also where the schema that went
//! over the wire had to be simpler. What it is told about a mistake names the field and the rule,
//! never the words.

mod reply;
mod skip;

use jsonschema::{ValidationError, Validator};
use serde_json::{Value, json};
use unsaid_core::{
    domain::text::Words,
    port::model::{ToolCall, ToolResult, ToolSpec},
};

/// The server's own paragraph, appended to every persona at a door with tools.
pub const MANNER: &str = include_str!("tool/manner.txt");
/// What a model is told that wrote text instead of calling a tool.
pub const ONCE_MORE: &str = include_str!("tool/once_more.txt");

/// Mistakes that one answer names.
const MISTAKES_MAX: usize = 4;
/// Of a name that does not exist, so much is repeated.
const NAME_CHARS_MAX: usize = 64;

/// All tools of a door, with their schemas compiled.
#[derive(Debug)]
pub struct Tools {
    tools: Vec<Tool>,
}

/// One tool.
#[derive(Debug)]
struct Tool {
    name: &'static str,
    description: &'static str,
    parameters: Value,
    arguments: Validator,
    results: Validator,
    /// Reads arguments that the schema has let through.
    wish: fn(&Value) -> Option<Wish>,
}

/// What a model wants done, its arguments being valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Say something, and end the turn.
    Reply {
        /// What.
        message: Words,
    },
    /// End the turn without a word.
    Skip {
        /// Why. It is content, like any words.
        reason: Words,
    },
}

/// What a model is told when a call came to nothing. Details are for the log only.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The arguments break a rule of the schema.
    #[error("invalid parameters: {0}")]
    InvalidParameters(String),
    /// There is no such tool.
    #[error("unknown tool: {0}")]
    UnknownTool(String),
    /// A mistake of ours.
    #[error("internal error")]
    Internal,
    /// The conversation could not be looked at.
    #[error("failed to load conversation")]
    FailedToLoad,
    /// It certainly did not leave the house, and nothing more can be tried.
    #[error("failed to send reply")]
    FailedToSend,
    /// One reply a turn.
    #[error("already replied")]
    AlreadyReplied,
}

impl ToolError {
    /// As the result of a call.
    #[must_use]
    pub fn result_of(&self, call: &ToolCall) -> ToolResult {
        let content = json!({ "error": self.to_string() });
        ToolResult { id: call.id.clone(), name: call.name.clone(), content }
    }
}

impl Tools {
    /// `reply` and `skip`.
    #[must_use]
    pub fn reply_and_skip() -> Self {
        Self { tools: vec![reply::tool(), skip::tool()] }
    }

    /// What a model is told about them.
    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        let spec = |tool: &Tool| ToolSpec {
            name: tool.name.to_owned(),
            description: tool.description.to_owned(),
            parameters: tool.parameters.clone(),
        };
        self.tools.iter().map(spec).collect()
    }

    /// What a model is told about one of them.
    #[must_use]
    pub fn spec(&self, name: &str) -> Option<ToolSpec> {
        self.specs().into_iter().find(|spec| spec.name == name)
    }

    /// What a call asks for.
    ///
    /// # Errors
    /// If there is no such tool, or its schema does not allow these arguments.
    pub fn read(&self, call: &ToolCall) -> Result<Wish, ToolError> {
        let tool = self.named(&call.name)?;
        let arguments: Value = serde_json::from_str(&call.arguments)
            .map_err(|_| ToolError::InvalidParameters("not JSON".to_owned()))?;
        tool.check(&arguments)?;
        (tool.wish)(&arguments).ok_or(ToolError::Internal)
    }

    /// What came of a call, if the schema of its tool allows such a result.
    ///
    /// # Errors
    /// If it does not: a mistake of ours.
    pub fn result(&self, call: &ToolCall, content: Value) -> Result<ToolResult, ToolError> {
        if !self.named(&call.name)?.results.is_valid(&content) {
            return Err(ToolError::Internal);
        }
        Ok(ToolResult { id: call.id.clone(), name: call.name.clone(), content })
    }

    fn named(&self, name: &str) -> Result<&Tool, ToolError> {
        let found = self.tools.iter().find(|tool| tool.name == name);
        found.ok_or_else(|| {
            let visible = name.chars().filter(|c| !c.is_control());
            ToolError::UnknownTool(visible.take(NAME_CHARS_MAX).collect())
        })
    }
}

impl Tool {
    #[expect(clippy::expect_used, reason = "the schemas are compiled in, and a test compiles them")]
    fn new(
        (name, description): (&'static str, &'static str),
        (parameters, result): (&str, &str),
        wish: fn(&Value) -> Option<Wish>,
    ) -> Self {
        let parameters: Value = serde_json::from_str(parameters).expect("a schema is JSON");
        let result: Value = serde_json::from_str(result).expect("a schema is JSON");
        let arguments = jsonschema::validator_for(&parameters).expect("a schema is a schema");
        let results = jsonschema::validator_for(&result).expect("a schema is a schema");
        Self { name, description, parameters, arguments, results, wish }
    }

    fn check(&self, arguments: &Value) -> Result<(), ToolError> {
        let mistakes = self.arguments.iter_errors(arguments).take(MISTAKES_MAX);
        let mistakes: Vec<String> = mistakes.map(|error| self.mistake(&error)).collect();
        if mistakes.is_empty() {
            return Ok(());
        }
        Err(ToolError::InvalidParameters(mistakes.join("; ")))
    }

    /// The field and the rule, from the schema alone: what the model wrote is not repeated.
    fn mistake(&self, error: &ValidationError<'_>) -> String {
        let rule = error.schema_path().as_str().to_owned();
        let keyword = rule.rsplit('/').next().unwrap_or_default();
        let place = error.instance_path().as_str();
        let field = place.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("arguments");
        let value = self.parameters.pointer(&rule).unwrap_or(&Value::Null);
        match keyword {
            "minLength" => format!("{field} must have at least {value} characters"),
            "maxLength" => format!("{field} must have at most {value} characters"),
            "type" => format!("{field} must be of type {}", value.as_str().unwrap_or_default()),
            "required" => format!("required: {}", names(value)),
            "additionalProperties" => "no other properties are allowed".to_owned(),
            other => format!("{field} breaks the rule {other}"),
        }
    }
}

/// The names in a list of the schema.
fn names(list: &Value) -> String {
    let names = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    names.collect::<Vec<_>>().join(", ")
}

/// The text of a field.
fn text(arguments: &Value, field: &str) -> Option<Words> {
    Some(Words::lossy(arguments.get(field)?.as_str()?))
}
