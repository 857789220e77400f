//! Several writers, and many messages at once.

use std::{sync::Arc, time::Duration};

use tokio::{task::JoinSet, time::Instant};
use unsaid_core::{
    domain::{conversation::change::Outcome, id::Number},
    port::{
        error::StoreError,
        history::{Commit, Committed, History as _},
    },
};
use unsaid_store_object::{
    BucketStore, Options,
    bucket::{Bucket, memory::MemoryBucket},
};
use unsaid_testkit::{
    bucket::gcs::{Fault, GcsStandIn, On},
    builder::{at, line_key, message, say},
};

use crate::{
    decor::{Counting, Slow},
    make::{gcs, quick, store_in},
};

async fn said(store: &BucketStore, id: &str) -> Result<Number, StoreError> {
    let commit = Commit::new(say(message(id)), at(1_000));
    match store.commit(&line_key("U1"), commit).await? {
        Committed::Applied(applied, _) => match applied.outcome {
            Outcome::Said(number) => Ok(number),
            other => panic!("{id}: {other:?}"),
        },
        other => panic!("{id}: {other:?}"),
    }
}

async fn ids(store: &BucketStore) -> Vec<String> {
    let page = store.page(&line_key("U1"), None, 100_000).await.unwrap();
    page.iter().map(|entry| entry.message.id.to_string()).collect()
}

/// Says so many messages, some of them at once; those that could not be written are said again.
async fn write(store: BucketStore, name: &'static str, count: usize) {
    let mut writers = JoinSet::new();
    for lane in 0..5 {
        let store = store.clone();
        writers.spawn(async move {
            let mut last = Number::ZERO;
            for index in (lane..count).step_by(5) {
                let id = format!("{name}-{index}");
                let number = loop {
                    match said(&store, &id).await {
                        Ok(number) => break number,
                        Err(StoreError::Unavailable(_)) => {}
                        Err(error) => panic!("{id}: {error}"),
                    }
                };
                assert!(number > last, "a writer's own messages are in its order");
                last = number;
            }
        });
    }
    writers.join_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_write_into_one_source() {
    let inner: Arc<dyn Bucket> = Arc::new(MemoryBucket::new());
    let call = Duration::from_micros(200);
    let bucket: Arc<dyn Bucket> = Arc::new(Slow { inner, call });
    let options =
        Options { object_bytes_max: 20_000, commit_within: Duration::from_secs(30), ..quick() };
    let one = store_in(&bucket, 1, options.clone());
    let two = store_in(&bucket, 2, options);
    tokio::join!(write(one.clone(), "one", 500), write(two.clone(), "two", 500));
    let seen = ids(&one).await;
    assert_eq!(seen, ids(&two).await, "one order for everybody");
    assert_eq!(seen.len(), 1_000);
    let mut sorted = seen.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), 1_000, "each once");
    let whole = one.whole(&line_key("U1")).await.unwrap().unwrap();
    assert_eq!(whole.last_number, Number::new(1_000), "no gaps");
}

/// What became of messages that came at a steady pace.
struct Stream {
    acknowledged: Vec<(usize, Number)>,
    refused: usize,
    longest: Duration,
}

async fn stream(store: &BucketStore, count: usize, pause: Duration) -> Stream {
    let mut messages = JoinSet::new();
    let begun = Instant::now();
    for index in 0..count {
        let moment = begun + pause * u32::try_from(index).unwrap();
        tokio::time::sleep_until(moment).await; // waits: messages come at their pace
        let store = store.clone();
        messages.spawn(async move {
            let asked = Instant::now();
            let outcome = said(&store, &format!("m{index}")).await;
            (index, outcome, asked.elapsed())
        });
    }
    let mut seen = Stream { acknowledged: Vec::new(), refused: 0, longest: Duration::ZERO };
    for (index, outcome, took) in messages.join_all().await {
        seen.longest = seen.longest.max(took);
        match outcome {
            Ok(number) => seen.acknowledged.push((index, number)),
            Err(_) => seen.refused += 1,
        }
    }
    seen.acknowledged.sort_unstable();
    seen
}

