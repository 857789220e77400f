//! `unsaid erase`: erases history now, also beside a running server.

use std::process::ExitCode;

use unsaid_app::erase::{EraseError, erase_due, erase_now};
use unsaid_app::event::Watchers;
use unsaid_app::forget_source::{House, forget_person, forget_source};
use unsaid_app::sweep::sweep;
use unsaid_core::domain::id::{PersonId, SourceId};
use unsaid_core::domain::person::Email;
use unsaid_core::port::Store;
use unsaid_core::port::clock::Clock as _;
use unsaid_core::port::error::StoreError;

use crate::args::people::Erase;
use crate::config::Config;
use crate::refusal::Refusal;
use crate::system::SystemClock;
use crate::{process, store, terminal};

/// As UUIDs are written, with hyphens.
const UUID_CHARS: usize = 36;

/// Erases, and says how much; 1 if something could not be erased.
///
/// # Errors
/// If the database cannot be used, or there is no such person.
pub fn run(config: &Config, whose: &Erase) -> Result<ExitCode, Refusal> {
    process::runtime()?.block_on(async {
        let store = store::open_beside(config).await?;
        match whose {
            Erase::Due => due(&*store).await,
            Erase::Person(text) => match (find(&*store, text).await?, on_line(text)) {
                (Some(person), _) => with_account(&*store, &person).await,
                (None, Some(person)) => with_line(&*store, &person).await,
                (None, None) => Err(nobody()),
            },
            Erase::Source(text) => source(&*store, text).await,
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

async fn with_account(store: &dyn Store, person: &PersonId) -> Result<ExitCode, Refusal> {
    let erased = erase_now(store, &SystemClock, &|| false, person).await;
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

/// A person on LINE, who has no account: what they said to the bot, and in groups.
async fn with_line(store: &dyn Store, person: &PersonId) -> Result<ExitCode, Refusal> {
    let watchers = Watchers::default();
    let house = House { store, watchers: &watchers, clock: &SystemClock };
    let forgotten = forget_person(house, person).await.map_err(|error| broken(&error))?;
    delete_what_is_gone(store).await?;
    for (source, error) in &forgotten.failed {
        terminal::say(&format!("not erased: {source}: {error}"))?;
    }
    let (messages, sources) = (forgotten.messages, forgotten.sources);
    terminal::say(&if forgotten.held {
        format!("erased: {messages} messages in {sources} sources of {person}")
    } else {
        nothing_held(person.as_str())
    })?;
    Ok(if forgotten.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn source(store: &dyn Store, text: &str) -> Result<ExitCode, Refusal> {
    let Ok(source) = SourceId::new(text) else {
        return Err(Refusal::new("that is not an id of a source"));
    };
    let watchers = Watchers::default();
    let house = House { store, watchers: &watchers, clock: &SystemClock };
    let forgotten = forget_source(house, &source).await.map_err(|error| broken(&error))?;
    delete_what_is_gone(store).await?;
    terminal::say(&if forgotten.held {
        format!("erased: {} messages of {source}", forgotten.messages)
    } else {
        nothing_held(source.as_str())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Nobody can see it any more; now its bytes go, too.
async fn delete_what_is_gone(store: &dyn Store) -> Result<(), Refusal> {
    let swept = sweep(store, SystemClock.now(), &|| false).await;
    swept.map(|_| ()).map_err(|error| broken(&error))
}

/// By address, or by id.
pub(super) async fn find(store: &dyn Store, text: &str) -> Result<Option<PersonId>, Refusal> {
    let found = match (Email::new(text), PersonId::new(as_kept(text))) {
        (Ok(email), _) => store.by_email(&email).await,
        (Err(_), Ok(id)) => store.person(&id).await,
        (Err(_), Err(_)) => Ok(None),
    };
    Ok(found.map_err(|error| broken(&error))?.map(|person| person.id))
}

/// The UUID of an account is kept in small letters, and means the same in capitals.
fn as_kept(text: &str) -> String {
    let is_uuid = text.len() == UUID_CHARS
        && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if is_uuid { text.to_ascii_lowercase() } else { text.to_owned() }
}

/// What LINE calls somebody: a `U`, and then digits and letters. How many they are is LINE's affair.
pub(super) fn on_line(text: &str) -> Option<PersonId> {
    let digits = text.strip_prefix('U')?;
    let is_id = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    PersonId::new(text).ok().filter(|_| is_id)
}

pub(super) fn nobody() -> Refusal {
    Refusal::new("nobody has this address or id")
}

fn nothing_held(id: &str) -> String {
    format!("nothing is held of {id}")
}

fn broken(error: &StoreError) -> Refusal {
    Refusal::new(format!("it could not be done: {error}"))
}
