//! Keeping the write-ahead log short.
//!
//! SQLite would bring it into the file inside the commit that makes it too long, and whoever made that
//! commit would wait. Here that is done when nobody waits; under load only once it is several times as
//! long.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rusqlite::Connection;

use super::Tidied;
use crate::sqlite::failure::store_error;

/// From so many pages on it is brought into the file in the next quiet moment.
const PAGES_LONG: usize = 1_000;
/// From so many on changes wait for that.
const PAGES_MAX: usize = 4 * PAGES_LONG;
/// A moment is quiet when so long nothing was changed.
const QUIET: Duration = Duration::from_millis(5);

/// Knows how long the log is.
pub(super) struct LogLength {
    pages: Arc<AtomicUsize>,
    /// How long it was when it was last brought into the file; a reader may have kept it from being
    /// begun anew.
    tried: usize,
}

impl LogLength {
    /// Measures what a connection writes from now on; SQLite does nothing about it any more.
    pub(super) fn of(connection: &mut Connection) -> rusqlite::Result<Self> {
        let pages = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&pages);
        connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
            seen.store(usize::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(Self { pages, tried: 0 })
    }

    /// After how much quiet to bring it into the file; `None` if it is short.
    pub(super) fn wants_quiet_of(&mut self) -> Option<Duration> {
        (self.since_tried() >= PAGES_LONG).then_some(QUIET)
    }

    /// Whether changes have to wait for that.
    pub(super) fn is_too_long(&mut self) -> bool {
        self.since_tried() >= PAGES_MAX
    }

    /// Brings it into the file, as far as no reader needs what is there.
    pub(super) fn shorten(&mut self, connection: &Connection) -> Tidied {
        self.tried = self.pages.load(Ordering::Relaxed);
        let done = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        let Err(error) = done else { return Tidied::Well };
        let error = store_error(&error);
        tracing::warn!(%error, "the write-ahead log could not be brought into the file");
        Tidied::DiskFailed
    }

    /// How much was written since; all of it, if the log was begun anew.
    fn since_tried(&mut self) -> usize {
        let pages = self.pages.load(Ordering::Relaxed);
        if pages < self.tried {
            self.tried = 0;
        }
        pages - self.tried
    }
}
