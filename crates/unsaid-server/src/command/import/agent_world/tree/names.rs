//! Which names in a directory are looked at.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

/// What systems and their tools leave in directories, apart from what they hide with a dot.
const JUNK: [&str; 2] = ["__MACOSX", "lost+found"];

/// All but junk, in their order, which is the same everywhere.
pub(super) fn names_in(directory: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.retain(|name| !name.starts_with('.') && !JUNK.contains(&name.as_str()));
    names.sort();
    Ok(names)
}

/// Each thing once: what has several names there has the one that is no link, or else the first.
pub(super) fn distinct(directory: &Path, names: Vec<String>) -> Vec<String> {
    let is_link = |name: &String| {
        let about = fs::symlink_metadata(directory.join(name));
        about.is_ok_and(|about| about.is_symlink())
    };
    let (links, own): (Vec<_>, Vec<_>) = names.into_iter().partition(is_link);
    let mut seen = BTreeSet::new();
    let is_new = |name: &String| {
        let path = directory.join(name).canonicalize();
        path.map_or(true, |path| seen.insert(path))
    };
    let mut names: Vec<String> = own.into_iter().chain(links).filter(is_new).collect();
    names.sort();
    names
}
