//! Durable appends: ours, a transaction per append, and the disk alone.

use std::{
    path::Path,
    sync::{Arc, Barrier, Mutex},
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, params};
use unsaid_store_sql::sqlite::{Options, SqliteStore};

use crate::{
    disk::Page,
    measure::{Promise, Times, micros, per_second, print_table},
    talk,
};

const WRITERS: [usize; 3] = [1, 8, 64];
const ROUNDS: usize = 9;
const ROUND: Duration = Duration::from_secs(1);

/// One way of making appends durable, for one number of writers.
struct Figure {
    rate: f64,
    times: Times,
    syncs_per_append: Option<f64>,
}

/// Appends by so many writers for a while.
type Way = fn(usize) -> Figure;

/// The ways, in the order of their rows.
const WAYS: [(&str, Way); 4] = [
    ("disk, fdatasync", disk_alone),
    ("transaction each, on a thread", transaction_each_on_a_thread),
    ("transaction each, from a task", transaction_each),
    ("unsaid", grouped),
];
const DISK: usize = 0;
const EACH: usize = 2;
const OURS: usize = 3;

pub(crate) fn run() -> Vec<Promise> {
    let (mut rows, mut promises) = (Vec::new(), Vec::new());
    for writers in WRITERS {
        // In turn, so that all of them see the same weather; compared round by round.
        let mut rounds: Vec<Vec<Figure>> =
            (0..ROUNDS).map(|_| WAYS.iter().map(|(_, way)| way(writers)).collect()).collect();
        for (way, (name, _)) in WAYS.iter().enumerate() {
            let syncs = rounds[0][way].syncs_per_append;
            rows.push(vec![
                writers.to_string(),
                (*name).to_owned(),
                format!("{:.0}", middle(&mut rounds, |round| round[way].rate)),
                micros(Duration::from_secs_f64(middle(&mut rounds, |round| round[way].p50()))),
                micros(Duration::from_secs_f64(middle(&mut rounds, |round| round[way].p99()))),
                syncs.map_or("-".to_owned(), |syncs| format!("{syncs:.3}")),
                format!("{:.2}", middle(&mut rounds, |round| round[way].rate / round[EACH].rate)),
            ]);
        }
        promises.extend(promised(writers, &mut rounds));
    }
    let head =
        ["writers", "way", "appends/s", "p50", "p99", "syncs/append", "to a transaction each"];
    print_table(&head, rows);
    promises
}

fn promised(writers: usize, rounds: &mut [Vec<Figure>]) -> Vec<Promise> {
    match writers {
        1 => {
            // The typical one: a disk that stalls now and then decides about rates.
            let ratio = middle(rounds, |round| round[EACH].p50() / round[OURS].p50());
            let syncs = middle(rounds, |round| round[OURS].p99() / round[DISK].p99());
            vec![
                Promise::at_least(
                    "speed of a lone append at p50, to a transaction each",
                    ratio,
                    0.95,
                ),
                Promise::at_most("p99 of a lone append, in fdatasyncs at p99", syncs, 3.0),
            ]
        }
        64 => {
            let ratio = middle(rounds, |round| round[OURS].rate / round[EACH].rate);
            let syncs =
                middle(rounds, |round| round[OURS].syncs_per_append.unwrap_or(f64::INFINITY));
            vec![
                Promise::at_least("appends/s of 64 writers, to a transaction each", ratio, 4.0),
                Promise::at_most("syncs per append of 64 writers", syncs, 0.1),
            ]
        }
        _ => Vec::new(),
    }
}

/// A figure of the round in the middle.
fn middle(rounds: &mut [Vec<Figure>], figure: impl Fn(&mut [Figure]) -> f64) -> f64 {
    let mut figures: Vec<f64> = rounds.iter_mut().map(|round| figure(round)).collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

impl Figure {
    fn p50(&mut self) -> f64 {
        self.times.p50().as_secs_f64()
    }

    fn p99(&mut self) -> f64 {
        self.times.p99().as_secs_f64()
    }
}

/// The disk's own rate: a small write and `fdatasync`, a file per writer.
fn disk_alone(writers: usize) -> Figure {
    let dir = tempfile::tempdir().expect("a directory");
    measure_threads(writers, |writer| {
        let mut page = Page::create(&dir.path().join(writer.to_string()));
        move || page.write()
    })
}

/// The same looks and rows, a transaction per append, as a server makes it that has no writer of its own: the
/// task hands it to a blocking thread, so that it can give up waiting for a disk that hangs.
fn transaction_each(writers: usize) -> Figure {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("each.db");
    drop(SqliteStore::open(&path, &Options::default()).expect("a store"));
    let connection = Arc::new(Mutex::new(open_plain(&path)));
    measure_tasks(writers, move |writer, number| {
        let connection = Arc::clone(&connection);
        let conversation = format!("chat:{writer}");
        let append = move || {
            append_plain(&connection.lock().expect("a connection"), &conversation, number);
        };
        async { tokio::task::spawn_blocking(append).await.expect("an append") }
    })
}

/// The same without leaving the caller's thread: what SQLite itself can do.
fn transaction_each_on_a_thread(writers: usize) -> Figure {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("each.db");
    drop(SqliteStore::open(&path, &Options::default()).expect("a store"));
    let connection = Arc::new(Mutex::new(open_plain(&path)));
    measure_threads(writers, |writer| {
        let connection = Arc::clone(&connection);
        let conversation = format!("chat:{writer}");
        let mut number = 0_i64;
        move || {
            number += 1;
            append_plain(&connection.lock().expect("a connection"), &conversation, number);
        }
    })
}

fn open_plain(path: &Path) -> Connection {
    let connection = Connection::open(path).expect("opens");
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;",
        )
        .expect("pragmas");
    connection
}