async fn check(store: &BucketStore, seen: &Stream) {
    let numbers: Vec<Number> = seen.acknowledged.iter().map(|(_, number)| *number).collect();
    assert!(numbers.is_sorted(), "in the order in which they came");
    let ids = ids(store).await;
    for (index, number) in &seen.acknowledged {
        let id = format!("m{index}");
        assert_eq!(ids.iter().filter(|known| **known == id).count(), 1, "{id} at {number}");
    }
    assert!(seen.longest <= Duration::from_millis(1_600), "{:?}", seen.longest);
}

#[tokio::test(start_paused = true)]
async fn twenty_messages_a_second_share_one_write_a_second() {
    let counting = Arc::new(Counting::default());
    let inner = Arc::clone(&counting) as Arc<dyn Bucket>;
    let bucket: Arc<dyn Bucket> = Arc::new(Slow { inner, call: Duration::from_millis(80) });
    let store = store_in(&bucket, 1, Options::default());
    let seen = stream(&store, 1_200, Duration::from_millis(50)).await;
    assert_eq!(seen.refused, 0);
    check(&store, &seen).await;
    assert!(counting.puts() <= 62, "{} puts in a minute", counting.puts());
}

#[tokio::test]
async fn a_bucket_that_takes_one_write_a_second_is_not_asked_for_more() {
    let cloud = GcsStandIn::start().await;
    cloud.set(|settings| settings.one_write_a_second = true);
    let store = store_in(&gcs(&cloud), 1, Options::default());
    let seen = stream(&store, 100, Duration::from_millis(50)).await;
    assert_eq!(seen.refused, 0, "nobody had to come again");
    check(&store, &seen).await;
}

#[tokio::test]
async fn a_write_whose_answer_was_lost_is_not_made_twice() {
    let cloud = GcsStandIn::start().await;
    let options = Options { commit_within: Duration::from_secs(5), ..quick() };
    let store = store_in(&gcs(&cloud), 1, options);
    for index in 0..12_u64 {
        let fault = if index % 2 == 0 { Fault::ApplyThenStatus(503) } else { Fault::ApplyThenDrop };
        cloud.order(On::Put, fault, 1);
        let number = said(&store, &format!("m{index}")).await.unwrap();
        assert_eq!(number, Number::new(index + 1));
    }
    let expected: Vec<String> = (0..12).map(|index| format!("m{index}")).collect();
    assert_eq!(ids(&store).await, expected);
    assert_eq!(cloud.faults_left(), 0);
}

#[tokio::test(start_paused = true)]
async fn whoever_went_away_has_said_nothing() {
    let inner: Arc<dyn Bucket> = Arc::new(MemoryBucket::new());
    let bucket: Arc<dyn Bucket> = Arc::new(Slow { inner, call: Duration::from_millis(100) });
    let store = store_in(&bucket, 1, Options::default());
    said(&store, "m1").await.unwrap();
    let gone = tokio::time::timeout(Duration::from_millis(10), said(&store, "m2")).await;
    assert!(gone.is_err());
    said(&store, "m3").await.unwrap();
    assert_eq!(ids(&store).await, ["m1", "m3"]);
}

#[tokio::test(start_paused = true)]
async fn a_change_that_would_come_too_late_is_refused_and_not_made() {
    let inner: Arc<dyn Bucket> = Arc::new(MemoryBucket::new());
    let options = Options { put_interval: Duration::from_mins(1), ..Options::default() };
    let store = store_in(&inner, 1, options);
    said(&store, "m1").await.unwrap();
    let asked = Instant::now();
    let refused = said(&store, "m2").await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    assert_eq!(asked.elapsed(), Duration::ZERO, "at once");
    tokio::time::sleep(Duration::from_secs(61)).await; // waits: for the next write to be allowed
    said(&store, "m3").await.unwrap();
    assert_eq!(ids(&store).await, ["m1", "m3"]);
}
