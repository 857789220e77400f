//! How long until the server is ready, and how much memory it holds when nobody talks.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use unsaid_store_sql::sqlite::{Options, SqliteStore};

use crate::{
    measure::{Promise, Times, print_table},
    talk,
};

const STARTS: usize = 11;
const MESSAGES: u64 = 1_000_000;

pub(crate) fn run() -> Vec<Promise> {
    let mut empty = Times::new();
    let mut memory_kib = 0;
    for _ in 0..STARTS {
        let dir = tempfile::tempdir().expect("a directory");
        let (time, kib) = start(dir.path());
        empty.add(time);
        memory_kib = memory_kib.max(kib);
    }
    let dir = tempfile::tempdir().expect("a directory");
    fill(dir.path());
    let mut full = Times::new();
    for _ in 0..STARTS {
        full.add(start(dir.path()).0);
    }
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let row = |name: &str, times: &mut Times| {
        let (p50, worst) = (millis(times.p50()), millis(times.share(1.0)));
        vec![name.to_owned(), format!("{p50:.0} ms"), format!("{worst:.0} ms")]
    };
    let rows = vec![row("an empty directory", &mut empty), row("a million messages", &mut full)];
    print_table(&["start to /readyz on", "median", "longest"], rows);
    let mebibytes = f64::from(memory_kib) / 1_024.0;
    println!("\nidle memory: {mebibytes:.1} MiB resident");
    vec![
        Promise::at_most("ms to ready on an empty directory", millis(empty.p50()), 300.0),
        Promise::at_most("ms to ready on a million messages", millis(full.p50()), 1_000.0),
        Promise::at_most("MiB of idle memory", mebibytes, 40.0),
    ]
}

fn fill(dir: &Path) {
    let path = dir.join("unsaid.db");
    drop(SqliteStore::open(&path, &Options::default()).expect("a store"));
    talk::fill(&path, &talk::key("chat:million"), 1, MESSAGES);
}

/// Starts a server, waits until it is ready, and ends it.
fn start(dir: &Path) -> (Duration, u32) {
    let binary = std::env::current_exe().expect("a path").with_file_name("unsaid");
    let begun = Instant::now();
    let mut server = Command::new(&binary)
        .args(["serve", "--listen", "127.0.0.1:0", "--data_dir"])
        .arg(dir)
        .current_dir(dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("`cargo xtask bench` has built the server");
    let address = address(&mut server);
    while !ready(&address) {
        assert!(begun.elapsed() < Duration::from_secs(30), "the server does not get ready");
    }
    let time = begun.elapsed();
    let memory = resident_kib(server.id());
    server.kill().and_then(|()| server.wait()).expect("the server ends");
    (time, memory)
}

fn address(server: &mut Child) -> String {
    let stdout = server.stdout.take().expect("its output");
    let line =
        BufReader::new(stdout).lines().map_while(Result::ok).find(|it| it.contains("http://"));
    let line = line.expect("the server prints its address");
    let address = line.split("http://").nth(1).expect("an address");
    address.trim_end_matches('/').split_whitespace().next().expect("an address").to_owned()
}

fn ready(address: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(address) else { return false };
    let request = "GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let mut answer = String::new();
    stream.write_all(request.as_bytes()).is_ok()
        && stream.read_to_string(&mut answer).is_ok()
        && answer.starts_with("HTTP/1.1 200")
}

fn resident_kib(process: u32) -> u32 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("its status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    line.trim().trim_end_matches("kB").trim().parse().expect("a number")
}
