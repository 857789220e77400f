//! Sessions through the binary: what is written, what is forgotten, after kills and on several
//! servers.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::disk::tracer;
use crate::people::{PASSWORD, bearer, call, sign_up_with, token};
use crate::postgres::Database;
use crate::running::{Running, answer, connect, contents, run};
use crate::wait::until;

const CANARY: &str = "canary7qx2vzk9";

/// Somebody in a session of theirs.
pub(crate) struct Guest {
    pub(crate) address: SocketAddr,
    pub(crate) headers: String,
    session: String,
}

impl Guest {
    pub(crate) fn new(address: SocketAddr, name: &str, consent: bool) -> Self {
        sign_up_with(address, name, consent);
        let headers = bearer(&token(address, name, PASSWORD));
        let opened = call(address, "POST", "/api/sessions", &headers, &json!({}));
        assert_eq!(opened.status, 201, "{}", opened.body);
        let session = opened.body["session"]["id"].as_str().unwrap().to_owned();
        Self { address, headers, session }
    }

    /// The same person at another server.
    fn at(&self, address: SocketAddr) -> Self {
        let (headers, session) = (self.headers.clone(), self.session.clone());
        Self { address, headers, session }
    }

    /// The whole stream of an answer, as text.
    pub(crate) fn asks(&self, words: &str) -> String {
        let body = json!({ "session_id": self.session, "message": words }).to_string();
        let mut stream = connect(self.address);
        write!(
            stream,
            "POST /api/chat HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: \
            application/json\r\ncontent-length: {}\r\n{}\r\n{body}",
            body.len(),
            self.headers
        )
        .unwrap();
        let text = answer(stream);
        assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
        assert!(text.contains("[DONE]"), "{text}");
        text
    }

    fn messages(&self) -> (u16, Value) {
        let path = format!("/api/sessions/{}/messages", self.session);
        let told = call(self.address, "GET", &path, &self.headers, &Value::Null);
        (told.status, told.body["messages"].clone())
    }
}

/// Which files below a directory hold the canary.
fn holding(dir: &Path) -> String {
    let holds = |bytes: &[u8]| bytes.windows(CANARY.len()).any(|at| at == CANARY.as_bytes());
    let found = contents(dir).into_iter().filter(|(_, (_, bytes))| holds(bytes));
    format!("{:?}", found.map(|(path, _)| path).collect::<Vec<_>>())
}

/// Every write of a process to anything but a socket, while something is done.
fn written_while(server: &Running, dir: &Path, done: impl FnOnce()) -> String {
    let trace = dir.join("trace");
    let calls = "trace=write,pwrite64,writev,pwritev,pwritev2,msync,ftruncate,io_uring_enter";
    let mut tracer = tracer()
        .args(["-f", "-yy", "-s", "1048576", "-e", calls, "-p", &server.id().to_string(), "-o"])
        .arg(&trace)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("strace is installed (cargo xtask test does it)");
    let mut said = BufReader::new(tracer.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.contains("attached"), "{line}");
    done();
    kill_process(Pid::from_child(&tracer), Signal::INT).unwrap();
    tracer.wait().unwrap();
    let written = std::fs::read_to_string(&trace).unwrap();
    std::fs::remove_file(&trace).unwrap();
    let to_files = written.lines().filter(|line| !line.contains("<TCP"));
    to_files.collect::<Vec<_>>().join("\n")
}

#[test]
fn without_consent_no_byte_is_written_and_with_it_the_same_search_finds_them() {
    for consent in [false, true] {
        let (dir, aside) = (tempdir().unwrap(), tempdir().unwrap());
        let (server, address) = Running::serve(dir.path());
        let ana = Guest::new(address, "ana", consent);
        let written = written_while(&server, aside.path(), || {
            ana.asks(&format!("my name is {CANARY}"));
            let told = ana.asks("what is my name");
            assert!(told.contains(CANARY), "the model remembers: {told}");
        });
        assert!(written.contains("write"), "the trace saw something: {written}");
        assert_eq!(written.contains(CANARY), consent, "in what was written");
        assert_eq!(holding(dir.path()) != "[]", consent, "in the data directory");
        server.signal(Signal::TERM);
        let ended = server.end();
        assert!(!ended.stderr.contains(CANARY) && !ended.stdout.contains(CANARY), "in the log");
        assert_eq!(holding(dir.path()) != "[]", consent, "after the end");
    }
}

