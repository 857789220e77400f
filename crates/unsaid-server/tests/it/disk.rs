//! A disk that fails under a running server: it says so, and serves again when the cause is gone.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::people::{PASSWORD, bearer, call, sign_up_with, token};
use crate::running::{Running, get};
use crate::wait::until;

#[test]
fn a_full_disk_is_507_until_there_is_room() {
    fails_then_recovers("pwrite64:error=ENOSPC", "HTTP/1.1 507 ", "STORAGE_FULL");
}

#[test]
fn a_disk_that_cannot_sync_is_503_until_it_can() {
    fails_then_recovers("fdatasync,fsync:error=EIO", "HTTP/1.1 503 ", "STORAGE_UNAVAILABLE");
}

#[test]
fn a_disk_turned_read_only_is_503_until_it_is_not() {
    fails_then_recovers("pwrite64:error=EROFS", "HTTP/1.1 503 ", "STORAGE_UNAVAILABLE");
}

/// The disk hangs for longer than anybody waits, so an answer that came is one that did not wait for it.
#[test]
fn h10_a_disk_that_hangs_is_503_and_what_was_said_meanwhile_is_said_once() {
    let dir = tempdir().unwrap();
    let (server, address) = Running::serve(dir.path());
    sign_up_with(address, "ana", true);
    let headers = bearer(&token(address, "ana", PASSWORD));
    for (path, made) in [
        ("/api/worlds", json!({ "name": "Home" })),
        ("/api/worlds/home/agents", json!({ "name": "Echo" })),
    ] {
        assert_eq!(call(address, "POST", path, &headers, &made).status, 201);
    }
    let once = format!("{headers}idempotency-key: one\r\n");
    let words = json!({ "message": "hello", "stream": false });
    let say = || call(address, "POST", "/api/worlds/home/messages", &once, &words);
    let fault = Fault::inject(&server, "fdatasync:delay_enter=60000000");
    let refused = say();
    assert_eq!((refused.status, &refused.body["code"]), (503, &json!("STORAGE_UNAVAILABLE")));
    fault.end();
    until(|| say().status.to_string(), |status| status == "200");
    let answered = say();
    assert_eq!(answered.body["messages"].as_array().map(Vec::len), Some(1), "{}", answered.body);
    let chats = call(address, "GET", "/api/worlds/home/chats", &headers, &Value::Null);
    assert_eq!(chats.body[0]["messageCount"], 2, "{}", chats.body);
    server.signal(Signal::TERM);
    let log = server.end().stderr;
    assert!(log.contains("storage_timeout") && !log.contains("hello"), "{log}");
}

fn fails_then_recovers(fault: &str, status: &str, code: &str) {
    let dir = tempdir().unwrap();
    let (server, address) = Running::serve(dir.path());
    until_ready(address);
    let fault = Fault::inject(&server, fault);
    // an answer is kept for a second: the fault shows a little later, and then every time
    until(|| get(address, "/readyz"), |answer| answer.starts_with(status));
    for _ in 0..3 {
        let answer = get(address, "/readyz");
        assert!(answer.starts_with(status), "{answer}");
        assert!(answer.contains(&format!(r#""code":"{code}""#)), "{answer}");
        assert!(!answer.contains("sqlite") && !answer.contains("unsaid.db"), "{answer}");
    }
    // what needs no disk goes on
    assert!(get(address, "/healthz").starts_with("HTTP/1.1 200 "));
    fault.end();
    until_ready(address);
}

fn until_ready(address: SocketAddr) {
    until(|| get(address, "/readyz"), |answer| answer.starts_with("HTTP/1.1 200 "));
}

/// System calls of a process that fail as long as this lives.
pub(crate) struct Fault {
    tracer: Child,
    said: BufReader<ChildStderr>,
}

impl Fault {
    pub(crate) fn inject(server: &Running, fault: &str) -> Self {
        let calls = fault.split(':').next().unwrap();
        let mut tracer = tracer()
            .args(["-f", "-p", &server.id().to_string(), "-o", "/dev/null"])
            .args(["-e", &format!("trace={calls}"), "-e", &format!("inject={fault}")])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("strace is installed (cargo xtask test does it)");
        let mut said = BufReader::new(tracer.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        assert!(line.contains("attached"), "{line}");
        Self { tracer, said }
    }

    pub(crate) fn end(mut self) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.tracer), Signal::INT)
            .unwrap();
        self.tracer.wait().unwrap();
        drop(self.said);
    }
}

/// The server does not let itself be traced by everybody.
pub(crate) fn tracer() -> Command {
    if rustix::process::geteuid().is_root() {
        return Command::new("strace");
    }
    let mut command = Command::new("sudo");
    command.args(["-n", "strace"]);
    command
}
