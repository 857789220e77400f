//! What may be asked of a conversation in a bucket, and what is answered.

use unsaid_core::{
    domain::{
        id::{MediaKey, MessageId},
        time::Timestamp,
    },
    port::history::{Commit, Committed},
};

/// One thing that is asked. All of them go through the conversation's lane and share its writes.
#[derive(Debug, Clone)]
pub(crate) enum Ask {
    /// A change of the specification.
    Commit(Box<Commit>),
    /// What time has closed goes, as far as it is worth a write.
    Expire(Timestamp),
    /// A file whose bytes are in the bucket belongs to a message.
    Bind(Bind),
    /// The conversation goes altogether.
    Drop,
    /// Objects that were seen and that nobody names are about to be deleted.
    Clean {
        /// All that were seen.
        seen: Vec<String>,
    },
}

/// A file for a message.
#[derive(Debug, Clone)]
pub(crate) struct Bind {
    pub(crate) key: MediaKey,
    pub(crate) message: MessageId,
    pub(crate) mime: String,
    pub(crate) object: String,
    /// How often the conversation had been cleaned before the bytes were written.
    pub(crate) cleanings: u64,
}

/// Whether a file has its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// It has.
    Yes,
    /// There is no such message, or the key is taken.
    No,
    /// A cleaning came between; its bytes may be gone.
    Again {
        /// How often the conversation has been cleaned by now.
        cleanings: u64,
    },
}

/// What was done.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Committed(Committed),
    Swept(bool),
    Bound(Bound),
    /// These objects are to be deleted.
    Cleaned(Vec<String>),
}
