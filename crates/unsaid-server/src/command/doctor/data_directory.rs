//! Whether the data directory can be used, by its owner alone, and has room.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use rustix::fs::{Access, access, statvfs};

use super::{Check, Finding, problem};
use crate::config::{Config, Database};
use crate::data_dir::open_to_others;
use crate::refusal::said;

const FREE_MIB_MIN: u64 = 100;

pub(super) struct DataDirectory;

#[async_trait]
impl Check for DataDirectory {
    fn name(&self) -> &'static str {
        "data directory"
    }

    async fn look(&self, config: &Config) -> Finding {
        let path = &config.data_dir;
        match &config.database {
            Database::Sqlite => {}
            Database::Postgres(_) => return Finding::Well("not needed with PostgreSQL".to_owned()),
        }
        match fs::metadata(path) {
            Ok(found) if !found.is_dir() => {
                problem(format!("{} is not a directory", path.display()), "choose another data_dir")
            }
            Ok(_) => existing(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing(path),
            Err(error) => {
                let what = format!("{} cannot be used: {}", path.display(), said(&error));
                problem(what, "choose another data_dir")
            }
        }
    }
}

fn existing(path: &Path) -> Finding {
    let shown = path.display();
    if let Some(mode) = open_to_others(path) {
        let what = format!("{shown} is open to others ({mode:04o})");
        return problem(what, format!("chmod 700 {shown}"));
    }
    if access(path, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        return problem(format!("{shown} cannot be written"), "run as its owner, or chown it");
    }
    with_room(path, format!("{shown} is writable and private"))
}

/// It will be made when the server starts; look whether it can be.
fn missing(path: &Path) -> Finding {
    let above = nearest_existing(path);
    let shown = above.display();
    if !above.is_dir() {
        return problem(format!("{shown} is not a directory"), "choose another data_dir");
    }
    if access(&above, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        let what = format!("{} cannot be made: {shown} cannot be written", path.display());
        return problem(what, "make it by hand, or choose another data_dir");
    }
    with_room(&above, format!("{} will be made by serve", path.display()))
}

fn nearest_existing(path: &Path) -> PathBuf {
    // An empty path is what stands above a relative one: the working directory.
    let is_there = |path: &&Path| path.as_os_str().is_empty() || path.exists();
    match path.ancestors().find(is_there) {
        Some(above) if !above.as_os_str().is_empty() => above.to_owned(),
        Some(_) | None => PathBuf::from("."),
    }
}

fn with_room(path: &Path, well: String) -> Finding {
    let Ok(disk) = statvfs(path) else {
        return Finding::Well(well);
    };
    let free_mib = disk.f_bavail.saturating_mul(disk.f_frsize) >> 20;
    if free_mib < FREE_MIB_MIN {
        let what = format!("only {free_mib} MiB are free on the disk of {}", path.display());
        return problem(what, "free some space");
    }
    Finding::Well(format!("{well}, {free_mib} MiB free"))
}
