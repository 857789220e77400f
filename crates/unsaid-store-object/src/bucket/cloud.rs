//! Google Cloud Storage, S3 and servers that speak like them.
//!
//! Signing, credentials and the protocol are the library's. Its own retries are off: it repeats puts
//! whose first try may have happened, and then reports our own write as somebody else's.

mod verdict;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::StatusCode;
use object_store::aws::AmazonS3Builder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, BackoffConfig, ClientOptions, GetOptions, GetRange, GetResult,
    ObjectMeta, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, RetryConfig, UpdateVersion,
};

use self::{
    verdict::{failure, is, is_absent, is_stale},
    watch::{Answer, WatchingConnector, watched},
};
use super::{Bucket, BucketError, Expect, Found, Listed, Put, Version, name};

/// A server that does not take a connection within this is away.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(1);
/// Nothing of ours comes near it; what does is not ours.
const OBJECT_BYTES_MAX: u64 = 256 << 20;

/// What we use of the library.
pub(super) trait Objects: ObjectStore + PaginatedListStore {}

impl<T: ObjectStore + PaginatedListStore> Objects for T {}

/// See the module.
pub struct CloudBucket {
    objects: Arc<dyn Objects>,
    /// What stands before every name: nothing, or pieces that each end with `/`.
    prefix: String,
    condition: Condition,
    call_time_max: Duration,
}

/// What a put names to say which state it replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    /// A number that never comes back (GCS).
    Generation,
    /// A word for the content (S3).
    Tag,
}

impl CloudBucket {
    pub(super) fn new(
        objects: Arc<dyn Objects>,
        prefix: &str,
        condition: Condition,
        call_time_max: Duration,
    ) -> Self {
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Self { objects, prefix, condition, call_time_max }
    }

    fn path(&self, name: &str) -> Result<Path, BucketError> {
        name::pieces(name)?;
        let path = Path::parse(format!("{}{name}", self.prefix));
        path.map_err(|_| name::not_allowed())
    }

    /// A read, with its body.
    async fn read(&self, path: &Path, options: GetOptions) -> Result<(Bytes, Version), Answer> {
        let call = async {
            let result: GetResult = self.objects.get_opts(path, options).await?;
            if result.range.end - result.range.start > OBJECT_BYTES_MAX {
                let source = "object too large".into();
                return Err(object_store::Error::Generic { store: "bucket", source });
            }
            let version = version_of(&result.meta);
            Ok((result.bytes().await?, version))
        };
        watched(self.call_time_max, call).await
    }

    /// Whether "not modified" means the state that is known.
    ///
    /// GCS compares contents here, but generations in a put. Whoever believed it after the content
    /// went from A to B and back would put in vain for ever.
    async fn is_unchanged(
        &self,
        path: &Path,
        known: &Version,
        answer: &Answer,
    ) -> Result<bool, BucketError> {
        if self.condition == Condition::Tag {
            return Ok(true);
        }
        if let Answer::Status { generation: found @ Some(_), .. } = answer {
            return Ok(*found == known.generation);
        }
        match watched(self.call_time_max, self.objects.head(path)).await {
            Ok(meta) => Ok(meta.version == known.generation),
            Err(answer) if is_absent(&answer) => Ok(false),
            Err(answer) => Err(failure(&answer)),
        }
    }
}

#[async_trait]
impl Bucket for CloudBucket {
    async fn get(&self, name: &str, known: Option<&Version>) -> Result<Found, BucketError> {
        let path = self.path(name)?;
        let mut known = known;
        loop {
            let if_none_match = known.and_then(|known| known.e_tag.clone());
            let options = GetOptions { if_none_match, ..GetOptions::default() };
            let answer = match self.read(&path, options).await {
                Ok((bytes, version)) => return Ok(Found::Object { bytes, version }),
                Err(answer) => answer,
            };
            match known {
                Some(state) if is(&answer, StatusCode::NOT_MODIFIED) => {
                    if self.is_unchanged(&path, state, &answer).await? {
                        return Ok(Found::Unchanged);
                    }
                    // the same content in another state: once more, without a condition
                    known = None;
                }
                _ if is_absent(&answer) => return Ok(Found::Absent),
                _ => return Err(failure(&answer)),
            }
        }
    }

