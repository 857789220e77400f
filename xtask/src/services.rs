//! What tests talk to beside themselves: a PostgreSQL server and an S3 server, both thrown away
//! afterwards; and LINE's SDK, schemathesis, the AI SDK and what the page is built with, which are
//! only installed.
//!
//! The servers belong to a process of their own, the keeper. It ends them when its input closes, and that
//! happens however we end: well, badly, by Ctrl-C or by `kill -9`. They do not carry the mark of
//! `leftovers.rs`, because the keeper is started before the tests and outlives them on purpose.

mod keeper;
mod moto;
mod node;
mod postgres;
mod python;
mod scratch;

use std::io::{BufRead, BufReader, PipeReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::Duration;

use self::python::Package;
use crate::{install, process};

pub(crate) use keeper::keep;
pub(crate) use postgres::is_installed as has_postgres;
pub(crate) use python::has_python;

/// The hidden command under which this program starts itself again.
pub(crate) const KEEP: &str = "keep-services";
/// The keeper's last line before it waits.
const READY: &str = "ready";
/// What stands before the sentence when the keeper gives up.
const FAILED: &str = "failed: ";
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
const LOOKS: u32 = 1_200;
/// Somebody else may take a free port before a server does.
const PORT_TRIES: u32 = 3;

/// LINE's own SDK for Python: it writes webhooks for us and reads ours.
const LINE_SDK: Package =
    Package { name: "line-bot-sdk", version: "3.27.0", requirement: "line-bot-sdk" };

const LINE_SDK_AT: &str = "UNSAID_TEST_LINE_SDK";

/// Makes calls out of our description of the API, and looks whether the answers are as described.
const SCHEMATHESIS: Package =
    Package { name: "schemathesis", version: "4.32.5", requirement: "schemathesis" };
const SCHEMATHESIS_AT: &str = "UNSAID_TEST_SCHEMATHESIS";

/// Where it is written which packages `useChat` is made of.
const USE_CHAT: &str = "crates/unsaid-server/tests/node";
const USE_CHAT_AT: &str = "UNSAID_TEST_USE_CHAT";

/// Where it is written which packages the page is built and tried with.
const WEB: &str = "web";
const WEB_AT: &str = "UNSAID_TEST_WEB";

/// Servers that run until this is dropped.
pub(crate) struct Services {
    keeper: Child,
    /// Closing it is the sign to end.
    leash: Option<ChildStdin>,
    variables: Vec<(String, String)>,
}

impl Services {
    /// Starts them and waits until they answer. What they need must be installed.
    pub(crate) fn start(root: &Path) -> Result<Self, String> {
        let target = target_directory(root);
        let moto = python::installed(&target, &moto::PACKAGE)?;
        let line_sdk = python::interpreter(&python::installed(&target, &LINE_SDK)?);
        let use_chat = node::installed(&target, "use-chat", &root.join(USE_CHAT))?;
        let web = node::installed(&target, "web", &root.join(WEB))?;
        let schemathesis = python::interpreter(&python::installed(&target, &SCHEMATHESIS)?);
        let program = std::env::current_exe().map_err(|error| format!("who am I: {error}"))?;
        let (output, input) = std::io::pipe().map_err(|error| format!("no pipe: {error}"))?;
        let mut keeper = Command::new(program)
            .arg(KEEP)
            .arg(moto)
            .stdin(Stdio::piped())
            .stdout(input)
            // Ctrl-C goes to the whole group: the keeper must be alive to clean up
            .process_group(0)
            .spawn()
            .map_err(|error| process::not_started("the keeper of the services", &error))?;
        let leash = keeper.stdin.take();
        let mut services = Self { keeper, leash, variables: Vec::new() };
        services.variables = variables(output)?;
        let places = [
            (LINE_SDK_AT, line_sdk),
            (SCHEMATHESIS_AT, schemathesis),
            (USE_CHAT_AT, use_chat),
            (WEB_AT, web),
        ];
        for (name, path) in places {
            services.variables.push((name.to_owned(), path.to_string_lossy().into_owned()));
        }
        Ok(services)
    }

    /// Tells a command where they are.
    pub(crate) fn tell(&self, command: &mut Command) {
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
    }
}

impl Drop for Services {
    fn drop(&mut self) {
        drop(self.leash.take());
        // it fails only if there is no such process, and then nothing is left to wait for
        self.keeper.wait().map(|_| ()).unwrap_or_default();
    }
}

/// `cargo xtask services -- COMMAND…`: runs a command beside them.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    let words = match arguments.split_first() {
        Some((dashes, rest)) if dashes == "--" => rest,
        _ => arguments,
    };
    let Some((program, rest)) = words.split_first() else {
        return Err("no command to run: cargo xtask services -- COMMAND…".to_owned());
    };
    install::missing_tools()?;
    let services = Services::start(root)?;
    let mut command = Command::new(program);
    services.tell(&mut command);
    process::run(program, command.args(rest))
}

