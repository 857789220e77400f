//! `unsaid config`: what is in effect, or what is compiled in.

use std::process::ExitCode;

use crate::config::{DEFAULT_TOML, Loaded, show};
use crate::refusal::Refusal;
use crate::terminal;

/// Prints the effective configuration, secrets masked.
///
/// # Errors
/// If it cannot be printed.
pub fn print(loaded: &Loaded) -> Result<ExitCode, Refusal> {
    for warning in &loaded.warnings {
        terminal::complain(warning);
    }
    terminal::say(&show::effective(loaded))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the commented defaults.
///
/// # Errors
/// If they cannot be printed.
pub fn print_default() -> Result<ExitCode, Refusal> {
    terminal::say(DEFAULT_TOML)?;
    Ok(ExitCode::SUCCESS)
}
