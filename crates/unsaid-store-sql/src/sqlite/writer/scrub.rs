//! Getting erased words out of the write-ahead log.

use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::Tidied;
use crate::sqlite::{failure::store_error, open::wait_for_others};

/// Under load erased words may stay in the log for so long; then changes wait for the scrub.
const OVERDUE_AFTER: Duration = Duration::from_secs(5);
/// Under load it is tried so often from then on.
const PAUSE_UNDER_LOAD: Duration = Duration::from_secs(1);
/// How long changes wait for readers: this share of the time that the words are overdue.
const PATIENCE_SHARE: u32 = 100;
/// A moment is quiet when so long nothing was changed; also the pause before the next try.
const QUIET: Duration = Duration::from_millis(100);
/// The pause when the disk failed.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(5);
/// How long the last scrub waits for readers.
const PATIENCE_AT_THE_END: Duration = Duration::from_millis(500);

/// Knows since when erased words may be in the log, and empties it.
pub(super) struct Scrubber {
    unscrubbed: Option<Unscrubbed>,
    failing: bool,
}

#[derive(Clone, Copy)]
struct Unscrubbed {
    since: Instant,
    /// When changes have to wait for the scrub.
    due: Instant,
}

impl Scrubber {
    /// A predecessor may have left something in the log.
    pub(super) fn new() -> Self {
        let mut scrubber = Self { unscrubbed: None, failing: false };
        scrubber.words_were_erased();
        scrubber
    }

    pub(super) fn words_were_erased(&mut self) {
        let since = now();
        self.unscrubbed.get_or_insert(Unscrubbed { since, due: since + OVERDUE_AFTER });
    }

    /// After how much quiet to scrub; `None` if there is nothing to do.
    pub(super) fn wants_quiet_of(&self) -> Option<Duration> {
        let pause = if self.failing { PAUSE_AFTER_FAILURE } else { QUIET };
        self.unscrubbed.map(|_| pause)
    }

    /// Nobody changes anything right now.
    pub(super) fn in_quiet(&mut self, connection: &mut Connection) -> Tidied {
        self.scrub(connection, Duration::ZERO)
    }

    /// Between changes, when it is high time. Once all is in the file, new readers do not need the
    /// log any more: it is enough to wait for those that are under way.
    pub(super) fn between_changes(&mut self, connection: &mut Connection) -> Tidied {
        let Some(Unscrubbed { since, due }) = self.unscrubbed else { return Tidied::Well };
        if now() < due {
            return Tidied::Well;
        }
        let done = self.scrub(connection, since.elapsed() / PATIENCE_SHARE);
        if let Some(unscrubbed) = &mut self.unscrubbed {
            unscrubbed.due = now() + PAUSE_UNDER_LOAD;
        }
        done
    }

    /// Before the connection is closed.
    pub(super) fn at_the_end(&mut self, connection: &mut Connection) {
        if self.unscrubbed.is_some() {
            self.scrub(connection, PATIENCE_AT_THE_END);
        }
        if self.unscrubbed.is_some() {
            tracing::warn!("erased words stay in the write-ahead log until the next start");
        }
    }

    fn scrub(&mut self, connection: &mut Connection, patience: Duration) -> Tidied {
        match checkpoint(connection, patience) {
            Ok(busy) => {
                if self.failing {
                    tracing::info!("the write-ahead log can be emptied again");
                }
                self.failing = false;
                if busy == 0 {
                    self.unscrubbed = None;
                }
                Tidied::Well
            }
            Err(error) => {
                if !self.failing {
                    let error = store_error(&error);
                    tracing::warn!(%error, "the write-ahead log could not be emptied");
                }
                self.failing = true;
                Tidied::DiskFailed
            }
        }
    }
}

/// Whether a reader was in the way for so long; changes wait meanwhile.
pub(super) fn checkpoint(connection: &mut Connection, patience: Duration) -> rusqlite::Result<i64> {
    connection.busy_timeout(patience)?;
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    wait_for_others(connection)?;
    busy
}

#[expect(clippy::disallowed_methods, reason = "measures a duration, not a point in time")]
fn now() -> Instant {
    Instant::now()
}
