//! Where the worlds probably are, if they are not where they were looked for.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::{DATABASE, tree};

/// From the file of a chat or the memory of an agent up to its world.
const LEVELS_UP: usize = 3;

/// See the module.
pub(super) enum Hint {
    /// It lies in this world.
    Above(PathBuf),
    /// It holds this, which holds some.
    Below(PathBuf),
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Above(world) => {
                let world = world.display();
                write!(
                    f,
                    "it belongs to the world in {world}: name that, or the directory above it"
                )
            }
            Self::Below(path) => write!(f, "{} holds some: name that", path.display()),
        }
    }
}

/// A level higher or lower.
pub(super) fn hint(path: &Path) -> Option<Hint> {
    let whole = path.canonicalize().ok()?;
    let mut above = whole.ancestors().skip(1).take(LEVELS_UP);
    if let Some(world) = above.find(|directory| tree::is_whole_world(directory)) {
        return Some(Hint::Above(world.to_owned()));
    }
    let names = fs::read_dir(path).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut below: Vec<PathBuf> = names.filter(|path| path.is_dir()).collect();
    below.sort();
    let mut below = below.into_iter();
    let found = below.find(|path| path.join(DATABASE).is_file() || tree::holds_worlds(path));
    found.map(Hint::Below)
}

/// A sentence with the hint at its end.
pub(super) fn with_hint(sentence: String, path: &Path) -> String {
    match hint(path) {
        Some(hint) => format!("{sentence}; {hint}"),
        None => sentence,
    }
}
