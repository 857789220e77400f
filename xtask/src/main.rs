//! Automation in Rust: `cargo xtask test | tidy | docs | web | bench | fuzz | services`.
//!
//! - `test`: every check there is, in one command
//! - `tidy`: the conventions of the house, as tests
//! - `docs`: the reference pages that are written from the code
//! - `web`: the page, built again
//! - `bench`: the benchmarks, built without link-time optimisation
//! - `fuzz`: odd input for what reads from outside, for as long as you like
//! - `services`: a command beside the servers that tests talk to
//!
//! Only the standard library, JSON and TOML are used, so that it compiles in seconds.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a tool for the terminal")]

mod bench;
mod docs;
mod fuzz;
mod install;
mod leftovers;
mod process;
mod services;
mod tally;
mod test;
mod tidy;
mod web;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test            all checks: format, tidy, clippy, tests, docs
  tidy            the conventions of the house
  docs            write docs/reference from the code
  web             build the page again into web/dist
  bench [NAME…]   run the benchmarks, or those named
  fuzz [N [SEED]] read N odd webhooks (a million unless told)
  services -- COMMAND…
                  run a command beside the servers that tests talk to";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match command(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("xtask: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn command(arguments: &[String]) -> Result<(), String> {
    let root = root()?;
    let Some((name, rest)) = arguments.split_first() else {
        return Err(format!("no command given\n{USAGE}"));
    };
    match name.as_str() {
        "bench" => return bench::run(&root, rest),
        "fuzz" => return fuzz::run(&root, rest),
        "services" => return services::run(&root, rest),
        services::KEEP => return services::keep(rest),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            return Ok(());
        }
        _ if !rest.is_empty() => return Err(format!("{name} takes no arguments\n{USAGE}")),
        _ => {}
    }
    match name.as_str() {
        "test" => test::run(&root),
        "tidy" => tidy::run(&root),
        "docs" => docs::run(&root),
        "web" => web::run(&root),
        unknown => Err(format!("no command named {unknown}\n{USAGE}")),
    }
}

/// The directory of the workspace, wherever the command was called from.
///
/// Cargo says it when it runs us. What was compiled in may be another clone that shares the target
/// directory, and counts only without cargo.
fn root() -> Result<PathBuf, String> {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    xtask.parent().map(Path::to_path_buf).ok_or_else(|| "xtask has no parent directory".to_owned())
}
