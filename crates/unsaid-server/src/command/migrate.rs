//! `unsaid migrate`: brings the database to this version; `serve` does it too.
//!
//! With nothing to do it works beside a running server. A server that runs on an older version is
//! of an older program: its tables are not changed under it. `PostgreSQL` may be shared by several
//! servers; they wait for each other, and only the first one changes anything.

use std::process::ExitCode;

use crate::config::value::Secret;
use crate::config::{Config, Database};
use crate::refusal::Refusal;
use crate::store::{postgres, sqlite};
use crate::{data_dir, process, terminal};

/// Migrates and says from where to where.
///
/// # Errors
/// If the database is newer than this program, damaged, in use by a server that would have to stop
/// first, or cannot be used.
pub fn run(config: &Config) -> Result<ExitCode, Refusal> {
    let (found, known) = match &config.database {
        Database::Sqlite => migrate_file(config)?,
        Database::Postgres(address) => process::runtime()?.block_on(migrate_postgres(address))?,
    };
    terminal::say(&match found {
        Some(found) if found == known => format!("database is at version {known}"),
        Some(found) => format!("database migrated: {found} -> {known}"),
        None => format!("database migrated: none -> {known}"),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn migrate_file(config: &Config) -> Result<(Option<u32>, u32), Refusal> {
    let path = sqlite::file(&config.data_dir);
    let (found, known) = sqlite::versions(&path)?;
    if found != Some(known) {
        sqlite::refuse_newer(&path)?;
        let claim = data_dir::claim(&config.data_dir)?;
        // Dropped before the claim: it finishes its work on the file when it goes.
        drop(sqlite::open(&path)?);
        drop(claim);
    }
    Ok((found, known))
}

async fn migrate_postgres(address: &Secret) -> Result<(Option<u32>, u32), Refusal> {
    let (found, known) = postgres::versions(address).await?;
    if found != Some(known) {
        drop(postgres::open(address).await?);
    }
    Ok((found, known))
}
