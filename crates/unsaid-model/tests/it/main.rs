//! Models, against servers that behave and servers that do not. Nothing leaves this machine.
//!
//! - `openai`, `gemini`, `anthropic`: what is peculiar to each format
//! - `failures`, `cut`, `slow`: what must be the same for all of them
//! - `requests`: what is sent, as snapshots
//! - `server`, `script`, `talk`: a server to the byte, what providers write, how answers are shown
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod anthropic;
mod cut;
mod demo;
mod failures;
mod gemini;
mod measured;
mod openai;
mod probing;
mod requests;
mod retrying;
mod script;
mod server;
mod slow;
mod talk;