    async fn get_start(&self, name: &str, bytes: u64) -> Result<Option<Bytes>, BucketError> {
        let path = self.path(name)?;
        // a range holds at least one byte
        let range = Some(GetRange::Bounded(0..bytes.max(1)));
        let options = GetOptions { range, ..GetOptions::default() };
        match self.read(&path, options).await {
            Ok((start, _)) => {
                let wanted = usize::try_from(bytes).unwrap_or(usize::MAX);
                Ok(Some(start.slice(..wanted.min(start.len()))))
            }
            Err(answer) if is_absent(&answer) => Ok(None),
            // an empty object has no first byte
            Err(answer) if is(&answer, StatusCode::RANGE_NOT_SATISFIABLE) => Ok(Some(Bytes::new())),
            Err(answer) => Err(failure(&answer)),
        }
    }

    async fn put(&self, name: &str, bytes: Bytes, expect: &Expect) -> Result<Put, BucketError> {
        let path = self.path(name)?;
        let (mode, updates) = match expect {
            Expect::Absent => (PutMode::Create, false),
            Expect::Version(Version { e_tag, generation }) => {
                let (e_tag, version) = (e_tag.clone(), generation.clone());
                (PutMode::Update(UpdateVersion { e_tag, version }), true)
            }
        };
        let mut attributes = Attributes::new();
        // what is taken back must not stay in somebody's cache
        attributes.insert(Attribute::CacheControl, "no-store".into());
        let options = PutOptions { mode, attributes, ..PutOptions::default() };
        let call = self.objects.put_opts(&path, bytes.into(), options);
        match watched(self.call_time_max, call).await {
            Ok(done) => Ok(Put::Done(Version { e_tag: done.e_tag, generation: done.version })),
            Err(answer) if is_stale(&answer, updates) => Ok(Put::Stale),
            Err(answer) => Err(failure(&answer)),
        }
    }

    async fn delete(&self, name: &str) -> Result<(), BucketError> {
        let path = self.path(name)?;
        match watched(self.call_time_max, self.objects.delete(&path)).await {
            Ok(()) => Ok(()),
            Err(answer) if is_absent(&answer) => Ok(()),
            Err(answer) => Err(failure(&answer)),
        }
    }

    async fn list(&self, prefix: &str) -> Result<Vec<Listed>, BucketError> {
        let beginning = format!("{}{}", self.prefix, name::beginning(prefix)?);
        let within = (!beginning.is_empty()).then_some(beginning.as_str());
        let mut listed = Vec::new();
        let mut page_token = None;
        loop {
            let options = PaginatedListOptions { page_token, ..PaginatedListOptions::default() };
            let call = self.objects.list_paginated(within, options);
            let page = watched(self.call_time_max, call).await;
            let page = page.map_err(|answer| failure(&answer))?;
            let objects = page.result.objects.iter();
            listed.extend(objects.filter_map(|meta| self.listed(&beginning, meta)));
            page_token = page.page_token;
            if page_token.is_none() {
                break;
            }
        }
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }
}

impl CloudBucket {
    /// A console leaves objects named like directories; the library takes their last `/` away, and
    /// then they do not begin as they should.
    fn listed(&self, beginning: &str, meta: &ObjectMeta) -> Option<Listed> {
        let whole: &str = meta.location.as_ref();
        whole.strip_prefix(beginning)?;
        let name = whole.strip_prefix(&self.prefix)?.to_owned();
        Some(Listed { name, version: version_of(meta), bytes: meta.size })
    }
}

fn version_of(meta: &ObjectMeta) -> Version {
    Version { e_tag: meta.e_tag.clone(), generation: meta.version.clone() }
}

/// What both clouds' clients have in common.
pub(super) trait Frugal: Sized {
    /// No retries, time limits, and everything watched.
    fn frugal(self, call_time_max: Duration, allow_http: bool) -> Self;
}

impl Frugal for GoogleCloudStorageBuilder {
    fn frugal(self, call_time_max: Duration, allow_http: bool) -> Self {
        self.with_retry(no_retry())
            .with_client_options(client_options(call_time_max, allow_http))
            .with_http_connector(WatchingConnector)
    }
}

impl Frugal for AmazonS3Builder {
    fn frugal(self, call_time_max: Duration, allow_http: bool) -> Self {
        self.with_retry(no_retry())
            .with_client_options(client_options(call_time_max, allow_http))
            .with_http_connector(WatchingConnector)
    }
}

fn no_retry() -> RetryConfig {
    RetryConfig { backoff: BackoffConfig::default(), max_retries: 0, retry_timeout: Duration::ZERO }
}

/// Also for what is asked of the bucket itself.
pub(super) fn client_options(call_time_max: Duration, allow_http: bool) -> ClientOptions {
    ClientOptions::new()
        .with_allow_http(allow_http)
        .with_connect_timeout(CONNECT_TIME_MAX.min(call_time_max))
        .with_timeout(call_time_max)
}
