//! The files below the directory: found, moved to their place, removed.

use std::fs::{DirBuilder, File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::{file_name, unwritten};
use crate::bucket::{BucketError, name};

/// How often a directory may be removed by others between its making and its use.
const PLACE_TRIES: u32 = 10;

/// The directory itself, and what is above it, for good.
pub(super) fn make_root(root: &Path) -> io::Result<()> {
    let above: Vec<&Path> = root.ancestors().skip(1).collect();
    let new = root.ancestors().take_while(|path| !path.exists()).count();
    DirBuilder::new().recursive(true).mode(0o700).create(root)?;
    for parent in above.into_iter().take(new) {
        File::open(parent)?.sync_all()?;
    }
    Ok(())
}

/// Where an object is, from the root.
pub(super) fn path_of(name: &str) -> Result<PathBuf, BucketError> {
    Ok(name::pieces(name)?.into_iter().map(file_name::encode).collect())
}

/// Whether an error says that there is no such object.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// What is at a path, unless nothing is.
pub(super) fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Moves a file to its place, for good.
pub(super) fn place(root: &Path, draft: &Path, path: &Path) -> Result<(), BucketError> {
    let mut tries = 0;
    loop {
        make_parents(root, path).map_err(|error| unwritten(&error))?;
        match std::fs::rename(draft, root.join(path)) {
            Ok(()) => break,
            // somebody deleted the last object beside it, and the directory with it
            Err(error) if error.kind() == ErrorKind::NotFound && tries < PLACE_TRIES => tries += 1,
            Err(error) => return Err(unwritten(&error)),
        }
    }
    sync_parent(root, path).map_err(unsynced)
}

/// Removes a file, and directories that are empty now.
pub(super) fn remove(root: &Path, path: &Path) -> Result<(), BucketError> {
    match std::fs::remove_file(root.join(path)) {
        Ok(()) => sync_parent(root, path).map_err(unsynced)?,
        // perhaps removed by somebody who was killed before this
        Err(error) if is_absent(&error) => sync_parent(root, path).map_err(unsynced)?,
        // a directory of this name is no object
        Err(error) if error.kind() == ErrorKind::IsADirectory => return Ok(()),
        Err(error) => return Err(unwritten(&error)),
    }
    for parent in inner_parents(path) {
        match std::fs::remove_dir(root.join(parent)) {
            Ok(()) => sync_parent(root, parent).map_err(unsynced)?,
            // not empty, or gone already
            Err(_) => break,
        }
    }
    Ok(())
}

/// Every object whose name begins so.
pub(super) fn walk(
    root: &Path,
    beginning: &str,
    found: &mut dyn FnMut(String, &Metadata),
) -> io::Result<()> {
    let pieces = beginning.split('/').filter(|piece| !piece.is_empty());
    let start: PathBuf = pieces.map(file_name::encode).collect();
    let mut waiting = vec![(start, beginning.to_owned())];
    while let Some((directory, before)) = waiting.pop() {
        let entries = match std::fs::read_dir(root.join(&directory)) {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => continue,
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            let file = entry.file_name();
            let Some(piece) = file.to_str().and_then(file_name::decode) else { continue };
            // does not follow links; what is gone meanwhile is not listed
            let metadata = match entry.metadata() {
                Ok(metadata) => metadata,
                Err(error) if is_absent(&error) => continue,
                Err(error) => return Err(error),
            };
            if metadata.is_dir() {
                waiting.push((directory.join(&file), format!("{before}{piece}/")));
            } else if metadata.is_file() {
                found(format!("{before}{piece}"), &metadata);
            }
        }
    }
    Ok(())
}

/// It happened for everybody to see, and may be lost with the power.
#[expect(clippy::needless_pass_by_value, reason = "made to be given to map_err")]
fn unsynced(error: io::Error) -> BucketError {
    BucketError::Uncertain(format!("cannot sync: {}", error.kind()))
}

fn make_parents(root: &Path, path: &Path) -> io::Result<()> {
    let parents: Vec<&Path> = inner_parents(path).collect();
    for parent in parents.into_iter().rev() {
        match DirBuilder::new().mode(0o700).create(root.join(parent)) {
            Ok(()) => sync_parent(root, parent)?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The directories above a file, without the root: the nearest first.
fn inner_parents(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty())
}

/// A directory forgets its last change if the power goes before this.
fn sync_parent(root: &Path, path: &Path) -> io::Result<()> {
    let parent = path.parent().unwrap_or(Path::new(""));
    match File::open(root.join(parent)) {
        Ok(directory) => directory.sync_all(),
        // removed by somebody who found it empty: then there is nothing to forget
        Err(error) if is_absent(&error) => Ok(()),
        Err(error) => Err(error),
    }
}
