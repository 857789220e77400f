use metrics_exporter_prometheus::PrometheusBuilder;
use tokio::time::timeout;
use unsaid_app::erase::{ERASURES_TOTAL, describe_metrics};
use unsaid_core::domain::audit::EraseReason;
use unsaid_core::port::Store;
use unsaid_core::port::people::People as _;
use unsaid_store_memory::{Bounds, MemoryStore};
use unsaid_testkit::builder::{GRACE_MS, at, consent_line, consent_move, person, person_id};
use unsaid_testkit::clock::MovedClock;
use unsaid_testkit::failing::{Failing, Fault};

use super::*;

const DAY: Duration = Duration::from_hours(24);
const SECOND: Duration = Duration::from_secs(1);

/// The job, which nobody wakes.
async fn run(
    erasure: Arc<dyn Erasure>,
    clock: Arc<dyn Clock>,
    every: Duration,
    ending: CancellationToken,
) {
    Job { erasure, clock, woken: Arc::default() }.run(every, ending).await;
}

#[test]
fn failures_are_tried_again_later_and_later() {
    let minutes = |failures| pause(DAY, failures).as_secs() / 60;
    let pauses: Vec<u64> = (0..=8).map(minutes).collect();
    assert_eq!(pauses, [1_440, 1, 2, 4, 8, 16, 32, 60, 60]);
    assert_eq!(pause(DAY, u32::MAX), RETRY_MAX);
    assert_eq!(pause(SECOND, 5), SECOND, "never later than without a failure");
}

#[tokio::test(start_paused = true)]
async fn who_fails_is_counted_and_tried_again_and_stops_nobody() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _guard = metrics::set_default_local_recorder(&recorder);
    describe_metrics();
    let counted = || {
        let printed = recorder.handle().render();
        let count = |outcome: &str| {
            let begin = format!("{ERASURES_TOTAL}{{outcome=\"{outcome}\"}} ");
            printed.lines().find_map(|line| line.strip_prefix(&begin)?.parse::<u64>().ok())
        };
        (count("erased").unwrap(), count("failed").unwrap())
    };
    assert_eq!(counted(), (0, 0));

    let store = with_due(&["ana", "ben", "cleo"]).await;
    store.fail_nth("erase_batch", 2, Fault::Full);
    let clock = Arc::new(MovedClock::at(at(2_000 + GRACE_MS)));
    let job = run(Arc::<Failing>::clone(&store), clock, DAY, CancellationToken::new());
    tokio::pin!(job);

    timeout(SECOND, &mut job).await.unwrap_err();
    assert_eq!(counted(), (2, 1));
    timeout(RETRY_MIN, &mut job).await.unwrap_err();
    assert_eq!(counted(), (3, 1));
    // and from then on at its usual pace
    let looked = store.calls("due");
    timeout(DAY / 2, &mut job).await.unwrap_err();
    assert_eq!(store.calls("due"), looked);
    timeout(DAY, &mut job).await.unwrap_err();
    assert!(store.calls("due") > looked);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_away_is_asked_again() {
    let store = with_due(&["ana"]).await;
    store.fail("due", Fault::Unavailable);
    let clock = Arc::new(MovedClock::at(at(2_000 + GRACE_MS)));
    let job = run(Arc::<Failing>::clone(&store), clock, DAY, CancellationToken::new());
    timeout(RETRY_MIN + SECOND, job).await.unwrap_err();
    assert!(store.person(&person_id("ana")).await.unwrap().unwrap().erased_at.is_some());
}

#[tokio::test(start_paused = true)]
async fn the_end_is_looked_at() {
    let ending = CancellationToken::new();
    let clock = Arc::new(MovedClock::at(at(2_000 + GRACE_MS)));
    let store = with_due(&["ana"]).await;
    let job = run(Arc::<Failing>::clone(&store), clock.clone(), DAY, ending.clone());
    tokio::pin!(job);
    timeout(SECOND, &mut job).await.unwrap_err();
    ending.cancel();
    timeout(SECOND, job).await.unwrap();

    let store = with_due(&["ana"]).await;
    timeout(SECOND, run(Arc::<Failing>::clone(&store), clock, DAY, ending)).await.unwrap();
    assert_eq!(store.calls("claim"), 0);
}

/// People who withdrew and whose time is over.
async fn with_due(people: &[&str]) -> Arc<Failing> {
    let memory: Arc<dyn Store> = Arc::new(MemoryStore::new(Bounds::NONE));
    for id in people {
        assert!(memory.add(person(id, true), consent_line(true, 0)).await.unwrap());
        memory.move_consent(&person_id(id), consent_move(false, 2_000)).await.unwrap();
    }
    Arc::new(Failing::new(memory))
}

#[tokio::test(start_paused = true)]
async fn who_is_claimed_while_the_job_rests_is_erased_at_once() {
    let store = with_due(&[]).await;
    let woken = Arc::new(Notify::new());
    let clock = Arc::new(MovedClock::at(at(0)));
    let job = Job { erasure: Arc::<Failing>::clone(&store), clock, woken: Arc::clone(&woken) };
    let job = job.run(DAY, CancellationToken::new());
    tokio::pin!(job);
    timeout(SECOND, &mut job).await.unwrap_err();
    store.add(person("ana", true), consent_line(true, 0)).await.unwrap();
    store.claim(&person_id("ana"), EraseReason::Now, at(0)).await.unwrap();
    woken.notify_one();
    timeout(SECOND, &mut job).await.unwrap_err();
    assert_eq!(store.audit(None, 10).await.unwrap().len(), 1);
}
