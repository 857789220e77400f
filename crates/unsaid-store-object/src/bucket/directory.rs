//! A directory as a bucket: one file an object, for one process or several.
//!
//! **How a put is safe.** Whoever writes holds one of 64 locks, chosen by the name.
//! Under it the file is looked at, the new one written apart, made durable and moved to its place,
//! which happens wholly or not at all. Readers need no lock: a file at its place never changes.
//!
//! **What tells states apart.** The time of a file, which we set ourselves so that it rises with
//! every put under a lock, also after a deletion and when clocks stand still. The number given last
//! stands in the lock file.

mod file_name;
mod shard;
mod tree;

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::OwnedMutexGuard;

use self::shard::Shards;
use super::{Bucket, BucketError, Expect, Found, Listed, Put, Version, name};

const NO_ROOM: [io::ErrorKind; 3] =
    [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge];

/// See the module.
pub struct DirectoryBucket {
    inner: Arc<Inner>,
    call_time_max: Duration,
}

struct Inner {
    root: PathBuf,
    /// None: it is only read.
    shards: Option<Shards>,
}

impl DirectoryBucket {
    /// Opens it, or makes it; takes away what writers left that were killed.
    ///
    /// # Errors
    ///
    /// If the directory cannot be made or written.
    pub fn open(root: &Path, call_time_max: Duration) -> io::Result<Self> {
        tree::make_root(root)?;
        // half of a call's time, so that who waits in vain can say that nothing was written
        let shards = Shards::open(root, call_time_max / 2)?;
        shards.clean();
        Ok(Self::of(root, Some(shards), call_time_max))
    }

    /// Opens one that belongs to somebody else: nothing in it is made or changed.
    ///
    /// # Errors
    ///
    /// If it is not there or cannot be read.
    pub fn open_to_read(root: &Path, call_time_max: Duration) -> io::Result<Self> {
        std::fs::read_dir(root)?;
        Ok(Self::of(root, None, call_time_max))
    }

    fn of(root: &Path, shards: Option<Shards>, call_time_max: Duration) -> Self {
        Self { inner: Arc::new(Inner { root: root.to_path_buf(), shards }), call_time_max }
    }

    /// Writers of one name follow each other.
    async fn turn(&self, name: &str) -> Result<OwnedMutexGuard<()>, BucketError> {
        let turn = tokio::time::timeout(self.call_time_max / 2, self.inner.shards()?.turn(name));
        turn.await.map_err(|_| BucketError::Busy)
    }

    /// Runs what waits for the disk where it blocks nobody.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<T, BucketError> + Send + 'static,
    ) -> Result<T, BucketError> {
        let inner = Arc::clone(&self.inner);
        let work = tokio::task::spawn_blocking(move || work(&inner));
        match tokio::time::timeout(self.call_time_max, work).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(BucketError::Uncertain("writer broke".to_owned())),
            // it goes on in the background, and nobody can stop it
            Err(_) => Err(BucketError::Uncertain("no answer in time".to_owned())),
        }
    }
}

#[async_trait]
impl Bucket for DirectoryBucket {
    async fn get(&self, name: &str, known: Option<&Version>) -> Result<Found, BucketError> {
        let (name, known) = (name.to_owned(), known.cloned());
        self.blocking(move |inner| inner.get(&name, known.as_ref())).await
    }

    async fn get_start(&self, name: &str, bytes: u64) -> Result<Option<Bytes>, BucketError> {
        let name = name.to_owned();
        self.blocking(move |inner| inner.get_start(&name, bytes)).await
    }

    async fn put(&self, name: &str, bytes: Bytes, expect: &Expect) -> Result<Put, BucketError> {
        let turn = self.turn(name).await?;
        let (name, expect) = (name.to_owned(), expect.clone());
        self.blocking(move |inner| {
            let outcome = inner.put(&name, &bytes, &expect);
            drop(turn);
            outcome
        })
        .await
    }

    async fn delete(&self, name: &str) -> Result<(), BucketError> {
        let turn = self.turn(name).await?;
        let name = name.to_owned();
        self.blocking(move |inner| {
            let outcome = inner.delete(&name);
            drop(turn);
            outcome
        })
        .await
    }

