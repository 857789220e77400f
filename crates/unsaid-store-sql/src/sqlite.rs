//! The embedded engine: one SQLite file in WAL mode with `synchronous=FULL`.

mod connection;
mod event_block;
mod failure;
#[cfg(test)]
mod flat_cost;
mod open;
mod readers;
mod slots;
mod writer;

use std::{path::Path, pin::pin, task, time::Duration};

use unsaid_core::port::error::StoreError;

pub use self::open::{check_pages, schema_version, stored_version};
use self::{
    connection::SqliteDb,
    readers::Readers,
    writer::{Lasts, Writer},
};
pub use crate::open_error::OpenError;
use crate::{
    db::Db,
    store::{Doing, Engine, SqlStore},
};

/// How a file is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Connections for reading.
    pub readers: usize,
    /// Changes that may wait for the writer; more are refused.
    pub writes_waiting_max: usize,
    /// Whether a commit waits for the disk. Only the test that proves the need of it says no.
    pub durable: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { readers: 4, writes_waiting_max: 4_096, durable: true }
    }
}

/// A store in one SQLite file. Clones share it; dropping the last one waits (not for long) until
/// everything is in the file.
pub type SqliteStore = SqlStore<Sqlite>;

/// The engine of a [`SqliteStore`].
pub struct Sqlite {
    // Dropped in this order: the last connection to close tidies up the file, and must be able to
    // write.
    readers: Readers,
    writer: Writer,
}

impl SqlStore<Sqlite> {
    /// Opens (or makes) the file and brings it to this version.
    ///
    /// # Errors
    /// If it is newer than this program, damaged, or cannot be used.
    pub fn open(path: &Path, options: &Options) -> Result<Self, OpenError> {
        let connection = open::open_for_writing(path, options)?;
        Ok(Self::on(Sqlite {
            readers: Readers::new(path, options.readers),
            writer: Writer::start(connection, options)?,
        }))
    }

    /// How many times the disk was asked to make commits durable, for the benchmark.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.engine.writer.commits()
    }
}

impl Engine for Sqlite {
    const PROBE_MAX: Option<Duration> = None;

    async fn write<G, T, W>(&self, given: G, work: W) -> Result<T, StoreError>
    where
        G: Send + Sync + 'static,
        T: Send + 'static,
        W: for<'a> Fn(&'a dyn Db, &'a G) -> Doing<'a, T> + Send + Sync + 'static,
    {
        self.writer.run(Lasts::Always, move |db| now_or_never(work(db, &given))).await
    }

    async fn write_loosely<G, T, W>(&self, given: G, work: W) -> Result<T, StoreError>
    where
        G: Send + Sync + 'static,
        T: Send + 'static,
        W: for<'a> Fn(&'a dyn Db, &'a G) -> Doing<'a, T> + Send + Sync + 'static,
    {
        self.writer.run(Lasts::WithTheNext, move |db| now_or_never(work(db, &given))).await
    }

    async fn read<G, T, W>(&self, given: G, work: W) -> Result<T, StoreError>
    where
        G: Send + Sync + 'static,
        T: Send + 'static,
        W: for<'a> Fn(&'a dyn Db, &'a G) -> Doing<'a, T> + Send + Sync + 'static,
    {
        self.readers.run(move |db: &SqliteDb| now_or_never(work(db, &given))).await
    }
}

/// The statements of the ports are asynchronous for engines behind a network; here every answer is
/// there at once.
fn now_or_never<T>(work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    match pin!(work).poll(&mut task::Context::from_waker(task::Waker::noop())) {
        task::Poll::Ready(result) => result,
        task::Poll::Pending => Err(StoreError::Unavailable("a statement did not end".to_owned())),
    }
}
