//! Drops what time has closed, and deletes what is logically gone.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use unsaid_app::sweep::sweep;
use unsaid_core::port::clock::Clock;
use unsaid_core::port::error::StoreError;
use unsaid_core::port::history::{History, Swept};

use crate::refusal::Refusal;

/// How often closed undo windows and the like are emptied.
const EVERY: Duration = Duration::from_secs(30);

/// Done before anybody is let in: nothing that was to be gone is served. What is gone already is
/// deleted later, by [`run`]: it may be much, and nobody can see it.
///
/// # Errors
/// If the store fails.
pub async fn before_serving(
    history: &dyn History,
    clock: &dyn Clock,
    ending: &CancellationToken,
) -> Result<(), Refusal> {
    let now = clock.now();
    let mut expired = 0;
    while !ending.is_cancelled() {
        let swept = history.sweep(now, 0).await.map_err(|error| refused(&error))?;
        expired += swept.expired;
        if swept.expired == 0 {
            break;
        }
    }
    tracing::debug!(expired, "house in order");
    Ok(())
}

/// Ends the turns that a server held which cannot be there any more. Only for a database that one
/// server has to itself.
///
/// # Errors
/// If the store fails.
pub async fn end_turns_of_predecessor(
    history: &dyn History,
    clock: &dyn Clock,
) -> Result<(), Refusal> {
    let released = history.release_turns(clock.now()).await.map_err(|error| refused(&error))?;
    tracing::debug!(released, "turns of a predecessor ended");
    Ok(())
}

/// Sweeps at once and then until the end. A store that fails is tried again at the next tick.
pub async fn run(history: Arc<dyn History>, clock: Arc<dyn Clock>, ending: CancellationToken) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while ending.run_until_cancelled(ticks.tick()).await.is_some() {
        match sweep(&*history, clock.now(), &|| ending.is_cancelled()).await {
            Ok(Swept { expired: 0, purged: 0 }) => {}
            Ok(Swept { expired, purged }) => tracing::debug!(expired, purged, "swept"),
            Err(error) => tracing::warn!(kind = error.name(), %error, "sweep failed"),
        }
    }
}

fn refused(error: &StoreError) -> Refusal {
    Refusal::new(format!("cannot put the database in order: {error}"))
}

#[cfg(test)]
mod tests;