/// What the keeper says: a variable a line, then that it is ready.
fn variables(output: PipeReader) -> Result<Vec<(String, String)>, String> {
    let mut variables = Vec::new();
    for line in BufReader::new(output).lines() {
        let line = line.map_err(|error| format!("the keeper of the services was lost: {error}"))?;
        if line == READY {
            return Ok(variables);
        } else if let Some(sentence) = line.strip_prefix(FAILED) {
            return Err(sentence.to_owned());
        } else if let Some((name, value)) = line.split_once('=') {
            variables.push((name.to_owned(), value.to_owned()));
        }
    }
    Err("the keeper of the services ended early".to_owned())
}

/// Where cargo builds; what we install for tests stands beside it and is reused.
fn target_directory(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir))
}

/// Looks until there is something to see, or the server has ended, or a minute has passed. A server
/// that never gets ready is ended.
fn until_ready(
    name: &str,
    server: &mut Child,
    mut is_ready: impl FnMut() -> bool,
) -> Result<(), String> {
    let outcome = look(name, server, &mut is_ready);
    if outcome.is_err() {
        // both fail only if it has ended already
        server.kill().unwrap_or_default();
        server.wait().map(|_| ()).unwrap_or_default();
    }
    outcome
}

fn look(name: &str, server: &mut Child, is_ready: &mut dyn FnMut() -> bool) -> Result<(), String> {
    for _ in 0..LOOKS {
        let ended = server.try_wait().map_err(|error| format!("{name} was lost: {error}"))?;
        if let Some(status) = ended {
            return Err(format!("{name} ended at once ({status})"));
        }
        if is_ready() {
            return Ok(());
        }
        thread::sleep(LOOK_INTERVAL);
    }
    Err(format!("{name} does not answer"))
}

/// A port of the loopback address that nobody has at this moment.
fn free_port() -> Result<u16, String> {
    std::net::TcpListener::bind(("127.0.0.1", 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|error| format!("no port is free: {error}"))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn said(text: &str) -> Result<Vec<(String, String)>, String> {
        let (output, mut input) = std::io::pipe().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        drop(input);
        variables(output)
    }

    #[test]
    fn the_keeper_tells_variables_or_why_not() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(said("A=1\nB=x=y\nready\n"), Ok(vec![pair("A", "1"), pair("B", "x=y")]));
        assert_eq!(said("A=1\nfailed: no room\n"), Err("no room".to_owned()));
        assert!(said("A=1\n").unwrap_err().contains("ended early"));
    }

    #[test]
    fn a_server_that_ends_or_keeps_silent_is_a_sentence() {
        let mut ends = Command::new("false").spawn().unwrap();
        ends.wait().unwrap();
        let sentence = until_ready("the server", &mut ends, || true).unwrap_err();
        assert!(sentence.starts_with("the server ended at once"), "{sentence}");
    }

    #[test]
    fn a_command_is_needed() {
        for arguments in [&[][..], &["--".to_owned()][..]] {
            let sentence = run(Path::new("."), arguments).unwrap_err();
            assert!(sentence.starts_with("no command to run"), "{sentence}");
        }
    }
}
