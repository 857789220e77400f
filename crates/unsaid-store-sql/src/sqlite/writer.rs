//! The one writer: a thread that commits waiting changes together.
//!
//! A change that comes alone is committed at once. While the disk is busy with a commit, further
//! changes gather, and the next commit takes them all: one wait for the disk, however many writers.
//! A change that fails is rolled back by itself and leaves the others whole.
//!
//! A change that may be lost with the power (`Lasts`) does not wait for the disk unless it comes
//! together with one that may not: the log is written in order, so the next wait covers it. If that
//! wait fails, nothing is acknowledged before the log was begun anew (`loose`).
//!
//! After words were erased the write-ahead log still holds them: the writer empties it in the next
//! quiet moment, and under load after a while even though changes wait (`scrub`). Dropping the
//! writer ends the thread, with what was queued and a last scrub.

mod job;
mod log_length;
mod loose;
mod scrub;

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{
            Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel,
        },
    },
    thread,
    time::Duration,
};

use rusqlite::Connection;
use unsaid_core::port::error::StoreError;

pub(super) use self::job::Lasts;
use self::{
    job::{Job, Pending},
    log_length::LogLength,
    loose::Loose,
    scrub::Scrubber,
};
use super::{
    OpenError, Options,
    connection::SqliteDb,
    failure::{commit_error, store_error},
};

/// Changes in one commit.
const CHANGES_PER_COMMIT_MAX: usize = 256;
/// Looks into the queue, some tens of microseconds in all, before the thread sleeps.
const LOOKS_BEFORE_SLEEP: usize = 100;
/// How long the end waits for the thread: a disk that hangs must not hold up the process.
const END_WITHIN: Duration = Duration::from_secs(2);

pub(super) struct Writer {
    queue: Option<SyncSender<Box<dyn Job>>>,
    commits: Arc<AtomicU64>,
    /// Closed by the thread when it is done.
    ended: Mutex<Receiver<()>>,
}

impl Writer {
    pub(super) fn start(mut connection: Connection, options: &Options) -> Result<Self, OpenError> {
        let (queue, jobs) = sync_channel(options.writes_waiting_max);
        let (ending, ended) = channel();
        let commits = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&commits);
        let log = LogLength::of(&mut connection)?;
        let disk = if options.durable { Disk::Waited } else { Disk::Never };
        thread::Builder::new().name("unsaid-writer".to_owned()).spawn(move || {
            let db = SqliteDb::new(connection);
            let (waiting, scrubber) = (VecDeque::new(), Scrubber::new());
            let loose = Loose::Nothing;
            Loop { db, jobs, waiting, commits: counter, scrubber, log, disk, loose }.run(ending);
        })?;
        Ok(Self { queue: Some(queue), commits, ended: Mutex::new(ended) })
    }

    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    pub(super) async fn run<T, W>(&self, lasts: Lasts, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnOnce(&SqliteDb) -> Result<T, StoreError> + Send + 'static,
    {
        let (change, answer) = Pending::new(lasts, work);
        let stopped = || StoreError::Unavailable("the writer has stopped".to_owned());
        let queue = self.queue.as_ref().ok_or_else(stopped)?;
        queue.try_send(Box::new(change)).map_err(|error| match error {
            TrySendError::Full(_) => {
                StoreError::Unavailable("too many changes are waiting".to_owned())
            }
            TrySendError::Disconnected(_) => stopped(),
        })?;
        answer.await.map_err(|_| StoreError::Uncertain("the writer has stopped".to_owned()))?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if ended.recv_timeout(END_WITHIN) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!("the writer is left behind: the disk does not answer");
        }
    }
}

struct Loop {
    db: SqliteDb,
    jobs: Receiver<Box<dyn Job>>,
    /// Taken from the queue, and not yet begun.
    waiting: VecDeque<Box<dyn Job>>,
    commits: Arc<AtomicU64>,
    scrubber: Scrubber,
    log: LogLength,
    disk: Disk,
    loose: Loose,
}

