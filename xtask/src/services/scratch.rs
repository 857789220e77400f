//! A directory for the moment.

use std::fs::{DirBuilder, File, Permissions};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// How much of a log is shown.
const LOG_LINES: usize = 20;

/// See the module. It is removed when this is dropped.
pub(super) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Others may pass through it, not look into it: PostgreSQL runs as another user than root.
    pub(super) fn new() -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("unsaid-services-{}", random_word()?));
        std::fs::create_dir(&path)
            .and_then(|()| std::fs::set_permissions(&path, Permissions::from_mode(0o711)))
            .map_err(|error| format!("{} cannot be made: {error}", path.display()))?;
        Ok(Self { path })
    }

    /// A directory inside that is the owner's alone.
    pub(super) fn room(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.path.join(name);
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                Err(format!("{} cannot be made: {error}", path.display()))
            }
            _ => Ok(path),
        }
    }

    /// Where a server writes its log.
    pub(super) fn log(&self, name: &str) -> Result<(File, PathBuf), String> {
        let path = self.path.join(format!("{name}.log"));
        let file = File::create(&path)
            .map_err(|error| format!("{} cannot be made: {error}", path.display()))?;
        Ok((file, path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.path) {
            eprintln!("xtask: {} could not be removed: {error}", self.path.display());
        }
    }
}

/// A sentence, and under it what the server said last.
pub(super) fn with_log(sentence: &str, log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(LOG_LINES)..];
    // the keeper speaks in lines, and a sentence is one
    format!("{sentence}; it said: {}", last.join(" | "))
}

/// Nobody guesses it, and no two are alike.
pub(super) fn random_word() -> Result<String, String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .map_err(|error| format!("no chance to be had: {error}"))?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scratch_directory_goes_with_its_content() {
        let scratch = Scratch::new().unwrap();
        let room = scratch.room("inner").unwrap();
        assert_eq!(scratch.room("inner").unwrap(), room);
        let (_, log) = scratch.log("server").unwrap();
        std::fs::write(&log, "one\ntwo\n").unwrap();
        assert_eq!(with_log("it ended", &log), "it ended; it said: one | two");
        let path = scratch.path.clone();
        drop(scratch);
        assert!(!path.exists());
    }
}
