//! Does a long conversation cost more than a short one? (H12)

use std::time::Duration;

use unsaid_core::port::history::History;
use unsaid_store_sql::sqlite::{Options, SqliteStore};

use crate::{
    measure::{Promise, Times, micros, print_table},
    talk,
};

const LENGTHS: [u64; 3] = [1_000, 100_000, 1_000_000];
const ROUNDS: usize = 5;
const OPERATIONS: u64 = 300;

pub(crate) fn run() -> Vec<Promise> {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("length.db");
    // All lengths side by side in one file, so that they share its size and the moment.
    let store = SqliteStore::open(&path, &Options::default()).expect("a store");
    let keys = LENGTHS.map(|length| talk::key(&format!("chat:{length}")));
    for (key, length) in keys.iter().zip(LENGTHS) {
        talk::fill(&path, key, 1, length);
    }
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut appends = LENGTHS.map(|_| Times::new());
    let mut reads = LENGTHS.map(|_| Times::new());
    let mut unsends = LENGTHS.map(|_| Times::new());
    runtime.block_on(async {
        for round in 0..ROUNDS as u64 {
            // In turn, so that all lengths see the same weather.
            for operation in 0..OPERATIONS {
                for index in 0..LENGTHS.len() {
                    let id = format!("new{round}-{operation}");
                    let begun = std::time::Instant::now();
                    talk::say(&store, &keys[index], &id, 0).await;
                    appends[index].add(begun.elapsed());
                    let begun = std::time::Instant::now();
                    let page = store.page(&keys[index], None, 50).await.expect("a page");
                    reads[index].add(begun.elapsed());
                    assert_eq!(page.len(), 50);
                    let begun = std::time::Instant::now();
                    talk::unsend(&store, &keys[index], &id).await;
                    unsends[index].add(begun.elapsed());
                }
            }
        }
    });
    report(appends, reads, unsends)
}

fn report(mut appends: [Times; 3], mut reads: [Times; 3], mut unsends: [Times; 3]) -> Vec<Promise> {
    let mut rows = Vec::new();
    for (index, length) in LENGTHS.iter().enumerate() {
        rows.push(vec![
            length.to_string(),
            micros(appends[index].p50()),
            micros(appends[index].p99()),
            micros(reads[index].p50()),
            micros(reads[index].p99()),
            micros(unsends[index].p50()),
            micros(unsends[index].p99()),
        ]);
    }
    let head = [
        "messages",
        "append p50",
        "append p99",
        "last 50 p50",
        "last 50 p99",
        "unsend p50",
        "unsend p99",
    ];
    print_table(&head, rows);
    let ratio = |long: Duration, short: Duration| long.as_secs_f64() / short.as_secs_f64();
    let append = ratio(appends[2].p50(), appends[0].p50());
    let read = ratio(reads[2].p50(), reads[0].p50());
    let unsend = ratio(unsends[2].p50(), unsends[0].p50());
    vec![
        Promise::at_most("an append at a million messages, to one at a thousand", append, 1.5),
        Promise::at_most("the last 50 of a million messages, to those of a thousand", read, 1.5),
        Promise::at_most("an unsend at a million messages, to one at a thousand", unsend, 1.5),
    ]
}
