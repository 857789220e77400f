//! Passwords on their way to the hasher. They never print themselves and are never kept.

use std::fmt;

/// Characters of a password, at least and at most.
pub const PASSWORD_CHARS: std::ops::RangeInclusive<usize> = 8..=128;

/// A password that somebody chooses.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

/// A text that cannot be chosen as a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not {} to {} characters", PASSWORD_CHARS.start(), PASSWORD_CHARS.end())]
pub struct PasswordError;

impl Password {
    /// Takes a password of 8 to 128 code points, whatever they are.
    ///
    /// # Errors
    /// If it is shorter or longer.
    pub fn new(text: impl Into<String>) -> Result<Self, PasswordError> {
        let text = text.into();
        let fits = PASSWORD_CHARS.contains(&text.chars().count());
        if fits { Ok(Self(text)) } else { Err(PasswordError) }
    }

    /// Stands for a text that nobody could have chosen, where looking must take as long.
    #[must_use]
    pub fn placeholder() -> Self {
        Self("placeholder".to_owned())
    }

    /// As it was typed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_counted_in_code_points() {
        for (text, fits) in
            [("1234567", false), ("12345678", true), ("日本語日本語日本", true), ("", false)]
        {
            assert_eq!(Password::new(text).is_ok(), fits, "{text:?}");
        }
        assert!(Password::new("ä".repeat(128)).is_ok());
        assert!(Password::new("ä".repeat(129)).is_err());
    }

    #[test]
    fn passwords_do_not_print_themselves() {
        assert_eq!(format!("{:?}", Password::new("12345678").unwrap()), "Password(…)");
    }
}
