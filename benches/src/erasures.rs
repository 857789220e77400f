//! Ten thousand people are due at once, each with a session of a hundred messages; others go on
//! talking meanwhile (H8).
//!
//! Who talks does so at fixed times, and a time counts from when something was to be said: a writer
//! that is busy with erasing is felt by all that fall into it. The same is measured before and after
//! the job, so that the ratio does not tell of the weather alone.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, params};
use tokio::{runtime::Runtime, task::JoinSet};
use unsaid_app::erase::{EraseReport, erase_due};
use unsaid_core::{
    domain::{
        consent::Consent,
        id::PersonId,
        person::{ConsentLine, Email, PasswordHash, Person},
        text::Words,
        time::Timestamp,
    },
    port::people::People,
};
use unsaid_store_sql::sqlite::{Options, SqliteStore};

use crate::{
    instant::Wall,
    measure::{Promise, Times, per_second, print_table},
    talk,
};

const PEOPLE: usize = 10_000;
const MESSAGES: usize = 100;
/// How many others talk, in turn.
const TALKERS: usize = 10;
/// Messages a second.
const SAY_EACH: Duration = Duration::from_millis(10);
/// How long others are measured alone, before and after.
const ALONE: Duration = Duration::from_secs(10);

/// What one run showed.
struct Seen {
    filled: Duration,
    alone: Times,
    beside: Times,
    report: EraseReport,
    took: Duration,
    /// Rows of the erased that are still in the file.
    left: usize,
}

pub(crate) fn run() -> Vec<Promise> {
    let mut seen = see();
    print(&mut seen);
    let ratio = seen.beside.p99().as_secs_f64() / seen.alone.p99().as_secs_f64();
    let erased = usize::try_from(seen.report.erased).unwrap_or(usize::MAX);
    #[expect(clippy::cast_precision_loss, reason = "counts of a short run")]
    let none = |what: &str, count: usize| Promise::at_most(what, count as f64, 0.0);
    vec![
        none("people who were not erased", PEOPLE.abs_diff(erased)),
        none("messages of theirs that are left", seen.left),
        Promise::at_most("p99 of a message of others beside the job, to alone", ratio, 2.0),
    ]
}

fn see() -> Seen {
    let runtime = Runtime::new().expect("a runtime");
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("erasures.db");
    let store = SqliteStore::open(&path, &Options::default()).expect("a store");
    let store = Arc::new(store);
    let begun = Instant::now();
    runtime.block_on(add_people(&store));
    fill(&path);
    let filled = begun.elapsed();
    let pause = || thread::sleep(ALONE);
    let ((), mut alone) = while_talking(&runtime, &store, "before", pause);
    let erase = || {
        let begun = Instant::now();
        let report = runtime.block_on(erase_due(&*store, &Wall, &|| false)).expect("a report");
        (report, begun.elapsed())
    };
    let ((report, took), beside) = while_talking(&runtime, &store, "beside", erase);
    let ((), after) = while_talking(&runtime, &store, "after", pause);
    alone.extend(after);
    Seen { filled, alone, beside, report, took, left: left(&path) }
}

/// Others talk at fixed times while something else goes on.
fn while_talking<T>(
    runtime: &Runtime,
    store: &Arc<SqliteStore>,
    phase: &str,
    work: impl FnOnce() -> T,
) -> (T, Times) {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let talking = scope.spawn(|| {
            let (mut due, mut said) = (Instant::now(), JoinSet::new());
            while !stop.load(Ordering::Relaxed) {
                thread::sleep(due.saturating_duration_since(Instant::now()));
                let (store, number) = (Arc::clone(store), said.len());
                let key = talk::key(&format!("chat:{}", number % TALKERS));
                let id = format!("{phase}-{number}");
                let saying = async move {
                    talk::say(&*store, &key, &id, 0).await;
                    due.elapsed()
                };
                said.spawn_on(saying, runtime.handle());
                due += SAY_EACH;
            }
            runtime.block_on(said.join_all())
        });
        let done = work();
        stop.store(true, Ordering::Relaxed);
        let mut times = Times::new();
        for time in talking.join().expect("the others talk") {
            times.add(time);
        }
        (done, times)
    })
}

