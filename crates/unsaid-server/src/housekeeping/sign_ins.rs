//! Forgets ended sign-ins of which no token is valid any more.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use unsaid_core::port::access::Access;
use unsaid_core::port::clock::Clock;

/// How often they are looked for: few at a time.
const EVERY: Duration = Duration::from_mins(10);

/// Forgets at once and then until the end. A store that fails is tried again at the next tick.
pub async fn run(access: Arc<dyn Access>, clock: Arc<dyn Clock>, ending: CancellationToken) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while ending.run_until_cancelled(ticks.tick()).await.is_some() {
        match access.forget_sign_ins(clock.now()).await {
            Ok(0) => {}
            Ok(forgotten) => tracing::debug!(forgotten, "ended sign-ins forgotten"),
            Err(error) => {
                tracing::warn!(kind = error.name(), %error, "ended sign-ins not forgotten");
            }
        }
    }
}
