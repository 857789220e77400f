//! Where things are kept, as the commands see it.
//!
//! - [`sqlite`]: the database in a file of the data directory
//! - [`postgres`]: the database behind a network
//! - [`bucket`]: the bucket for LINE conversations
//! - [`volatile`]: memory in its place

pub mod bucket;
pub mod postgres;
pub mod sqlite;
pub mod volatile;

use std::sync::Arc;

use unsaid_core::port::Store;
use unsaid_store_sql::postgres::PostgresStore;

use crate::config::{Config, Database};
use crate::data_dir::{self, Claim};
use crate::refusal::Refusal;

/// Everything that is kept, opened for a server.
pub struct Kept {
    /// All of it.
    pub store: Arc<dyn Store>,
    /// What belongs to the engine.
    pub base: Base,
}

/// The database under it.
pub enum Base {
    /// Of this server alone, as long as the claim is held.
    Sqlite {
        /// The database without the bucket.
        database: Arc<dyn Store>,
        /// Keeps other servers out.
        claim: Claim,
    },
    /// Shared with others.
    Postgres(PostgresStore),
}

/// Opens everything for a server.
///
/// # Errors
/// If something cannot be used; then nothing was changed.
pub async fn open_for_serving(config: &Config) -> Result<Kept, Refusal> {
    let bucket = bucket::checked(config).await?;
    let (database, base) = match &config.database {
        Database::Sqlite => {
            let (claim, database) = open_claimed(config).await?;
            (Arc::clone(&database), Base::Sqlite { database, claim })
        }
        Database::Postgres(address) => {
            let database = postgres::open(address).await?;
            let shared: Arc<dyn Store> = Arc::new(database.clone());
            (shared, Base::Postgres(database))
        }
    };
    let store = if config.line.store_history {
        bucket::joined(bucket, database)
    } else {
        volatile::joined(&config.limits, database)
    };
    Ok(Kept { store, base })
}

/// Opens everything for a command, also beside a running server.
///
/// # Errors
/// If something cannot be used, or the file is of an older version and a server runs on it.
pub async fn open_beside(config: &Config) -> Result<Arc<dyn Store>, Refusal> {
    let bucket = bucket::checked(config).await?;
    let database: Arc<dyn Store> = match &config.database {
        Database::Sqlite => {
            let file = sqlite::file(&config.data_dir);
            let (found, known) = sqlite::versions(&file)?;
            if found == Some(known) { sqlite::open(&file)? } else { open_claimed(config).await?.1 }
        }
        Database::Postgres(address) => Arc::new(postgres::open(address).await?),
    };
    Ok(bucket::joined(bucket, database))
}

/// Apart from the other threads: bringing a large database to this version takes its time, and
/// signals must be heard meanwhile.
async fn open_claimed(config: &Config) -> Result<(Claim, Arc<dyn Store>), Refusal> {
    let data_dir = config.data_dir.clone();
    let opening = tokio::task::spawn_blocking(move || {
        let file = sqlite::file(&data_dir);
        if data_dir.is_dir() {
            sqlite::refuse_newer(&file)?;
        }
        let claim = data_dir::claim(&data_dir)?;
        data_dir::warn_if_open_to_others(&data_dir);
        Ok((claim, sqlite::open(&file)?))
    });
    opening.await.unwrap_or_else(|_| Err(Refusal::new("opening the database failed")))
}
