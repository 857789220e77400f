//! Somebody in a world of a true server, and streams over true sockets.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use serde_json::{Value, json};

use super::PATIENCE;
use super::sse::{Frame, frames};
use crate::erasing::base::Base;
use crate::people::{PASSWORD, Told, bearer, call, sign_up, token};
use crate::running::Running;

/// A server on this store; tests talk faster than people do.
pub(super) fn serve(dir: &Path, base: &Base, more: &[&str], env: &[(&str, &str)]) -> Server {
    let serve = [
        ["serve", "--listen", ":0"].as_slice(),
        &["--limits.writes_per_min", "100000", "--limits.reads_per_min", "100000"],
        &["--limits.streams_per_person", "1000"],
        more,
    ];
    let arguments = base.arguments(&serve.concat());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut running = Running::start_with(dir, &arguments, env);
    let address = running.address();
    Server { running, address }
}

pub(super) struct Server {
    pub(super) running: Running,
    pub(super) address: SocketAddr,
}

/// Somebody in a chat.
#[derive(Clone)]
pub(super) struct Visitor {
    pub(super) address: SocketAddr,
    pub(super) headers: String,
    pub(super) chat: String,
}

impl Visitor {
    /// Signs up, and makes a world with one agent, which answers by itself or only when it is
    /// mentioned.
    pub(super) fn new(address: SocketAddr, name: &str, auto_reply: bool) -> Self {
        sign_up(address, name);
        let headers = bearer(&token(address, name, PASSWORD));
        let mut visitor = Self { address, headers, chat: String::new() };
        let made = visitor.call("POST", "", &json!({ "name": "w" }));
        assert_eq!(made.status, 201, "{}", made.body);
        made.body["currentChatId"].as_str().unwrap().clone_into(&mut visitor.chat);
        let agent = json!({ "name": "o1", "systemPrompt": "Be o1.", "autoReply": auto_reply });
        let made = visitor.call("POST", "/w/agents", &agent);
        assert_eq!(made.status, 201, "{}", made.body);
        visitor
    }

    /// The same person at another server.
    pub(super) fn at(&self, address: SocketAddr) -> Self {
        Self { address, ..self.clone() }
    }

    /// The same person in a new chat.
    pub(super) fn in_new_chat(&self) -> Self {
        let made = self.call("POST", "/w/chats", &json!({}));
        assert_eq!(made.status, 201, "{}", made.body);
        Self { chat: made.body["id"].as_str().unwrap().to_owned(), ..self.clone() }
    }

    pub(super) fn call(&self, method: &str, path: &str, body: &Value) -> Told {
        call(self.address, method, &format!("/api/worlds{path}"), &self.headers, body)
    }

    pub(super) fn gets(&self, path: &str) -> Value {
        let told = self.call("GET", path, &Value::Null);
        assert_eq!(told.status, 200, "{}", told.body);
        told.body
    }

    /// Says something and waits for the answers; its id.
    pub(super) fn says(&self, words: &str) -> String {
        let body = json!({ "message": words, "chatId": self.chat, "stream": false });
        let said = self.call("POST", "/w/messages", &body);
        assert_eq!(said.status, 200, "{}", said.body);
        said.body["messageId"].as_str().unwrap().to_owned()
    }

    pub(super) fn messages(&self) -> Value {
        self.gets(&format!("/w/chats/{}/messages?limit=100", self.chat))["messages"].clone()
    }

    pub(super) fn memory(&self) -> Value {
        self.gets(&format!("/w/agents/o1/memory?chatId={}", self.chat))
    }

    /// Says something, and hears the answers as they come.
    pub(super) fn asks(&self, words: &str) -> Stream {
        let body = json!({ "message": words, "chatId": self.chat });
        Stream::open(self, "POST", "messages", "", &body.to_string())
    }

    /// Says something else instead, and hears the answers as they come.
    pub(super) fn asks_instead(&self, id: &str, words: &str) -> Stream {
        let body = json!({ "newContent": words, "chatId": self.chat });
        Stream::open(self, "PUT", &format!("messages/{id}"), "", &body.to_string())
    }

