//! Random changes, made in a bucket and in the specification.

use std::{ops::Range, sync::Arc};

use tokio::task::JoinSet;
use unsaid_core::{domain::conversation::key::ConversationKey, port::Store};
use unsaid_store_object::bucket::{Bucket, memory::MemoryBucket};
use unsaid_testkit::{
    builder::{line_key, session_key},
    random::compare,
};

use crate::{
    decor::names,
    make::{Shelf, joined, patient, store_in, tiny},
};

/// Sequences that run at the same time.
const AT_ONCE: u64 = 32;

/// A conversation of a seed. A bucket keeps no events, so it is none of a chat.
fn key_of(seed: u64) -> ConversationKey {
    let name = format!("random-{seed}");
    if seed.is_multiple_of(2) { line_key(&name) } else { session_key(&name) }
}

pub(crate) async fn run(store: Arc<dyn Store>, seeds: Range<u64>) {
    let mut lanes = JoinSet::new();
    for lane in 0..AT_ONCE {
        let (store, seeds) = (Arc::clone(&store), seeds.clone());
        lanes.spawn(async move {
            for seed in seeds.filter(|seed| seed % AT_ONCE == lane) {
                compare(&store, seed, &key_of(seed)).await;
            }
        });
    }
    while let Some(ended) = lanes.join_next().await {
        if let Err(failure) = ended {
            std::panic::resume_unwind(failure.into_panic());
        }
    }
}

#[tokio::test]
async fn a_bucket_does_what_the_specification_says() {
    let bucket: Arc<dyn Bucket> = Arc::new(MemoryBucket::new());
    run(joined(store_in(&bucket, 1, tiny())), 0..10_000).await;
    let sealed = names(&bucket).await.into_iter().filter(|name| name.contains(".sealed/")).count();
    assert!(sealed > 3_000, "only {sealed} segments");
}

async fn in_another_bucket(shelf: Shelf) {
    run(joined(store_in(&shelf.bucket, 1, patient())), 0..200).await;
}

#[tokio::test]
async fn a_directory_does_what_the_specification_says() {
    in_another_bucket(Shelf::directory()).await;
}

#[tokio::test]
async fn gcs_does_what_the_specification_says() {
    in_another_bucket(Shelf::gcs().await).await;
}

#[tokio::test]
async fn s3_does_what_the_specification_says() {
    in_another_bucket(Shelf::s3().await).await;
}
