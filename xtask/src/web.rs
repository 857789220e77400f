//! `cargo xtask web`: builds the page again, into `web/dist`, which is committed.

use std::path::Path;
use std::process::Command;

use crate::process;

/// What npm does, in this order: exactly the packages of the lock file, the types of the API, the
/// checks, the files.
const STEPS: &[&[&str]] = &[
    &["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    &["run", "types"],
    &["run", "check"],
    &["run", "build"],
];

pub(crate) fn run(root: &Path) -> Result<(), String> {
    for step in STEPS {
        let name = format!("npm {}", step.join(" "));
        process::run(&name, Command::new("npm").args(*step).current_dir(root.join("web")))?;
    }
    Ok(())
}
