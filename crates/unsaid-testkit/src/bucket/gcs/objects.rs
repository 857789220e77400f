//! What is in the bucket, and what is still in it although it was deleted.

use std::collections::{BTreeMap, hash_map::DefaultHasher};
use std::hash::{Hash as _, Hasher as _};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

const FIRST_GENERATION: u64 = 1_700_000_000_000_000;
const WRITE_INTERVAL: Duration = Duration::from_secs(1);

/// How a bucket is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own in a real bucket")]
pub struct Settings {
    /// Old generations are kept.
    pub versioning: bool,
    /// What is deleted or overwritten is kept for so long.
    pub soft_delete_seconds: u64,
    /// Objects are not changed before so long.
    pub retention_seconds: Option<u64>,
    /// New objects are held.
    pub default_hold: bool,
    /// An object takes one write a second.
    pub one_write_a_second: bool,
    /// Conditions are not looked at, as with emulators.
    pub ignores_conditions: bool,
    /// "Not modified" tells the generation. Whether the real one does is not promised anywhere.
    pub unchanged_tells_generation: bool,
    /// How many objects a page of a list has.
    pub page_objects: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            versioning: false,
            soft_delete_seconds: 0,
            retention_seconds: None,
            default_hold: false,
            one_write_a_second: false,
            ignores_conditions: false,
            unchanged_tells_generation: false,
            page_objects: 1_000,
        }
    }
}

/// An object in one state.
#[derive(Debug, Clone)]
pub(super) struct Object {
    pub(super) bytes: Bytes,
    pub(super) generation: u64,
    written: Instant,
}

impl Object {
    /// Follows the content, as the real one does: A, B, A again is the same tag.
    pub(super) fn tag(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.bytes.hash(&mut hasher);
        format!("\"{:016x}\"", hasher.finish())
    }
}

#[derive(Debug, Default)]
pub(super) struct Objects {
    live: BTreeMap<String, Object>,
    /// What versioning and soft delete keep.
    kept: Vec<(String, Object)>,
    given: u64,
}

impl Objects {
    pub(super) fn live(&self) -> BTreeMap<String, Bytes> {
        let pair = |(name, object): (&String, &Object)| (name.clone(), object.bytes.clone());
        self.live.iter().map(pair).collect()
    }

    pub(super) fn find(&self, name: &str) -> Option<&Object> {
        self.live.get(name)
    }

    /// Whether the last write is less than a second ago.
    pub(super) fn is_hot(&self, name: &str) -> bool {
        self.live.get(name).is_some_and(|object| object.written.elapsed() < WRITE_INTERVAL)
    }

    pub(super) fn put(&mut self, name: &str, bytes: Bytes, settings: &Settings) -> &Object {
        self.delete(name, settings);
        self.given += 1;
        let generation = FIRST_GENERATION + self.given;
        let object = Object { bytes, generation, written: Instant::now() };
        self.live.entry(name.to_owned()).insert_entry(object).into_mut()
    }

    /// Whether there was one.
    pub(super) fn delete(&mut self, name: &str, settings: &Settings) -> bool {
        let Some(object) = self.live.remove(name) else { return false };
        if settings.versioning || settings.soft_delete_seconds > 0 {
            self.kept.push((name.to_owned(), object));
        }
        true
    }

    /// The next objects after a name, and whether there are more.
    pub(super) fn page(
        &self,
        prefix: &str,
        after: Option<&str>,
        count: usize,
    ) -> (Vec<(&str, &Object)>, bool) {
        let inside = self.live.range(prefix.to_owned()..);
        let mut names = inside
            .take_while(|(name, _)| name.starts_with(prefix))
            .filter(|(name, _)| after.is_none_or(|after| name.as_str() > after))
            .map(|(name, object)| (name.as_str(), object));
        let page: Vec<_> = names.by_ref().take(count).collect();
        let has_more = names.next().is_some();
        (page, has_more)
    }

    pub(super) fn places_of(&self, needle: &[u8]) -> Vec<String> {
        let live = self.live.iter();
        let all = live.chain(self.kept.iter().map(|(name, object)| (name, object)));
        let holds = |bytes: &[u8]| bytes.windows(needle.len().max(1)).any(|part| part == needle);
        let found = all.filter(|(name, object)| holds(name.as_bytes()) || holds(&object.bytes));
        found.map(|(name, object)| format!("{name}#{}", object.generation)).collect()
    }
}
