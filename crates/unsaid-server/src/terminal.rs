//! What commands print. The log is elsewhere.

use std::fmt::Display;
use std::io::{self, Write as _};

use crate::refusal::{Refusal, said};

/// Prints a line, or several, to standard output.
///
/// A reader that went away (`unsaid config | head`) has seen enough: that is no failure.
///
/// # Errors
/// If standard output cannot be written.
pub fn say(text: &str) -> Result<(), Refusal> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let mut out = io::stdout().lock();
    match write!(out, "{text}{end}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Refusal::new(format!("cannot write to standard output: {}", said(&error))))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Prints the one sentence of a refusal to standard error.
pub fn complain(sentence: &impl Display) {
    // If even this cannot be written, the exit code is all that is left to say.
    writeln!(io::stderr(), "unsaid: {sentence}").unwrap_or_default();
}
