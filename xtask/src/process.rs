//! Starting other programs, and saying in a sentence why one failed.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// The cargo that runs us, in the workspace's directory.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root);
    command
}

/// Runs it with our own input and output; a failure is a sentence that begins with `name`.
pub(crate) fn run(name: &str, command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| not_started(name, &error))?;
    judge(name, status)
}

/// Runs it and returns what it printed; its errors go to our own.
pub(crate) fn output(name: &str, command: &mut Command) -> Result<Vec<u8>, String> {
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|error| not_started(name, &error))?;
    judge(name, output.status)?;
    Ok(output.stdout)
}

/// Whether a program of this name is on the path.
pub(crate) fn is_installed(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

/// The sentence for a program that ended badly.
pub(crate) fn judge(name: &str, status: ExitStatus) -> Result<(), String> {
    if status.success() { Ok(()) } else { Err(format!("{name} failed ({status})")) }
}

/// The sentence for a program that could not be started.
pub(crate) fn not_started(name: &str, error: &std::io::Error) -> String {
    format!("{name} could not be started: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_a_sentence_with_the_name() {
        let sentence = run("the check", &mut Command::new("false")).unwrap_err();
        assert!(sentence.starts_with("the check failed"), "{sentence}");
        let sentence = run("the check", &mut Command::new("no-such-program-here")).unwrap_err();
        assert!(sentence.starts_with("the check could not be started"), "{sentence}");
    }

    #[test]
    fn programs_are_looked_for_on_the_path() {
        assert!(is_installed("sh"));
        assert!(!is_installed("no-such-program-here"));
    }
}
