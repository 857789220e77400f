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

/// Keeps them as they come, until the end and then what is left.
pub async fn run(edits: Arc<FailedEdits>, worlds: Arc<dyn Worlds>, ending: CancellationToken) {
    let mut failures = 0;
    let work = async {
        loop {
            if keep(&edits, &*worlds, failures).await.is_ok() {
                failures = 0;
                edits.news().await;
            } else {
                failures += 1;
                sleep(RETRY_AFTER).await;
            }
        }
    };
    if ending.run_until_cancelled(work).await.is_none()
        && timeout(LAST_MAX, keep(&edits, &*worlds, 0)).await.is_err()
    {
        tracing::warn!("failed edits not kept in time");
    }
}

/// A failure after others is nothing new.
async fn keep(edits: &FailedEdits, worlds: &dyn Worlds, failures: u32) -> Result<(), StoreError> {
    match edits.keep(worlds).await {
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
        for nth in 1..=3 {
            store.fail_nth("note_failed_edit", nth, Fault::Unavailable);
        }
        edits.note(&world_key("ana", "w"), failed_edit("f1", 10));
        let mut job = Box::pin(run(Arc::clone(&edits), worlds, CancellationToken::new()));
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
        store.fail("note_failed_edit", Fault::Unavailable);
        edits.note(&world_key("ana", "w"), failed_edit("f1", 10));
        let ending = CancellationToken::new();
        let mut job = Box::pin(run(Arc::clone(&edits), worlds, ending.clone()));
        timeout(RETRY_AFTER / 2, &mut job).await.unwrap_err();
        assert_eq!(kept(&store).await, []);
        ending.cancel();
        job.await;
        assert_eq!(kept(&store).await, [failed_edit("f1", 10)]);
    }
}
