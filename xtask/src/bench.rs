//! `cargo xtask bench`: optimised, but quick to link.

use std::path::Path;

use crate::process;

/// Builds the benchmarks and runs them; the names go to the program as they are.
pub(crate) fn run(root: &Path, names: &[String]) -> Result<(), String> {
    // The server itself is measured too.
    let server = ["build", "--package", "unsaid-server", "--profile", "fast", "--locked"];
    process::run("the build of the server", &mut process::cargo(root, &server))?;
    let fixed = ["run", "--package", "unsaid-benches", "--profile", "fast", "--locked", "--"];
    process::run("the benchmark run", process::cargo(root, &fixed).args(names))
}
