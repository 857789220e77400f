//! `cargo xtask bench`: optimised, but quick to link.

use std::path::Path;

use crate::process;

/// Builds the benchmarks and runs them; the names go to the program as they are.
pub(crate) fn run(root: &Path, names: &[String]) -> Result<(), String> {
    let fixed = ["run", "--package", "unsaid-benches", "--profile", "fast", "--locked", "--"];
    process::run("the benchmark run", process::cargo(root, &fixed).args(names))
}
