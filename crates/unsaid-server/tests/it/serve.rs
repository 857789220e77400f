//! Starting, serving, ending.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Instant;

use rustix::process::Signal;
use tempfile::tempdir;
use unsaid_server::lifecycle::GRACE;

use crate::running::{Running, answer, connect, contents, get};

#[test]
fn with_nothing_configured_it_serves() {
    let dir = tempdir().unwrap();
    let (_server, address) = Running::serve(dir.path());

    let alive = get(address, "/healthz");
    assert!(alive.starts_with("HTTP/1.1 200 OK\r\n"), "{alive}");
    assert!(alive.ends_with(r#"{"status":"ok"}"#), "{alive}");

    let ready = get(address, "/readyz");
    assert!(ready.starts_with("HTTP/1.1 200 OK\r\n"), "{ready}");
    assert!(ready.ends_with(r#""model":{"provider":"demo","host":null}}"#), "{ready}");

    let missing = get(address, "/nothing");
    assert!(missing.starts_with("HTTP/1.1 404 Not Found\r\n"), "{missing}");
    assert!(missing.contains(r#""code":"NOT_FOUND""#), "{missing}");

    let metrics = get(address, "/metrics");
    let counted = r#"unsaid_http_requests_total{method="GET",path="/healthz",status="200"} 1"#;
    assert!(metrics.contains(counted), "{metrics}");
    assert!(metrics.contains("unsaid_http_request_seconds_bucket"), "{metrics}");
}

#[test]
fn it_says_who_reads_what_is_said() {
    let elsewhere = ["--model.base_url", "http://127.0.0.1:9/v1", "--model.name", "small"];
    for (flags, said, logged) in [
        (
            &["--model.provider", "demo"][..],
            "answers come from demo, built in",
            r#"provider="demo""#,
        ),
        (
            &elsewhere[..],
            "answers come from openai at 127.0.0.1:9",
            r#"provider="openai" host="127.0.0.1:9""#,
        ),
    ] {
        let dir = tempdir().unwrap();
        let arguments = [&["serve", "--listen", ":0"], flags].concat();
        let mut server = Running::start(dir.path(), &arguments);
        server.address();
        assert!(server.line().starts_with("sign in as its owner "));
        assert_eq!(server.line(), said);
        server.signal(Signal::TERM);
        let ended = server.end();
        let log = ended.stderr.lines().find(|line| line.contains("listening"));
        assert!(log.is_some_and(|line| line.contains(logged)), "{ended:?}");
    }
}

#[test]
fn what_it_makes_is_for_its_owner_alone() {
    let dir = tempdir().unwrap();
    let (_server, _) = Running::serve(dir.path());
    let made = contents(dir.path());
    let data_dir = dir.path().join("unsaid-data");
    assert!(made.contains_key(&data_dir.join("server.lock")), "{:?}", made.keys());
    for (path, (mode, _)) in made {
        let expected = if path == data_dir { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}", path.display());
    }
}

#[test]
fn a_signal_ends_it_well() {
    for signal in [Signal::TERM, Signal::INT] {
        let dir = tempdir().unwrap();
        let (server, address) = Running::serve(dir.path());
        // a connection that waits for nothing does not hold it up
        let mut idle = connect(address);
        write!(idle, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        idle.read_exact(&mut [0; 1]).unwrap();
        server.signal(signal);
        let ended = server.end();
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
}

#[test]
fn the_database_is_finished_before_it_ends() {
    let dir = tempdir().unwrap();
    let (server, address) = Running::serve(dir.path());
    let log = dir.path().join("unsaid-data/unsaid.db-wal");
    // read and written, so that every kind of connection is open
    assert!(get(address, "/readyz").starts_with("HTTP/1.1 200 "));
    assert!(log.exists());
    server.signal(Signal::TERM);
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!log.exists(), "{ended:?}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "measures how long the end takes")]
fn the_database_is_finished_in_time_even_if_callers_are_not() {
    let dir = tempdir().unwrap();
    let (server, address) = Running::serve(dir.path());
    let halves = [
        "GET /healthz HTTP/1.1\r\n",
        "POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         content-length: 99\r\n\r\n{\"email\":",
    ];
    let begun = halves.map(|half| {
        let mut stream = connect(address);
        write!(stream, "{half}").unwrap();
        stream
    });
    assert!(get(address, "/readyz").starts_with("HTTP/1.1 200 "));
    let asked = Instant::now();
    server.signal(Signal::TERM);
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(asked.elapsed() < GRACE, "{ended:?}");
    assert!(!ended.stderr.contains("ended without waiting any longer"), "{ended:?}");
    assert!(!dir.path().join("unsaid-data/unsaid.db-wal").exists());
    drop(begun);
}

#[test]
fn headers_that_are_too_large_are_refused() {
    let dir = tempdir().unwrap();
    let (_server, address) = Running::serve(dir.path());
    let mut stream = connect(address);
    // it may hang up before it has heard all of it
    write!(
        stream,
        "GET /healthz HTTP/1.1\r\nhost: x\r\nx-filling: {}\r\n\r\n",
        "x".repeat(300_000)
    )
    .ok();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok();
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 431 "), "{answer:?}");
    assert!(get(address, "/healthz").starts_with("HTTP/1.1 200 OK\r\n"));
}

#[test]
fn a_data_directory_open_to_others_is_told() {
    let dir = tempdir().unwrap();
    let data_dir = dir.path().join("unsaid-data");
    fs::create_dir(&data_dir).unwrap();
    let warned = |mode| {
        fs::set_permissions(&data_dir, fs::Permissions::from_mode(mode)).unwrap();
        let (server, _) = Running::serve(dir.path());
        server.signal(Signal::TERM);
        server.end().stderr.contains("unsaid-data is open to others (0755): chmod 700 unsaid-data")
    };
    assert!(warned(0o755));
    assert!(!warned(0o700));
}

#[test]
fn a_call_that_has_begun_is_finished() {
    let dir = tempdir().unwrap();
    let (server, address) = Running::serve(dir.path());
    let mut begun = connect(address);
    write!(begun, "GET /healthz HTTP/1.1\r\n").unwrap();
    // the connection is let in: a later one is answered
    get(address, "/healthz");
    server.signal(Signal::TERM);
    write!(begun, "host: x\r\n\r\n").unwrap();
    let answer = answer(begun);
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let dir = tempdir().unwrap();
    let (server, address) = Running::serve(dir.path());
    let mut begun = connect(address);
    write!(begun, "GET /healthz HTTP/1.1\r\n").unwrap();
    get(address, "/healthz");
    server.signal(Signal::TERM);
    server.wait_for_log("finishing what has begun");
    server.signal(Signal::TERM);
    let ended = server.end();
    assert_eq!(ended.code, Some(128 + 15), "{ended:?}");
    drop(begun);
}

#[test]
fn a_killed_server_leaves_no_lock() {
    let dir = tempdir().unwrap();
    let (server, _) = Running::serve(dir.path());
    server.signal(Signal::KILL);
    assert_eq!(server.end().code, None);
    let (_next, address) = Running::serve(dir.path());
    assert!(get(address, "/healthz").starts_with("HTTP/1.1 200 OK\r\n"));
}

#[test]
fn the_log_has_routes_and_ids_and_nothing_private() {
    let dir = tempdir().unwrap();
    let arguments = ["--listen", ":0", "--log_format", "json"];
    let environment = [("UNSAID_LISSTEN", "s3cret"), ("OPENAI_API_KEY", "s3cret")];
    let mut server = Running::start_with(dir.path(), &arguments, &environment);
    let address = server.address();
    let mut stream = connect(address);
    write!(
        stream,
        "GET /healthz?key=s3cret HTTP/1.1\r\nhost: x\r\nx-request-id: my-id\r\n\
         authorization: s3cret\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    assert!(answer(stream).contains("x-request-id: my-id\r\n"));
    get(address, "/s3cret");
    server.signal(Signal::TERM);
    let log = server.end().stderr;
    assert!(!log.contains("s3cret"), "{log}");
    let answered: Vec<&str> = log.lines().filter(|line| line.contains("answered")).collect();
    assert!(answered[0].contains(r#""path":"/healthz""#), "{log}");
    assert!(answered[0].contains("my-id"), "{log}");
    assert!(answered[1].contains(r#""path":"unmatched""#), "{log}");
    assert!(log.contains("the nearest known one is UNSAID_LISTEN"), "{log}");
}
