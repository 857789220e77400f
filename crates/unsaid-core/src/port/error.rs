//! What can go wrong in a store.

/// A failure of a store: not a refusal, and not an absence.
///
/// It names what a caller can do about it. The detail is for the log; it holds names of things,
/// never words of people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Somebody else changed the same thing meanwhile; begin again from a fresh read.
    #[error("changed by somebody else meanwhile")]
    Conflict,
    /// Nothing was written; the store cannot be reached or used right now.
    #[error("storage unavailable: {0}")]
    Unavailable(String),
    /// The write may or may not have happened; look before trying again.
    #[error("storage did not confirm: {0}")]
    Uncertain(String),
    /// What was read cannot be what was written.
    #[error("stored data is damaged at {at}: {what}")]
    Corrupt {
        /// Table, object or column.
        at: String,
        /// What is wrong there.
        what: String,
    },
    /// Nothing was written; there is no room left.
    #[error("storage full")]
    Full,
}

impl StoreError {
    /// A short stable name for logs and metrics.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Conflict => "conflict",
            Self::Unavailable(_) => "unavailable",
            Self::Uncertain(_) => "uncertain",
            Self::Corrupt { .. } => "corrupt",
            Self::Full => "full",
        }
    }
}

/// Damage found at a place.
#[expect(clippy::needless_pass_by_value, reason = "errors are handed over whole, by map_err")]
pub fn corrupt(at: impl Into<String>, what: impl ToString) -> StoreError {
    StoreError::Corrupt { at: at.into(), what: what.to_string() }
}
