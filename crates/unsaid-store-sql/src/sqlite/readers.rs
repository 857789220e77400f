//! Connections for reading. Readers never block the writer, nor it them.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::Semaphore;
use unsaid_core::port::error::StoreError;

use super::{connection::SqliteDb, failure::store_error, open};

/// No read transaction lasts longer: it would keep erased words in the WAL.
const READ_SECONDS_MAX: u64 = 30;
/// How often a running statement looks at the time, in SQLite's own steps.
const STEPS_BETWEEN_LOOKS: i32 = 100_000;

pub(super) struct Readers {
    path: PathBuf,
    idle: Arc<Mutex<Vec<SqliteDb>>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(path: &Path, count: usize) -> Self {
        Self {
            path: path.to_owned(),
            idle: Arc::new(Mutex::new(Vec::with_capacity(count))),
            permits: Arc::new(Semaphore::new(count)),
        }
    }

    pub(super) async fn run<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnOnce(&SqliteDb) -> Result<T, StoreError> + Send + 'static,
    {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(|_| StoreError::Unavailable("readers closed".to_owned()))?;
        let idle = Arc::clone(&self.idle);
        let path = self.path.clone();
        let done = tokio::task::spawn_blocking(move || {
            let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let db = match kept {
                Some(db) => db,
                None => SqliteDb::new(open::open_for_reading(&path).map_err(|e| store_error(&e))?),
            };
            let result = in_snapshot(&db, work);
            // A snapshot that could not be ended goes with its connection: it would keep erased
            // words in the log.
            if db.connection().is_autocommit() {
                idle.lock().unwrap_or_else(PoisonError::into_inner).push(db);
            }
            drop(permit);
            result
        });
        done.await.map_err(|_| StoreError::Unavailable("a reader failed".to_owned()))?
    }
}

fn in_snapshot<T>(
    db: &SqliteDb,
    work: impl FnOnce(&SqliteDb) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    limit_time(db)?;
    statement(db, "BEGIN")?;
    let result = work(db);
    let ended = statement(db, "COMMIT");
    result.and_then(|value| ended.map(|()| value))
}

#[expect(clippy::disallowed_methods, reason = "measures a duration, not a point in time")]
fn limit_time(db: &SqliteDb) -> Result<(), StoreError> {
    let end = Instant::now() + Duration::from_secs(READ_SECONDS_MAX);
    let late = move || Instant::now() > end;
    db.connection().progress_handler(STEPS_BETWEEN_LOOKS, Some(late)).map_err(|e| store_error(&e))
}

fn statement(db: &SqliteDb, sql: &str) -> Result<(), StoreError> {
    let connection = db.connection();
    let mut statement = connection.prepare_cached(sql).map_err(|e| store_error(&e))?;
    statement.execute([]).map(|_| ()).map_err(|e| store_error(&e))
}
