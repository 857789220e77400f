//! A process of the binary, never left behind.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Nothing here takes long; whatever does has failed.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);

/// A process that is killed when this goes out of scope.
pub(crate) struct Running {
    pid: Pid,
    lines: Receiver<String>,
    log: Receiver<String>,
    ended: Receiver<Ended>,
    reaped: bool,
}

/// How a process ended, and what it said.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Running {
    /// Starts the binary in `dir` with these arguments and nothing in its environment.
    pub(crate) fn start(dir: &Path, arguments: &[&str]) -> Self {
        Self::start_with(dir, arguments, &[])
    }

    pub(crate) fn start_with(dir: &Path, arguments: &[&str], env: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_unsaid"))
            .args(arguments)
            .env_clear()
            .envs(env.iter().copied())
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        let stdout = child.stdout.take().unwrap();
        let stderr = child.stderr.take().unwrap();
        let (say_line, lines) = channel();
        let (say_log, log) = channel();
        let (say_end, ended) = channel();
        let complaints = thread::spawn(move || told(stderr, &say_log));
        thread::spawn(move || {
            let stdout = told(stdout, &say_line);
            let stderr = complaints.join().unwrap();
            let code = child.wait().unwrap().code();
            say_end.send(Ended { code, stdout, stderr }).unwrap_or_default();
        });
        Self { pid, lines, log, ended, reaped: false }
    }

    /// A server on a free port, and its address.
    pub(crate) fn serve(dir: &Path) -> (Self, SocketAddr) {
        let mut server = Self::start(dir, &["serve", "--listen", ":0"]);
        let address = server.address();
        (server, address)
    }

    /// The address that it prints.
    pub(crate) fn address(&mut self) -> SocketAddr {
        let Ok(line) = self.lines.recv_timeout(DEADLINE) else {
            panic!("did not start: {:?}", self.ended.recv_timeout(DEADLINE));
        };
        let address = line.strip_prefix("unsaid listens on http://");
        address.unwrap_or_else(|| panic!("{line}")).parse().unwrap()
    }

    /// The next line that it prints.
    pub(crate) fn line(&self) -> String {
        self.lines.recv_timeout(DEADLINE).expect("a line is printed")
    }

    pub(crate) fn id(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).unwrap();
    }

    /// Waits until it logs a line that contains this, however much else it logs.
    #[expect(clippy::disallowed_methods, reason = "measures how long a test waits")]
    pub(crate) fn wait_for_log(&self, words: &str) {
        let end = Instant::now() + DEADLINE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if self.log.recv_timeout(left).expect("it is logged").contains(words) {
                return;
            }
        }
    }

    /// Waits until it has ended by itself.
    pub(crate) fn end(mut self) -> Ended {
        let ended = self.ended.recv_timeout(DEADLINE).expect("the process ends");
        self.reaped = true;
        ended
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.reaped && self.ended.try_recv().is_err() {
            kill_process(self.pid, Signal::KILL).unwrap_or_default();
        }
    }
}

/// Hands on line after line; all of them in the end.
fn told(pipe: impl Read, to: &Sender<String>) -> String {
    let mut all = String::new();
    for line in BufReader::new(pipe).lines() {
        let line = line.unwrap();
        all.push_str(&line);
        all.push('\n');
        // nobody listens any more once the test is over
        to.send(line).unwrap_or_default();
    }
    all
}

/// Runs a command to its end.
pub(crate) fn run(dir: &Path, arguments: &[&str]) -> Ended {
    Running::start(dir, arguments).end()
}

/// Asks a server for a path: status line, headers and body as they came.
pub(crate) fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = connect(address);
    write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
    answer(stream)
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream
}

/// What the server says until it closes the connection.
pub(crate) fn answer(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

/// Everything below a directory: mode and bytes by path.
pub(crate) fn contents(dir: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let mode = fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o7777;
        if path.is_dir() {
            found.extend(contents(&path));
            found.insert(path, (mode, Vec::new()));
        } else {
            let bytes = fs::read(&path).unwrap();
            found.insert(path, (mode, bytes));
        }
    }
    found
}
