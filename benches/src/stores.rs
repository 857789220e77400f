//! The stores side by side: durable appends and the last fifty messages.
//!
//! The directory is measured twice: as the product uses every bucket, one write a second for each
//! source, and without that rule.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use tempfile::TempDir;
use tokio_postgres::NoTls;
use unsaid_core::port::{clock::Chance, history::History};
use unsaid_store_object::{
    BucketStore, Options as BucketOptions,
    bucket::place::{self, Place},
};
use unsaid_store_sql::{
    postgres::{Options as PostgresOptions, PostgresStore},
    sqlite::{Options, SqliteStore},
};

use crate::{
    measure::{Promise, Times, micros, per_second, print_table},
    talk,
};

const WRITERS: [usize; 3] = [1, 8, 64];
const ROUNDS: usize = 3;
const ROUND: Duration = Duration::from_secs(2);
const READS: usize = 200;
const CLUSTER: &str = "UNSAID_TEST_POSTGRES";

/// The operating system's random numbers.
pub(crate) struct SystemChance;

impl Chance for SystemChance {
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("random bytes");
    }
}

/// A store and what must outlive it.
type Made = (Arc<dyn History>, Option<TempDir>);
type Make = fn() -> std::pin::Pin<Box<dyn Future<Output = Made>>>;

const STORES: [(&str, Make); 4] = [
    ("SQLite", || Box::pin(async { sqlite() })),
    ("PostgreSQL", || Box::pin(postgres())),
    ("directory, one write a second", || Box::pin(async { directory(Duration::from_secs(1)) })),
    ("directory, as fast as it goes", || Box::pin(async { directory(Duration::ZERO) })),
];

/// All rounds of one store.
#[derive(Default)]
struct Figures {
    rates: Vec<f64>,
    appends: Times,
    reads: Times,
}

pub(crate) fn run() -> Vec<Promise> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut rows = Vec::new();
    for writers in WRITERS {
        let mut figures = STORES.map(|_| Figures::default());
        for _ in 0..ROUNDS {
            // In turn, so that all of them see the same weather.
            for ((_, make), figures) in STORES.iter().zip(&mut figures) {
                runtime.block_on(measure(*make, writers, figures));
            }
        }
        let sqlite = middle(&figures[0].rates);
        for ((name, _), mut figures) in STORES.iter().zip(figures) {
            let rate = middle(&figures.rates);
            rows.push(vec![
                writers.to_string(),
                (*name).to_owned(),
                format!("{rate:.0}"),
                format!("{:.3}", rate / sqlite),
                micros(figures.appends.p50()),
                micros(figures.appends.p99()),
                micros(figures.reads.p50()),
            ]);
        }
    }
    let head = ["writers", "store", "appends/s", "to SQLite", "p50", "p99", "last 50, p50"];
    print_table(&head, rows);
    Vec::new()
}

/// The figure in the middle.
pub(crate) fn middle(figures: &[f64]) -> f64 {
    let mut figures = figures.to_vec();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

async fn measure(make: Make, writers: usize, figures: &mut Figures) {
    let (store, keep) = make().await;
    let begun = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for writer in 0..writers {
        tasks.spawn(append(Arc::clone(&store), writer, begun + ROUND));
    }
    let said = tasks.join_all().await;
    let count = said.iter().map(Times::count).sum();
    figures.rates.push(per_second(count, begun.elapsed()));
    for times in said {
        figures.appends.extend(times);
    }
    for _ in 0..READS {
        let begun = Instant::now();
        store.page(&talk::key("line:U0"), None, 50).await.expect("a page");
        figures.reads.add(begun.elapsed());
    }
    drop(store);
    drop(keep);
}

async fn append(store: Arc<dyn History>, writer: usize, end: Instant) -> Times {
    let (key, mut times, mut number) = (talk::key(&format!("line:U{writer}")), Times::new(), 0);
    while Instant::now() < end {
        number += 1;
        let begun = Instant::now();
        talk::say(&*store, &key, &format!("m{number}"), 0).await;
        times.add(begun.elapsed());
    }
    times
}

fn sqlite() -> Made {
    let dir = tempfile::tempdir().expect("a directory");
    let store = SqliteStore::open(&dir.path().join("u.db"), &Options::default()).expect("a store");
    (Arc::new(store), Some(dir))
}

fn directory(put_interval: Duration) -> Made {
    let dir = tempfile::tempdir().expect("a directory");
    let place = Place::parse(&format!("file://{}", dir.path().display()), "").expect("a place");
    let opened = place.open(&place::Options::default()).expect("a bucket");
    let options = BucketOptions { put_interval, ..BucketOptions::default() };
    (Arc::new(BucketStore::new(opened.bucket, Arc::new(SystemChance), options)), Some(dir))
}

async fn postgres() -> Made {
    (Arc::new(open_postgres(&database().await).await), None)
}

/// A store in a database.
pub(crate) async fn open_postgres(address: &str) -> PostgresStore {
    let options = PostgresOptions { connection_ms_max: 20_000, ..PostgresOptions::default() };
    PostgresStore::open(address, &options).await.expect("a store")
}

/// The address of a new database, in a cluster that waits for its disk.
pub(crate) async fn database() -> String {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let cluster = std::env::var(CLUSTER).expect("run this through `cargo xtask bench`");
    let name = format!("bench_{}", MADE.fetch_add(1, Ordering::Relaxed));
    let (client, connection) = tokio_postgres::connect(&cluster, NoTls).await.expect("a server");
    let driver = tokio::spawn(connection);
    for sql in [
        "ALTER SYSTEM SET fsync = on",
        "ALTER SYSTEM SET full_page_writes = on",
        "SELECT pg_reload_conf()",
        &format!("CREATE DATABASE {name}"),
    ] {
        client.batch_execute(sql).await.expect("a statement");
    }
    let shown = client.query_one("SHOW fsync", &[]).await.expect("a setting");
    assert_eq!(shown.get::<_, &str>(0), "on", "the cluster does not wait for its disk");
    drop(client);
    driver.await.expect("the connection ends").expect("the connection ends well");
    let (server, _) = cluster.rsplit_once('/').expect("an address");
    format!("{server}/{name}")
}
