//! A model that needs no time. It speaks as `OpenAI` does, and keeps silent every fourth time.

use std::{
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use serde_json::json;

use crate::exchange::Exchange;

/// How often it has something to say before it has not.
const SILENT_EACH: u64 = 4;

/// Begins to listen; its address. It ends with the process.
pub(super) fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = Arc::new(AtomicU64::new(0));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, asked) = (stream.expect("a connection"), Arc::clone(&asked));
            thread::spawn(move || serve(stream, &asked));
        }
    });
    base
}

fn serve(stream: TcpStream, asked: &AtomicU64) {
    let mut exchange = Exchange::new(stream).expect("a connection");
    let reply = answer("reply", &json!({"message": "That is how it is."}));
    let skip = answer("skip", &json!({"reason": "They talk among themselves."}));
    // The server may hang up whenever it wants.
    while exchange.read().is_ok() {
        let nth = asked.fetch_add(1, Ordering::Relaxed);
        let is_silent = nth % SILENT_EACH == SILENT_EACH - 1;
        if exchange.write(if is_silent { &skip } else { &reply }).is_err() {
            break;
        }
    }
}

fn answer(tool: &str, arguments: &serde_json::Value) -> Vec<u8> {
    let function = json!({"name": tool, "arguments": arguments.to_string()});
    let calls = json!([{"id": "call-1", "type": "function", "function": function}]);
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    let choice = json!({"index": 0, "message": message, "finish_reason": "tool_calls"});
    let body = json!({"choices": [choice]}).to_string();
    let length = body.len();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    format!("{head}content-length: {length}\r\n\r\n{body}").into_bytes()
}
