//! What commands print. The log is elsewhere.

use std::fmt::Display;
use std::io::{self, BufRead, IsTerminal as _, Write as _};

use rustix::stdio::stdin;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

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

/// Asks for a secret, twice where somebody types it: without showing it on a terminal, and from the
/// first line of standard input where that is no terminal.
///
/// # Errors
/// If nothing can be read, or the two are not the same.
pub fn ask_secret(question: &str, again: &str) -> Result<String, Refusal> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return read_line(&mut stdin.lock());
    }
    let first = ask_unseen(question)?;
    if first == ask_unseen(again)? {
        Ok(first)
    } else {
        Err(Refusal::new("the two are not the same"))
    }
}

fn ask_unseen(question: &str) -> Result<String, Refusal> {
    let mut err = io::stderr().lock();
    write!(err, "{question}").and_then(|()| err.flush()).unwrap_or_default();
    let unseen = Unseen::begin()?;
    let line = read_line(&mut io::stdin().lock());
    drop(unseen);
    // What ended the line was not shown either.
    writeln!(err).unwrap_or_default();
    line
}

fn read_line(from: &mut impl BufRead) -> Result<String, Refusal> {
    let mut line = String::new();
    let unreadable = |error: io::Error| {
        Refusal::new(format!("cannot read from standard input: {}", said(&error)))
    };
    if from.read_line(&mut line).map_err(unreadable)? == 0 {
        return Err(Refusal::new("standard input has ended"));
    }
    let end = line.trim_end_matches(['\r', '\n']).len();
    line.truncate(end);
    Ok(line)
}

/// While this lives, the terminal does not show what is typed.
struct Unseen(Termios);

impl Unseen {
    fn begin() -> Result<Self, Refusal> {
        let failed = |error: rustix::io::Errno| {
            Refusal::new(format!("cannot hide what is typed: {}", said(&error.into())))
        };
        let before = tcgetattr(stdin()).map_err(failed)?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        tcsetattr(stdin(), OptionalActions::Now, &hidden).map_err(failed)?;
        Ok(Self(before))
    }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        tcsetattr(stdin(), OptionalActions::Now, &self.0).unwrap_or_default();
    }
}

/// Prints the one sentence of a refusal to standard error.
pub fn complain(sentence: &impl Display) {
    // If even this cannot be written, the exit code is all that is left to say.
    writeln!(io::stderr(), "unsaid: {sentence}").unwrap_or_default();
}
