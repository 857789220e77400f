//! H6 under `kill -9`: a server is killed at each write of an edit, one after the other, until none
//! is left. When it is back, all of the edit has happened, or nothing.
//!
//! The writes are system calls: to the files of `SQLite`, or to the socket of `PostgreSQL` and of
//! whoever asked.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::{TempDir, tempdir};
use tokio::runtime::Runtime;
use unsaid_core::domain::conversation::Conversation;
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::ChatId;

use super::world::{Server, Visitor, serve};
use super::{PATIENCE, state};
use crate::disk::tracer;
use crate::erasing::base::Base;

/// No edit writes so often.
const WRITES_MAX: u32 = 100;
const NEW_WORDS: &str = "nougat";

struct House {
    dir: TempDir,
    base: Base,
    runtime: Runtime,
}

impl House {
    fn on(base: Base) -> Self {
        Self { dir: tempdir().unwrap(), base, runtime: Runtime::new().unwrap() }
    }

    /// Calls are counted by thread: the fewer there are, the more is one after the other.
    fn serve(&self) -> Server {
        serve(self.dir.path(), &self.base, &[], &[("TOKIO_WORKER_THREADS", "1")])
    }

    fn whole(&self, visitor: &Visitor) -> Conversation {
        let key = ConversationKey::Chat(ChatId::new(visitor.chat.as_str()).unwrap());
        self.runtime.block_on(async {
            let store = self.base.open().await;
            store.whole(&key).await.unwrap().unwrap()
        })
    }

    /// Edits in a new chat, with the kill at this write. Whether the edit was acknowledged.
    fn edits(&self, visitor: &Visitor, call: &str, nth: u32) -> bool {
        let (told, server) = (format!("{call} {nth}"), self.serve());
        let visitor = visitor.at(server.address).in_new_chat();
        let id = visitor.says("@o1 marzipan");
        visitor.says("@o1 more marzipan");
        let before = self.whole(&visitor);
        assert_eq!(before.log.len(), 4);
        let killer = Killer::of(&server, call, nth);
        let is_acknowledged = edits(&visitor, &id);
        killer.end();
        kill(server);
        let server = self.serve();
        let visitor = visitor.at(server.address);
        let seen = self.whole(&visitor);
        let shown = visitor.messages();
        if seen == before {
            assert!(!is_acknowledged, "{told}");
            assert_eq!(shown.as_array().unwrap().len(), 4, "{told}: {shown}");
            assert!(edits(&visitor, &id), "the same again, after {told}");
        } else {
            assert_eq!(seen, state::edited(&before, &seen, &id, NEW_WORDS), "{told}");
            assert_eq!(shown.as_array().unwrap().len(), 1, "{told}: {shown}");
        }
        let shown = visitor.messages();
        assert_eq!(shown[0]["content"], NEW_WORDS, "{told}: {shown}");
        kill(server);
        is_acknowledged
    }

    #[expect(clippy::print_stderr, reason = "how many writes there were is good to know")]
    fn is_killed_at_each(&self, calls: &[&str]) {
        let server = self.serve();
        let visitor = Visitor::new(server.address, "ana", false);
        kill(server);
        let mut killed = 0;
        for call in calls {
            let kills = (1..WRITES_MAX).find(|nth| self.edits(&visitor, call, *nth));
            let kills = kills.expect("an edit comes to its end") - 1;
            eprintln!("killed at {kills} of {call}");
            killed += kills;
        }
        assert!(killed > 0, "an edit writes");
    }
}

/// Kills a server when one of its threads is about to make the `nth` call of a kind.
struct Killer {
    tracer: Child,
    /// Of the tracer itself, which may not be the child.
    id: String,
    /// It says more, and must be able to.
    _said: BufReader<ChildStderr>,
}

impl Killer {
    fn of(server: &Server, call: &str, nth: u32) -> Self {
        let id = server.running.id().to_string();
        let mut tracer = tracer()
            .args(["-f", "-p", &id, "-o", "/dev/null", "-e", &format!("trace={call}")])
            .args(["-e", &format!("inject={call}:signal=KILL:when={nth}")])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("strace is installed (cargo xtask test does it)");
        let mut said = BufReader::new(tracer.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        assert!(line.contains("attached"), "{line}");
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let id = status.lines().find_map(|line| line.strip_prefix("TracerPid:")).unwrap();
        Self { id: id.trim().to_owned(), tracer, _said: said }
    }

    /// The dead are let go only by the end of who traced them, and it does not always end by itself.
    fn end(mut self) {
        if rustix::process::geteuid().is_root() {
            let id = Pid::from_raw(self.id.parse().unwrap()).unwrap();
            kill_process(id, Signal::KILL).unwrap_or_default();
        } else {
            let mut kill = Command::new("sudo");
            kill.args(["-n", "kill", "-KILL", &self.id]).output().unwrap();
        }
        self.tracer.wait().unwrap();
    }
}

/// It may be dead already.
fn kill(server: Server) {
    let id = Pid::from_raw(server.running.id()).unwrap();
    kill_process(id, Signal::KILL).unwrap_or_default();
    server.running.end();
}

/// Whether an edit was acknowledged.
fn edits(visitor: &Visitor, id: &str) -> bool {
    let body = json!({ "chatId": visitor.chat, "newContent": NEW_WORDS, "stream": false });
    let body = body.to_string();
    let mut stream = TcpStream::connect(visitor.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(
        stream,
        "PUT /api/worlds/w/messages/{id} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: \
        application/json\r\ncontent-length: {}\r\n{}\r\n{body}",
        body.len(),
        visitor.headers
    )
    .unwrap();
    let mut said = Vec::new();
    // A server that is killed closes its sockets in one way or the other.
    stream.read_to_end(&mut said).map(|_| ()).unwrap_or_default();
    let said = String::from_utf8(said).unwrap();
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 200 "), "{said}");
    !said.is_empty()
}

#[test]
fn h6_killed_at_each_write_on_sqlite() {
    House::on(Base::sqlite()).is_killed_at_each(&["pwrite64", "fdatasync", "fsync", "ftruncate"]);
}

#[test]
fn h6_killed_at_each_write_on_postgres() {
    House::on(Base::postgres()).is_killed_at_each(&["sendto", "sendmsg", "writev"]);
}