/// Whether commits wait for the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Disk {
    /// The next one does.
    Waited,
    /// The next one does not.
    Left,
    /// None ever does: see [`Options::durable`].
    Never,
}

/// How tidying the log went.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tidied {
    /// Nothing failed, whether or not anything was done.
    Well,
    DiskFailed,
}

/// Whether the transaction can still be committed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transaction {
    Whole,
    Broken,
}

impl Loop {
    fn run(mut self, ending: Sender<()>) {
        while let Some(job) = self.next() {
            self.commit_together(job);
        }
        self.scrubber.at_the_end(&mut self.db.connection());
        // The connection is closed before anybody is told.
        drop(self);
        drop(ending);
    }

    /// The next change. Tidies the log while there is none, or when it is high time.
    fn next(&mut self) -> Option<Box<dyn Job>> {
        let next = self.waiting.pop_front().or_else(|| self.soon());
        let next = match next {
            Some(job) => Some(job),
            None => self.wait(),
        };
        if next.is_some() {
            let done = self.scrubber.between_changes(&mut self.db.connection());
            self.note(done);
            if self.log.is_too_long() {
                self.shorten_log();
            }
        }
        next
    }

    fn wait(&mut self) -> Option<Box<dyn Job>> {
        loop {
            let (long, erased) = (self.log.wants_quiet_of(), self.scrubber.wants_quiet_of());
            let Some(quiet) = long.or(erased) else {
                return self.jobs.recv().ok();
            };
            match self.jobs.recv_timeout(quiet) {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if long.is_some() => self.shorten_log(),
                Err(RecvTimeoutError::Timeout) => {
                    let done = self.scrubber.in_quiet(&mut self.db.connection());
                    self.note(done);
                }
            }
        }
    }

    fn shorten_log(&mut self) {
        let done = self.log.shorten(&self.db.connection());
        self.note(done);
    }

    /// Tidying the log waits for the disk, too.
    fn note(&mut self, done: Tidied) {
        match done {
            Tidied::Well => {}
            Tidied::DiskFailed => self.loose.disk_failed(),
        }
    }

    /// A change that comes right after another, as most do: falling asleep and being woken would
    /// cost as much as half a commit.
    fn soon(&self) -> Option<Box<dyn Job>> {
        (0..LOOKS_BEFORE_SLEEP).find_map(|_| {
            thread::yield_now();
            self.jobs.try_recv().ok()
        })
    }

    fn commit_together(&mut self, first: Box<dyn Job>) {
        self.waiting.push_front(first);
        let room = CHANGES_PER_COMMIT_MAX.saturating_sub(self.waiting.len());
        self.waiting.extend(self.jobs.try_iter().take(room));
        let must_last = self.waiting.iter().any(|job| job.lasts() == Lasts::Always);
        if let Err(error) = self.begin(must_last) {
            return self.refuse_all(&error);
        }
        let mut batch = Vec::new();
        let mut next = self.waiting.pop_front();
        let mut state = Transaction::Whole;
        while let Some(mut job) = next {
            state = if batch.is_empty() {
                self.run_first(job.as_mut())
            } else {
                self.run_apart(job.as_mut())
            };
            batch.push(job);
            let room = state == Transaction::Whole && batch.len() < CHANGES_PER_COMMIT_MAX;
            next = if room { self.one_more(must_last) } else { None };
        }
        let outcome = self.finish(state);
        if self.db.take_erased() {
            self.scrubber.words_were_erased();
        }
        for job in batch {
            job.settle(outcome.clone());
        }
    }

    fn begin(&mut self, must_last: bool) -> Result<(), StoreError> {
        self.loose.mend(&mut self.db.connection())?;
        let begun = self.wait_for_disk(must_last).and_then(|()| self.statement("BEGIN IMMEDIATE"));
        begun.map_err(|error| store_error(&error))
    }

    /// Another change for a commit that is under way. One that must last may not join if that does not.
    fn one_more(&mut self, must_last: bool) -> Option<Box<dyn Job>> {
        let waiting = self.waiting.pop_front();
        if must_last { waiting.or_else(|| self.jobs.try_recv().ok()) } else { waiting }
    }

