//! The database behind a network.

use unsaid_store_sql::postgres::{self, OpenError, Options, PostgresStore, Setting};

use crate::config::value::Secret;
use crate::refusal::Refusal;

/// Opens it, bringing it to this version where needed.
///
/// # Errors
/// If it is newer than this program, or cannot be used.
pub async fn open(address: &Secret) -> Result<PostgresStore, Refusal> {
    let opened = PostgresStore::open(address.expose(), &Options::default()).await;
    opened.map_err(|error| refused(&error))
}

/// The version of the database (none: nothing of ours is in it yet) and the one this program writes.
///
/// # Errors
/// If it cannot be reached.
pub async fn versions(address: &Secret) -> Result<(Option<u32>, u32), Refusal> {
    let found = postgres::stored_version(address.expose()).await;
    Ok((found.map_err(|error| refused(&error))?, postgres::schema_version()))
}

/// What decides how long the server's own files hold what was erased.
///
/// # Errors
/// If it cannot be reached.
pub async fn retention(address: &Secret) -> Result<Vec<Setting>, Refusal> {
    let settings = open(address).await?.retention().await;
    settings.map_err(|error| Refusal::new(format!("cannot read the settings: {error}")))
}

fn refused(error: &OpenError) -> Refusal {
    Refusal::new(format!("cannot open the PostgreSQL database: {error}"))
}
