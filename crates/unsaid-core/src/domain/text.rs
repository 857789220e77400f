//! Words of people and models. They never print themselves.

use std::fmt;

/// Text of a person or a model. `Debug` shows its length only, so that no log can hold it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Words(String);

/// Why a text was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// Nothing in it.
    #[error("empty")]
    Empty,
    /// More code points than allowed.
    #[error("longer than {max} characters")]
    TooLong {
        /// The most allowed.
        max: usize,
    },
    /// U+0000, which some stores cannot hold.
    #[error("contains U+0000")]
    Nul,
}

impl Words {
    /// Any text without U+0000, the empty one included.
    ///
    /// # Errors
    /// If it contains U+0000.
    pub fn new(text: impl Into<String>) -> Result<Self, TextError> {
        let text = text.into();
        if text.contains('\0') { Err(TextError::Nul) } else { Ok(Self(text)) }
    }

    /// Any text; what cannot be kept becomes U+FFFD.
    #[must_use]
    pub fn lossy(text: impl Into<String>) -> Self {
        let text = text.into();
        Self(if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text })
    }

    /// A text of 1 to `max` code points.
    ///
    /// # Errors
    /// If it is empty, longer, or contains U+0000.
    pub fn bounded(text: impl Into<String>, max: usize) -> Result<Self, TextError> {
        let text = text.into();
        if text.is_empty() {
            return Err(TextError::Empty);
        }
        // Bytes bound code points, so short texts are not counted.
        if text.len() > max && text.chars().count() > max {
            return Err(TextError::TooLong { max });
        }
        Self::new(text)
    }

    /// The words themselves.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Words {
    type Error = TextError;
    fn try_from(text: String) -> Result<Self, TextError> {
        Self::new(text)
    }
}

impl From<Words> for String {
    fn from(words: Words) -> Self {
        words.0
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Words({} bytes)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_do_not_print_themselves() {
        assert_eq!(format!("{:?}", Words::new("secret").unwrap()), "Words(6 bytes)");
    }

    #[test]
    fn length_is_counted_in_code_points() {
        assert!(Words::bounded("日本語", 3).is_ok());
        assert_eq!(Words::bounded("日本語!", 3), Err(TextError::TooLong { max: 3 }));
        assert_eq!(Words::bounded("", 3), Err(TextError::Empty));
        assert_eq!(Words::bounded("a\0", 3), Err(TextError::Nul));
    }
}
