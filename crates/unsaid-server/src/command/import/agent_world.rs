//! The worlds of `agent-world`: a person, agents, and for each agent a copy of what it heard.
//!
//! There every agent has a memory of its own, and a chat is what the memories say together. Here a chat
//! is one log, and a message says who heard it. So the copies are merged.
//!
//! - [`found`]: what stands in a source, whatever its format; [`sqlite`] and [`tree`] read it
//! - [`file`]: only files are opened; [`hint`]: where a source probably is; [`shown`]: what nobody said
//! - [`cast`]: who is who; [`chats`]: which copy belongs where, and who said it
//! - [`merge`]: copies become messages, and [`order`] their order; [`naming`] gives ids
//! - [`marks`]: by what a message is known again; [`trace`] where it has no id, [`digest`] without words
//! - [`write`]: into the house, each thing once; [`ledger`] remembers which
//! - [`report`]: what was done, and what could not be

mod cast;
mod chats;
mod digest;
mod file;
mod found;
mod hint;
mod ledger;
mod marks;
mod merge;
mod naming;
mod order;
mod report;
mod shown;
mod sqlite;
#[cfg(test)]
mod tests;
mod time;
mod trace;
mod tree;
mod write;

use std::fs;
use std::path::Path;

use unsaid_core::domain::person::{Email, Person};
use unsaid_core::port::Store;

use self::digest::Keyed;
use self::found::Found;
use self::hint::with_hint;
use self::report::Report;
use self::write::Target;
use crate::config::{Config, Database};
use crate::refusal::{Refusal, said};
use crate::{accounts, process, store};

/// The database that the program makes in its directory unless told otherwise.
const DATABASE: &str = "database.db";
/// Messages in one commit, where those that wait together are kept in their order.
const AT_ONCE_MAX: usize = 200;
/// Under this name the secret of what is remembered is kept.
const SECRET: &str = "import";

pub(super) fn run(config: &Config, path: &Path, owner: &str) -> Result<Report, Refusal> {
    let email = Email::new(owner).map_err(|_| Refusal::new("that is not an e-mail address"))?;
    let found = read(path)?;
    process::runtime()?.block_on(async {
        let store = store::open_beside(config).await?;
        let owner = find(&*store, &email).await?;
        let at_once = match &config.database {
            Database::Sqlite => AT_ONCE_MAX,
            Database::Postgres(_) => 1,
        };
        let agents_max = config.limits.agents_per_world;
        let keyed = Keyed(accounts::secret(&*store, SECRET).await?);
        let owner = &owner.id;
        import(found, &Target { store: &*store, owner, keyed, agents_max, at_once }).await
    })
}

/// Everything that can be read there; nothing is written, and nothing beside it either.
fn read(path: &Path) -> Result<Found, Refusal> {
    let about = fs::metadata(path);
    let about = about.map_err(|error| {
        Refusal::new(format!("{} cannot be read: {}", path.display(), said(&error)))
    })?;
    if about.is_file() {
        return sqlite::read(path);
    }
    let database = path.join(DATABASE);
    let mut found = tree::read(path)?;
    match (found.worlds.is_empty(), database.is_file()) {
        (true, true) => {
            let gaps = found.gaps;
            found = sqlite::read(&database)?;
            found.gaps.add(gaps);
        }
        (true, false) if found.gaps.is_empty() => {
            let sentence = format!(
                "{} holds no world of agent-world: neither a {DATABASE} nor a directory with \
                 a config.json",
                path.display()
            );
            return Err(Refusal::new(with_hint(sentence, path)));
        }
        (false, true) => found.gaps.whole(DATABASE, "lies beside the worlds: name it to read it"),
        (true | false, false) => {}
    }
    Ok(found)
}

async fn find(store: &dyn Store, email: &Email) -> Result<Person, Refusal> {
    let found = store.by_email(email).await;
    let found = found.map_err(|error| Refusal::new(format!("it could not be done: {error}")))?;
    found.ok_or_else(|| {
        Refusal::new(format!(
            "{} has no account here; `unsaid user add {0}` makes one",
            email.as_str()
        ))
    })
}

async fn import(found: Found, target: &Target<'_>) -> Result<Report, Refusal> {
    let Found { worlds, gaps } = found;
    let mut report = Report { gaps, ..Report::default() };
    let since = target.last_erased().await?;
    let known = target.known_worlds(&worlds).await?;
    for (id, world) in cast::worlds(&worlds, &known, &mut report) {
        target.take_in((&id, world), since, &mut report).await?;
    }
    Ok(report)
}
