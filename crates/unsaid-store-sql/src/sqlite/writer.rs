//! The one writer: a thread that commits waiting changes together.
//!
//! A change that comes alone is committed at once. While the disk is busy with a commit, further
//! changes gather, and the next commit takes them all: one wait for the disk, however many writers.
//! Each change has a savepoint of its own, so that one that fails leaves the others whole.
//!
//! After words were erased the WAL still holds them: the writer truncates it in the next quiet
//! moment, and after [`SCRUB_SECONDS_MAX`] even while changes wait. It tries again while a reader is
//! in the way; under load it waits for readers too, the longer the later it is. A predecessor may
//! have left something in the WAL, so the first quiet moment after the start is used as well.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;
use tokio::sync::oneshot;
use unsaid_core::port::error::StoreError;

use super::{
    Options,
    connection::SqliteDb,
    failure::{commit_error, store_error},
    open::{OpenError, wait_for_others},
};

/// Changes in one commit; keeps the transaction, and what a crash undoes, small.
const CHANGES_PER_COMMIT_MAX: usize = 256;
/// Under load erased words may stay in the WAL for so long; then changes wait for the scrub.
const SCRUB_SECONDS_MAX: u64 = 5;
/// Under load it is tried so often from then on.
const SCRUB_PAUSE_SECONDS: u64 = 1;
/// How long changes wait for readers: this share of the time that the words are overdue.
const SCRUB_PATIENCE_SHARE: u32 = 100;
/// A moment is quiet when so long nothing was changed; also the pause before the next try.
const SCRUB_QUIET_MILLIS: u64 = 100;

pub(super) struct Writer {
    queue: SyncSender<Box<dyn Job>>,
    commits: Arc<AtomicU64>,
}

impl Writer {
    pub(super) fn start(connection: Connection, options: &Options) -> Result<Self, OpenError> {
        let (queue, jobs) = sync_channel(options.writes_waiting_max);
        let commits = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&commits);
        thread::Builder::new().name("unsaid-writer".to_owned()).spawn(move || {
            let unscrubbed = Some(Unscrubbed::now());
            Loop { db: SqliteDb::new(connection), jobs, commits: counter, unscrubbed }.run();
        })?;
        Ok(Self { queue, commits })
    }

    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    pub(super) async fn run<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnOnce(&SqliteDb) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let change = Pending { work: Some(work), result: None, reply };
        self.queue.try_send(Box::new(change)).map_err(|error| {
            StoreError::Unavailable(match error {
                TrySendError::Full(_) => "too many changes are waiting".to_owned(),
                TrySendError::Disconnected(_) => "the writer has stopped".to_owned(),
            })
        })?;
        answer.await.map_err(|_| StoreError::Uncertain("the writer has stopped".to_owned()))?
    }
}

/// A change that waits for its commit.
trait Job: Send {
    /// Does the work; whether it succeeded.
    fn run(&mut self, db: &SqliteDb) -> bool;
    /// Tells the caller, once the commit has come back.
    fn settle(self: Box<Self>, commit: Result<(), StoreError>);
}

struct Pending<T, W> {
    work: Option<W>,
    result: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, W> Job for Pending<T, W>
where
    T: Send,
    W: FnOnce(&SqliteDb) -> Result<T, StoreError> + Send,
{
    fn run(&mut self, db: &SqliteDb) -> bool {
        let result = self.work.take().map(|work| work(db));
        let succeeded = matches!(result, Some(Ok(_)));
        self.result = result;
        succeeded
    }

    fn settle(self: Box<Self>, commit: Result<(), StoreError>) {
        let result = match (self.result, commit) {
            // A change that failed by itself says so; the others share the fate of the commit.
            (Some(result), commit) => result.and_then(|done| commit.map(|()| done)),
            (None, Err(error)) => Err(error),
            (None, Ok(())) => Err(StoreError::Unavailable("nothing was done".to_owned())),
        };
        if self.reply.send(result).is_err() {
            tracing::debug!("the caller of a change has gone");
        }
    }
}

struct Loop {
    db: SqliteDb,
    jobs: Receiver<Box<dyn Job>>,
    commits: Arc<AtomicU64>,
    unscrubbed: Option<Unscrubbed>,
}

/// Words that were erased may still be in the WAL.
#[derive(Clone, Copy)]
struct Unscrubbed {
    since: Instant,
    /// When changes have to wait for the scrub.
    due: Instant,
}

impl Unscrubbed {
    fn now() -> Self {
        let since = now();
        Self { since, due: since + Duration::from_secs(SCRUB_SECONDS_MAX) }
    }
}

impl Loop {
    fn run(mut self) {
        while let Some(job) = self.next() {
            self.commit_together(job);
        }
        if self.unscrubbed.is_some() && !self.scrub(Duration::ZERO) {
            tracing::warn!("erased words stay in the write-ahead log until the next start");
        }
    }

