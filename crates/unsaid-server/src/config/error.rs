//! What can be wrong with a configuration. No value is ever repeated: it may be a secret.

use std::fmt;
use std::path::PathBuf;

/// What is wrong, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no such key.
    #[error("unknown key `{key}` {origin}; the nearest known one is `{nearest}`")]
    Unknown {
        /// What was written.
        key: String,
        /// Where.
        origin: Origin,
        /// What was probably meant.
        nearest: String,
    },
    /// The key is right, the value is not.
    #[error("`{key}` {origin} must be {expected}")]
    Bad {
        /// The key.
        key: String,
        /// Where its value came from.
        origin: Origin,
        /// What would be right.
        expected: String,
    },
    /// Two settings do not go together.
    #[error("{0}")]
    Clash(String),
    /// The file cannot be read.
    #[error("cannot read {}: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The file is not TOML.
    #[error("{} is not valid TOML at line {line}: {why}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where, from 1.
        line: usize,
        /// Why.
        why: String,
    },
}

/// Where a setting came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// It is compiled in.
    Default,
    /// A file.
    File(PathBuf),
    /// A variable of the environment.
    Environment(String),
    /// The command line.
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("by default"),
            Self::File(path) => write!(f, "in {}", path.display()),
            Self::Environment(name) => write!(f, "from the environment ({name})"),
            Self::Flag => f.write_str("among the flags"),
        }
    }
}
