//! The model of servers under test. It speaks as `OpenAI` does when it streams, and remembers what it
//! was shown.
//!
//! A question with `hold` in it is answered in two halves, and the second waits until somebody names
//! the question. Everything else is answered at once, and so is the same question later.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;

use serde_json::{Value, json};

use super::PATIENCE;

const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// See the module.
pub(super) struct Oracle {
    /// Where it is.
    pub(super) base: String,
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Everything as it came.
    shown: Vec<String>,
    /// Questions whose answers may go on.
    released: BTreeSet<String>,
    /// Questions whose answers were said to the end, as far as anybody listened.
    over: BTreeSet<String>,
}

impl Oracle {
    pub(super) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let inner = Arc::new(Inner::default());
        let shared = Arc::clone(&inner);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), inner) = (stream, Arc::clone(&shared)) else { continue };
                thread::spawn(move || inner.serve(stream));
            }
        });
        Self { base, inner }
    }

    /// Everything it was shown so far.
    pub(super) fn shown(&self) -> Vec<String> {
        self.inner.lock().shown.clone()
    }

    /// Waits until it was asked this.
    pub(super) fn until_asked(&self, question: &str) {
        let is_new = |state: &mut State| !state.shown.iter().any(|shown| shown.contains(question));
        let waited = self.inner.changed.wait_timeout_while(self.inner.lock(), PATIENCE, is_new);
        assert!(!waited.unwrap().1.timed_out(), "{question} was not asked");
    }

    /// Lets the answer to this question go on, and waits until it was said.
    pub(super) fn release(&self, question: &str) {
        self.inner.lock().released.insert(question.to_owned());
        self.inner.changed.notify_all();
        let is_held = |state: &mut State| !state.over.contains(question);
        let waited = self.inner.changed.wait_timeout_while(self.inner.lock(), PATIENCE, is_held);
        assert!(!waited.unwrap().1.timed_out(), "{question} was not answered");
    }
}

/// What is said before the answer to a question is held, and after.
pub(super) fn halves(question: &str) -> [String; 2] {
    [format!("opening-of-{question}"), format!("canary-of-{question}")]
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn serve(&self, mut stream: TcpStream) {
        let Some(raw) = read(&stream) else { return };
        let question = held(&serde_json::from_str(&raw).unwrap());
        // What was stopped is still there when something else is asked.
        let question = question.filter(|question| !self.lock().released.contains(question));
        self.lock().shown.push(raw);
        self.changed.notify_all();
        // Whoever asked may have gone meanwhile; so below.
        stream.write_all(STREAM.as_bytes()).unwrap_or_default();
        match question {
            None => say(&mut stream, "fine"),
            Some(question) => {
                let [first, second] = halves(&question);
                say(&mut stream, &first);
                let is_held = |state: &mut State| !state.released.contains(&question);
                drop(self.changed.wait_while(self.lock(), is_held).unwrap());
                say(&mut stream, &second);
                end(&mut stream);
                self.lock().over.insert(question);
                self.changed.notify_all();
                return;
            }
        }
        end(&mut stream);
    }
}

fn say(stream: &mut TcpStream, words: &str) {
    let piece = json!({"choices": [{"index": 0, "delta": {"content": words}}]});
    write!(stream, "data: {piece}\n\n").unwrap_or_default();
}

fn end(stream: &mut TcpStream) {
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    write!(stream, "data: {end}\n\ndata: [DONE]\n\n").unwrap_or_default();
    stream.shutdown(Shutdown::Write).unwrap_or_default();
    while stream.read(&mut [0; 64]).is_ok_and(|read| read > 0) {}
}

/// The word after `hold` in the last message of a request.
fn held(body: &Value) -> Option<String> {
    let last = body["messages"].as_array().unwrap().last().unwrap().to_string();
    let (_, after) = last.rsplit_once("hold ")?;
    Some(after.chars().take_while(char::is_ascii_alphanumeric).collect())
}

/// The body of a request.
fn read(mut stream: &TcpStream) -> Option<String> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 16_384]);
    loop {
        let read = stream.read(&mut buffer).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length?.parse().ok()?;
        if bytes.len() >= end + 4 + length {
            return String::from_utf8(bytes[end + 4..].to_vec()).ok();
        }
    }
}