/// People who withdrew long ago.
async fn add_people(store: &Arc<SqliteStore>) {
    let mut added = JoinSet::new();
    for index in 0..PEOPLE {
        let store = Arc::clone(store);
        added.spawn(async move {
            let (notice_version, door) = ("1".to_owned(), "bench".to_owned());
            let line = ConsentLine { at: Timestamp::ZERO, granted: false, notice_version, door };
            store.add(person(index), line).await.expect("an answer")
        });
        // No more than may wait for the writer.
        if added.len() == 1_000 {
            assert!(drained(&mut added).await, "a person");
        }
    }
    assert!(drained(&mut added).await, "a person");
}

async fn drained(added: &mut JoinSet<bool>) -> bool {
    std::mem::take(added).join_all().await.into_iter().all(|added| added)
}

fn person(index: usize) -> Person {
    let id = format!("p{index}");
    Person {
        email: Email::new(&format!("{id}@example.org")).expect("an address"),
        display_name: Words::new(id.as_str()).expect("words"),
        id: PersonId::new(id).expect("an id"),
        password: PasswordHash::new("none"),
        admin: false,
        created_at: Timestamp::ZERO,
        tokens_since: Timestamp::ZERO,
        consent: Consent::Withdrawn { since: Timestamp::ZERO, due: Timestamp::ZERO },
        erased_at: None,
        paid_credits: 0,
        free_used: 1,
    }
}

/// A session and its messages for everybody, as the store itself would have written them.
fn fill(path: &Path) {
    let connection = Connection::open(path).expect("opens");
    connection.execute_batch("PRAGMA synchronous = OFF; BEGIN").expect("begins");
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
        connection.prepare_cached(sql).and_then(|mut it| it.execute(values)).expect("a statement");
    };
    for index in 0..PEOPLE {
        let (session, owner) = (format!("s{index}"), format!("p{index}"));
        let key = talk::key(&format!("session:{session}"));
        talk::fill_on(&connection, &key, 1, MESSAGES as u64);
        run("UPDATE conversation SET owner = ?2 WHERE key = ?1", params![key.to_string(), owner]);
        run(
            "INSERT INTO session (id, owner, paid, started_at, minutes) VALUES (?1, ?2, 0, 0, 5)",
            params![session, owner],
        );
    }
    connection.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)").expect("commits");
}

fn left(path: &Path) -> usize {
    let connection = Connection::open(path).expect("opens");
    let sql = "SELECT count(*) FROM message WHERE conversation LIKE 'session:%'";
    let count: i64 = connection.query_row(sql, [], |row| row.get(0)).expect("a count");
    usize::try_from(count).expect("a count")
}

fn print(seen: &mut Seen) {
    let row = |what: &str, times: &mut Times| {
        let shares = [0.5, 0.99, 1.0].map(|share| {
            let millis = times.share(share).as_secs_f64() * 1e3;
            format!("{millis:.2} ms")
        });
        [vec![what.to_owned(), times.count().to_string()], shares.to_vec()].concat()
    };
    let rows = vec![
        row("a message of others, alone", &mut seen.alone),
        row("the same beside the job", &mut seen.beside),
    ];
    print_table(&["what", "times", "p50", "p99", "longest"], rows);
    println!(
        "\n{PEOPLE} people with {MESSAGES} messages each, erased in {:.1} s: {:.0} people/s, \
         {:.0} messages/s; the store was filled in {:.1} s.",
        seen.took.as_secs_f64(),
        per_second(PEOPLE, seen.took),
        per_second(PEOPLE * MESSAGES, seen.took),
        seen.filled.as_secs_f64(),
    );
}