    /// Another process holds the file, or the disk fails: whoever waits hears it now, not one after the
    /// other.
    fn refuse_all(&mut self, error: &StoreError) {
        let waiting: Vec<_> = self.waiting.drain(..).chain(self.jobs.try_iter()).collect();
        // Whoever comes because of the answer has not waited: things may be better by then.
        for job in waiting {
            job.settle(Err(error.clone()));
        }
    }

    /// Lets the next commit wait for the disk, or not.
    fn wait_for_disk(&mut self, wait: bool) -> rusqlite::Result<()> {
        let (disk, level) = if wait { (Disk::Waited, "FULL") } else { (Disk::Left, "NORMAL") };
        if self.disk != Disk::Never && self.disk != disk {
            // Compiling it does it, so it cannot be a statement that is kept.
            self.db.connection().execute_batch(&format!("PRAGMA synchronous = {level}"))?;
            self.disk = disk;
        }
        Ok(())
    }

    /// Runs a change that has the transaction to itself so far: no savepoint is needed.
    fn run_first(&self, job: &mut dyn Job) -> Transaction {
        if job.run(&self.db) {
            return Transaction::Whole;
        }
        self.db.forget_block();
        let again = self.statement("ROLLBACK").and_then(|()| self.statement("BEGIN IMMEDIATE"));
        if again.is_ok() { Transaction::Whole } else { Transaction::Broken }
    }

    /// Runs a change inside its savepoint.
    fn run_apart(&self, job: &mut dyn Job) -> Transaction {
        let begun = self.statement("SAVEPOINT change").is_ok();
        let done = begun && (job.run(&self.db) || self.roll_back_change());
        let kept = done && self.statement("RELEASE change").is_ok();
        if kept { Transaction::Whole } else { Transaction::Broken }
    }

    fn roll_back_change(&self) -> bool {
        self.db.forget_block();
        self.statement("ROLLBACK TO change").is_ok()
    }

    fn finish(&mut self, state: Transaction) -> Result<(), StoreError> {
        if state == Transaction::Broken {
            // Out of room, or the disk failed; SQLite may have rolled back by itself.
            self.roll_back();
            return Err(self.cause_of_rollback());
        }
        match self.commit() {
            Ok(()) => {
                self.commits.fetch_add(u64::from(self.disk != Disk::Left), Ordering::Relaxed);
                Ok(())
            }
            Err(error) => {
                let error = commit_error(&error);
                tracing::error!(kind = error.name(), %error, "commit failed");
                self.roll_back();
                Err(error)
            }
        }
    }

    fn commit(&mut self) -> rusqlite::Result<()> {
        let done = self.statement("COMMIT");
        match done {
            Ok(()) if self.disk == Disk::Left => self.loose.committed(),
            Ok(()) => {}
            Err(_) => self.loose.disk_failed(),
        }
        done
    }

    /// Asks the disk once more what is wrong, so that callers hear `Full` when it is full.
    fn cause_of_rollback(&mut self) -> StoreError {
        let probe = "INSERT INTO probe (id, at) VALUES (1, 0) \
            ON CONFLICT (id) DO UPDATE SET at = probe.at + 1";
        let probed = self
            .statement("BEGIN IMMEDIATE")
            .and_then(|()| self.statement(probe))
            .and_then(|()| self.commit());
        self.roll_back();
        match probed {
            Ok(()) => StoreError::Unavailable("the transaction was rolled back".to_owned()),
            Err(error) => store_error(&error),
        }
    }

    fn roll_back(&self) {
        self.db.forget_block();
        let open = !self.db.connection().is_autocommit();
        if open && let Err(error) = self.statement("ROLLBACK") {
            tracing::warn!(error = %store_error(&error), "could not roll back");
        }
    }

    fn statement(&self, sql: &str) -> rusqlite::Result<()> {
        self.db.connection().prepare_cached(sql)?.execute([]).map(|_| ())
    }
}
