//! `unsaid erase`: erases history now, also beside a running server.

use std::process::ExitCode;

use unsaid_app::erase::{EraseError, erase_due, erase_now};
use unsaid_core::domain::id::PersonId;
use unsaid_core::domain::person::Email;
use unsaid_core::port::Store;
use unsaid_core::port::error::StoreError;

use crate::args::people::Erase;
use crate::config::Config;
use crate::refusal::Refusal;
use crate::system::SystemClock;
use crate::{process, store, terminal};

/// Erases, and says how much; 1 if somebody could not be erased.
///
/// # Errors
/// If the database cannot be used, or there is no such person.
pub fn run(config: &Config, whose: &Erase) -> Result<ExitCode, Refusal> {
    process::runtime()?.block_on(async {
        let store = store::open_beside(config).await?;
        match whose {
            Erase::Due => due(&*store).await,
            Erase::Person(text) => one(&*store, text).await,
        }
    })
}

async fn due(store: &dyn Store) -> Result<ExitCode, Refusal> {
    let report = erase_due(store, &SystemClock, &|| false).await;
    let report = report.map_err(|error| broken(&error))?;
    for (person, error) in &report.failed {
        terminal::say(&format!("not erased: {person}: {error}"))?;
    }
    terminal::say(&format!("erased: {}", report.erased))?;
    Ok(if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn one(store: &dyn Store, text: &str) -> Result<ExitCode, Refusal> {
    let nobody = || Refusal::new("nobody has this address or id");
    let person = find(store, text).await?.ok_or_else(nobody)?;
    let erased = erase_now(store, &SystemClock, &|| false, &person).await;
    let line = erased.map_err(|error| match error {
        EraseError::NotFound => nobody(),
        EraseError::Broken(error) => broken(&error),
    })?;
    let said = match line {
        Some(line) => {
            let erased = line.erased;
            let (sessions, messages, media) = (erased.sessions, erased.messages, erased.media);
            format!("erased: {sessions} sessions, {messages} messages, {media} files of {person}")
        }
        None => format!("erased: {person}, by somebody else at the same time"),
    };
    terminal::say(&said)?;
    Ok(ExitCode::SUCCESS)
}

/// By address, or by id.
async fn find(store: &dyn Store, text: &str) -> Result<Option<PersonId>, Refusal> {
    let found = match (Email::new(text), PersonId::new(text)) {
        (Ok(email), _) => store.by_email(&email).await,
        (Err(_), Ok(id)) => store.person(&id).await,
        (Err(_), Err(_)) => Ok(None),
    };
    Ok(found.map_err(|error| broken(&error))?.map(|person| person.id))
}

fn broken(error: &StoreError) -> Refusal {
    Refusal::new(format!("it could not be done: {error}"))
}
