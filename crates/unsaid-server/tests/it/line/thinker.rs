//! A model that does what a test says, and remembers what it was shown. It speaks as `OpenAI` does.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;

use serde_json::{Value, json};

use crate::running::DEADLINE;

/// What it does when it is asked.
#[derive(Debug, Clone)]
pub(super) enum Deed {
    /// Calls tools.
    Call(Vec<(&'static str, Value)>),
    /// Says something without a tool.
    Text(String),
}

pub(super) fn reply(text: impl Into<String>) -> Deed {
    Deed::Call(vec![("reply", json!({"message": text.into()}))])
}

pub(super) fn skip(reason: &str) -> Deed {
    Deed::Call(vec![("skip", json!({"reason": reason}))])
}

/// What it was asked.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    /// How often it was asked before.
    pub(super) nth: usize,
    /// Everything in words.
    pub(super) words: String,
    /// Everything as it came.
    pub(super) raw: String,
}

/// See the module.
pub(super) struct Thinker {
    pub(super) base: String,
    inner: Arc<Inner>,
}

struct Inner {
    script: Box<dyn Fn(&Asked) -> Deed + Send + Sync>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    asked: Vec<Asked>,
    answers: Vec<String>,
    held: bool,
}

impl Thinker {
    pub(super) fn new(script: impl Fn(&Asked) -> Deed + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let (state, changed) = (Mutex::default(), Condvar::new());
        let inner = Arc::new(Inner { script: Box::new(script), state, changed });
        let shared = Arc::clone(&inner);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), inner) = (stream, Arc::clone(&shared)) else { continue };
                thread::spawn(move || inner.serve(stream));
            }
        });
        Self { base, inner }
    }

    /// What it was asked so far.
    pub(super) fn asked(&self) -> Vec<Asked> {
        self.inner.lock().asked.clone()
    }

    /// Everything it gave as an answer.
    pub(super) fn answers(&self) -> Vec<String> {
        self.inner.lock().answers.clone()
    }

    /// Waits until it was asked so often; the last of these.
    pub(super) fn until_asked(&self, count: usize) -> Asked {
        let (state, waited) = self
            .inner
            .changed
            .wait_timeout_while(self.inner.lock(), DEADLINE, |state| state.asked.len() < count)
            .unwrap();
        assert!(!waited.timed_out(), "asked {} times, not {count}", state.asked.len());
        state.asked[count - 1].clone()
    }

    /// From now on it thinks until it is released.
    pub(super) fn hold(&self) {
        self.inner.lock().held = true;
    }

    pub(super) fn release(&self) {
        self.inner.lock().held = false;
        self.inner.changed.notify_all();
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn serve(&self, mut stream: TcpStream) {
        let Some(raw) = read(&stream) else { return };
        let body: Value = serde_json::from_str(&raw).unwrap();
        let mut state = self.lock();
        let asked = Asked { nth: state.asked.len(), words: words(&body), raw };
        let deed = (self.script)(&asked);
        let answer = answer(&deed);
        state.asked.push(asked);
        state.answers.extend(said(&deed));
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| state.held).unwrap());
        // whoever asked may have gone meanwhile
        stream.write_all(answer.as_bytes()).unwrap_or_default();
        stream.shutdown(Shutdown::Write).unwrap_or_default();
        while stream.read(&mut [0; 64]).is_ok_and(|read| read > 0) {}
    }
}

/// All words of a request, whoever said them.
fn words(body: &Value) -> String {
    let mut words = String::new();
    for message in body["messages"].as_array().unwrap() {
        let content = &message["content"];
        words.push_str(content.as_str().unwrap_or_default());
        for part in content.as_array().into_iter().flatten() {
            words.push_str(part["text"].as_str().unwrap_or_default());
        }
        words.push('\n');
    }
    words
}

fn said(deed: &Deed) -> Vec<String> {
    match deed {
        Deed::Text(text) => vec![text.clone()],
        Deed::Call(calls) => {
            let texts = calls.iter().filter_map(|(_, arguments)| arguments.as_object());
            texts
                .flat_map(|texts| texts.values().filter_map(Value::as_str))
                .map(str::to_owned)
                .collect()
        }
    }
}

fn answer(deed: &Deed) -> String {
    let (content, calls) = match deed {
        Deed::Text(text) => (json!(text), json!([])),
        Deed::Call(calls) => (Value::Null, calls.iter().enumerate().map(call).collect()),
    };
    let reason = if content.is_null() { "tool_calls" } else { "stop" };
    let message = json!({"role": "assistant", "content": content, "tool_calls": calls});
    let body = json!({"choices": [{"index": 0, "message": message, "finish_reason": reason}]});
    let body = body.to_string();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn call((index, (name, arguments)): (usize, &(&'static str, Value))) -> Value {
    let function = json!({"name": name, "arguments": arguments.to_string()});
    json!({"id": format!("call-{index}"), "type": "function", "function": function})
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
