//! `unsaid export`: everything held on one person, also beside a running server.

use std::process::ExitCode;

use unsaid_app::export::{Desk, Export, ExportError};
use unsaid_core::port::Store;

use super::erase::{find, nobody, on_line};
use crate::config::Config;
use crate::refusal::Refusal;
use crate::system::SystemClock;
use crate::{process, store, terminal};

/// Prints it, a piece at a time.
///
/// # Errors
/// If there is no such person, or if not all of it could be read: then what was printed is a part.
pub fn run(config: &Config, whose: &str) -> Result<ExitCode, Refusal> {
    process::runtime()?.block_on(async {
        let store = store::open_beside(config).await?;
        let mut export = begin(&*store, whose).await?.ok_or_else(nobody)?;
        let desk = Desk { store: &*store, memory: None, clock: &SystemClock };
        while let Some(lines) = export.next(desk).await.map_err(|error| broken_off(&error))? {
            terminal::say(&lines)?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Of an account by address or id; else of somebody on LINE.
async fn begin(store: &dyn Store, whose: &str) -> Result<Option<Export>, Refusal> {
    if let Some(person) = find(store, whose).await? {
        return Ok(Some(Export::of_account(person)));
    }
    Ok(on_line(whose).and_then(|person| Export::of_line(person).ok()))
}

fn broken_off(error: &ExportError) -> Refusal {
    Refusal::new(format!("this is not all of it: {error}"))
}
