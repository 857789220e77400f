//! What the tests need beside Rust: installed when it is missing, so that one command is enough.

use std::process::Command;

use crate::process;

/// A program of the system that a test calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tool {
    /// How it is called.
    program: &'static str,
    /// The Debian package that brings it.
    package: &'static str,
}

/// Everything needed. A test that calls another program adds a line here.
const TOOLS: &[Tool] = &[
    // the power-cut test replays the writer's system calls
    Tool { program: "strace", package: "strace" },
];

/// Installs what is not there yet; touches nothing when all is.
pub(crate) fn missing_tools() -> Result<(), String> {
    let packages = packages_missing(TOOLS, process::is_installed);
    if packages.is_empty() {
        return Ok(());
    }
    let list = packages.join(" ");
    if !process::is_installed("apt-get") {
        return Err(format!("the tests need {list}, and there is no apt-get: please install it"));
    }
    println!("installing {list}");
    process::run("apt-get update", apt_get()?.arg("update"))?;
    process::run(
        &format!("installing {list}"),
        apt_get()?.args(["install", "-y", "--no-install-recommends"]).args(&packages),
    )
}

fn packages_missing(tools: &[Tool], is_installed: impl Fn(&str) -> bool) -> Vec<&'static str> {
    tools.iter().filter(|tool| !is_installed(tool.program)).map(|tool| tool.package).collect()
}

/// `apt-get` without questions, through sudo for those who are not root.
fn apt_get() -> Result<Command, String> {
    let user = process::output("id", Command::new("id").arg("-u"))?;
    let mut command = Command::new(if user.trim_ascii() == b"0" { "env" } else { "sudo" });
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_installed() {
        let tools = [
            Tool { program: "here", package: "here-package" },
            Tool { program: "gone", package: "gone-package" },
        ];
        assert_eq!(packages_missing(&tools, |program| program == "here"), ["gone-package"]);
        assert!(packages_missing(&tools, |_| true).is_empty());
    }
}
