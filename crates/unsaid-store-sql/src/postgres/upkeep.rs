//! What an operator's database does with what was erased.

use std::time::Duration;

use tokio::time::timeout;
use unsaid_core::port::error::StoreError;

use super::{PostgresStore, connect::Address, failure::Failure};
use crate::{db::values, store::Engine};

const VACUUM_WITHIN: Duration = Duration::from_mins(10);

/// A setting of the server that decides how long erased words live on in its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value, with the unit.
    pub value: String,
}

impl PostgresStore {
    /// Frees the space of words that were erased. Call it some time after erasing, at most hourly:
    /// it reads the table from end to end, and holds nobody up.
    ///
    /// # Errors
    /// If the database cannot be reached or does not allow it.
    pub async fn vacuum(&self) -> Result<(), StoreError> {
        let late = |_| StoreError::Unavailable("postgres: no end of the vacuum".to_owned());
        timeout(VACUUM_WITHIN, vacuum(&self.engine.address)).await.map_err(late)?
    }

    /// The settings that decide how long erased words live on in dead space, WAL and archives.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn retention(&self) -> Result<Vec<Setting>, StoreError> {
        let rows = self.engine.read((), |db, ()| {
            let sql = "SELECT name::text, setting || coalesce(unit, '') FROM pg_settings \
                WHERE name IN ('server_version', 'autovacuum', 'wal_level', 'archive_mode', \
                'wal_keep_size', 'max_wal_size', 'max_slot_wal_keep_size', 'track_counts', \
                'fsync', 'full_page_writes', 'log_statement', 'log_min_duration_statement', \
                'log_min_error_statement') ORDER BY name";
            Box::pin(db.rows(sql, values![]))
        });
        let rows = rows.await?;
        let setting =
            |name: &str, value: &str| Setting { name: name.to_owned(), value: value.to_owned() };
        rows.iter().map(|row| Ok(setting(row.text(0)?, row.text(1)?))).collect()
    }
}

/// All words stand in one table; the others hold ids and numbers.
async fn vacuum(address: &Address) -> Result<(), StoreError> {
    let failed = |error: &tokio_postgres::Error| Failure::from(error).error;
    let (client, _driver) = address.connect().await.map_err(|error| failed(&error))?;
    for sql in ["SET statement_timeout = 0", "VACUUM words"] {
        client.batch_execute(sql).await.map_err(|error| failed(&error))?;
    }
    Ok(())
}
