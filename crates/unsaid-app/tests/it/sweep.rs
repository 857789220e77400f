//! Sweeping until nothing is left.

use std::sync::atomic::{AtomicU64, Ordering};

use unsaid_app::sweep::{SWEEP_ROWS, sweep};
use unsaid_core::port::history::Swept;
use unsaid_testkit::{
    builder::{at, edit, message, words_of},
    failing::Fault,
};

use crate::given::{House, never};

#[tokio::test]
async fn a_window_that_time_has_closed_is_emptied() {
    let house = House::new().await;
    house.talk().say("m1").await;
    house.talk().make(edit("m1", message("m2"), "e1", at(2_000))).await;
    let early = sweep(&*house.port, at(1_999), &never).await.unwrap();
    assert_eq!(early, Swept::default());
    let swept = sweep(&*house.port, at(2_000), &never).await.unwrap();
    assert_eq!(swept.expired, 1);
    house.talk().assert_unsaid(&words_of("m1")).await;
}

#[tokio::test]
async fn it_stops_when_told_and_passes_failures_on() {
    let house = House::new().await;
    assert_eq!(sweep(&*house.port, at(0), &|| true).await, Ok(Swept::default()));
    assert_eq!(house.store.calls("sweep"), 0);
    house.store.fail("sweep", Fault::Unavailable);
    assert!(sweep(&*house.port, at(0), &never).await.is_err());
}

#[tokio::test]
async fn it_goes_on_while_there_is_something_to_purge() {
    let rows = SWEEP_ROWS as u64;
    let house = leftover::Leftover { left: AtomicU64::new(2 * rows + 1) };
    let swept = sweep(&house, at(0), &never).await.unwrap();
    assert_eq!(swept, Swept { expired: 3, purged: 2 * rows + 1 });
    assert_eq!(house.left.load(Ordering::SeqCst), 0);
}

/// A store of nothing but rows that are logically gone.
mod leftover {
    use std::sync::atomic::{AtomicU64, Ordering};

    use async_trait::async_trait;
    use unsaid_core::{
        domain::{
            conversation::{
                Conversation, change::Event, change::Refusal, key::ConversationKey, log::Entry,
            },
            id::{EventNumber, MessageId, Number, SourceId},
            time::Timestamp,
        },
        port::{
            error::StoreError,
            history::{Commit, Committed, History, Overview, SourceReport, Swept, Tail},
        },
    };

    type Answer<T> = Result<T, StoreError>;

    pub(super) struct Leftover {
        pub(super) left: AtomicU64,
    }

    #[async_trait]
    impl History for Leftover {
        async fn commit(&self, _: &ConversationKey, _: Commit) -> Answer<Committed> {
            Ok(Committed::Refused(Refusal::NotFound))
        }

        async fn overview(&self, _: &ConversationKey) -> Answer<Option<Overview>> {
            Ok(None)
        }

        async fn page(
            &self,
            _: &ConversationKey,
            _: Option<Number>,
            _: usize,
        ) -> Answer<Vec<Entry>> {
            Ok(Vec::new())
        }

        async fn find(&self, _: &ConversationKey, _: &MessageId) -> Answer<Option<Entry>> {
            Ok(None)
        }

        async fn tail(&self, _: &ConversationKey, _: &MessageId, _: usize) -> Answer<Option<Tail>> {
            Ok(None)
        }

        async fn whole(&self, _: &ConversationKey) -> Answer<Option<Conversation>> {
            Ok(None)
        }

        async fn wanting(&self, _: Timestamp, _: usize) -> Answer<Vec<ConversationKey>> {
            Ok(Vec::new())
        }

        async fn sources(&self, _: Option<&SourceId>, _: usize) -> Answer<Vec<SourceReport>> {
            Ok(Vec::new())
        }

        async fn events_after(
            &self,
            _: &ConversationKey,
            _: EventNumber,
            _: usize,
        ) -> Answer<Option<Vec<(EventNumber, Event)>>> {
            Ok(None)
        }

        async fn release_turns(&self, _: Timestamp) -> Answer<u64> {
            Ok(0)
        }

        async fn drop_conversation(&self, _: &ConversationKey) -> Answer<()> {
            Ok(())
        }

        async fn sweep(&self, _: Timestamp, limit: usize) -> Answer<Swept> {
            let purged = (limit as u64).min(self.left.load(Ordering::SeqCst));
            self.left.fetch_sub(purged, Ordering::SeqCst);
            Ok(Swept { expired: u64::from(purged > 0), purged })
        }
    }
}
