//! Somebody who is signed in at the server, on a connection that is kept.

use std::{
    net::TcpStream,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{exchange::Exchange, server::Server};

const PASSWORD: &str = "correct horse battery staple";

/// Settings under which one person can do as much as a benchmark does.
pub(crate) const WITHOUT_LIMITS: [(&str, &str); 5] = [
    ("limits.writes_per_min", "1000000"),
    ("limits.reads_per_min", "1000000"),
    ("limits.registrations_per_hour_address", "1000"),
    ("limits.logins_per_15min_address", "1000"),
    ("limits.streams_per_person", "100000"),
];

/// See the module.
pub(crate) struct Caller {
    pub(crate) exchange: Exchange,
    address: String,
    token: String,
    pub(crate) id: String,
}

impl Caller {
    /// Makes an account, and signs in.
    pub(crate) fn sign_up(server: &Server, name: &str, consent: bool) -> Self {
        let (exchange, address) = (connect(&server.address), server.address.clone());
        let mut caller = Self { exchange, address, token: String::new(), id: String::new() };
        let email = format!("{name}@example.org");
        let account = json!({
            "email": email, "password": PASSWORD, "name": name, "store_history_consent": consent,
        });
        caller.id = text(&caller.call("POST", "/auth/register", &account)["user_id"]);
        let login = json!({"email": email, "password": PASSWORD});
        caller.token = text(&caller.call("POST", "/auth/login", &login)["token"]);
        caller
    }

    /// The same person at a server that was started again.
    pub(crate) fn come_back(&mut self, server: &Server) {
        self.exchange = connect(&server.address);
        self.address.clone_from(&server.address);
    }

    /// Makes a world; gives the id of its chat.
    pub(crate) fn make_world(&mut self, name: &str) -> String {
        text(&self.call("POST", "/worlds", &json!({"name": name}))["currentChatId"])
    }

    /// Calls, and gives the answer; nothing is refused.
    pub(crate) fn call(&mut self, method: &str, path: &str, body: &Value) -> Value {
        self.timed(method, path, body).0
    }

    /// The same, and how long it took.
    pub(crate) fn timed(&mut self, method: &str, path: &str, body: &Value) -> (Value, Duration) {
        let request = self.request(method, path, body);
        let begun = Instant::now();
        self.exchange.write(&request).expect("a request");
        let (status, body) = self.exchange.read_whole().expect("an answer");
        let time = begun.elapsed();
        let answer = String::from_utf8_lossy(&body);
        assert!(status.starts_with("HTTP/1.1 20"), "{method} {path}: {status}: {answer}");
        let answer = if body.is_empty() { Ok(Value::Null) } else { serde_json::from_str(&answer) };
        (answer.expect("JSON"), time)
    }

    /// A whole request, as it is written.
    pub(crate) fn request(&self, method: &str, path: &str, body: &Value) -> Vec<u8> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (address, token, length) = (&self.address, &self.token, body.len());
        let authorization = match token.as_str() {
            "" => String::new(),
            token => format!("authorization: Bearer {token}\r\n"),
        };
        let kind = if body.is_empty() { "" } else { "content-type: application/json\r\n" };
        let head = format!("{method} /api{path} HTTP/1.1\r\nhost: {address}\r\n");
        format!("{head}{authorization}{kind}content-length: {length}\r\n\r\n{body}").into_bytes()
    }
}

/// A string in an answer.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

fn connect(address: &str) -> Exchange {
    TcpStream::connect(address).and_then(Exchange::new).expect("the server takes connections")
}
