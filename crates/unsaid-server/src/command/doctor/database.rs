//! Whether the database is private, of a version this program knows, and whole.

use std::path::Path;

use async_trait::async_trait;

use super::{Check, Finding, problem};
use crate::config::Config;
use crate::data_dir::open_to_others;
use crate::store;

pub(super) struct Database;

#[async_trait]
impl Check for Database {
    fn name(&self) -> &'static str {
        "database"
    }

    async fn look(&self, config: &Config) -> Finding {
        let path = store::file(&config.data_dir);
        if !config.data_dir.is_dir() {
            return Finding::Well("not made yet, serve will do it".to_owned());
        }
        match store::versions(&path) {
            Err(refusal) => problem(refusal.to_string(), "put back a backup, or move it away"),
            Ok((None, _)) => Finding::Well("not made yet, serve will do it".to_owned()),
            Ok((Some(found), known)) if found > known => problem(
                format!("it has version {found}, this program knows only up to {known}"),
                "use the newer program, or put back a backup",
            ),
            Ok((Some(found), known)) if found < known => problem(
                format!("it has version {found}, this program writes {known}"),
                "run unsaid migrate, or just start the server",
            ),
            Ok((Some(found), _)) => look_at(&path, found),
        }
    }
}

fn look_at(path: &Path, version: u32) -> Finding {
    if let Some(mode) = open_to_others(path) {
        let what = format!("{} is open to others ({mode:04o})", path.display());
        return problem(what, format!("chmod 600 {}", path.display()));
    }
    let mend = "put back a backup, or move it away";
    match store::damages(path) {
        Err(refusal) => problem(refusal.to_string(), mend),
        Ok(damages) if damages.is_empty() => {
            Finding::Well(format!("version {version}, every page is whole"))
        }
        Ok(damages) => {
            problem(format!("{} is damaged: {}", path.display(), damages.join("; ")), mend)
        }
    }
}
