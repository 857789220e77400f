//! Idempotency keys.

use std::collections::hash_map::Entry;

use async_trait::async_trait;
use unsaid_core::{
    domain::time::Timestamp,
    port::{
        error::StoreError,
        keys::{KeyUse, Keys},
    },
};

use crate::{MemoryStore, state::KeyName};

#[async_trait]
impl Keys for MemoryStore {
    async fn used(&self, key: &KeyUse) -> Result<Option<KeyUse>, StoreError> {
        Ok(self.lock()?.keys.get(&name_of(key)).cloned())
    }

    async fn remember(&self, key: KeyUse) -> Result<Option<KeyUse>, StoreError> {
        let mut state = self.lock()?;
        let is_there = state.people.contains_key(&key.person);
        match state.keys.entry(name_of(&key)) {
            Entry::Occupied(used) => Ok(Some(used.get().clone())),
            Entry::Vacant(place) => {
                if is_there {
                    place.insert(key);
                }
                Ok(None)
            }
        }
    }

    async fn forget_before(&self, horizon: Timestamp) -> Result<u64, StoreError> {
        let mut state = self.lock()?;
        let before = state.keys.len();
        state.keys.retain(|_, used| used.at >= horizon);
        Ok((before - state.keys.len()) as u64)
    }
}

pub(crate) fn name_of(key: &KeyUse) -> KeyName {
    (key.person.clone(), key.scope.clone(), key.key.clone())
}
