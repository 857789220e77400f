//! `cargo xtask bench`: optimised, but quick to link.

use std::path::Path;

use crate::services::Services;
use crate::{install, process};

/// Builds the benchmarks and runs them; the names go to the program as they are.
pub(crate) fn run(root: &Path, names: &[String]) -> Result<(), String> {
    // The server itself is measured too.
    let server = ["build", "--package", "unsaid-server", "--profile", "fast", "--locked"];
    process::run("the build of the server", &mut process::cargo(root, &server))?;
    install::missing_tools()?;
    let services = Services::start(root)?;
    let fixed = ["run", "--package", "unsaid-benches", "--profile", "fast", "--locked", "--"];
    let mut command = process::cargo(root, &fixed);
    services.tell(&mut command);
    process::run("the benchmark run", command.args(names))
}
