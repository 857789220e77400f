//! The log: names of things, never words of people.

use std::io::{self, IsTerminal as _};
use std::panic::{self, PanicHookInfo};

use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat};
use crate::refusal::Refusal;

/// Starts the log on standard error.
///
/// # Errors
/// If the filter cannot be read; the configuration has checked it before.
pub fn start(log: &Log) -> Result<(), Refusal> {
    let filter = filter(&log.filter)
        .ok_or_else(|| Refusal::new("`log` must be a filter such as info,unsaid_http=debug"))?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    match log.format {
        LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
    panic::set_hook(Box::new(panicked));
    Ok(())
}

/// A filter, if this is one. What stands alone in it must be a level: a level that is misspelt would be
/// taken for the name of a place in the code, and nothing else be logged.
#[must_use]
pub fn filter(text: &str) -> Option<EnvFilter> {
    let directives = text.split(',').map(str::trim).filter(|directive| !directive.is_empty());
    let mut alone = directives.filter(|directive| !directive.contains('='));
    alone.all(|level| level.parse::<LevelFilter>().is_ok()).then_some(())?;
    EnvFilter::builder().parse(text).ok()
}

/// Logs where it happened. What the panic says is left out: it may quote words.
fn panicked(info: &PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string);
    tracing::error!(place, "panicked");
}
