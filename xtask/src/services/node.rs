//! Packages of npm for tests, exactly those that a lock file names.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;

/// What npm reads to know what to install.
const FILES: &[&str] = &["package.json", "package-lock.json", ".npmrc"];

/// The directory below `target` with the packages that `source` asks for, filled if it is not there
/// yet. Other wishes are another directory, so nothing has to be brought up to date.
pub(super) fn installed(target: &Path, name: &str, source: &Path) -> Result<PathBuf, String> {
    let services = target.join("services");
    let wishes = format!("{name}-{}", fingerprint(source)?);
    let place = services.join(&wishes);
    if place.is_dir() {
        return Ok(place);
    }
    println!("installing the packages of {name}");
    // made apart and moved: what stands at its place is complete, also if two make it at once
    let draft = services.join(format!("{wishes}.{}", std::process::id()));
    let made = install(&draft, source);
    if made.is_ok() && std::fs::rename(&draft, &place).is_ok() {
        return Ok(place);
    }
    std::fs::remove_dir_all(&draft).unwrap_or_default();
    made?;
    if place.is_dir() { Ok(place) } else { Err(format!("{} cannot be made", place.display())) }
}

fn install(draft: &Path, source: &Path) -> Result<(), String> {
    std::fs::create_dir_all(draft)
        .and_then(|()| {
            FILES.iter().try_for_each(|file| {
                std::fs::copy(source.join(file), draft.join(file)).map(|_bytes| ())
            })
        })
        .map_err(|error| format!("{} cannot be filled: {error}", draft.display()))?;
    let mut npm = Command::new("npm");
    // a package is read by tests; nothing of it is run while it is installed
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    process::run("npm ci", npm.current_dir(draft))
}

/// Changes with the files. Only this machine compares it.
fn fingerprint(source: &Path) -> Result<String, String> {
    let mut hasher = DefaultHasher::new();
    for file in FILES {
        let path = source.join(file);
        let bytes = std::fs::read(&path)
            .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        bytes.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_installed_is_not_installed_again_until_something_else_is_wished() {
        let target = std::env::temp_dir().join(format!("unsaid-node-{}", std::process::id()));
        let source = target.join("source");
        std::fs::create_dir_all(&source).unwrap();
        for file in FILES {
            std::fs::write(source.join(file), "{}").unwrap();
        }
        let before = fingerprint(&source).unwrap();
        let place = target.join("services").join(format!("made-up-{before}"));
        std::fs::create_dir_all(&place).unwrap();
        assert_eq!(installed(&target, "made-up", &source), Ok(place));
        std::fs::write(source.join("package-lock.json"), "{ }").unwrap();
        assert_ne!(fingerprint(&source).unwrap(), before);
        std::fs::remove_dir_all(&target).unwrap();
    }

    #[test]
    fn a_missing_lock_file_is_a_sentence() {
        let sentence = fingerprint(Path::new("no/such/place")).unwrap_err();
        assert!(sentence.starts_with("no/such/place/package.json cannot be read"), "{sentence}");
    }
}
