//! The erasure job (H8): at start and every interval, everybody who is due.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use unsaid_app::erase::erase_due;
use unsaid_core::port::clock::Clock;
use unsaid_core::port::erasure::Erasure;

/// After a failure the next run comes sooner, then later and later.
const RETRY_MIN: Duration = Duration::from_mins(1);
const RETRY_MAX: Duration = Duration::from_hours(1);

/// See the module.
pub struct Job {
    /// Who is due, and their end.
    pub erasure: Arc<dyn Erasure>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Fires when somebody was claimed just now.
    pub woken: Arc<Notify>,
}

impl Job {
    /// Erases at once and then until the end. Failures are tried again, and stop nobody else's
    /// erasure.
    pub async fn run(self, every: Duration, ending: CancellationToken) {
        let mut failures = 0;
        while !ending.is_cancelled() {
            let well = run_once(&*self.erasure, &*self.clock, &ending).await;
            failures = if well { 0 } else { failures + 1 };
            let next = tokio::time::timeout(pause(every, failures), self.woken.notified());
            if ending.run_until_cancelled(next).await.is_none() {
                break;
            }
        }
    }
}

/// One run; whether all went well.
async fn run_once(erasure: &dyn Erasure, clock: &dyn Clock, ending: &CancellationToken) -> bool {
    match erase_due(erasure, clock, &|| ending.is_cancelled()).await {
        Ok(report) => {
            for (person, error) in &report.failed {
                tracing::error!(%person, kind = error.name(), %error, "erasure failed");
            }
            if report.erased > 0 {
                tracing::info!(erased = report.erased, "erased who was due");
            }
            report.failed.is_empty()
        }
        Err(error) => {
            tracing::error!(kind = error.name(), %error, "cannot tell who is due for erasure");
            false
        }
    }
}

/// Until the next run, after so many runs in a row with a failure.
fn pause(every: Duration, failures: u32) -> Duration {
    let doublings = failures.saturating_sub(1).min(16);
    match failures {
        0 => every,
        _ => (RETRY_MIN * (1 << doublings)).min(RETRY_MAX).min(every),
    }
}

#[cfg(test)]
mod tests;
