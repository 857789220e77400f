//! Forgets idempotency keys that have had their day.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use unsaid_core::port::clock::Clock;
use unsaid_core::port::keys::Keys;

/// How long a repeated call is known as such.
const KEPT_MS: i64 = 24 * 60 * 60 * 1_000;
/// How often the older ones are looked for: few at a time, and none much too old.
const EVERY: Duration = Duration::from_mins(10);

/// Forgets at once and then until the end. A store that fails is tried again at the next tick.
pub async fn run(keys: Arc<dyn Keys>, clock: Arc<dyn Clock>, ending: CancellationToken) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while ending.run_until_cancelled(ticks.tick()).await.is_some() {
        match keys.forget_before(clock.now().plus_millis(-KEPT_MS)).await {
            Ok(0) => {}
            Ok(forgotten) => tracing::debug!(forgotten, "idempotency keys forgotten"),
            Err(error) => {
                tracing::warn!(kind = error.name(), %error, "idempotency keys not forgotten");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use unsaid_core::port::Store;
    use unsaid_store_memory::{Bounds, MemoryStore};
    use unsaid_testkit::builder::{at, consent_line, key_use, person};
    use unsaid_testkit::clock::MovedClock;
    use unsaid_testkit::failing::{Failing, Fault};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn keys_are_known_for_a_day() {
        let memory: Arc<dyn Store> = Arc::new(MemoryStore::new(Bounds::NONE));
        assert!(memory.add(person("ana", true), consent_line(true, 0)).await.unwrap());
        let store = Arc::new(Failing::new(memory));
        for (key, when) in [("old", 999), ("young", 1_000)] {
            store.remember(key_use("ana", key, when)).await.unwrap();
        }
        store.fail("forget_before", Fault::Unavailable);
        let clock = Arc::new(MovedClock::at(at(1_000 + KEPT_MS)));
        let ending = CancellationToken::new();
        let job = run(Arc::<Failing>::clone(&store), clock, ending.clone());
        // the first look fails, the second does it
        tokio::time::timeout(EVERY + Duration::from_secs(1), job).await.unwrap_err();
        assert_eq!(store.calls("forget_before"), 2);
        assert_eq!(store.remember(key_use("ana", "old", 5_000)).await.unwrap(), None);
        let known = store.remember(key_use("ana", "young", 5_000)).await.unwrap();
        assert_eq!(known.map(|known| known.at), Some(at(1_000)));
    }
}
