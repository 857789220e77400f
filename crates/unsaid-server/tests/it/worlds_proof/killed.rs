//! H6 under `kill -9`: a server is killed at each write of an edit, one after the other, until none is
//! left, and at writes of a removal and of an undo. When it is back, all of it has happened, or
//! nothing; and both were seen, or the kills were not where they should be.
//!
//! The writes are system calls: to the files of `SQLite`, or to the socket of `PostgreSQL` and of
//! whoever asked.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use tokio::runtime::Runtime;
use unsaid_core::domain::conversation::Conversation;
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::ChatId;

use super::world::{Server, Visitor, serve};
use super::{PATIENCE, state};
use crate::disk::tracer;
use crate::erasing::base::Base;

/// Nothing that is done writes so often.
const WRITES_MAX: u32 = 100;
const NEW_WORDS: &str = "nougat";

struct House {
    dir: TempDir,
    base: Base,
    runtime: Runtime,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Edit,
    Remove,
    Undo,
}

impl Deed {
    /// All three are one commit in the same words: at every single write of it one is killed, the
    /// others at some.
    fn step(self, call: &str) -> usize {
        let is_many = ["pwrite64", "sendto"].contains(&call);
        if is_many && self != Self::Edit { 4 } else { 1 }
    }
}

/// How it went, for whoever asked and in truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// Not acknowledged, and everything is exactly as it was before.
    Before,
    /// Not acknowledged, and everything is exactly as it is to be after it.
    After,
    /// Acknowledged: no kill came in time.
    Acknowledged,
}

/// A deed in a chat of its own.
struct Trial {
    deed: Deed,
    /// What is edited or removed, or the edit that is undone.
    id: String,
}

impl Trial {
    /// Something was said and answered twice; for an undo, something else instead.
    fn begin(visitor: &Visitor, deed: Deed) -> Self {
        let id = visitor.says("@o1 marzipan");
        visitor.says("@o1 more marzipan");
        let mut trial = Self { deed, id };
        if deed == Deed::Undo {
            let edit = json!({ "chatId": visitor.chat, "newContent": NEW_WORDS, "stream": false });
            let edited = visitor.call("PUT", &format!("/w/messages/{}", trial.id), &edit);
            assert_eq!(edited.status, 200, "{}", edited.body);
            edited.body["removal"]["editId"].as_str().unwrap().clone_into(&mut trial.id);
        }
        trial
    }

    /// Does it; whether that was acknowledged.
    fn does(&self, visitor: &Visitor) -> bool {
        let (id, chat) = (&self.id, &visitor.chat);
        let edit = json!({ "chatId": chat, "newContent": NEW_WORDS, "stream": false });
        match self.deed {
            Deed::Edit => asks(visitor, &format!("PUT /api/worlds/w/messages/{id}"), &edit),
            Deed::Remove => {
                let path = format!("DELETE /api/worlds/w/messages/{id}");
                asks(visitor, &path, &json!({ "chatId": chat }))
            }
            Deed::Undo => asks(visitor, &format!("POST /api/worlds/w/edits/{id}/undo"), &json!({})),
        }
    }

    /// What `before` is to become.
    fn done(&self, before: &Conversation, seen: &Conversation) -> Conversation {
        match self.deed {
            Deed::Edit => state::edited(before, seen, &self.id, NEW_WORDS),
            Deed::Remove => state::removed(before, seen, &self.id),
            Deed::Undo => state::restored_in(before, seen, &self.id),
        }
    }

    /// What is to be shown, before and after.
    fn shown(&self) -> [usize; 2] {
        match self.deed {
            Deed::Edit => [4, 1],
            Deed::Remove => [4, 0],
            Deed::Undo => [1, 4],
        }
    }
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

