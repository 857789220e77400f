//! A model that needs no time. It speaks as `OpenAI` does, and gives its answers in turn.

use std::{
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::exchange::Exchange;

/// Begins to listen; its address. It ends with the process.
pub(crate) fn start(answers: Vec<Vec<u8>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let (answers, asked) = (Arc::new(answers), Arc::new(AtomicUsize::new(0)));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.expect("a connection");
            let (answers, asked) = (Arc::clone(&answers), Arc::clone(&asked));
            thread::spawn(move || serve(stream, &answers, &asked));
        }
    });
    base
}

/// A whole response with this body.
pub(crate) fn response(kind: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n");
    format!("{head}\r\n{body}").into_bytes()
}

fn serve(stream: TcpStream, answers: &[Vec<u8>], asked: &AtomicUsize) {
    let mut exchange = Exchange::new(stream).expect("a connection");
    // The server may hang up whenever it wants.
    while exchange.read().is_ok() {
        let nth = asked.fetch_add(1, Ordering::Relaxed);
        if exchange.write(&answers[nth % answers.len()]).is_err() {
            break;
        }
    }
}
