//! `unsaid export`: everything held on one person, also beside a running server.

use std::process::ExitCode;

use unsaid_app::export::{Desk, Export, ExportError};
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::{PersonId, SourceId};
use unsaid_core::domain::person::Email;
use unsaid_core::port::Store;
use unsaid_core::port::error::StoreError;

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

/// Of an account by address or id; else of somebody that LINE has told us of.
async fn begin(store: &dyn Store, whose: &str) -> Result<Option<Export>, Refusal> {
    let account = match (Email::new(whose), PersonId::new(whose)) {
        (Ok(email), _) => store.by_email(&email).await,
        (Err(_), Ok(id)) => store.person(&id).await,
        (Err(_), Err(_)) => return Ok(None),
    };
    if let Some(person) = account.map_err(|error| broken(&error))? {
        return Ok(Some(Export::of_account(person.id, Vec::new())));
    }
    let (Ok(id), Ok(alone)) = (PersonId::new(whose), SourceId::new(whose)) else { return Ok(None) };
    let known = is_known_on_line(store, &id, &alone).await.map_err(|error| broken(&error))?;
    Ok(if known { Export::of_line(id, Vec::new()).ok() } else { None })
}

async fn is_known_on_line(
    store: &dyn Store,
    id: &PersonId,
    alone: &SourceId,
) -> Result<bool, StoreError> {
    let talked = store.overview(&ConversationKey::Line(alone.clone())).await?.is_some();
    let named = !store.names(std::slice::from_ref(id)).await?.is_empty();
    Ok(talked || named || store.source(alone).await?.is_some())
}

fn nobody() -> Refusal {
    Refusal::new("nobody has this address or id")
}

fn broken(error: &StoreError) -> Refusal {
    Refusal::new(format!("it could not be done: {error}"))
}

fn broken_off(error: &ExportError) -> Refusal {
    Refusal::new(format!("this is not all of it: {error}"))
}
