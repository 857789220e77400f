//! How long until the server is ready, and how much memory it holds when nobody talks.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use unsaid_store_sql::sqlite::{Options, SqliteStore};

use crate::{
    measure::{Promise, Times, print_table},
    server::Server,
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
    let begun = Instant::now();
    let server = Server::start(dir, &[]);
    (begun.elapsed(), server.resident_kib())
}
