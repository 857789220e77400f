//! What the tests need beside Rust: installed when it is missing, so that one command is enough.

use std::path::Path;
use std::process::Command;

use crate::{process, services};

/// Something of the system that a test calls.
struct Tool {
    /// Whether it is there already.
    is_installed: fn() -> bool,
    /// The Debian package that brings it.
    package: &'static str,
}

/// A file of the font for Japanese.
const CJK_FONT: &str = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc";

/// Everything needed. A test that calls another program adds a line here.
const TOOLS: &[Tool] = &[
    // the power-cut test replays the writer's system calls
    Tool { is_installed: || process::is_installed("strace"), package: "strace" },
    Tool { is_installed: services::has_postgres, package: "postgresql" },
    // brings Python itself, too
    Tool { is_installed: services::has_python, package: "python3-venv" },
    Tool { is_installed: || process::is_installed("node"), package: "nodejs" },
    Tool { is_installed: || process::is_installed("npm"), package: "npm" },
    // the page is tried in it
    Tool { is_installed: || process::is_installed("chromium"), package: "chromium" },
    // without it Japanese is drawn as empty boxes
    Tool { is_installed: || Path::new(CJK_FONT).exists(), package: "fonts-noto-cjk" },
];

/// Installs what is not there yet; touches nothing when all is.
pub(crate) fn missing_tools() -> Result<(), String> {
    let packages = packages_missing(TOOLS);
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

fn packages_missing(tools: &[Tool]) -> Vec<&'static str> {
    tools.iter().filter(|tool| !(tool.is_installed)()).map(|tool| tool.package).collect()
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
            Tool { is_installed: || true, package: "here-package" },
            Tool { is_installed: || false, package: "gone-package" },
        ];
        assert_eq!(packages_missing(&tools), ["gone-package"]);
        assert!(packages_missing(&tools[..1]).is_empty());
    }
}
