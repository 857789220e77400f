//! The database in a file of the data directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unsaid_core::port::Store;
use unsaid_store_sql::sqlite::{self, OpenError, Options, SqliteStore};

use crate::refusal::Refusal;

const FILE: &str = "unsaid.db";

/// Where it is, below the data directory.
#[must_use]
pub fn file(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}

/// Opens it, making it or bringing it to this version where needed.
///
/// # Errors
/// If it is newer than this program, damaged, or cannot be used.
pub fn open(path: &Path) -> Result<Arc<dyn Store>, Refusal> {
    let open =
        || SqliteStore::open(path, &Options::default()).map_err(|error| refused(path, &error));
    let (found, known) = versions(path)?;
    if found != Some(known) {
        // Closed once: the new version then stands in the file, where others look for it while the
        // server runs, and not in the log alone.
        drop(open()?);
    }
    Ok(Arc::new(open()?))
}

/// The version of the file (none: there is no file yet) and the one this program writes. Opens
/// nothing and changes nothing.
///
/// # Errors
/// If it cannot be read, or is no database.
pub fn versions(path: &Path) -> Result<(Option<u32>, u32), Refusal> {
    let found = sqlite::stored_version(path).map_err(|error| refused(path, &error))?;
    Ok((found, sqlite::schema_version()))
}

/// What is wrong with the pages of the file; opens it for reading only.
///
/// # Errors
/// If it cannot be read.
pub fn damages(path: &Path) -> Result<Vec<String>, Refusal> {
    sqlite::check_pages(path).map_err(|error| refused(path, &error))
}

/// Looks, before anything is touched, whether [`open`] would refuse the file for its version.
///
/// # Errors
/// If it is newer than this program, or is no database.
pub fn refuse_newer(path: &Path) -> Result<(), Refusal> {
    match versions(path)? {
        (Some(found), known) if found > known => {
            Err(refused(path, &OpenError::Newer { found, known }))
        }
        (Some(_) | None, _) => Ok(()),
    }
}

fn refused(path: &Path, error: &OpenError) -> Refusal {
    Refusal::new(format!("cannot open {}: {error}", path.display()))
}
