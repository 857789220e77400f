//! Hands edits that failed to the store, so that they outlive this server.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use unsaid_app::world::failed_edits::FailedEdits;
use unsaid_core::port::error::StoreError;
use unsaid_core::port::worlds::Worlds;

/// A store that failed is tried again after this.
const RETRY_AFTER: Duration = Duration::from_secs(2);
/// How long the end may take. What is not kept by then is gone.
const LAST_MAX: Duration = Duration::from_secs(2);

/// What it works with.
#[derive(Clone)]
pub struct FailedEditsJob {
    /// What failed here.
    pub edits: Arc<FailedEdits>,
    /// Where it is kept.
    pub worlds: Arc<dyn Worlds>,
}

impl FailedEditsJob {
    /// Keeps them as they come, until the end.
    pub async fn run(self, ending: CancellationToken) {
        let mut failures = 0;
        let work = async {
            loop {
                if self.keep(failures).await.is_ok() {
                    failures = 0;
                    self.edits.news().await;
                } else {
                    failures += 1;
                    sleep(RETRY_AFTER).await;
                }
            }
        };
        if ending.run_until_cancelled(work).await.is_none() {
            self.keep_rest().await;
        }
    }

    /// Keeps what is left: at the end, and once more when all calls are over, for they may fail until then.
    pub async fn keep_rest(&self) {
        if timeout(LAST_MAX, self.keep(0)).await.is_err() {
            tracing::warn!("failed edits not kept in time");
        }
    }

    /// A failure after others is nothing new.
    async fn keep(&self, failures: u32) -> Result<(), StoreError> {
        match self.edits.keep(&*self.worlds).await {
            Ok(0) => Ok(()),
            Ok(kept) => {
                tracing::debug!(kept, "failed edits kept");
                Ok(())
            }
            Err(error) => {
                if failures == 0 {
                    tracing::warn!(kind = error.name(), %error, "failed edits not kept yet");
                }
                Err(error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use unsaid_core::domain::world::FailedEdit;
    use unsaid_core::port::people::People as _;
    use unsaid_store_memory::{Bounds, MemoryStore};
    use unsaid_testkit::builder::{chat, consent_line, failed_edit, person, world, world_key};
    use unsaid_testkit::failing::{Failing, Fault};

    use super::*;

    async fn furnished() -> Arc<Failing> {
        let store = Arc::new(Failing::new(Arc::new(MemoryStore::new(Bounds::NONE))));
        assert!(store.add(person("ana", true), consent_line(true, 0)).await.unwrap());
        let made = store.add_world(world("ana", "w"), chat("c1", 0), vec![]).await;
        made.unwrap().unwrap();
        store
    }

    async fn kept(store: &Failing) -> Vec<FailedEdit> {
        store.failed_edits(&world_key("ana", "w")).await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_fails_is_tried_again_and_what_comes_later_is_kept_at_once() {
        let (store, edits) = (furnished().await, Arc::<FailedEdits>::default());
        let worlds: Arc<dyn Worlds> = Arc::<Failing>::clone(&store);
        let job = FailedEditsJob { edits: Arc::clone(&edits), worlds };
        for nth in 1..=3 {
            store.fail_nth("note_failed_edit", nth, Fault::Unavailable);
        }
        edits.note(&world_key("ana", "w"), failed_edit("f1", 10));
        let mut job = Box::pin(job.run(CancellationToken::new()));
        timeout(RETRY_AFTER * 4, &mut job).await.unwrap_err();
        assert_eq!(store.calls("note_failed_edit"), 4, "one try in every pause");
        assert_eq!(kept(&store).await, [failed_edit("f1", 10)]);
        edits.note(&world_key("ana", "w"), failed_edit("f2", 20));
        timeout(Duration::from_millis(1), &mut job).await.unwrap_err();
        assert_eq!(kept(&store).await.len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn what_failed_shortly_before_the_end_is_kept() {
        let (store, edits) = (furnished().await, Arc::<FailedEdits>::default());
        let worlds: Arc<dyn Worlds> = Arc::<Failing>::clone(&store);
        let job = FailedEditsJob { edits: Arc::clone(&edits), worlds };
        store.fail("note_failed_edit", Fault::Unavailable);
        edits.note(&world_key("ana", "w"), failed_edit("f1", 10));
        let ending = CancellationToken::new();
        let mut running = Box::pin(job.clone().run(ending.clone()));
        timeout(RETRY_AFTER / 2, &mut running).await.unwrap_err();
        assert_eq!(kept(&store).await, []);
        ending.cancel();
        running.await;
        assert_eq!(kept(&store).await, [failed_edit("f1", 10)]);
        // A call that had begun before the end fails during it.
        edits.note(&world_key("ana", "w"), failed_edit("f2", 20));
        job.keep_rest().await;
        assert_eq!(kept(&store).await.len(), 2);
    }
}
