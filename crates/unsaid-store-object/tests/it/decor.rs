//! Buckets that count, dawdle, or fail at a chosen call.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use unsaid_store_object::bucket::{
    Bucket, BucketError, Expect, Found, Listed, Put, Version, memory::MemoryBucket,
};

/// A bucket in memory that counts bytes.
#[derive(Default)]
pub(crate) struct Counting {
    inner: MemoryBucket,
    bytes: AtomicU64,
    puts: AtomicU64,
}

impl Counting {
    /// Bytes put and got so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::SeqCst)
    }

    /// Puts so far.
    pub(crate) fn puts(&self) -> u64 {
        self.puts.load(Ordering::SeqCst)
    }

    fn count(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::SeqCst);
    }
}

#[async_trait]
impl Bucket for Counting {
    async fn get(&self, name: &str, known: Option<&Version>) -> Result<Found, BucketError> {
        let found = self.inner.get(name, known).await?;
        if let Found::Object { bytes, .. } = &found {
            self.count(bytes.len());
        }
        Ok(found)
    }

    async fn get_start(&self, name: &str, bytes: u64) -> Result<Option<Bytes>, BucketError> {
        let start = self.inner.get_start(name, bytes).await?;
        self.count(start.as_ref().map_or(0, Bytes::len));
        Ok(start)
    }

    async fn put(&self, name: &str, bytes: Bytes, expect: &Expect) -> Result<Put, BucketError> {
        self.count(bytes.len());
        self.puts.fetch_add(1, Ordering::SeqCst);
        self.inner.put(name, bytes, expect).await
    }

    async fn delete(&self, name: &str) -> Result<(), BucketError> {
        self.inner.delete(name).await
    }

    async fn list(&self, prefix: &str) -> Result<Vec<Listed>, BucketError> {
        self.inner.list(prefix).await
    }
}

/// A bucket for which every call takes a while.
pub(crate) struct Slow {
    pub(crate) inner: Arc<dyn Bucket>,
    pub(crate) call: Duration,
}

#[async_trait]
impl Bucket for Slow {
    async fn get(&self, name: &str, known: Option<&Version>) -> Result<Found, BucketError> {
        tokio::time::sleep(self.call).await; // waits: as a network does
        self.inner.get(name, known).await
    }

    async fn get_start(&self, name: &str, bytes: u64) -> Result<Option<Bytes>, BucketError> {
        tokio::time::sleep(self.call).await; // waits: as a network does
        self.inner.get_start(name, bytes).await
    }

    async fn put(&self, name: &str, bytes: Bytes, expect: &Expect) -> Result<Put, BucketError> {
        tokio::time::sleep(self.call).await; // waits: as a network does
        self.inner.put(name, bytes, expect).await
    }

    async fn delete(&self, name: &str) -> Result<(), BucketError> {
        self.inner.delete(name).await
    }

    async fn list(&self, prefix: &str) -> Result<Vec<Listed>, BucketError> {
        self.inner.list(prefix).await
    }
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing is done, and the caller knows.
    Away,
    /// Nothing is done, and nobody knows.
    LostRequest,
    /// It is done, and nobody knows.
    LostAnswer,
    /// It is done, and a second try inside the bucket finds that it was.
    DoneThenStale,
    /// From here on nothing is ever done: the process has died.
    Dead,
}

/// A bucket that fails at the n-th call.
pub(crate) struct Faulty {
    inner: Arc<dyn Bucket>,
    plan: Mutex<Plan>,
}

struct Plan {
    left: u64,
    fault: Fault,
    struck: bool,
}

impl Faulty {
    pub(crate) fn new(inner: &Arc<dyn Bucket>, nth: u64, fault: Fault) -> Self {
        let plan = Mutex::new(Plan { left: nth, fault, struck: false });
        Self { inner: Arc::clone(inner), plan }
    }

    /// Whether the call came at which it fails.
    pub(crate) fn has_struck(&self) -> bool {
        self.plan.lock().unwrap().struck
    }

    fn strike(&self) -> Option<Fault> {
        let mut plan = self.plan.lock().unwrap();
        if plan.struck {
            return (plan.fault == Fault::Dead).then_some(Fault::Dead);
        }
        plan.left -= 1;
        plan.struck = plan.left == 0;
        plan.struck.then_some(plan.fault)
    }

    async fn through<T>(
        &self,
        call: impl Future<Output = Result<T, BucketError>> + Send,
    ) -> Result<T, BucketError> {
        match self.strike() {
            None => call.await,
            Some(Fault::Away | Fault::LostRequest | Fault::Dead) => Err(away()),
            Some(Fault::LostAnswer | Fault::DoneThenStale) => call.await.and_then(|_| Err(away())),
        }
    }
}

fn away() -> BucketError {
    BucketError::Away("made to fail".to_owned())
}

#[async_trait]
impl Bucket for Faulty {
    async fn get(&self, name: &str, known: Option<&Version>) -> Result<Found, BucketError> {
        self.through(self.inner.get(name, known)).await
    }

    async fn get_start(&self, name: &str, bytes: u64) -> Result<Option<Bytes>, BucketError> {
        self.through(self.inner.get_start(name, bytes)).await
    }

    async fn put(&self, name: &str, bytes: Bytes, expect: &Expect) -> Result<Put, BucketError> {
        let uncertain = || Err(BucketError::Uncertain("made to be lost".to_owned()));
        match self.strike() {
            None => self.inner.put(name, bytes, expect).await,
            Some(Fault::Away) => Err(away()),
            Some(Fault::LostRequest | Fault::Dead) => uncertain(),
            Some(Fault::LostAnswer) => {
                self.inner.put(name, bytes, expect).await?;
                uncertain()
            }
            Some(Fault::DoneThenStale) => {
                self.inner.put(name, bytes, expect).await?;
                Ok(Put::Stale)
            }
        }
    }

    async fn delete(&self, name: &str) -> Result<(), BucketError> {
        self.through(self.inner.delete(name)).await
    }

    async fn list(&self, prefix: &str) -> Result<Vec<Listed>, BucketError> {
        self.through(self.inner.list(prefix)).await
    }
}

/// The names of objects that hold a text, in their bytes or their names.
pub(crate) async fn places_of(bucket: &Arc<dyn Bucket>, text: &str) -> Vec<String> {
    let mut places = Vec::new();
    for object in bucket.list("").await.unwrap() {
        let Found::Object { bytes, .. } = bucket.get(&object.name, None).await.unwrap() else {
            continue;
        };
        let inside = bytes.windows(text.len()).any(|window| window == text.as_bytes());
        if inside || object.name.contains(text) {
            places.push(object.name);
        }
    }
    places
}

/// The names of all objects.
pub(crate) async fn names(bucket: &Arc<dyn Bucket>) -> Vec<String> {
    bucket.list("").await.unwrap().into_iter().map(|object| object.name).collect()
}
