//! The data directory: made for its owner alone, used by one server at a time.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use crate::refusal::{Refusal, said};

const LOCK_FILE: &str = "server.lock";

/// Held by the one server of a data directory; the system lets go of it when the process ends,
/// however it ends.
#[derive(Debug)]
pub struct Claim {
    _lock: File,
}

/// Makes the directory if it is not there, and keeps other servers out of it.
///
/// # Errors
/// If it cannot be used, or another server uses it. Then nothing in it has changed.
pub fn claim(path: &Path) -> Result<Claim, Refusal> {
    make(path)?;
    let lock = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path.join(LOCK_FILE))
        .map_err(|error| unusable(path, &error))?;
    match lock.try_lock() {
        Ok(()) => Ok(Claim { _lock: lock }),
        Err(TryLockError::WouldBlock) => Err(Refusal::new(format!(
            "data directory {} is in use by another server",
            path.display()
        ))),
        Err(TryLockError::Error(error)) => Err(unusable(path, &error)),
    }
}

/// The mode of a directory or file if others than its owner can do anything with it.
#[must_use]
pub fn open_to_others(path: &Path) -> Option<u32> {
    let mode = fs::metadata(path).map_or(0, |found| found.permissions().mode() & 0o7777);
    (mode & 0o077 != 0).then_some(mode)
}

/// It was made by somebody else, perhaps for a reason: it is not ours to close.
pub fn warn_if_open_to_others(path: &Path) {
    if let Some(mode) = open_to_others(path) {
        let shown = path.display();
        tracing::warn!("data directory {shown} is open to others ({mode:04o}): chmod 700 {shown}");
    }
}

fn make(path: &Path) -> Result<(), Refusal> {
    if path.is_dir() {
        return Ok(());
    }
    if path.exists() {
        return Err(unusable(path, &io::ErrorKind::NotADirectory.into()));
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|error| unusable(path, &error))
}

fn unusable(path: &Path, error: &io::Error) -> Refusal {
    Refusal::new(format!("cannot use data directory {}: {}", path.display(), said(error)))
}
