//! Stores for tests.

use std::{
    any::Any,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use unsaid_core::port::{Store, joined::Joined};
use unsaid_store_memory::MemoryStore;
use unsaid_store_object::{
    BucketStore, Options,
    bucket::{Bucket, place},
};
use unsaid_testkit::{bucket::gcs::GcsStandIn, clock::SeededChance};

/// Options of a test that does not want to wait.
pub(crate) fn quick() -> Options {
    Options { put_interval: Duration::ZERO, ..Options::default() }
}

/// Options that seal all the time.
pub(crate) fn tiny() -> Options {
    Options { object_bytes_max: 700, ..quick() }
}

/// The same, where calls take their time.
pub(crate) fn patient() -> Options {
    let long = Duration::from_mins(1);
    Options { commit_within: long, call_within: long, ..tiny() }
}

/// A store in a bucket.
pub(crate) fn store_in(bucket: &Arc<dyn Bucket>, seed: u64, options: Options) -> BucketStore {
    BucketStore::new(Arc::clone(bucket), Arc::new(SeededChance::new(seed)), options)
}

/// A whole store, in which all conversations are in the bucket.
pub(crate) fn joined(store: BucketStore) -> Arc<dyn Store> {
    Arc::new(Joined {
        is_apart: |_| true,
        apart: Arc::new(store),
        rest: Arc::new(MemoryStore::unbounded()),
    })
}

/// An empty bucket, and what keeps it alive.
pub(crate) struct Shelf {
    pub(crate) bucket: Arc<dyn Bucket>,
    _keep: Box<dyn Any + Send>,
}

impl Shelf {
    pub(crate) fn memory() -> Self {
        Self { bucket: open("memory:", ""), _keep: Box::new(()) }
    }

    pub(crate) fn directory() -> Self {
        let root = tempfile::TempDir::new().unwrap();
        let bucket = open(&format!("file://{}/words", root.path().display()), "");
        Self { bucket, _keep: Box::new(root) }
    }

    pub(crate) async fn gcs() -> Self {
        let cloud = GcsStandIn::start().await;
        Self { bucket: gcs(&cloud), _keep: Box::new(cloud) }
    }

    pub(crate) async fn s3() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let endpoint = std::env::var("UNSAID_TEST_S3").expect(
            "this test needs an S3 server: run it with `cargo xtask services -- cargo test`",
        );
        let number = MADE.fetch_add(1, Ordering::SeqCst);
        let name = format!("store-{}-{number}", std::process::id());
        let client = reqwest::Client::builder().build().unwrap();
        let made = client.put(format!("{endpoint}/{name}")).send().await.unwrap();
        assert!(made.status().is_success());
        Self { bucket: open(&format!("s3://{name}/line"), &endpoint), _keep: Box::new(()) }
    }
}

/// The bucket of a stand-in.
pub(crate) fn gcs(cloud: &GcsStandIn) -> Arc<dyn Bucket> {
    open(&cloud.place("line"), &cloud.endpoint())
}

/// The bucket at a place.
pub(crate) fn open(history: &str, endpoint: &str) -> Arc<dyn Bucket> {
    let options = place::Options { call_time_max: Duration::from_secs(10) };
    place::Place::parse(history, endpoint).unwrap().open(&options).unwrap().bucket
}
