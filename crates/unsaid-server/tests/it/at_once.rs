//! The same call, several times at the same moment: it takes effect once, and all hear the same (H3).

use std::net::SocketAddr;
use std::thread;

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::people::{PASSWORD, bearer, call, sign_up_with, token};
use crate::running::Running;

const AT_ONCE: usize = 5;

/// What all of them are answered.
fn at_once(address: SocketAddr, headers: &str, what: (&str, &str, Value)) -> (u16, Value) {
    let (method, path, body) = what;
    let headers = format!("{headers}idempotency-key: {}\r\n", path.len());
    let make = || call(address, method, path, &headers, &body);
    let answers: Vec<_> = thread::scope(|scope| {
        let calls: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(make)).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    let first = (answers[0].status, answers[0].body.clone());
    for answer in &answers {
        assert_eq!((answer.status, &answer.body), (first.0, &first.1), "{method} {path}");
    }
    first
}

#[test]
fn h3_the_same_call_at_the_same_moment_takes_effect_once() {
    let dir = tempdir().unwrap();
    let (_server, address) = Running::serve(dir.path());
    for (name, consent) in [("ana", true), ("ben", false)] {
        sign_up_with(address, name, consent);
        let headers = bearer(&token(address, name, PASSWORD));
        for (method, path, body, status) in [
            ("POST", "/api/sessions", json!({}), 201),
            ("POST", "/api/worlds", json!({ "name": "Home" }), 201),
            ("POST", "/api/worlds/home/agents", json!({ "name": "Echo" }), 201),
            ("POST", "/api/worlds/home/chats", json!({ "name": "Second" }), 201),
            ("POST", "/api/worlds/home/messages", json!({ "message": "hi", "stream": false }), 200),
        ] {
            let (told, body) = at_once(address, &headers, (method, path, body));
            assert_eq!(told, status, "{name}: {method} {path}: {body}");
        }
        let home = call(address, "GET", "/api/worlds/home", &headers, &Value::Null).body;
        let chats = home["chats"].as_array().unwrap();
        assert_eq!(chats.len(), 2, "{name}: {home}");
        let counts: Vec<_> = chats.iter().map(|chat| chat["messageCount"].clone()).collect();
        assert!(counts.contains(&json!(2)) && counts.contains(&json!(0)), "{name}: {home}");
        for path in ["/api/worlds/home/agents/echo", "/api/worlds/home"] {
            let (told, body) = at_once(address, &headers, ("DELETE", path, Value::Null));
            assert_eq!(told, 204, "{name}: DELETE {path}: {body}");
        }
    }
}
