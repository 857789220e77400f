//! Identifiers and counters. Each has one fallible way in; serde takes the same way.

use std::fmt;

/// A text that cannot be this kind of identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a valid {kind}: {why}")]
pub struct IdError {
    /// Which identifier was wanted.
    pub kind: &'static str,
    /// Which rule it breaks.
    pub why: &'static str,
}

/// Identifiers of 1 to `max` visible ASCII characters.
macro_rules! ascii_id {
    ($($(#[$doc:meta])* $name:ident, $kind:literal, $max:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses the identifier.
            ///
            /// # Errors
            /// If it is empty, too long, or not visible ASCII.
            pub fn new(text: impl Into<String>) -> Result<Self, IdError> {
                let text = text.into();
                visible_ascii($kind, &text, $max)?;
                Ok(Self(text))
            }

            /// As text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        text_conversions!($name);
    )*};
}

macro_rules! text_conversions {
    ($name:ident) => {
        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }
    };
}

ascii_id! {
    /// One message in its conversation: LINE's id, a client's, or one of ours.
    MessageId, "message id", 128;
    /// A person: the UUID of an account, or LINE's user id.
    PersonId, "person id", 64;
    /// A place on LINE where people talk: a user, a group or a room.
    SourceId, "source id", 64;
    /// One chat of a world, unique in the installation.
    ChatId, "chat id", 64;
    /// An expert, as the configuration calls the persona.
    ExpertId, "expert id", 64;
    /// One session of a person with an expert.
    SessionId, "session id", 64;
    /// One sign-in, from its first token to its last.
    SignInId, "sign-in id", 64;
    /// One delivery of an event; the same id is the same delivery.
    DeliveryId, "delivery id", 128;
    /// One edit or removal that may be undone.
    EditId, "edit id", 64;
    /// One edit or removal that failed.
    FailedEditId, "failed edit id", 64;
    /// What went wrong, as the doors call it.
    ErrorCode, "error code", 64;
    /// A process that may hold turns.
    HolderId, "holder id", 64;
    /// One stored picture, recording or file.
    MediaKey, "media key", 128;
    /// A client's `Idempotency-Key`.
    IdempotencyKey, "idempotency key", 255;
}

/// Identifiers made from a name: Unicode letters and digits in lower case, single `-` between.
macro_rules! name_id {
    ($($(#[$doc:meta])* $name:ident, $kind:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses an identifier that was made from a name before.
            ///
            /// # Errors
            /// If no name gives this identifier.
            pub fn new(text: impl Into<String>) -> Result<Self, IdError> {
                let text = text.into();
                if text.is_empty() {
                    return Err(IdError { kind: $kind, why: "empty" });
                }
                if slug(&text) != text {
                    return Err(IdError { kind: $kind, why: "not made from a name" });
                }
                Ok(Self(text))
            }

            /// Makes the identifier that belongs to a name.
            ///
            /// # Errors
            /// If the name has neither letter nor digit.
            pub fn from_name(name: &str) -> Result<Self, IdError> {
                Self::new(slug(name))
            }

            /// As text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        text_conversions!($name);
    )*};
}

name_id! {
    /// A world, unique for its owner.
    WorldId, "world id";
    /// An agent, or a persona or expert as the author of a message.
    AgentId, "agent id";
}

/// Rising counters that start at zero.
macro_rules! counter {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub struct $name(u64);

        impl $name {
            /// Before the first.
            pub const ZERO: Self = Self(0);

            /// The counter at a value.
            #[must_use]
            pub const fn new(value: u64) -> Self {
                Self(value)
            }

            /// Its value.
            #[must_use]
            pub const fn get(self) -> u64 {
                self.0
            }

            /// The one after it.
            #[must_use]
            pub const fn next(self) -> Self {
                Self(self.0 + 1)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    )*};
}

counter! {
    /// The place of a message in its conversation; given once, never reused (H2).
    Number;
    /// Rises with every change of a conversation.
    Version;
    /// Rises with every turn; an older one can no longer write (H5).
    Fence;
    /// Rises when an agent joins a world, so that a message knows who was there to hear it.
    Roster;
    /// The id of a durable event, unique over the whole installation.
    EventNumber;
}

fn visible_ascii(kind: &'static str, text: &str, max: usize) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError { kind, why: "empty" });
    }
    if text.len() > max {
        return Err(IdError { kind, why: "too long" });
    }
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(IdError { kind, why: "has characters other than visible ASCII" });
    }
    Ok(())
}

fn slug(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut gap = false;
    // Of the whole name: how a letter is written may depend on where it stands.
    for letter in name.to_lowercase().chars() {
        if letter.is_alphanumeric() {
            if gap && !out.is_empty() {
                out.push('-');
            }
            gap = false;
            out.push(letter);
        } else {
            gap = true;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_ids_refuse_what_they_must() {
        for bad in ["", " ", "a b", "caf\u{e9}", "a\0", &"x".repeat(129)] {
            assert!(MessageId::new(bad).is_err(), "{bad:?}");
        }
        assert_eq!(MessageId::new("a1b2-_").unwrap().as_str(), "a1b2-_");
    }

    #[test]
    fn ids_from_names_keep_letters_and_digits_of_every_script() {
        for (name, id) in [
            ("My World", "my-world"),
            ("  --Ünïcode 42!! ", "ünïcode-42"),
            ("東京 タワー", "東京-タワー"),
            ("İstanbul", "i-stanbul"),
            ("ΟΔΟΣ", "οδος"),
        ] {
            assert_eq!(WorldId::from_name(name).unwrap().as_str(), id);
        }
        assert!(WorldId::from_name("!!!").is_err());
    }

    #[test]
    fn an_id_made_from_a_name_parses_again() {
        for name in ["My World", "İstanbul", "ß", "ǅ", "ΟΔΟΣ 1"] {
            let made = WorldId::from_name(name).unwrap();
            assert_eq!(WorldId::new(made.as_str()).unwrap(), made);
        }
    }
}
