//! Why a command did not even begin.

use std::{fmt, io};

/// One clear sentence for the person at the terminal; nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(String);

impl Refusal {
    /// Says why.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

/// What the system said, as part of a sentence: `No such file … (os error 2)` in our own case.
#[must_use]
pub fn said(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<crate::config::Error> for Refusal {
    fn from(error: crate::config::Error) -> Self {
        Self(error.to_string())
    }
}
