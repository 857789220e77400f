//! Buckets to try the cases on.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tempfile::TempDir;
use unsaid_store_object::bucket::{
    Bucket, Expect, Found, Put, Version,
    place::{Opened, Options, Place},
};
use unsaid_testkit::bucket::gcs::GcsStandIn;

pub(super) const OPTIONS: Options = Options { call_time_max: Duration::from_secs(10) };

/// An empty bucket, and what keeps it alive.
pub(super) struct Shelf {
    pub(super) bucket: Arc<dyn Bucket>,
    _keep: Box<dyn Any + Send>,
}

impl Shelf {
    pub(super) fn memory() -> Self {
        Self { bucket: open("memory:", "").bucket, _keep: Box::new(()) }
    }

    pub(super) fn directory() -> Self {
        let root = TempDir::new().unwrap();
        Self { bucket: open_directory(&root).bucket, _keep: Box::new(root) }
    }

    pub(super) async fn gcs() -> Self {
        let cloud = GcsStandIn::start().await;
        cloud.set(|settings| settings.page_objects = 2);
        let bucket = open(&cloud.place("line/words"), &cloud.endpoint()).bucket;
        // somebody else's, beside ours
        cloud.plant("line/words2/history/U1", "not ours");
        Self { bucket, _keep: Box::new(cloud) }
    }

    pub(super) async fn s3() -> Self {
        let name = s3_bucket(&[]).await;
        Self { bucket: open(&format!("s3://{name}/line"), &s3()).bucket, _keep: Box::new(()) }
    }

    /// Puts what was not there.
    pub(super) async fn create(&self, name: &str, bytes: impl Into<Bytes>) -> Version {
        done(self.bucket.put(name, bytes.into(), &Expect::Absent).await.unwrap())
    }

    /// Puts in place of a state.
    pub(super) async fn update(&self, name: &str, bytes: &'static str, state: &Version) -> Put {
        let expect = Expect::Version(state.clone());
        self.bucket.put(name, Bytes::from(bytes), &expect).await.unwrap()
    }

    /// Reads all of an object that exists.
    pub(super) async fn read(&self, name: &str) -> (Bytes, Version) {
        match self.bucket.get(name, None).await.unwrap() {
            Found::Object { bytes, version } => (bytes, version),
            Found::Absent | Found::Unchanged => panic!("{name} is not there"),
        }
    }
}

pub(super) fn done(put: Put) -> Version {
    match put {
        Put::Done(version) => version,
        Put::Stale => panic!("stale"),
    }
}

pub(super) fn open(history: &str, endpoint: &str) -> Opened {
    open_with(history, endpoint, &OPTIONS)
}

pub(super) fn open_with(history: &str, endpoint: &str, options: &Options) -> Opened {
    Place::parse(history, endpoint).unwrap().open(options).unwrap()
}

pub(super) fn open_directory(root: &TempDir) -> Opened {
    open(&format!("file://{}/words", root.path().display()), "")
}

/// Where S3 is.
pub(super) fn s3() -> String {
    std::env::var("UNSAID_TEST_S3")
        .expect("this test needs an S3 server: run it with `cargo xtask services -- cargo test`")
}

/// A new bucket with these headers.
pub(super) async fn s3_bucket(headers: &[(&str, &str)]) -> String {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let number = MADE.fetch_add(1, Ordering::SeqCst);
    let name = format!("words-{}-{number}", std::process::id());
    s3_put(&name, headers, String::new()).await;
    name
}

/// Sets something up as its owner would.
pub(super) async fn s3_put(path: &str, headers: &[(&str, &str)], body: String) {
    let client = reqwest::Client::builder().build().unwrap();
    let mut request = client.put(format!("{}/{path}", s3())).body(body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let status = request.send().await.unwrap().status();
    assert!(status.is_success(), "{path}: {status}");
}

/// Every case becomes a test for each bucket.
macro_rules! on_every_bucket {
    ($($case:ident,)*) => {
        mod memory {
            $(#[tokio::test]
            async fn $case() {
                super::cases::$case(&super::Shelf::memory()).await;
            })*
        }
        mod in_directory {
            $(#[tokio::test]
            async fn $case() {
                super::cases::$case(&super::Shelf::directory()).await;
            })*
        }
        mod gcs {
            $(#[tokio::test]
            async fn $case() {
                super::cases::$case(&super::Shelf::gcs().await).await;
            })*
        }
        mod s3 {
            $(#[tokio::test]
            async fn $case() {
                super::cases::$case(&super::Shelf::s3().await).await;
            })*
        }
    };
}

pub(super) use on_every_bucket;
