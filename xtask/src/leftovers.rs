//! Processes that a test started and forgot.
//!
//! Everything below the test run carries a mark in its environment, which is inherited and stays
//! readable when a process has lost its parent. Who still carries it afterwards is a leftover: it
//! is ended, and the run fails, because a test that leaves a server behind will one day meet it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// The name of the mark; its value is the process id of this run.
const MARK: &str = "UNSAID_XTASK_RUN";
const LOOKS: u32 = 20;
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// Marks a command and everything that it will start.
pub(crate) fn mark(command: &mut Command) {
    command.env(MARK, std::process::id().to_string());
}

/// Ends what still carries the mark; the sentence names it.
pub(crate) fn end() -> Result<(), String> {
    let found = patiently(|| find(Path::new("/proc"), &format!("{MARK}={}", std::process::id())));
    if found.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = found.iter().map(|(id, name)| format!("{name} ({id})")).collect();
    for (id, _) in &found {
        // it may have ended by itself meanwhile; then there is nothing to do
        let ended = Command::new("kill").args(["-KILL", id]).stderr(Stdio::null()).status();
        ended.map_err(|error| crate::process::not_started("kill", &error))?;
    }
    Err(format!("the tests left processes behind, now ended: {}", names.join(", ")))
}

/// A process that was just killed takes a moment to go: only who stays is a leftover.
fn patiently(find: impl Fn() -> Vec<(String, String)>) -> Vec<(String, String)> {
    for _ in 0..LOOKS {
        if find().is_empty() {
            return Vec::new();
        }
        thread::sleep(LOOK_INTERVAL);
    }
    find()
}

/// Ids and names of the processes whose environment holds the mark; none where there is no `/proc`.
fn find(proc: &Path, mark: &str) -> Vec<(String, String)> {
    let Ok(entries) = std::fs::read_dir(proc) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let Ok(environment) = std::fs::read(entry.path().join("environ")) else { continue };
        if environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
            let name = std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            let id = entry.file_name().to_string_lossy().into_owned();
            found.push((id, name.trim().to_owned()));
        }
    }
    found
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::cell::Cell;
    use std::io::{Read as _, Write as _};

    use super::*;

    #[test]
    fn who_goes_in_time_is_no_leftover() {
        let looks = Cell::new(0);
        let process = || vec![("7".to_owned(), "cat".to_owned())];
        let goes = || {
            looks.set(looks.get() + 1);
            if looks.get() < 3 { process() } else { Vec::new() }
        };
        assert!(patiently(goes).is_empty());
        assert_eq!(looks.get(), 3);
    }

    #[test]
    fn a_marked_process_is_found_until_it_ends() {
        let mark = format!("UNSAID_LEFTOVER_TEST={}", std::process::id());
        let (name, value) = mark.split_once('=').unwrap();
        // waits for its input, so it is alive until we close it
        let mut cat = Command::new("cat");
        cat.env(name, value).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = cat.spawn().unwrap();
        // a process that has just been started may not have its environment yet; one that echoes has
        child.stdin.as_mut().unwrap().write_all(b"!").unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let found = find(Path::new("/proc"), &mark);
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(found, [(child.id().to_string(), "cat".to_owned())]);
        assert!(find(Path::new("/proc"), &mark).is_empty());
    }
}