fn append_plain(connection: &Connection, conversation: &str, number: i64) {
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
        connection.prepare_cached(sql).and_then(|mut it| it.execute(values)).expect("a statement");
    };
    let look = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
        let mut statement = connection.prepare_cached(sql).expect("a statement");
        let mut rows = statement.query(values).expect("a statement");
        while rows.next().expect("a row").is_some() {}
    };
    let id = format!("m{number}");
    run("BEGIN IMMEDIATE", params![]);
    look("SELECT * FROM conversation WHERE key = ?1", params![conversation]);
    look(
        "SELECT 0 FROM tombstone WHERE conversation = ?1 AND message = ?2 \
         UNION ALL SELECT 1 FROM message WHERE conversation = ?1 AND id = ?2 \
         UNION ALL SELECT 2 FROM revision WHERE conversation = ?1 AND message = ?2",
        params![conversation, id],
    );
    run("INSERT INTO words (content) VALUES (?1)", params![talk::TEXT.as_bytes()]);
    let slot = connection.last_insert_rowid();
    run(
        "INSERT INTO message (conversation, number, id, at, roster, sending, waiting, words) \
         VALUES (?1, ?2, ?3, 0, 0, 0, 0, ?4)",
        params![conversation, number, id, slot],
    );
    run(
        "INSERT INTO conversation (key, version, last_number, last_fence, heard, last_event) \
         VALUES (?1, 1, 1, 0, 1, ?2) ON CONFLICT (key) DO UPDATE SET version = version + 1, \
         last_number = last_number + 1, heard = heard + 1, last_event = ?2",
        params![conversation, number],
    );
    run(
        "INSERT INTO event (conversation, number, kind, message, messages) \
         VALUES (?1, ?2, 0, ?3, 1)",
        params![conversation, number, id],
    );
    run("COMMIT", params![]);
}

/// Ours, from tasks, as a server calls it.
fn grouped(writers: usize) -> Figure {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("ours.db");
    let store = SqliteStore::open(&path, &Options::default()).expect("a store");
    let before = store.commits();
    let shared = store.clone();
    let figure = measure_tasks(writers, move |writer, number| {
        let store = shared.clone();
        async move {
            let key = talk::key(&format!("chat:{writer}"));
            talk::say(&store, &key, &format!("m{number}"), 0).await;
        }
    });
    #[expect(clippy::cast_precision_loss, reason = "counts of a short run")]
    let syncs = (store.commits() - before) as f64 / figure.times.count() as f64;
    Figure { syncs_per_append: Some(syncs), ..figure }
}

/// Runs as many tasks as writers on one runtime, each appending as fast as it can.
fn measure_tasks<A, F>(writers: usize, append: A) -> Figure
where
    A: Fn(usize, i64) -> F + Clone + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let begun = Instant::now();
    let mut all = Times::new();
    runtime.block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for writer in 0..writers {
            let append = append.clone();
            tasks.spawn(append_until(begun + ROUND, move |number| append(writer, number)));
        }
        for times in tasks.join_all().await {
            all.extend(times);
        }
    });
    let elapsed = begun.elapsed();
    Figure { rate: per_second(all.count(), elapsed), times: all, syncs_per_append: None }
}

async fn append_until<F: Future<Output = ()>>(end: Instant, append: impl Fn(i64) -> F) -> Times {
    let mut times = Times::new();
    let mut number = 0;
    while Instant::now() < end {
        number += 1;
        let begun = Instant::now();
        append(number).await;
        times.add(begun.elapsed());
    }
    times
}

fn measure_threads<W: FnMut() + Send>(writers: usize, mut make: impl FnMut(usize) -> W) -> Figure {
    let works: Vec<W> = (0..writers).map(&mut make).collect();
    let start = Barrier::new(writers);
    let begun = Instant::now();
    let mut all = Times::new();
    thread::scope(|scope| {
        let threads: Vec<_> = works
            .into_iter()
            .map(|mut work| {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    let mut times = Times::new();
                    while begun.elapsed() < ROUND {
                        let before = Instant::now();
                        work();
                        times.add(before.elapsed());
                    }
                    times
                })
            })
            .collect();
        for thread in threads {
            all.extend(thread.join().expect("a writer"));
        }
    });
    let elapsed = begun.elapsed();
    Figure { rate: per_second(all.count(), elapsed), times: all, syncs_per_append: None }
}
