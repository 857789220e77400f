//! A model that can be held in the middle of an answer. It speaks as `OpenAI` does when it streams.
//!
//! Every answer has a number of its own and repeats what people said: `answer 3 begins: hello ends`.
//! The question steers it: `slowly` waits after the beginning until `POST /go-on` names the question,
//! `fail at once` is refused, and after `fail in the middle` the line is dead.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use serde_json::{Value, json};

const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const NOTHING: &str = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
const REFUSED: &str = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// See the module.
pub(crate) struct Storyteller {
    /// Where it is.
    pub(crate) base: String,
}

#[derive(Default)]
struct Mind {
    answers: AtomicUsize,
    /// Questions whose answers may go on.
    released: Mutex<BTreeSet<String>>,
    changed: Condvar,
}

impl Storyteller {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let mind = Arc::new(Mind::default());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), mind) = (stream, Arc::clone(&mind)) else { continue };
                thread::spawn(move || mind.serve(stream));
            }
        });
        Self { base }
    }
}

impl Mind {
    fn serve(&self, mut stream: TcpStream) {
        let Some((path, body)) = read(&stream) else { return };
        if path == "/go-on" {
            self.released.lock().unwrap().insert(body);
            self.changed.notify_all();
            // whoever called may have gone meanwhile; so below
            return stream.write_all(NOTHING.as_bytes()).unwrap_or_default();
        }
        let said = said(&serde_json::from_str(&body).unwrap());
        self.answer(&mut stream, &said).unwrap_or_default();
    }

    fn answer(&self, stream: &mut TcpStream, said: &[String]) -> std::io::Result<()> {
        let question = said.last().map_or("", String::as_str);
        if question.contains("fail at once") {
            return stream.write_all(REFUSED.as_bytes());
        }
        let number = self.answers.fetch_add(1, Ordering::Relaxed);
        stream.write_all(STREAM.as_bytes())?;
        say(stream, &format!("answer {number} begins: "))?;
        if question.contains("fail in the middle") {
            return Ok(());
        }
        if question.contains("slowly") {
            self.wait(question);
        }
        say(stream, &said.join(" / "))?;
        say(stream, " ends")?;
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        write!(stream, "data: {end}\n\ndata: [DONE]\n\n")
    }

    /// Until the question is released; it comes with who asked and when around it.
    fn wait(&self, question: &str) {
        let is_held =
            |all: &mut BTreeSet<String>| !all.iter().any(|released| question.contains(released));
        drop(self.changed.wait_while(self.released.lock().unwrap(), is_held).unwrap());
    }
}

fn say(stream: &mut TcpStream, words: &str) -> std::io::Result<()> {
    let piece = json!({"choices": [{"index": 0, "delta": {"content": words}}]});
    write!(stream, "data: {piece}\n\n")
}

/// What people said, one after the other.
fn said(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().unwrap();
    let heard = messages.iter().filter(|message| message["role"] == "user");
    heard.flat_map(|message| texts(&message["content"])).collect()
}

fn texts(content: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    match content.as_array() {
        Some(parts) => parts.iter().map(|part| text(&part["text"])).collect(),
        None => text(content).lines().map(str::to_owned).collect(),
    }
}

/// The path and the body of a request.
fn read(stream: &TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).ok()?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let line = line.trim_end().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(said) = line.strip_prefix("content-length:") {
            length = said.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((first.split(' ').nth(1)?.to_owned(), String::from_utf8(body).ok()?))
}
