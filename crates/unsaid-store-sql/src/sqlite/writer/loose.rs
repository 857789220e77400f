//! Commits that did not wait for the disk, and a disk that then fails.
//!
//! Such a commit stands in the write-ahead log and perhaps nowhere else; the next wait for the disk
//! covers it. If that wait fails, the system may let go of what it could not write, and a later wait
//! says nothing of it: whatever was acknowledged behind such a gap would be lost with the power. So
//! first all that is in the log is brought into the file, and the log is begun anew.

use std::time::Duration;

use rusqlite::Connection;
use unsaid_core::port::error::StoreError;

use super::scrub::checkpoint;
use crate::sqlite::failure::store_error;

/// How long changes wait for readers of the old log.
const PATIENCE: Duration = Duration::from_millis(250);

/// What may stand in the log without having been waited for. It is not taken note of that a later wait
/// has covered it: a commit that had nothing to write does not wait, and nobody is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loose {
    /// Nothing.
    Nothing,
    /// Something, perhaps.
    Something,
    /// Something, perhaps, and a wait for the disk has failed since.
    Doubtful,
}

impl Loose {
    /// A commit came back that did not wait for the disk.
    pub(super) fn committed(&mut self) {
        match self {
            Self::Nothing => *self = Self::Something,
            Self::Something | Self::Doubtful => {}
        }
    }

    /// The disk did not do what it was asked.
    pub(super) fn disk_failed(&mut self) {
        match self {
            Self::Nothing => {}
            Self::Something | Self::Doubtful => *self = Self::Doubtful,
        }
    }

    /// Makes sure that whatever is committed next has all before it on the disk.
    pub(super) fn mend(&mut self, connection: &mut Connection) -> Result<(), StoreError> {
        if *self != Self::Doubtful {
            return Ok(());
        }
        match checkpoint(connection, PATIENCE) {
            Ok(0) => {
                tracing::info!("the write-ahead log was begun anew after the disk had failed");
                *self = Self::Nothing;
                Ok(())
            }
            Ok(_) => {
                Err(StoreError::Unavailable("the log of a failed disk is being read".to_owned()))
            }
            Err(error) => Err(store_error(&error)),
        }
    }
}
