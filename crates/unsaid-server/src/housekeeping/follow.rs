//! Lets what is only in memory follow what happened to its people elsewhere, and to what is kept.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use unsaid_app::follow::follow;
use unsaid_app::logs::Logs;
use unsaid_core::port::clock::Clock;
use unsaid_core::port::people::People;
use unsaid_core::port::volatile::Volatile;
use unsaid_core::port::worlds::Worlds;

/// It follows within two seconds, so it looks more often.
const EVERY: Duration = Duration::from_secs(1);

/// What it looks at.
pub struct Follower {
    /// What happened to people.
    pub people: Arc<dyn People>,
    /// What happened to their chats.
    pub worlds: Arc<dyn Worlds>,
    /// What is only in memory.
    pub volatile: Arc<dyn Volatile>,
    /// Both logs of their conversations.
    pub logs: Logs,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

impl Follower {
    /// Follows until the end. A store that fails is asked again at the next tick.
    pub async fn run(self, ending: CancellationToken) {
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while ending.run_until_cancelled(ticks.tick()).await.is_some() {
            let now = self.clock.now();
            let (people, worlds) = (&*self.people, &*self.worlds);
            match follow(people, worlds, &*self.volatile, &self.logs.watchers, now).await {
                Ok(0) => {}
                Ok(dropped) => tracing::debug!(dropped, "forgotten in memory too"),
                Err(error) => tracing::warn!(kind = error.name(), %error, "cannot follow erasures"),
            }
            self.logs.complete_crossings().await;
        }
    }
}