    async fn list(&self, prefix: &str) -> Result<Vec<Listed>, BucketError> {
        let beginning = name::beginning(prefix)?;
        self.blocking(move |inner| inner.list(&beginning)).await
    }
}

impl Inner {
    fn shards(&self) -> Result<&Shards, BucketError> {
        let refused = || BucketError::Away("opened for reading only".to_owned());
        self.shards.as_ref().ok_or_else(refused)
    }

    fn get(&self, name: &str, known: Option<&Version>) -> Result<Found, BucketError> {
        let Some((mut file, metadata)) = self.open(name)? else { return Ok(Found::Absent) };
        let version = version_of(&metadata);
        if known == Some(&version) {
            return Ok(Found::Unchanged);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        file.read_to_end(&mut bytes).map_err(|error| unread(&error))?;
        Ok(Found::Object { bytes: bytes.into(), version })
    }

    fn get_start(&self, name: &str, wanted: u64) -> Result<Option<Bytes>, BucketError> {
        let Some((file, _)) = self.open(name)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.take(wanted).read_to_end(&mut bytes).map_err(|error| unread(&error))?;
        Ok(Some(bytes.into()))
    }

    fn put(&self, name: &str, bytes: &[u8], expect: &Expect) -> Result<Put, BucketError> {
        let path = tree::path_of(name)?;
        let locked = self.shards()?.lock(name)?;
        let found = self.open(name)?.map(|(_, metadata)| metadata);
        let as_expected = match expect {
            Expect::Absent => found.is_none(),
            Expect::Version(version) => found.as_ref().map(version_of).as_ref() == Some(version),
        };
        if !as_expected {
            return Ok(Put::Stale);
        }
        let draft = locked.draft(bytes, found.as_ref()).map_err(|error| unwritten(&error))?;
        let version = version_of(draft.metadata());
        draft.publish(&self.root, &path)?;
        Ok(Put::Done(version))
    }

    fn delete(&self, name: &str) -> Result<(), BucketError> {
        let path = tree::path_of(name)?;
        let _locked = self.shards()?.lock(name)?;
        tree::remove(&self.root, &path)
    }

    fn list(&self, beginning: &str) -> Result<Vec<Listed>, BucketError> {
        let mut listed = Vec::new();
        tree::walk(&self.root, beginning, &mut |name, metadata| {
            let version = version_of(metadata);
            listed.push(Listed { name, version, bytes: metadata.len() });
        })
        .map_err(|error| unread(&error))?;
        self.check_here()?;
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }

    /// Where the bucket itself is not (a disk that is not mounted), nothing is known about its objects.
    fn check_here(&self) -> Result<(), BucketError> {
        let directory = self.shards.as_ref().map_or(&*self.root, Shards::directory);
        let is_here = std::fs::metadata(directory).is_ok_and(|found| found.is_dir());
        is_here.then_some(()).ok_or_else(|| BucketError::Away("the directory is gone".to_owned()))
    }

    /// A directory is no object, and a file where a directory should be holds none.
    fn open(&self, name: &str) -> Result<Option<(File, Metadata)>, BucketError> {
        let path = self.root.join(tree::path_of(name)?);
        let found = match tree::open(&path) {
            // it may have come back before we looked whether it is here
            Ok(None) => self.check_here().and_then(|()| tree::open(&path).map_err(|e| unread(&e))),
            found => found.map_err(|error| unread(&error)),
        };
        let Some(file) = found? else { return Ok(None) };
        let metadata = file.metadata().map_err(|error| unread(&error))?;
        Ok(metadata.is_file().then_some((file, metadata)))
    }
}

/// The length only catches what others do to the file.
fn version_of(metadata: &Metadata) -> Version {
    let generation = format!("{}-{}", shard::time_of(metadata), metadata.size());
    Version { e_tag: None, generation: Some(generation) }
}

fn unread(error: &io::Error) -> BucketError {
    BucketError::Away(format!("cannot read: {}", error.kind()))
}

/// Nothing was written, or nobody can see it.
fn unwritten(error: &io::Error) -> BucketError {
    let kind = error.kind();
    if NO_ROOM.contains(&kind) {
        BucketError::Full
    } else {
        BucketError::Away(format!("cannot write: {kind}"))
    }
}
