//! A change that waits for its commit.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::oneshot;
use unsaid_core::port::error::StoreError;

use crate::sqlite::connection::SqliteDb;

/// Whether a change outlives a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sqlite) enum Lasts {
    /// When the caller hears of it, it does.
    Always,
    /// As soon as a later change does.
    WithTheNext,
}

pub(super) trait Job: Send {
    /// Whether it must outlive a power cut.
    fn lasts(&self) -> Lasts;
    /// Does the work; whether it succeeded.
    fn run(&mut self, db: &SqliteDb) -> bool;
    /// Tells the caller, once the commit has come back.
    fn settle(self: Box<Self>, commit: Result<(), StoreError>);
}

/// What a caller wants done, and the caller.
pub(super) struct Pending<T, W> {
    lasts: Lasts,
    work: Option<W>,
    result: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, W> Pending<T, W> {
    pub(super) fn new(lasts: Lasts, work: W) -> (Self, oneshot::Receiver<Result<T, StoreError>>) {
        let (reply, answer) = oneshot::channel();
        (Self { lasts, work: Some(work), result: None, reply }, answer)
    }
}

impl<T, W> Job for Pending<T, W>
where
    T: Send,
    W: FnOnce(&SqliteDb) -> Result<T, StoreError> + Send,
{
    fn lasts(&self) -> Lasts {
        self.lasts
    }

    fn run(&mut self, db: &SqliteDb) -> bool {
        // Whoever has given up waiting was told that nothing happened, or will be.
        let Some(work) = self.work.take().filter(|_| !self.reply.is_closed()) else {
            return false;
        };
        // A change that panics must not take the writer with it; it is rolled back like one that
        // fails.
        let panicked = |_| Err(StoreError::Unavailable("the change panicked".to_owned()));
        let result = catch_unwind(AssertUnwindSafe(|| work(db))).unwrap_or_else(panicked);
        let succeeded = result.is_ok();
        self.result = Some(result);
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
