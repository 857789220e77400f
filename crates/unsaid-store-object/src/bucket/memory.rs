//! A bucket in memory: for tests, and for trying things out.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;

use super::{Bucket, BucketError, Expect, Found, Listed, Put, Version, name};

/// See the module. It has no limits and is gone with the process.
#[derive(Debug, Default)]
pub struct MemoryBucket {
    objects: Mutex<Objects>,
}

#[derive(Debug, Default)]
struct Objects {
    by_name: BTreeMap<String, Object>,
    /// Never used twice, so that a deleted and created object is told apart from the old one.
    last_generation: u64,
}

#[derive(Debug)]
struct Object {
    bytes: Bytes,
    generation: u64,
}

impl Object {
    fn version(&self) -> Version {
        Version { e_tag: None, generation: Some(self.generation.to_string()) }
    }
}

impl MemoryBucket {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing panics while it holds the lock; if it did, every object would still be whole.
    fn objects(&self) -> MutexGuard<'_, Objects> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Bucket for MemoryBucket {
    async fn get(&self, name: &str, known: Option<&Version>) -> Result<Found, BucketError> {
        name::pieces(name)?;
        let objects = self.objects();
        let Some(object) = objects.by_name.get(name) else { return Ok(Found::Absent) };
        let version = object.version();
        if known == Some(&version) {
            return Ok(Found::Unchanged);
        }
        Ok(Found::Object { bytes: object.bytes.clone(), version })
    }

    async fn get_start(&self, name: &str, bytes: u64) -> Result<Option<Bytes>, BucketError> {
        name::pieces(name)?;
        let objects = self.objects();
        Ok(objects.by_name.get(name).map(|object| {
            let wanted = usize::try_from(bytes).unwrap_or(usize::MAX);
            object.bytes.slice(..wanted.min(object.bytes.len()))
        }))
    }

    async fn put(&self, name: &str, bytes: Bytes, expect: &Expect) -> Result<Put, BucketError> {
        name::pieces(name)?;
        let mut objects = self.objects();
        let found = objects.by_name.get(name).map(Object::version);
        let as_expected = match expect {
            Expect::Absent => found.is_none(),
            Expect::Version(version) => found.as_ref() == Some(version),
        };
        if !as_expected {
            return Ok(Put::Stale);
        }
        objects.last_generation += 1;
        let object = Object { bytes, generation: objects.last_generation };
        let version = object.version();
        objects.by_name.insert(name.to_owned(), object);
        Ok(Put::Done(version))
    }

    async fn delete(&self, name: &str) -> Result<(), BucketError> {
        name::pieces(name)?;
        self.objects().by_name.remove(name);
        Ok(())
    }

    async fn list(&self, prefix: &str) -> Result<Vec<Listed>, BucketError> {
        let beginning = name::beginning(prefix)?;
        let objects = self.objects();
        let from = objects.by_name.range(beginning.clone()..);
        let inside = from.take_while(|(name, _)| name.starts_with(&beginning));
        let listed = inside.map(|(name, object)| Listed {
            name: name.clone(),
            version: object.version(),
            bytes: object.bytes.len() as u64,
        });
        Ok(listed.collect())
    }
}
