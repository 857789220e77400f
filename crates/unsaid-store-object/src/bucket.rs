//! A place for objects: named bytes with versions.
//!
//! **Guarantees.** A put that came back is durable and whole; nobody ever reads half of one. A put
//! that expects something takes place only if that is so at its moment. A read after a put that came
//! back gives what was put, or what came after it.

pub mod cloud;
pub mod directory;
pub mod inspect;
pub mod memory;
mod name;
pub mod place;
mod retry;

use async_trait::async_trait;
use bytes::Bytes;

pub use retry::{jittered, retry};

/// Which state of an object. It means something to the bucket that gave it, and to nobody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The entity tag, where there is one.
    pub e_tag: Option<String>,
    /// The generation, where there is one.
    pub generation: Option<String>,
}

/// What a put expects to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
    /// No such object.
    Absent,
    /// The object in this state.
    Version(Version),
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// No such object.
    Absent,
    /// The state that the caller knows.
    Unchanged,
    /// Another state.
    Object {
        /// All of it.
        bytes: Bytes,
        /// Which state.
        version: Version,
    },
}

/// What became of a put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Put {
    /// It took place; the object is in this state now.
    Done(Version),
    /// What it expected is not so (any more). After a lost answer this may be the caller's own
    /// write: look.
    Stale,
}

/// An object in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its state, as far as the list tells.
    pub version: Version,
    /// How large it is.
    pub bytes: u64,
}

/// Why a bucket did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BucketError {
    /// Nothing was written: refused, or never reached.
    #[error("bucket unavailable: {0}")]
    Away(String),
    /// It may have been written: the answer was lost.
    #[error("bucket did not confirm: {0}")]
    Uncertain(String),
    /// Nothing was written; try again later: too many calls for this object.
    #[error("bucket wants fewer calls")]
    Busy,
    /// Nothing was written; there is no room left.
    #[error("bucket full")]
    Full,
}

/// How an [`BucketError::Away`] begins that lasts.
const REFUSED: &str = "refused";

impl BucketError {
    /// Nothing was written, and asking again does not help.
    fn refused(why: &str) -> Self {
        Self::Away(format!("{REFUSED}: {why}"))
    }

    /// Whether to ask again may help: what is refused or full stays so until somebody mends it.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Away(why) => !why.starts_with(REFUSED),
            Self::Uncertain(_) | Self::Busy => true,
            Self::Full => false,
        }
    }
}

/// See the module. Names are relative to the place and made of `/`-separated pieces, none of them
/// empty, `.` or `..`. No name continues another with a `/`: a directory cannot hold both.
#[async_trait]
pub trait Bucket: Send + Sync {
    /// Reads an object; with a known state, only if it has another one.
    async fn get(&self, name: &str, known: Option<&Version>) -> Result<Found, BucketError>;

    /// Reads the first bytes of an object; fewer if it is shorter.
    async fn get_start(&self, name: &str, bytes: u64) -> Result<Option<Bytes>, BucketError>;

    /// Writes an object if it is as expected. Tries once: whoever calls knows what a second try
    /// means.
    async fn put(&self, name: &str, bytes: Bytes, expect: &Expect) -> Result<Put, BucketError>;

    /// Deletes an object; one that is not there is deleted already.
    async fn delete(&self, name: &str) -> Result<(), BucketError>;

    /// All objects whose names begin with these pieces (`history/`), ordered by name.
    async fn list(&self, prefix: &str) -> Result<Vec<Listed>, BucketError>;
}
