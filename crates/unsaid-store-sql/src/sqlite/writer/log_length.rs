//! Keeping the write-ahead log short.
//!
//! SQLite would bring it into the file inside the commit that makes it too long, and whoever made that
//! commit would wait. Here a thread beside the writer does that, with a connection of its own, while
//! the writer goes on: SQLite begins the log anew with the first commit that finds all of it in the
//! file. Only if changes come so fast that none ever does, they wait.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

use rusqlite::Connection;

use super::{OpenError, Tidied};
use crate::sqlite::failure::store_error;

/// Every so many pages it is brought into the file beside the writer.
const PAGES_LONG: usize = 1_000;
/// From so many on changes wait for that.
const PAGES_MAX: usize = 4 * PAGES_LONG;

/// Knows how long the log is.
pub(super) struct LogLength {
    pages: Arc<AtomicUsize>,
    /// Where the log ended when the helper was last asked.
    asked: Mark,
    /// Where it ended when changes last waited; a reader may have kept it from being begun anew.
    waited: Mark,
    helper: Helper,
}

impl LogLength {
    /// Measures what a connection writes from now on; SQLite does nothing about it any more. The other
    /// connection is for the thread.
    pub(super) fn of(connection: &mut Connection, beside: Connection) -> Result<Self, OpenError> {
        let pages = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&pages);
        connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
            seen.store(usize::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        }))?;
        let helper = Helper::start(beside)?;
        Ok(Self { pages, asked: Mark::default(), waited: Mark::default(), helper })
    }

    /// Has it brought into the file beside the writer, if it is long.
    pub(super) fn ask_if_long(&mut self) {
        let pages = self.pages.load(Ordering::Relaxed);
        if self.asked.passed_by(pages) >= PAGES_LONG && self.helper.ask() {
            self.asked = Mark(pages);
        }
    }

    /// Whether changes have to wait until it is in the file.
    pub(super) fn is_too_long(&mut self) -> bool {
        self.waited.passed_by(self.pages.load(Ordering::Relaxed)) >= PAGES_MAX
    }

    /// Brings it into the file, as far as no reader needs what is there.
    pub(super) fn shorten(&mut self, connection: &Connection) -> Tidied {
        self.waited = Mark(self.pages.load(Ordering::Relaxed));
        bring_into_file(connection)
    }

    /// How it went beside the writer since this was last asked.
    pub(super) fn beside(&self) -> Tidied {
        if self.helper.failed.swap(false, Ordering::Relaxed) {
            Tidied::DiskFailed
        } else {
            Tidied::Well
        }
    }
}

/// A length that the log had.
#[derive(Clone, Copy, Default)]
struct Mark(usize);

impl Mark {
    /// How much was written since; all of it, if the log was begun anew.
    fn passed_by(&mut self, pages: usize) -> usize {
        if pages < self.0 {
            self.0 = 0;
        }
        pages - self.0
    }
}

/// The thread beside the writer. Dropping it waits for its end.
struct Helper {
    asks: Option<SyncSender<()>>,
    failed: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Helper {
    fn start(connection: Connection) -> Result<Self, OpenError> {
        let (asks, asked) = sync_channel(1);
        let failed = Arc::new(AtomicBool::new(false));
        let failing = Arc::clone(&failed);
        let thread = thread::Builder::new()
            .name("unsaid-log".to_owned())
            .spawn(move || help(&connection, &asked, &failing))?;
        Ok(Self { asks: Some(asks), failed, thread: Some(thread) })
    }

    /// Whether it will do it; it may have more than enough to do.
    fn ask(&self) -> bool {
        self.asks.as_ref().is_some_and(|asks| asks.try_send(()).is_ok())
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.asks = None;
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread beside the writer has panicked");
        }
    }
}

fn help(connection: &Connection, asked: &Receiver<()>, failed: &AtomicBool) {
    while asked.recv().is_ok() {
        match bring_into_file(connection) {
            Tidied::Well => {}
            Tidied::DiskFailed => failed.store(true, Ordering::Relaxed),
        }
    }
}

/// Whether everything is in the file afterwards depends on who reads and writes meanwhile.
fn bring_into_file(connection: &Connection) -> Tidied {
    let done = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    let Err(error) = done else { return Tidied::Well };
    let error = store_error(&error);
    tracing::warn!(%error, "the write-ahead log could not be brought into the file");
    Tidied::DiskFailed
}