    /// Does it in a new chat, with the kill at this write.
    fn is_killed(&self, visitor: &Visitor, deed: Deed, (call, nth): (&str, u32)) -> End {
        let (told, server) = (format!("{deed:?}, {call} {nth}"), self.serve());
        let visitor = visitor.at(server.address).in_new_chat();
        let trial = Trial::begin(&visitor, deed);
        let before = self.whole(&visitor);
        let [shown_before, shown_after] = trial.shown();
        assert_eq!(before.log.len(), shown_before);
        let killer = Killer::of(&server, call, nth);
        let is_acknowledged = trial.does(&visitor);
        killer.end();
        kill(server);
        let server = self.serve();
        let visitor = visitor.at(server.address);
        let seen = self.whole(&visitor);
        let shown = || visitor.messages().as_array().unwrap().len();
        let is_done = seen != before;
        if is_done {
            assert_eq!(seen, trial.done(&before, &seen), "{told}");
        } else {
            assert!(!is_acknowledged, "{told}");
            assert_eq!(shown(), shown_before, "{told}");
            assert!(trial.does(&visitor), "the same again, after {told}");
        }
        assert_eq!(shown(), shown_after, "{told}");
        kill(server);
        match (is_acknowledged, is_done) {
            (true, _) => End::Acknowledged,
            (false, true) => End::After,
            (false, false) => End::Before,
        }
    }

    /// At these calls. Each of `writes` is one by which the store writes.
    #[expect(clippy::print_stderr, reason = "how many writes there were is good to know")]
    fn is_killed_at_all(&self, deed: Deed, calls: &[&str], writes: &[&str]) {
        let server = self.serve();
        let visitor = Visitor::new(server.address, "ana", false);
        kill(server);
        let mut ends = BTreeMap::<(&str, End), u32>::new();
        for call in calls {
            for nth in (1..).step_by(deed.step(call)) {
                assert!(nth < WRITES_MAX, "{deed:?} does not come to its end");
                let end = self.is_killed(&visitor, deed, (call, nth));
                if end == End::Acknowledged {
                    break;
                }
                *ends.entry((call, end)).or_default() += 1;
            }
        }
        eprintln!("{deed:?} was killed at: {ends:?}");
        for end in [End::Before, End::After] {
            assert!(ends.keys().any(|(_, seen)| *seen == end), "never {end:?}: {ends:?}");
        }
        for call in writes {
            assert!(ends.keys().any(|(at, _)| at == call), "no {call}: {ends:?}");
        }
        // The answer comes after the commit: whoever wrote before it wrote to the store.
        let is_store = |(call, end): &(&str, End)| writes.contains(call) && *end == End::Before;
        assert!(ends.keys().any(is_store), "only answers: {ends:?}");
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

/// Whether a call was acknowledged.
fn asks(visitor: &Visitor, call: &str, body: &Value) -> bool {
    let body = body.to_string();
    let mut stream = TcpStream::connect(visitor.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(
        stream,
        "{call} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n\
        content-length: {}\r\n{}\r\n{body}",
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

/// Its files, and the answer.
fn on_sqlite(deed: Deed) {
    let calls = ["pwrite64", "fdatasync", "fsync", "ftruncate", "sendto", "writev"];
    House::on(Base::sqlite()).is_killed_at_all(deed, &calls, &["pwrite64", "fdatasync"]);
}

/// Everything that is sent, to it and to whoever asked.
fn on_postgres(deed: Deed) {
    let calls = ["sendto", "sendmsg", "writev"];
    House::on(Base::postgres()).is_killed_at_all(deed, &calls, &["sendto"]);
}

#[test]
fn h6_killed_at_each_write_of_an_edit_on_sqlite() {
    on_sqlite(Deed::Edit);
}

#[test]
fn h6_killed_at_writes_of_a_removal_on_sqlite() {
    on_sqlite(Deed::Remove);
}

#[test]
fn h6_killed_at_writes_of_an_undo_on_sqlite() {
    on_sqlite(Deed::Undo);
}

#[test]
fn h6_killed_at_each_write_of_an_edit_on_postgres() {
    on_postgres(Deed::Edit);
}

#[test]
fn h6_killed_at_writes_of_a_removal_on_postgres() {
    on_postgres(Deed::Remove);
}

#[test]
fn h6_killed_at_writes_of_an_undo_on_postgres() {
    on_postgres(Deed::Undo);
}
