//! H1: `kill -9` of the database while many append. What was acknowledged is there afterwards, and
//! the store is ready soon.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::task::JoinSet;
use unsaid_core::{
    domain::{conversation::change::Outcome, id::Number},
    port::{
        Store,
        error::StoreError,
        history::{Commit, Committed},
    },
};
use unsaid_store_sql::postgres::{Options, PostgresStore};
use unsaid_testkit::{
    builder::{at, chat_key, message, say},
    random::dice::Dice,
};

use super::cluster::{Cluster, until_served};
use crate::wait::{now, until};

const KILLS: usize = 20;
const WRITERS: usize = 16;
const CHATS: usize = 4;
const ACKS_BEFORE_KILL_MAX: usize = 200;
const LIMIT: Duration = Duration::from_mins(1);
/// SPEC section 8.2.
const READY_WITHIN: Duration = Duration::from_secs(5);
const UNREADY_WITHIN: Duration = Duration::from_secs(2);

#[derive(Default)]
struct Run {
    acknowledged: Mutex<BTreeSet<(usize, String)>>,
    count: AtomicUsize,
    unconfirmed: AtomicUsize,
    ended: AtomicBool,
}

#[tokio::test(flavor = "multi_thread")]
async fn h1_kills_of_the_database_lose_no_acknowledged_message() {
    let mut cluster = Cluster::start().await;
    let store: Arc<dyn Store> = Arc::new(open(&cluster).await);
    let run = Arc::new(Run::default());
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        writers.spawn(append(Arc::clone(&store), Arc::clone(&run), writer));
    }
    let mut dice = Dice::new(12);
    for _ in 0..KILLS {
        let enough = run.count.load(Ordering::SeqCst) + 1 + dice.index(ACKS_BEFORE_KILL_MAX);
        tokio::task::block_in_place(|| {
            let acknowledged = || run.count.load(Ordering::SeqCst) >= enough;
            until("enough is acknowledged", LIMIT, acknowledged);
            cluster.kill();
            cluster.run();
        });
        until_served(&cluster.address()).await;
        let back = now();
        while store.check().await.is_err() {}
        assert!(back.elapsed() < READY_WITHIN, "ready only after {:?}", back.elapsed());
    }
    run.ended.store(true, Ordering::SeqCst);
    writers.join_all().await;
    assert_nothing_lost(&*store, &run).await;
}

async fn open(cluster: &Cluster) -> PostgresStore {
    PostgresStore::open(&cluster.address(), &Options::default()).await.expect("a store")
}

async fn append(store: Arc<dyn Store>, run: Arc<Run>, writer: usize) {
    for turn in 0.. {
        if run.ended.load(Ordering::SeqCst) {
            return;
        }
        let (chat, id) = ((writer + turn) % CHATS, format!("w{writer}-{turn}"));
        let commit = Commit::new(say(message(&id)), at(1_000));
        match store.commit(&chat_key(&format!("c{chat}")), commit).await {
            Ok(Committed::Applied(applied, _)) => {
                assert!(matches!(applied.outcome, Outcome::Said(_)), "{applied:?}");
                run.acknowledged.lock().unwrap().insert((chat, id));
                run.count.fetch_add(1, Ordering::SeqCst);
            }
            Err(StoreError::Uncertain(_)) => {
                run.unconfirmed.fetch_add(1, Ordering::SeqCst);
            }
            // waits: a database that is away sends nothing
            Err(StoreError::Unavailable(_)) => tokio::time::sleep(Duration::from_millis(5)).await,
            other => panic!("{other:?}"),
        }
    }
}

async fn assert_nothing_lost(store: &dyn Store, run: &Run) {
    let acknowledged = run.acknowledged.lock().unwrap().clone();
    let mut there = BTreeSet::new();
    for chat in 0..CHATS {
        let page = store.page(&chat_key(&format!("c{chat}")), None, 1_000_000).await.unwrap();
        let numbers = page.iter().map(|entry| entry.number);
        assert!(numbers.eq((1..=page.len() as u64).map(Number::new)), "c{chat} has a gap");
        let before = there.len();
        there.extend(page.iter().map(|entry| (chat, entry.message.id.to_string())));
        assert_eq!(there.len() - before, page.len(), "c{chat} has something twice");
        assert!(page.iter().all(|entry| !entry.message.parts.is_empty()), "words are missing");
    }
    let lost: Vec<_> = acknowledged.difference(&there).collect();
    assert!(lost.is_empty(), "lost: {lost:?}");
    // What is there without an acknowledgement was not denied either.
    let unconfirmed = run.unconfirmed.load(Ordering::SeqCst);
    assert!(there.len() - acknowledged.len() <= unconfirmed, "denied, and there nevertheless");
}

/// A database that stands still is noticed as well as one that is gone.
#[tokio::test(flavor = "multi_thread")]
async fn readiness_follows_the_database() {
    let mut cluster = Cluster::start().await;
    let store = Arc::new(open(&cluster).await) as Arc<dyn Store>;
    store.check().await.unwrap();
    cluster.signal("STOP");
    let lost = now();
    while store.check().await.is_ok() {}
    assert!(lost.elapsed() < UNREADY_WITHIN, "noticed only after {:?}", lost.elapsed());
    cluster.signal("CONT");
    let back = now();
    while store.check().await.is_err() {}
    assert!(back.elapsed() < READY_WITHIN, "ready only after {:?}", back.elapsed());
    tokio::task::block_in_place(|| cluster.kill());
    let lost = now();
    while store.check().await.is_ok() {}
    assert!(lost.elapsed() < UNREADY_WITHIN, "noticed only after {:?}", lost.elapsed());
    let commit = Commit::new(say(message("m1")), at(1_000));
    let error = store.commit(&chat_key("c1"), commit.clone()).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    cluster.run();
    until_served(&cluster.address()).await;
    let back = now();
    while store.check().await.is_err() {}
    assert!(back.elapsed() < READY_WITHIN, "ready only after {:?}", back.elapsed());
    store.commit(&chat_key("c1"), commit).await.unwrap();
}
