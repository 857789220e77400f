//! The files of the project, and what cargo knows about it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::rust_text;
use crate::process;

/// Directories that never belong to the project, for copies that are no clone.
const NOT_OURS: &[&str] = &[".git", "target", "node_modules", "unsaid-data"];

/// A text file of the project.
#[derive(Debug, Clone)]
pub(crate) struct File {
    /// From the root of the workspace, with `/`.
    pub(crate) path: String,
    /// As it is on disk.
    pub(crate) text: String,
    /// For Rust, the same lines with comments and the inside of strings blanked; else empty.
    pub(crate) code: String,
}

impl File {
    /// Reads Rust into code as well.
    pub(crate) fn new(path: &str, text: impl Into<String>) -> Self {
        let text = text.into();
        let is_rust = Path::new(path).extension().is_some_and(|extension| extension == "rs");
        let code = if is_rust { rust_text::code_only(&text) } else { String::new() };
        Self { path: path.to_owned(), text, code }
    }

    /// Whether it is Rust.
    pub(crate) fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|extension| extension == "rs")
    }

    /// Whether all of it is tests: under `tests/`, `tests.rs`, or `…_tests.rs`.
    pub(crate) fn is_tests(&self) -> bool {
        self.path.split('/').any(|part| part == "tests")
            || self.path.ends_with("/tests.rs")
            || self.path.ends_with("_tests.rs")
    }

    /// The first line that holds `needle`, or 1.
    pub(crate) fn line_of(&self, needle: &str) -> usize {
        self.text.lines().position(|line| line.contains(needle)).map_or(1, |index| index + 1)
    }
}

/// Everything that the rules look at, read once.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// Where the workspace is.
    pub(crate) root: String,
    /// All text files, sorted by path.
    pub(crate) files: Vec<File>,
    /// Our own crates, as `cargo metadata` tells of them.
    pub(crate) workspace: Vec<Value>,
    /// Every package of the lock file, likewise.
    pub(crate) locked: Vec<Value>,
}

impl Tree {
    /// Reads the project at `root`.
    pub(crate) fn load(root: &Path) -> Result<Self, String> {
        let mut files = Vec::new();
        for path in paths(root)? {
            // a file may be deleted and not committed yet, and a link may lead to a directory
            let Ok(bytes) = std::fs::read(root.join(&path)) else { continue };
            if let Some(text) = text(bytes) {
                files.push(File::new(&path, text));
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        let workspace = packages(root, &["--no-deps"])?;
        let locked = packages(root, &[])?;
        Ok(Self { root: root.to_string_lossy().into_owned(), files, workspace, locked })
    }

    /// A made-up project.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| File::new(path, *text)).collect();
        Self { files, ..Self::default() }
    }

    /// The file at this path.
    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// All Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.is_rust())
    }
}

fn packages(root: &Path, arguments: &[&str]) -> Result<Vec<Value>, String> {
    let mut command = process::cargo(root, &["metadata", "--locked", "--format-version", "1"]);
    let bytes = process::output("cargo metadata", command.args(arguments))?;
    let mut metadata: Value = serde_json::from_slice(&bytes)
        .map_err(|error| format!("cargo metadata is unreadable: {error}"))?;
    let packages = metadata["packages"].as_array_mut().map(std::mem::take);
    packages.ok_or_else(|| "cargo metadata names no packages".to_owned())
}

/// A file that holds a zero byte or is not UTF-8 is no text.
fn text(bytes: Vec<u8>) -> Option<String> {
    if bytes.contains(&0) { None } else { String::from_utf8(bytes).ok() }
}

/// What git tracks or would track; in a copy without git, everything that is not built.
fn paths(root: &Path) -> Result<Vec<String>, String> {
    let listed = Command::new("git")
        .args(["-c", "safe.directory=*", "ls-files", "-z"])
        .args(["--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .stderr(Stdio::null())
        .output();
    match listed {
        Ok(output) if output.status.success() => {
            let names = String::from_utf8_lossy(&output.stdout).into_owned();
            Ok(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
        }
        _ => walk(root),
    }
}

fn walk(root: &Path) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = vec![root.to_path_buf()];
    while let Some(directory) = waiting.pop() {
        let unreadable = |error| format!("{} cannot be read: {error}", directory.display());
        for entry in std::fs::read_dir(&directory).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let kind = entry.file_type().map_err(unreadable)?;
            let name = entry.file_name();
            if kind.is_dir() && !NOT_OURS.iter().any(|not_ours| name == *not_ours) {
                waiting.push(entry.path());
            } else if kind.is_file() {
                let path = entry.path();
                let inside = path.strip_prefix(root).unwrap_or(&path);
                found.push(inside.to_string_lossy().into_owned());
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_their_place() {
        for path in ["a/tests/one.rs", "a/src/tests.rs", "a/src/log_tests.rs", "a/tests/b/c.rs"] {
            assert!(File::new(path, "").is_tests(), "{path}");
        }
        for path in ["a/src/lib.rs", "a/src/contests.rs", "a/src/test.rs"] {
            assert!(!File::new(path, "").is_tests(), "{path}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_left_out() {
        assert_eq!(text(b"a\0b".to_vec()), None);
        assert_eq!(text(vec![0xff]), None);
        assert_eq!(text(b"ok".to_vec()).as_deref(), Some("ok"));
    }

    #[test]
    fn a_walk_finds_this_file_and_nothing_built() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let found = walk(root).unwrap();
        assert!(found.contains(&"src/tidy/tree.rs".to_owned()), "{found:?}");
        assert!(found.iter().all(|path| !path.starts_with("target/")));
    }
}