    /// The next change. Scrubs while there is none, or when it is high time.
    fn next(&mut self) -> Option<Box<dyn Job>> {
        loop {
            if self.unscrubbed.is_none() {
                return self.jobs.recv().ok();
            }
            match self.jobs.recv_timeout(Duration::from_millis(SCRUB_QUIET_MILLIS)) {
                Ok(job) => {
                    self.scrub_if_due();
                    return Some(job);
                }
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    self.scrub(Duration::ZERO);
                }
            }
        }
    }

    fn commit_together(&mut self, first: Box<dyn Job>) {
        let begun = self.statement("BEGIN IMMEDIATE").map_err(|e| store_error(&e));
        if let Err(error) = begun {
            first.settle(Err(error));
            return;
        }
        let mut batch = Vec::new();
        let mut next = Some(first);
        while let Some(mut job) = next {
            let alive = if batch.is_empty() {
                self.run_first(job.as_mut())
            } else {
                self.run_apart(job.as_mut())
            };
            batch.push(job);
            let room = alive && batch.len() < CHANGES_PER_COMMIT_MAX;
            next = if room { self.jobs.try_recv().ok() } else { None };
        }
        let outcome = self.finish();
        if outcome.is_ok() && self.db.take_erased() {
            self.unscrubbed.get_or_insert_with(Unscrubbed::now);
        }
        for job in batch {
            job.settle(outcome.clone());
        }
    }

    /// Runs a change that has the transaction to itself so far: no savepoint is needed.
    fn run_first(&self, job: &mut dyn Job) -> bool {
        job.run(&self.db)
            || self.statement("ROLLBACK").and_then(|()| self.statement("BEGIN IMMEDIATE")).is_ok()
    }

    /// Runs a change inside its savepoint; `false` if the whole transaction is gone.
    fn run_apart(&self, job: &mut dyn Job) -> bool {
        if self.statement("SAVEPOINT change").is_err() {
            return false;
        }
        if !job.run(&self.db) && self.statement("ROLLBACK TO change").is_err() {
            return false;
        }
        self.statement("RELEASE change").is_ok()
    }

    fn finish(&self) -> Result<(), StoreError> {
        if self.db.connection().is_autocommit() {
            // SQLite has rolled back by itself: out of room, or the disk failed.
            return Err(self.cause_of_rollback());
        }
        let committed = self.statement("COMMIT").map_err(|e| commit_error(&e));
        match committed {
            Ok(()) => {
                self.commits.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Err(error) => {
                tracing::error!(kind = error.name(), %error, "commit failed");
                if let Err(error) = self.statement("ROLLBACK") {
                    tracing::debug!(error = %store_error(&error), "nothing to roll back");
                }
                Err(error)
            }
        }
    }

    /// Asks the disk once more what is wrong, so that callers hear `Full` when it is full.
    fn cause_of_rollback(&self) -> StoreError {
        let probe = self
            .statement("BEGIN IMMEDIATE")
            .and_then(|()| {
                self.statement("INSERT INTO probe (id, at) VALUES (1, 0) ON CONFLICT (id) DO UPDATE SET at = at + 1")
            })
            .and_then(|()| self.statement("COMMIT"));
        match probe {
            Ok(()) => StoreError::Unavailable("the transaction was rolled back".to_owned()),
            Err(error) => {
                let error = store_error(&error);
                if !self.db.connection().is_autocommit() && self.statement("ROLLBACK").is_err() {
                    tracing::debug!("nothing to roll back");
                }
                error
            }
        }
    }

    /// Scrubs between changes when it is high time. Once all is in the file, new readers do not
    /// need the WAL any more: it is enough to wait for those that are under way.
    fn scrub_if_due(&mut self) {
        let Some(Unscrubbed { since, due }) = self.unscrubbed else { return };
        if now() >= due && !self.scrub(since.elapsed() / SCRUB_PATIENCE_SHARE) {
            let due = now() + Duration::from_secs(SCRUB_PAUSE_SECONDS);
            self.unscrubbed = Some(Unscrubbed { since, due });
        }
    }

    /// Empties the WAL into the file; `false` while a reader still needs it.
    fn scrub(&mut self, patience: Duration) -> bool {
        match checkpoint(&mut self.db.connection(), patience) {
            Ok(0) => {
                self.unscrubbed = None;
                true
            }
            Ok(_) => false,
            Err(error) => {
                tracing::warn!(error = %store_error(&error), "the write-ahead log could not be emptied");
                false
            }
        }
    }

    fn statement(&self, sql: &str) -> rusqlite::Result<()> {
        self.db.connection().prepare_cached(sql)?.execute([]).map(|_| ())
    }
}

/// Whether a reader was in the way for so long; changes wait meanwhile.
fn checkpoint(connection: &mut Connection, patience: Duration) -> rusqlite::Result<i64> {
    connection.busy_timeout(patience)?;
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    wait_for_others(connection)?;
    busy
}

#[expect(clippy::disallowed_methods, reason = "measures a duration, not a point in time")]
fn now() -> Instant {
    Instant::now()
}
