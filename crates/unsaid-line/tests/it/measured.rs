//! What `/metrics` says about what comes in.

use std::sync::{Arc, atomic::AtomicBool};

use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::json;
use unsaid_line::inbound::describe_metrics;
use unsaid_store_memory::MemoryStore;
use unsaid_testkit::{
    builder::line_key,
    failing::{Failing, Fault},
};

use crate::{
    door::{Door, settings},
    letter::{edited, event, message, text, unsend},
    slow::Slow,
};

#[tokio::test(start_paused = true)]
async fn events_failures_and_latency_are_counted() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let _guard = metrics::set_default_local_recorder(&recorder);
    describe_metrics();

    let store = Arc::new(Failing::new(Arc::new(MemoryStore::unbounded())));
    let port = Arc::<Failing>::clone(&store);
    let key = line_key("Uslow");
    let slow = Arc::new(Slow { store: port, key, hangs: AtomicBool::new(true) });
    let door = Door::over(store, slow, settings());
    let events = [
        text("Uana", "m1", "a"),
        text("Uana", "m1", "a"),
        message("Uana", "m2", &json!({"type": "hologram"})),
        unsend("Uana", "m1"),
        edited("Uana", "m3", "b", 9),
        event("follow", "Uana", "e1"),
        event("unfollow", "Uana", "e2"),
        event("join", "Cgroup", "e3"),
        event("leave", "Cgroup", "e4"),
        event("memberJoined", "Cgroup", "e5"),
        event("memberLeft", "Cgroup", "e6"),
        event("postback", "Uana", "e7"),
        event("neverHeardOf", "Uana", "e8"),
        event("message", "Uana", "e9"),
    ];
    door.call(&events).await.unwrap();
    door.call(&[]).await.unwrap();
    door.store.fail("commit", Fault::Full);
    door.call(&[text("Uana", "m4", "a")]).await.unwrap_err();
    door.call(&[text("Uslow", "m5", "a")]).await.unwrap_err();
    door.call_raw(b"{}").await.unwrap_err();
    door.inbound.receive(&[], b"{}").await.unwrap_err();

    let printed = handle.render();
    assert!(printed.contains("# HELP unsaid_line_events_total"), "{printed}");
    let mut counts: Vec<&str> = printed
        .lines()
        .filter(|line| line.starts_with("unsaid_") && !line.contains("_sum"))
        .filter(|line| !line.contains("quantile"))
        .collect();
    counts.sort_unstable();
    insta::assert_snapshot!(counts.join("\n"), @r#"
    unsaid_line_ack_seconds_count{outcome="not_a_webhook"} 1
    unsaid_line_ack_seconds_count{outcome="ok"} 2
    unsaid_line_ack_seconds_count{outcome="signature"} 1
    unsaid_line_ack_seconds_count{outcome="storage"} 1
    unsaid_line_ack_seconds_count{outcome="too_slow"} 1
    unsaid_line_events_duplicate_total 1
    unsaid_line_events_ignored_total{kind="message"} 1
    unsaid_line_events_ignored_total{kind="other"} 2
    unsaid_line_events_malformed_total 1
    unsaid_line_events_total{kind="follow"} 1
    unsaid_line_events_total{kind="join"} 1
    unsaid_line_events_total{kind="leave"} 1
    unsaid_line_events_total{kind="memberJoined"} 1
    unsaid_line_events_total{kind="memberLeft"} 1
    unsaid_line_events_total{kind="message"} 5
    unsaid_line_events_total{kind="messageEdited"} 1
    unsaid_line_events_total{kind="other"} 2
    unsaid_line_events_total{kind="unfollow"} 1
    unsaid_line_events_total{kind="unsend"} 1
    unsaid_line_storage_failures_total{what="storage_timeout"} 1
    unsaid_line_storage_failures_total{what="storage_write"} 1
    "#);
}