#[test]
fn after_erasing_the_words_are_nowhere_and_bill_and_audit_are_there() {
    let dir = tempdir().unwrap();
    let (_server, address) = Running::serve(dir.path());
    let ana = Guest::new(address, "ana", true);
    ana.asks(&format!("my name is {CANARY}"));
    assert_ne!(holding(dir.path()), "[]");
    let erased = call(address, "POST", "/api/users/me/erase", &ana.headers, &Value::Null);
    assert_eq!(erased.body, json!({ "status": "ok" }));
    assert_eq!(ana.messages().0, 404);
    until(|| holding(dir.path()), |found| found == "[]");
    let audited = || run(dir.path(), &["audit", "verify"]).stdout;
    until(audited, |told| told.starts_with("whole: 1 lines"));
    let database = contents(dir.path());
    let database = database.iter().find(|(path, _)| path.ends_with("unsaid.db")).unwrap();
    assert!(!database.1.1.is_empty());
}

#[test]
fn memory_follows_an_erasure_by_a_command() {
    let dir = tempdir().unwrap();
    let (_server, address) = Running::serve(dir.path());
    let ana = Guest::new(address, "ana", false);
    ana.asks(&format!("my name is {CANARY}"));
    assert!(ana.asks("what is my name").contains(CANARY));
    let erased = run(dir.path(), &["erase", "--user", "ana@example.org"]);
    assert_eq!(erased.code, Some(0), "{erased:?}");
    // Its session went with everything else, so that a new one is needed to ask.
    let path = format!("/api/sessions/{}", ana.session);
    let gone = || call(address, "GET", &path, &ana.headers, &Value::Null).status.to_string();
    until(gone, |status| status == "404");
    let opened = call(address, "POST", "/api/sessions", &ana.headers, &json!({}));
    let session = opened.body["session"]["id"].as_str().unwrap().to_owned();
    let again = Guest { session, ..ana };
    assert!(!again.asks("what is my name").contains(CANARY));
}

#[test]
fn what_was_acknowledged_outlives_a_kill() {
    let dir = tempdir().unwrap();
    let (server, address) = Running::serve(dir.path());
    let ana = Guest::new(address, "ana", true);
    ana.asks("my name is Ana");
    let (_, before) = ana.messages();
    server.signal(Signal::KILL);
    server.end();
    let (_server, address) = Running::serve(dir.path());
    let ana = ana.at(address);
    assert_eq!(ana.messages(), (200, before));
    assert!(ana.asks("what is my name").contains("your name is Ana"));
}

#[test]
fn servers_on_one_database_share_sessions() {
    let (dir, database) = (tempdir().unwrap(), Database::new());
    let arguments = ["serve", "--listen", ":0", "--database", &database.address];
    let mut servers = [0, 1].map(|_| Running::start(dir.path(), &arguments));
    let [one, other] = servers.each_mut().map(Running::address);
    let ana = Guest::new(one, "ana", true);
    ana.asks("my name is Ana");
    let there = ana.at(other);
    assert!(there.asks("what is my name").contains("your name is Ana"));
    assert_eq!(ana.messages(), there.messages());
    let (_, messages) = ana.messages();
    assert_eq!(messages.as_array().unwrap().len(), 4);
    let off = json!({ "store_history": false });
    let path = "/api/users/me/preferences";
    assert_eq!(call(other, "PATCH", path, &ana.headers, &off).status, 200);
    assert_eq!(ana.messages().0, 404, "hidden on every server at once");
    let told = ana.asks("what is my name");
    assert!(!told.contains("your name is Ana"), "{told}");
    assert!(told.contains("\"stored\":false"), "{told}");
}
