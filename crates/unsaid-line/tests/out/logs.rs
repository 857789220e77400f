//! Whatever happens, logs hold no token, no text and no secret.

use std::{cell::RefCell, io, sync::Once};

use tracing::Level;
use unsaid_line::stand_in::{Call, Fault};

use crate::{
    house::TOKEN,
    post::{EVENT, Post, TEXT},
};

thread_local! {
    static LOGGED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Begins to keep what this test logs: it has a thread of its own.
///
/// The subscriber is everybody's, because a line that was first met on a thread without one would
/// not be logged on any other either.
pub(crate) fn capture_logs() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let lines = tracing_subscriber::fmt().with_max_level(Level::TRACE).with_ansi(false);
        lines.with_writer(|| Writer).init();
    });
    LOGGED.with_borrow_mut(Vec::clear);
}

/// What was logged since.
pub(crate) fn logged() -> String {
    LOGGED.with_borrow(|bytes| String::from_utf8(bytes.clone()).unwrap())
}

struct Writer;

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOGGED.with_borrow_mut(|logged| logged.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn sending_logs_what_failed_and_no_words() {
    capture_logs();
    let post = Post::new().await;
    for fault in [Fault::status(400), Fault::status(500), Fault::limited(0), Fault::Cut] {
        for call in [Call::Reply, Call::Push, Call::Loading] {
            post.house.line.fault(call, fault.clone());
            post.house.line.fault_after(call, fault.clone());
        }
        post.send().await;
        post.send().await;
    }
    let token = post.letter.way_back.as_ref().unwrap().token.as_ref().unwrap();
    let logged = logged();
    for needle in ["line_send", "line_failing", "line_refused", "line:U1"] {
        assert!(logged.contains(needle), "{needle} is missing:\n{logged}");
    }
    for secret in [token.expose(), TEXT, TOKEN, EVENT] {
        assert!(!logged.contains(secret), "{secret} was logged");
    }
}
