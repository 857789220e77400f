//! How messages are shown.

use std::io::{self, IsTerminal as _, Write as _};

use unsaid_core::domain::conversation::log::Entry;
use unsaid_core::domain::message::{Author, Part};

use crate::refusal::{Refusal, said};
use crate::terminal;

/// Waits for the person, visibly; a pipe needs no sign.
pub(in crate::command) fn prompt() -> Result<(), Refusal> {
    if io::stdin().is_terminal() { some("> ") } else { Ok(()) }
}

/// A piece of a line.
pub(super) fn some(text: &str) -> Result<(), Refusal> {
    let mut out = io::stdout().lock();
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Refusal::new(format!("cannot write to standard output: {}", said(&error))))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// A message of the log.
pub(super) fn entry(entry: &Entry, persona: &str) -> Result<(), Refusal> {
    let who = match &entry.message.author {
        Author::Person(_) => "you",
        Author::Agent(_) => persona,
    };
    let texts = entry.message.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        Part::Media { .. } => Some("[a file]"),
        Part::Original { .. } => None,
    });
    let text = texts.collect::<Vec<_>>().join(" ");
    terminal::say(&format!("#{} {who}: {text}", entry.number.get()))
}
