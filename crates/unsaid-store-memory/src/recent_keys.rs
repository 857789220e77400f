//! Idempotency keys of people who want nothing kept: in memory, for a day, and only so many.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use unsaid_core::{
    domain::time::Timestamp,
    port::{
        error::StoreError,
        keys::{KeyUse, Keys},
    },
};

use crate::{keys::name_of, state::KeyName};

/// Holds so many; about 20 MB.
const KEYS_MAX: usize = 50_000;

/// See the module. The oldest go first.
#[derive(Debug)]
pub struct RecentKeys {
    held: Mutex<Held>,
    keys_max: usize,
}

#[derive(Debug, Default)]
struct Held {
    uses: HashMap<KeyName, KeyUse>,
    /// As they came.
    order: VecDeque<KeyName>,
}

impl Default for RecentKeys {
    fn default() -> Self {
        Self::new(KEYS_MAX)
    }
}

impl RecentKeys {
    /// Room for so many.
    #[must_use]
    pub fn new(keys_max: usize) -> Self {
        Self { held: Mutex::default(), keys_max: keys_max.max(1) }
    }

    /// Every change under this lock is whole, so a panic elsewhere leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Keys for RecentKeys {
    async fn used(&self, key: &KeyUse) -> Result<Option<KeyUse>, StoreError> {
        Ok(self.lock().uses.get(&name_of(key)).cloned())
    }

    async fn remember(&self, key: KeyUse) -> Result<Option<KeyUse>, StoreError> {
        let mut held = self.lock();
        let name = name_of(&key);
        if let Some(used) = held.uses.get(&name) {
            return Ok(Some(used.clone()));
        }
        if held.order.len() >= self.keys_max {
            held.drop_oldest();
        }
        held.order.push_back(name.clone());
        held.uses.insert(name, key);
        Ok(None)
    }

    async fn forget_before(&self, horizon: Timestamp) -> Result<u64, StoreError> {
        let mut held = self.lock();
        let before = held.order.len();
        while held.oldest_at().is_some_and(|at| at < horizon) {
            held.drop_oldest();
        }
        Ok((before - held.order.len()) as u64)
    }
}

impl Held {
    fn oldest_at(&self) -> Option<Timestamp> {
        self.uses.get(self.order.front()?).map(|used| used.at)
    }

    fn drop_oldest(&mut self) {
        if let Some(name) = self.order.pop_front() {
            self.uses.remove(&name);
        }
    }
}

#[cfg(test)]
mod tests {
    use unsaid_testkit::builder::{at, key_use};

    use super::*;

    #[tokio::test]
    async fn keys_are_known_until_they_are_old_or_too_many() {
        let keys = RecentKeys::new(3);
        for n in 0..4 {
            let new = key_use("ana", &format!("k{n}"), n);
            assert_eq!(keys.remember(new.clone()).await.unwrap(), None);
            assert_eq!(keys.remember(new.clone()).await.unwrap(), Some(new));
        }
        let known = async |n: i64| {
            let key = key_use("ana", &format!("k{n}"), 99);
            keys.used(&key).await.unwrap().map(|used| used.at)
        };
        assert_eq!((known(0).await, known(1).await), (None, Some(at(1))));
        assert_eq!(keys.forget_before(at(3)).await.unwrap(), 2);
        assert_eq!((known(2).await, known(3).await), (None, Some(at(3))));
    }
}
