//! The embedded engine: one SQLite file in WAL mode with `synchronous=FULL`.

mod connection;
mod event_block;
mod failure;
#[cfg(test)]
mod flat_cost;
mod health;
mod open;
mod people_ports;
mod ports;
mod readers;
mod slots;
mod writer;

use std::{path::Path, pin::pin, sync::Arc, task};

use unsaid_core::port::error::StoreError;

pub use self::open::{OpenError, check_pages, schema_version, stored_version};
use self::{connection::SqliteDb, readers::Readers, writer::Writer};
use crate::db::Db;

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
#[derive(Clone)]
pub struct SqliteStore {
    // Dropped in this order: the last connection to close tidies up the file, and must be able to
    // write.
    readers: Arc<Readers>,
    writer: Arc<Writer>,
    health: Arc<health::Kept>,
}

impl SqliteStore {
    /// Opens (or makes) the file and brings it to this version.
    ///
    /// # Errors
    /// If it is newer than this program, damaged, or cannot be used.
    pub fn open(path: &Path, options: &Options) -> Result<Self, OpenError> {
        let connection = open::open_for_writing(path, options)?;
        Ok(Self {
            readers: Arc::new(Readers::new(path, options.readers)),
            writer: Arc::new(Writer::start(connection, options)?),
            health: Arc::default(),
        })
    }

    /// How many times the disk was asked to make commits durable, for the benchmark.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.writer.commits()
    }

    /// Makes a change: `work` sees one transaction of its own, all of it or nothing.
    async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: AsyncFnOnce(&dyn Db) -> Result<T, StoreError> + Send + 'static,
    {
        self.writer.run(move |db| now_or_never(work(db))).await
    }

    /// Looks at one consistent state.
    async fn read<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: AsyncFnOnce(&dyn Db) -> Result<T, StoreError> + Send + 'static,
    {
        self.readers.run(move |db: &SqliteDb| now_or_never(work(db))).await
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
