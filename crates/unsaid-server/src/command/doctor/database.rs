//! Whether the database is private, of a version this program knows, and whole.

use std::path::Path;

use async_trait::async_trait;

use super::{Check, Finding, problem};
use crate::config::value::Secret;
use crate::config::{self, Config};
use crate::data_dir::open_to_others;
use crate::refusal::Refusal;
use crate::store::{postgres, sqlite};

pub(super) struct Database;

#[async_trait]
impl Check for Database {
    fn name(&self) -> &'static str {
        "database"
    }

    async fn look(&self, config: &Config) -> Finding {
        match &config.database {
            config::Database::Sqlite if !config.data_dir.is_dir() => not_made_yet(),
            config::Database::Sqlite => {
                let path = sqlite::file(&config.data_dir);
                match known_version(sqlite::versions(&path), BACKUP) {
                    Ok(version) => look_at_file(&path, version),
                    Err(finding) => finding,
                }
            }
            config::Database::Postgres(address) => {
                let versions = postgres::versions(address).await;
                match known_version(versions, "start PostgreSQL, or correct `database`") {
                    Ok(version) => look_at_postgres(address, version).await,
                    Err(finding) => finding,
                }
            }
        }
    }
}

const BACKUP: &str = "put back a backup, or move it away";

fn not_made_yet() -> Finding {
    Finding::Well("not made yet, serve will do it".to_owned())
}

/// The version, if it is the one that this program writes.
fn known_version(
    versions: Result<(Option<u32>, u32), Refusal>,
    mend: &str,
) -> Result<u32, Finding> {
    match versions {
        Err(refusal) => Err(problem(refusal.to_string(), mend)),
        Ok((None, _)) => Err(not_made_yet()),
        Ok((Some(found), known)) if found > known => Err(problem(
            format!("it has version {found}, this program knows only up to {known}"),
            "use the newer program, or put back a backup",
        )),
        Ok((Some(found), known)) if found < known => Err(problem(
            format!("it has version {found}, this program writes {known}"),
            "run unsaid migrate, or just start the server",
        )),
        Ok((Some(found), _)) => Ok(found),
    }
}

/// The operator's own settings decide how long erased words live on: they are shown.
async fn look_at_postgres(address: &Secret, version: u32) -> Finding {
    let settings = match postgres::retention(address).await {
        Ok(settings) => settings,
        Err(refusal) => return problem(refusal.to_string(), "look at the log of PostgreSQL"),
    };
    let is = |name: &str, value: &str| {
        settings.iter().any(|setting| setting.name == name && setting.value == value)
    };
    if is("autovacuum", "off") {
        let what = "autovacuum is off, so deleted rows stay in its files";
        return problem(what, "set autovacuum = on in postgresql.conf");
    }
    if is("fsync", "off") {
        let what = "fsync is off, so a power cut loses what was acknowledged";
        return problem(what, "set fsync = on in postgresql.conf");
    }
    let shown = settings.iter().map(|setting| format!("{} {}", setting.name, setting.value));
    let shown = shown.collect::<Vec<_>>().join(", ");
    Finding::Well(format!("version {version}; how long erased words live on in its files: {shown}"))
}

fn look_at_file(path: &Path, version: u32) -> Finding {
    if let Some(mode) = open_to_others(path) {
        let what = format!("{} is open to others ({mode:04o})", path.display());
        return problem(what, format!("chmod 600 {}", path.display()));
    }
    match sqlite::damages(path) {
        Err(refusal) => problem(refusal.to_string(), BACKUP),
        Ok(damages) if damages.is_empty() => {
            Finding::Well(format!("version {version}, every page is whole"))
        }
        Ok(damages) => {
            problem(format!("{} is damaged: {}", path.display(), damages.join("; ")), BACKUP)
        }
    }
}
