//! Why a database is not opened.

/// Why a database could not be opened.
#[derive(Debug)]
pub enum OpenError {
    /// A newer program has written it.
    Newer {
        /// Its version.
        found: u32,
        /// The newest this program knows.
        known: u32,
    },
    /// It is not what this program writes.
    Damaged(String),
    /// It cannot be read or written.
    Io(String),
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Newer { found, known } => write!(
                f,
                "the database has version {found}, but this program knows only up to {known}"
            ),
            Self::Damaged(what) => write!(f, "the database is damaged: {what}"),
            Self::Io(what) => write!(f, "the database cannot be used: {what}"),
        }
    }
}

impl std::error::Error for OpenError {}

/// A program must not touch what a newer one has written.
pub(crate) fn refuse_newer(found: u32, known: u32) -> Result<(), OpenError> {
    if found > known { Err(OpenError::Newer { found, known }) } else { Ok(()) }
}
