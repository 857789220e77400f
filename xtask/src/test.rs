//! `cargo xtask test`: every check, in the order in which a mistake is cheapest to find.

use std::io::BufReader;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::services::Services;
use crate::tally::Tally;
use crate::{install, leftovers, process, tidy};

/// How long the last lines may take once the tests have ended. Only a process that hides its
/// environment, as a server does when somebody else than root runs it, is still there then.
const OUTPUT_GRACE: Duration = Duration::from_secs(10);

/// Runs all checks and stops at the first that fails.
///
/// Warnings are refused through the arguments of clippy and rustdoc, not through `RUSTFLAGS`:
/// those are part of every dependency's fingerprint, so a developer who runs `cargo test` between
/// two of these runs would build all dependencies twice (libsqlite3-sys alone takes a minute).
/// Clippy with `--all-targets` compiles the same code as the tests do and reports every warning of
/// rustc too, so nothing slips through.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let mut tally = Tally::default();
    let began = now();
    step("tools of the system", install::missing_tools)?;
    step("format", || cargo(root, "cargo fmt", &["fmt", "--all", "--check"]))?;
    step("tidy", || tidy::run(root))?;
    step("clippy", || clippy(root))?;
    step("tests", || {
        let services = Services::start(root)?;
        tally = tests(root, &services)?;
        Ok(())
    })?;
    step("documentation", || doc(root))?;
    println!("\nall checks passed in {}", seconds(began.elapsed()));
    println!("{} passed, {} failed", tally.passed, tally.failed);
    Ok(())
}

fn clippy(root: &Path) -> Result<(), String> {
    let arguments =
        ["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"];
    cargo(root, "clippy", &arguments)
}

fn doc(root: &Path) -> Result<(), String> {
    let arguments = ["doc", "--workspace", "--no-deps", "--locked"];
    let mut command = process::cargo(root, &arguments);
    process::run("cargo doc", command.env("RUSTDOCFLAGS", "-D warnings"))
}

fn tests(root: &Path, services: &Services) -> Result<Tally, String> {
    // a run takes minutes: it tells of every failure, not only of the first
    let arguments = ["test", "--workspace", "--locked", "--no-fail-fast"];
    let mut command = process::cargo(root, &arguments);
    leftovers::mark(&mut command);
    services.tell(&mut command);
    command.env("RUST_TEST_THREADS", threads().to_string());
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| process::not_started("cargo test", &error))?;
    let output = child.stdout.take().ok_or("cargo test has no output")?;
    // apart, because a forgotten process holds the pipe open: first it is ended, then we hear all
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let counted = Tally::pass_through(BufReader::new(output), std::io::stdout());
        // nobody listens any more if it came too late
        sender.send(counted).unwrap_or_default();
    });
    let status = child.wait().map_err(|error| format!("cargo test was lost: {error}"))?;
    let left = leftovers::end();
    let tally = receiver
        .recv_timeout(OUTPUT_GRACE)
        .map_err(|_| "a process that the tests started is still running and holds their output")?
        .map_err(|error| format!("output of the tests was lost: {error}"))?;
    verdict(tally, process::judge("cargo test", status))?;
    left.map(|()| tally)
}

/// Most tests of the server wait for others: with a thread a core the machine would be idle.
fn threads() -> usize {
    thread::available_parallelism().map_or(1, std::num::NonZero::get) * 2
}

/// The exit code decides; the counts say how many, and that there were tests at all.
fn verdict(tally: Tally, ended: Result<(), String>) -> Result<(), String> {
    match ended {
        Err(sentence) if tally.failed == 0 => Err(sentence),
        Err(_) => Err(format!("{} of the tests failed, {} passed", tally.failed, tally.passed)),
        Ok(()) if tally.ignored > 0 => Err(format!("{} tests were ignored", tally.ignored)),
        Ok(()) if tally.passed == 0 => Err("no test was run".to_owned()),
        Ok(()) => Ok(()),
    }
}

fn cargo(root: &Path, name: &str, arguments: &[&str]) -> Result<(), String> {
    process::run(name, &mut process::cargo(root, arguments))
}

/// One check, announced before and timed after.
fn step(name: &str, check: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    println!("\n==> {name}");
    let began = now();
    let outcome = check();
    let word = if outcome.is_ok() { "ok" } else { "failed" };
    println!("<== {name}: {word} in {}", seconds(began.elapsed()));
    outcome
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[expect(clippy::disallowed_methods, reason = "a tool for the terminal measures real time")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_hands_its_failure_on() {
        assert_eq!(step("made up", || Err("no".to_owned())), Err("no".to_owned()));
        assert_eq!(step("made up", || Ok(())), Ok(()));
    }

    #[test]
    fn failed_ignored_and_missing_tests_are_refused() {
        let passed = Tally { passed: 3, ..Tally::default() };
        let failed = Tally { failed: 2, ..passed };
        let ignored = Tally { ignored: 1, ..passed };
        assert_eq!(verdict(passed, Ok(())), Ok(()));
        let sentence = "2 of the tests failed, 3 passed".to_owned();
        assert_eq!(verdict(failed, Err("exit 101".to_owned())), Err(sentence));
        let build_error = Err("exit 101".to_owned());
        assert_eq!(verdict(passed, build_error.clone()), build_error);
        assert_eq!(verdict(ignored, Ok(())), Err("1 tests were ignored".to_owned()));
        assert_eq!(verdict(Tally::default(), Ok(())), Err("no test was run".to_owned()));
    }
}
