use axum::routing::{get, post};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::time::{Instant, sleep, timeout};
use unsaid_http::body::RawBody;

use super::*;

const LARGE_BYTES: usize = 1 << 20;

#[tokio::test(start_paused = true)]
async fn headers_within_the_limit_are_read_and_larger_ones_refused() {
    let asked = async |bytes: usize| {
        let filling = "x".repeat(bytes);
        answer(&format!("GET /small HTTP/1.1\r\nhost: x\r\nx-filling: {filling}\r\n\r\n")).await
    };
    let answer = asked(HEADERS_BYTES_MAX - 1024).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let answer = asked(HEADERS_BYTES_MAX).await;
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_end_is_not_waited_for() {
    let begun = Instant::now();
    let answer = answer("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n1").await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert_eq!(begun.elapsed().as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_takes_is_given_up() {
    let (mut caller, ours) = duplex(1024);
    caller.write_all(b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let begun = Instant::now();
    serve(ours).await;
    assert_eq!(begun.elapsed().as_secs(), TAKEN_WITHIN.as_secs());
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_asks_nothing_more_is_let_go() {
    let begun = Instant::now();
    let answer = answer("GET /small HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert_eq!(begun.elapsed().as_secs(), HEADERS_WITHIN.as_secs());
}

#[tokio::test(start_paused = true)]
async fn at_the_end_nobody_waits_long_for_what_was_half_said() {
    for half in [
        "",
        "GET /small HTTP/1.1\r\n",
        "GET /small HTTP/1.1\r\nhost: x\r\n\r\nGET /small HTTP/1.1\r\n",
        "POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n1",
        "POST /echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2\r\n1",
    ] {
        let took = ended_after(half).await;
        assert!(took <= SAID_WITHIN, "{half:?}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn at_the_end_what_was_said_is_answered() {
    for whole in [
        "GET /slow HTTP/1.1\r\nhost: x\r\n\r\n",
        "POST /slow HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n12",
        "POST /slow HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2\r\n12\r\n0\r\n\r\n",
    ] {
        assert!(ended_after(whole).await > SAID_WITHIN, "{whole:?}");
    }
}

/// How long the end takes for a caller who says this, and waits.
async fn ended_after(question: &str) -> Duration {
    let (mut caller, ours) = duplex(LARGE_BYTES);
    caller.write_all(question.as_bytes()).await.unwrap();
    let ending = CancellationToken::new();
    let serving = serve_until(ours, ending.clone());
    tokio::pin!(serving);
    // waits: until all that was said is read, on the test's own clock
    let is_open = timeout(Duration::from_millis(1), serving.as_mut()).await.is_err();
    assert!(is_open, "{question:?}");
    let begun = Instant::now();
    ending.cancel();
    serving.await;
    begun.elapsed()
}

/// What a caller hears who says this, waits until nothing more is sent, and hangs up.
async fn answer(question: &str) -> String {
    let (mut caller, ours) = duplex(LARGE_BYTES);
    caller.write_all(question.as_bytes()).await.unwrap();
    let hearing = async move {
        let mut answer = String::new();
        caller.read_to_string(&mut answer).await.unwrap();
        answer
    };
    tokio::join!(hearing, serve(ours)).0
}

/// Serves one connection, whose place is free in the end.
async fn serve(stream: DuplexStream) {
    serve_until(stream, CancellationToken::new()).await;
}

async fn serve_until(stream: DuplexStream, ending: CancellationToken) {
    // waits: longer than anybody is waited for, on the test's own clock
    let slow = async |_: RawBody| sleep(2 * SAID_WITHIN).await;
    let app = Router::new()
        .route("/slow", get(slow).post(slow))
        .route("/small", get(async || "well"))
        .route("/large", get(async || "x".repeat(LARGE_BYTES)))
        .route("/echo", post(async |RawBody(bytes): RawBody| bytes));
    let places = Arc::new(Semaphore::new(1));
    let place = Arc::clone(&places).acquire_owned().await.unwrap();
    let app = Extension(Peer([127, 0, 0, 1].into())).layer(app);
    connection(stream, app, ending, place).await;
    assert_eq!(places.available_permits(), 1);
}
