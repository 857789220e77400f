//! `unsaid migrate`: brings the database to this version; `serve` does it too.
//!
//! With nothing to do it works beside a running server. A server that runs on an older version is
//! of an older program: its tables are not changed under it.

use std::process::ExitCode;

use crate::config::Config;
use crate::refusal::Refusal;
use crate::{data_dir, store, terminal, wire};

/// Migrates and says from where to where.
///
/// # Errors
/// If the database is newer than this program, damaged, in use by a server that would have to stop
/// first, or cannot be used.
pub fn run(config: &Config) -> Result<ExitCode, Refusal> {
    wire::refuse_what_is_missing(config)?;
    let path = store::file(&config.data_dir);
    let (found, known) = store::versions(&path)?;
    if found == Some(known) {
        terminal::say(&format!("database is at version {known}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    store::refuse_newer(&path)?;
    let claim = data_dir::claim(&config.data_dir)?;
    // Dropped before the claim: it finishes its work on the file when it goes.
    drop(store::open(&path)?);
    drop(claim);
    let from = found.map_or("none".to_owned(), |version| version.to_string());
    terminal::say(&format!("database migrated: {from} -> {known}"))?;
    Ok(ExitCode::SUCCESS)
}
