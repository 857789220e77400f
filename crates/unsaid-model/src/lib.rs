//! Language models, behind [`unsaid_core::port::model::Model`].
//!
//! - [`options`]: which model, where, and how patiently
//! - [`connect`](fn@connect): from options to a model, with its decorators
//! - `openai`, `gemini`, `anthropic`: what each provider's wire format means, as pure functions
//! - `remote`: the one HTTP call they share: limits, statuses, the stream, what ends it
//! - [`demo`]: answers without a language model
//! - [`retrying`], [`measured`]: decorators
//! - [`mod@probe`]: is the model there, is the key right, is the name known
//! - [`text_call`]: calls that a small model wrote as text
//!
//! Two rules hold for every provider. An answer is whole only if the provider said that it is:
//! its finish reason, or its end marker. And nothing a person or a model said is in a log, an error
//! or a metric: there is no log line in this crate, and no error holds a provider's words.
//!
//! Why the wire formats are read here and not by a library: `docs/adr/0005-models.md`.

pub mod connect;
pub mod demo;
pub mod measured;
pub mod options;
pub mod probe;
pub mod retrying;
pub mod text_call;

mod anthropic;
mod gemini;
mod openai;
mod remote;
mod schema;

pub use connect::{ConnectError, connect};
pub use options::{ModelOptions, Provider, Secret};
pub use probe::{ollama_answers, probe};
pub use text_call::calls_in_text;
