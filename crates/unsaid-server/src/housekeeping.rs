//! What the server does by itself: ends turns of a dead predecessor, and lets go of what time has
//! closed.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;
use unsaid_app::sweep::sweep;
use unsaid_core::port::{Store, clock::Clock, error::StoreError, history::Swept};

use crate::refusal::Refusal;

/// How often closed undo windows and the like are emptied.
const SWEEP_EVERY: Duration = Duration::from_secs(30);

/// Done before anybody is let in: nothing that was to be gone is served.
///
/// # Errors
/// If the store fails.
pub async fn before_serving(store: &dyn Store, clock: &dyn Clock) -> Result<(), Refusal> {
    let released = store.release_turns(clock.now()).await.map_err(|error| refused(&error))?;
    let swept = sweep(store, clock.now(), &|| false).await.map_err(|error| refused(&error))?;
    tracing::debug!(released, expired = swept.expired, purged = swept.purged, "house in order");
    Ok(())
}

/// Sweeps until the end. A store that fails is tried again at the next tick.
pub async fn run(store: Arc<dyn Store>, clock: Arc<dyn Clock>, ending: CancellationToken) {
    let mut ticks = interval_at(Instant::now() + SWEEP_EVERY, SWEEP_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while ending.run_until_cancelled(ticks.tick()).await.is_some() {
        match sweep(&*store, clock.now(), &|| ending.is_cancelled()).await {
            Ok(Swept { expired: 0, purged: 0 }) => {}
            Ok(Swept { expired, purged }) => tracing::debug!(expired, purged, "swept"),
            Err(error) => tracing::warn!(kind = error.name(), %error, "sweep failed"),
        }
    }
}

fn refused(error: &StoreError) -> Refusal {
    Refusal::new(format!("cannot put the database in order: {error}"))
}
