//! `unsaid audit verify`: checks the hash chain of the erasure audit.

use std::process::ExitCode;

use unsaid_app::audit::{Checked, check};

use crate::config::Config;
use crate::refusal::Refusal;
use crate::{process, store, terminal};

/// Checks every line, and says what was found; 1 if a line is not what it was.
///
/// # Errors
/// If the database cannot be used.
pub fn verify(config: &Config) -> Result<ExitCode, Refusal> {
    let checked = process::runtime()?.block_on(async {
        let store = store::open_beside(config).await?;
        let checked = check(&*store).await;
        checked.map_err(|error| Refusal::new(format!("the audit cannot be read: {error}")))
    })?;
    let Checked { lines, broken, last_hash } = checked;
    if let Some(id) = broken {
        terminal::say(&format!("broken: line {id} of {lines} is not what was written"))?;
        return Ok(ExitCode::FAILURE);
    }
    match last_hash {
        Some(hash) => terminal::say(&format!("whole: {lines} lines, the newest is {hash}"))?,
        None => terminal::say("whole: nothing was erased yet")?,
    }
    Ok(ExitCode::SUCCESS)
}
