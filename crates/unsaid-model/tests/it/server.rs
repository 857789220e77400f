//! A server that does exactly what a test says, to the byte.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What to do with one connection, after its request was read.
#[derive(Clone)]
pub(crate) enum Step {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Keeps the connection open and says nothing, until the other side gives up.
    Hold,
}

/// A request as it came.
#[derive(Clone)]
pub(crate) struct Request {
    /// Method, address and headers.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: String,
}

/// A server on loopback.
pub(crate) struct Server {
    /// Its address, without a path.
    pub(crate) base: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers the nth request with what `answer` says.
    pub(crate) fn new(answer: impl Fn(usize) -> Vec<Step> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for (nth, stream) in listener.incoming().enumerate() {
                // A peer that has gone is what these tests are about.
                if let Some(request) = stream.as_ref().ok().and_then(read) {
                    seen.lock().unwrap().push(request);
                    perform(stream.unwrap(), answer(nth));
                }
            }
        });
        Self { base, requests }
    }

    /// The same for every request.
    pub(crate) fn saying(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::new(move |_| vec![Step::Send(bytes.clone())])
    }

    /// What was asked.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

/// An answer that ends where the connection ends: nothing but its words says that it is whole.
pub(crate) fn ok(kind: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{body}")
}

pub(crate) fn events(body: &str) -> String {
    ok("text/event-stream; charset=utf-8", body)
}

/// Each byte comes as a piece of its own.
pub(crate) fn byte_by_byte(body: &str) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                transfer-encoding: chunked\r\nconnection: close\r\n\r\n";
    let mut all = head.as_bytes().to_vec();
    for byte in body.bytes() {
        all.extend_from_slice(b"1\r\n");
        all.extend_from_slice(&[byte, b'\r', b'\n']);
    }
    all.extend_from_slice(b"0\r\n\r\n");
    all
}

pub(crate) fn status(status: &str, headers: &[(&str, &str)], body: &str) -> String {
    let mut text = format!("HTTP/1.1 {status}\r\nconnection: close\r\n");
    for (name, value) in headers {
        write!(text, "{name}: {value}\r\n").unwrap();
    }
    format!("{text}content-length: {}\r\n\r\n{body}", body.len())
}

fn read(mut stream: &TcpStream) -> Option<Request> {
    stream.set_nodelay(true).ok()?;
    let mut bytes = Vec::new();
    let mut buffer = [0; 16_384];
    loop {
        let read = stream.read(&mut buffer).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return Some(Request { head: head.to_owned(), body: body.to_owned() });
        }
    }
}

fn perform(mut stream: TcpStream, steps: Vec<Step>) {
    for step in steps {
        let done = match step {
            Step::Send(bytes) => stream.write_all(&bytes),
            Step::Hold => stream.read(&mut [0; 1]).map(|_read| ()),
        };
        if done.is_err() {
            return;
        }
    }
    if stream.shutdown(Shutdown::Write).is_ok() {
        // Waits for the other side, so that nothing of what was sent is lost to a reset.
        while stream.read(&mut [0; 64]).is_ok_and(|read| read > 0) {}
    }
}
