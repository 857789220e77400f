//! Random changes, compared with the specification.

use std::sync::Arc;

use unsaid_core::port::Store;
use unsaid_store_memory::{Bounds, MemoryStore};
use unsaid_testkit::{
    random::{compare, key_of, random_run},
    talk::Talk,
};

#[tokio::test]
async fn ten_thousand_random_sequences_are_as_specified() {
    random_run(Arc::new(MemoryStore::unbounded()), 0..10_000).await;
}

#[tokio::test]
async fn bounds_that_are_not_reached_change_nothing() {
    let wide = Bounds {
        messages_per_conversation: 1_000,
        bytes_in_all: 1 << 30,
        ttl_ms: 1_000 * 24 * 60 * 60 * 1_000,
    };
    random_run(Arc::new(MemoryStore::new(wide)), 10_000..10_500).await;
}

#[tokio::test]
#[should_panic(expected = "seed 7")]
async fn a_store_that_differs_is_found() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::unbounded());
    Talk::new(&store, key_of(7)).say("m1").await;
    compare(&store, 7, &key_of(7)).await;
}
