//! Python programs for tests, each in an environment of its own that pip fills.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::process;

/// Debian's stands last: it may be there beside one that cannot make environments.
const PYTHONS: &[&str] = &["python3", "/usr/bin/python3"];

/// Something that pip installs. Another version is another directory, so nothing has to be brought
/// up to date.
pub(super) struct Package {
    /// What its directory is called.
    pub(super) name: &'static str,
    /// Which one, exactly.
    pub(super) version: &'static str,
    /// What pip calls it.
    pub(super) requirement: &'static str,
}

/// Whether `missing_tools` has nothing to install.
pub(crate) fn has_python() -> bool {
    python().is_some()
}

/// The Python that knows what is installed in an environment.
pub(super) fn interpreter(environment: &Path) -> PathBuf {
    environment.join("bin").join("python")
}

/// The environment of a package below `target`, made if it is not there yet.
pub(super) fn installed(target: &Path, package: &Package) -> Result<PathBuf, String> {
    let Package { name, version, .. } = package;
    let services = target.join("services");
    let environment = services.join(format!("{name}-{version}"));
    if environment.is_dir() {
        return Ok(environment);
    }
    println!("installing {name} {version}");
    // made apart and moved: what stands at its place is complete, also if two make it at once
    let draft = services.join(format!("{name}-{version}.{}", std::process::id()));
    let made = install(&draft, package);
    if made.is_ok() && std::fs::rename(&draft, &environment).is_ok() {
        return Ok(environment);
    }
    std::fs::remove_dir_all(&draft).unwrap_or_default();
    made?;
    if environment.is_dir() {
        Ok(environment)
    } else {
        Err(format!("{} cannot be made", environment.display()))
    }
}

fn install(draft: &Path, package: &Package) -> Result<(), String> {
    let python = python().ok_or("no python3 can make an environment: install python3-venv")?;
    let mut venv = Command::new(python);
    process::run("python3 -m venv", venv.args(["-m", "venv"]).arg(draft))?;
    let mut pip = Command::new(interpreter(draft));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    process::run("pip install", pip.arg(format!("{}=={}", package.requirement, package.version)))
}

/// Debian's Python cannot make environments before `python3-venv` is installed.
fn python() -> Option<&'static str> {
    let can = |python: &&&str| {
        Command::new(python)
            .args(["-c", "import ensurepip, venv"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    PYTHONS.iter().find(can).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_installed_is_not_installed_again() {
        let target = std::env::temp_dir().join(format!("unsaid-python-{}", std::process::id()));
        let environment = target.join("services").join("made-up-0.0.0");
        std::fs::create_dir_all(&environment).unwrap();
        let package = Package { name: "made-up", version: "0.0.0", requirement: "no-such-thing" };
        assert_eq!(installed(&target, &package), Ok(environment));
        std::fs::remove_dir_all(&target).unwrap();
    }
}