    /// Wants things kept from now on, or not.
    pub(super) fn switches(&self, on: bool) {
        let (path, body) = ("/api/users/me/preferences", json!({ "store_history": on }));
        let told = call(self.address, "PATCH", path, &self.headers, &body);
        assert_eq!(told.status, 200, "{}", told.body);
    }

    /// Everything as it comes.
    pub(super) fn watches(&self, after: Option<u64>) -> Stream {
        let after = after.map_or(String::new(), |id| format!("last-event-id: {id}\r\n"));
        Stream::open(self, "GET", &format!("events?chatId={}", self.chat), &after, "")
    }
}

/// A stream that is read as it comes.
pub(super) struct Stream {
    socket: TcpStream,
    heard: Arc<Heard>,
}

#[derive(Default)]
struct Heard {
    /// Status line, headers and body, and whether that is all.
    text: Mutex<(String, bool)>,
    more: Condvar,
}

impl Stream {
    fn open(visitor: &Visitor, method: &str, path: &str, headers: &str, body: &str) -> Self {
        let mut socket = TcpStream::connect(visitor.address).unwrap();
        // Of this version a body comes as it is, without the lengths of its pieces.
        write!(
            socket,
            "{method} /api/worlds/w/{path} HTTP/1.0\r\nhost: x\r\ncontent-type: application/json\
            \r\ncontent-length: {}\r\n{headers}{}\r\n{body}",
            body.len(),
            visitor.headers
        )
        .unwrap();
        let (mut reader, heard) = (socket.try_clone().unwrap(), Arc::<Heard>::default());
        let told = Arc::clone(&heard);
        thread::spawn(move || {
            let mut buffer = [0; 4_096];
            loop {
                // A server that is killed closes its sockets in one way or the other.
                let read = reader.read(&mut buffer).unwrap_or(0);
                let mut text = told.text.lock().unwrap();
                text.0.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
                text.1 = read == 0;
                told.more.notify_all();
                if read == 0 {
                    return;
                }
            }
        });
        let stream = Self { socket, heard };
        stream.until(|text, _| text.contains("\r\n\r\n"));
        assert!(stream.text().starts_with("HTTP/1.0 200 "), "{}", stream.text());
        stream
    }

    /// Everything that came so far.
    pub(super) fn text(&self) -> String {
        self.heard.text.lock().unwrap().0.clone()
    }

    /// The frames that came so far.
    pub(super) fn frames(&self) -> Vec<Frame> {
        let text = self.text();
        frames(text.split_once("\r\n\r\n").unwrap().1)
    }

    fn until(&self, is_so: impl Fn(&str, bool) -> bool) {
        let text = self.heard.text.lock().unwrap();
        let is_not = |(text, is_over): &mut (String, bool)| !is_so(text, *is_over);
        let (text, waited) = self.heard.more.wait_timeout_while(text, PATIENCE, is_not).unwrap();
        assert!(!waited.timed_out(), "not in time, but: {}", text.0);
    }

    /// Waits until this came.
    pub(super) fn until_heard(&self, words: &str) {
        self.until(|text, _| text.contains(words));
    }

    /// Waits until this message has come whole; everything that lasts until then.
    pub(super) fn until_told(&self, id: &str) -> Vec<Frame> {
        let told = |text: &str| frames(text.split_once("\r\n\r\n").unwrap().1);
        let is_it = |frame: &Frame| frame.message() == Some(id);
        self.until(|text, _| text.contains(id) && told(text).iter().any(is_it));
        let mut lasting = told(&self.text());
        let end = lasting.iter().position(is_it).unwrap();
        lasting.truncate(end + 1);
        lasting.retain(|frame| frame.id.is_some());
        lasting
    }

    /// Waits until nothing more comes.
    pub(super) fn until_over(&self) {
        self.until(|_, is_over| is_over);
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // Fails only where the server closed it before.
        self.socket.shutdown(Shutdown::Both).unwrap_or_default();
    }
}
