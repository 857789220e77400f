//! Asks `PostgreSQL` to free what was erased: it keeps deleted rows until then (H13). Allowances whose
//! while is over go on the way.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;
use unsaid_core::port::clock::Clock as _;
use unsaid_store_sql::postgres::PostgresStore;

use crate::system::SystemClock;

/// A promise says 24 hours. Pages without deleted rows are passed over, so looking costs little.
const EVERY: Duration = Duration::from_hours(1);

/// Vacuums every hour until the end. A database that fails is tried again the next time.
pub async fn run(database: PostgresStore, ending: CancellationToken) {
    let mut ticks = interval_at(Instant::now() + EVERY, EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while ending.run_until_cancelled(ticks.tick()).await.is_some() {
        if let Err(error) = database.forget_allowances(SystemClock.now()).await {
            tracing::warn!(kind = error.name(), %error, "allowances not forgotten");
        }
        match ending.run_until_cancelled(database.vacuum()).await {
            None => {}
            Some(Ok(())) => tracing::debug!("vacuumed"),
            Some(Err(error)) => tracing::warn!(kind = error.name(), %error, "vacuum failed"),
        }
    }
}
