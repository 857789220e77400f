//! `unsaid migrate`: brings the database to this version; `serve` does it too.

use std::process::ExitCode;

use crate::config::Config;
use crate::refusal::Refusal;
use crate::{data_dir, store, terminal, wire};

/// Migrates and says from where to where.
///
/// # Errors
/// If the database is newer than this program, damaged, or cannot be used.
pub fn run(config: &Config) -> Result<ExitCode, Refusal> {
    wire::refuse_what_is_missing(config)?;
    let path = store::file(&config.data_dir);
    let (found, known) = store::versions(&path)?;
    if found == Some(known) {
        terminal::say(&format!("database is at version {known}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    data_dir::make(&config.data_dir)?;
    store::open(&path)?;
    let from = found.map_or("none".to_owned(), |version| version.to_string());
    terminal::say(&format!("database migrated: {from} -> {known}"))?;
    Ok(ExitCode::SUCCESS)
}
