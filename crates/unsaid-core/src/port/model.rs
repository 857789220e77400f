//! A language model.
//!
//! **Guarantees.** An answer is a stream of pieces that ends with [`ModelEvent::End`] or with an
//! error, whichever comes first; nothing follows either. A stream that simply stops was cut, and the
//! model says so itself ([`ModelError::Cut`]): half an answer never looks like a whole one. Whoever
//! drops the stream cancels the call.

use std::{pin::Pin, time::Duration};

use async_trait::async_trait;
use futures_core::Stream;

use crate::domain::text::Words;

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// Who it is and how it behaves.
    pub system: Words,
    /// What was said so far, oldest first.
    pub turns: Vec<ModelTurn>,
    /// What it may do.
    pub tools: Vec<ToolSpec>,
    /// Whether it must do something.
    pub choice: ToolChoice,
}

/// One step of the talk, as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelTurn {
    /// What people (or other agents) said.
    Heard(Vec<Piece>),
    /// What this agent said.
    Said(Words),
    /// What this agent did, in the turn that is running.
    Called {
        /// Words that came with it.
        text: Words,
        /// The calls.
        calls: Vec<ToolCall>,
        /// What the provider wants to get back unchanged.
        echo: Option<Echo>,
    },
    /// What came of the calls, each by its id.
    Results(Vec<ToolResult>),
}

/// A piece of what was said.
#[derive(Clone, PartialEq, Eq)]
pub enum Piece {
    /// Words.
    Text(Words),
    /// A picture.
    Image {
        /// Its type.
        mime: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
}

impl std::fmt::Debug for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(words) => words.fmt(f),
            Self::Image { mime, bytes } => write!(f, "Image({mime}, {} bytes)", bytes.len()),
        }
    }
}

/// Something a model may do.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: serde_json::Value,
}

/// Whether a model must use a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolChoice {
    /// As it likes.
    Free,
    /// One of the tools, where the provider can be told so.
    Forced,
}

/// A model wants something done.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Unique in the turn.
    pub id: String,
    /// Which tool; perhaps none that exists.
    pub name: String,
    /// The arguments as the model wrote them; perhaps no JSON.
    pub arguments: String,
}

impl std::fmt::Debug for ToolCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ToolCall({}, {} bytes)", self.name, self.arguments.len())
    }
}

/// What came of a call.
#[derive(Clone, PartialEq)]
pub struct ToolResult {
    /// Of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it says, as JSON.
    pub content: serde_json::Value,
}

impl std::fmt::Debug for ToolResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ToolResult({})", self.name)
    }
}

/// Something of the provider's own, given back unchanged in the same turn: thought signatures.
#[derive(Clone, PartialEq)]
pub struct Echo(pub serde_json::Value);

impl std::fmt::Debug for Echo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Echo")
    }
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// More words.
    Text(Words),
    /// A whole call.
    Call(ToolCall),
    /// The answer is whole.
    End {
        /// Why it ended.
        reason: EndReason,
        /// What it cost, as far as the provider tells.
        usage: Usage,
        /// To be given back with the calls of this step.
        echo: Option<Echo>,
    },
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// All was said.
    Done,
    /// It wants results of its calls.
    Calls,
    /// It was too long: this is not all of it.
    Length,
    /// The provider would not say (all of) it.
    Refused,
}

/// Tokens, where the provider counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Of the request.
    pub input_tokens: Option<u64>,
    /// Of the answer.
    pub output_tokens: Option<u64>,
}

/// Why there is no (whole) answer. Never holds the provider's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// No connection.
    #[error("the model cannot be reached")]
    Unreachable,
    /// Too many requests.
    #[error("the model wants fewer requests")]
    Limited {
        /// When to come again, if it says.
        retry_after: Option<Duration>,
    },
    /// It is there and cannot serve now: 5xx.
    #[error("the model answered {status}")]
    Failing {
        /// The status.
        status: u16,
    },
    /// It does not accept the request: 4xx, a wrong key, an unknown model.
    #[error("the model refused the request with {status}")]
    Rejected {
        /// The status.
        status: u16,
    },
    /// It took too long, as a whole or between two bytes.
    #[error("the model took too long")]
    TimedOut,
    /// The answer broke off.
    #[error("the answer was cut")]
    Cut,
    /// What came is not an answer: HTML, no JSON, another format.
    #[error("the answer is not in the expected format")]
    Garbled,
    /// Neither words nor calls.
    #[error("the answer is empty")]
    Empty,
}

impl ModelError {
    /// A short stable name for logs, metrics and decisions.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unreachable => "model_unreachable",
            Self::Limited { .. } => "model_limited",
            Self::Failing { .. } => "model_failing",
            Self::Rejected { .. } => "model_rejected",
            Self::TimedOut => "model_timeout",
            Self::Cut => "model_cut",
            Self::Garbled => "model_garbled",
            Self::Empty => "model_empty",
        }
    }

    /// Whether asking the same again later may help.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable
            | Self::Limited { .. }
            | Self::Failing { .. }
            | Self::TimedOut
            | Self::Cut
            | Self::Empty => true,
            Self::Rejected { .. } | Self::Garbled => false,
        }
    }
}

/// An answer on its way.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// See the module.
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks. The call begins when the stream is first polled, or here.
    async fn ask(&self, request: ModelRequest) -> Result<ModelStream, ModelError>;

    /// Whether it takes pictures.
    fn takes_images(&self) -> bool;
}
