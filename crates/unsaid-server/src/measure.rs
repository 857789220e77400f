//! The metrics that `/metrics` prints.

use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio_util::sync::CancellationToken;
use unsaid_app::{answer, call, erase};
use unsaid_http::watch;
use unsaid_line::{errand_runner, inbound, messenger, picture};
use unsaid_model::measured;

use crate::refusal::Refusal;

const UPKEEP_EVERY: Duration = Duration::from_secs(5);
const SECONDS: &[f64] = &[0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0];

/// Begins to count.
///
/// # Errors
/// If somebody else counts in this process already.
pub fn start() -> Result<PrometheusHandle, Refusal> {
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full(watch::REQUEST_SECONDS.into()), SECONDS)
        .and_then(|builder| {
            let first = Matcher::Full(measured::FIRST_EVENT_SECONDS.into());
            builder.set_buckets_for_metric(first, SECONDS)
        })
        .and_then(|builder| {
            let whole = Matcher::Full(measured::REQUEST_SECONDS.into());
            builder.set_buckets_for_metric(whole, SECONDS)
        })
        .and_then(|builder| {
            let acknowledged = Matcher::Full(inbound::ACK_SECONDS.into());
            builder.set_buckets_for_metric(acknowledged, SECONDS)
        })
        .and_then(PrometheusBuilder::install_recorder)
        .map_err(|error| Refusal::new(format!("cannot start the metrics: {error}")))?;
    watch::describe_metrics();
    erase::describe_metrics();
    measured::describe_metrics();
    answer::describe_metrics();
    call::describe_metrics();
    inbound::describe_metrics();
    messenger::describe_metrics();
    picture::describe_metrics();
    errand_runner::describe_metrics();
    Ok(handle)
}

/// Folds what was measured into the buckets, so that memory does not grow between two readings.
pub async fn keep_up(handle: PrometheusHandle, ending: CancellationToken) {
    let mut ticks = tokio::time::interval(UPKEEP_EVERY);
    while ending.run_until_cancelled(ticks.tick()).await.is_some() {
        handle.run_upkeep();
    }
}
