//! Edits and removals that failed, the newest of each world. Each was made whole or not at all, and they are
//! here to be looked at: ids only.
//!
//! It may be the storage that failed, so they are noted in memory, which fails nobody's edit and holds
//! none up; a job hands them to the store as soon as it takes them ([`FailedEdits::keep`]). What the
//! store may not keep stays in memory: like the messages it tells of, it was without consent.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;
use unsaid_core::{
    domain::{
        id::{FailedEditId, PersonId},
        world::{FAILED_EDITS_MAX, FailedEdit},
    },
    port::{
        error::StoreError,
        worlds::{WorldKey, Worlds},
    },
};

use super::{Keeper, WorldError};

/// Worlds of which something is in memory; beyond that the oldest are forgotten.
const WORLDS_MAX: usize = 1_000;

/// See the module.
#[derive(Debug, Default)]
pub struct FailedEdits {
    held: Mutex<Held>,
    news: Notify,
}

/// What the store does not have.
#[derive(Debug, Default)]
struct Held {
    by_world: HashMap<WorldKey, VecDeque<Noted>>,
    /// Worlds in the order in which something first failed there.
    order: VecDeque<WorldKey>,
}

#[derive(Debug, Clone)]
struct Noted {
    failed: FailedEdit,
    /// The store has not yet been asked to keep it, or has not answered.
    waits: bool,
}

impl FailedEdits {
    /// Remembers that an edit or removal failed.
    pub fn note(&self, world: &WorldKey, failed: FailedEdit) {
        self.held().add(world, Noted { failed, waits: true });
        self.news.notify_one();
    }

    /// Those of a world that its owner can see, oldest first.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn of(
        &self,
        keeper: Keeper<'_>,
        key: &WorldKey,
    ) -> Result<Vec<FailedEdit>, WorldError> {
        let world = keeper.own(key).await?;
        // Memory first: what is handed over meanwhile is found in the store.
        let noted = self.held().of(key);
        let mut failed = keeper.worlds.failed_edits(key).await?;
        for Noted { failed: new, .. } in noted {
            if failed.iter().all(|known| known.id != new.id) {
                failed.push(new);
            }
        }
        // Looked at after reading: what is shown was read while it could be seen (H8).
        let owner = keeper.people.person(&key.owner).await?.ok_or(WorldError::OwnerNotFound)?;
        failed.retain(|known| known.can_be_seen(&owner, &world));
        failed.sort_by_key(|known| known.at);
        let surplus = failed.len().saturating_sub(FAILED_EDITS_MAX);
        Ok(failed.split_off(surplus))
    }

    /// The world is gone.
    pub fn drop_of(&self, world: &WorldKey) {
        self.held().retain(|known| known != world);
    }

    /// Everything of somebody was claimed for erasure.
    pub fn forget(&self, person: &PersonId) {
        self.held().retain(|known| known.owner != *person);
    }

    /// Comes back when something was noted since the last time.
    pub async fn news(&self) {
        self.news.notified().await;
    }

    /// Hands what waits to the store; says how many it keeps. What one failure leaves waits on.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn keep(&self, worlds: &dyn Worlds) -> Result<u64, StoreError> {
        let mut kept = 0;
        let waiting = self.held().worlds_waiting();
        for world in waiting {
            let noted = self.held().of(&world);
            for Noted { failed, .. } in noted.into_iter().filter(|noted| noted.waits) {
                let id = failed.id.clone();
                let is_kept = match worlds.note_failed_edit(&world, failed).await {
                    Ok(is_kept) => is_kept,
                    // It will not get better, and others wait.
                    Err(error @ StoreError::Corrupt { .. }) => {
                        tracing::warn!(kind = error.name(), %error, "a failed edit cannot be kept");
                        false
                    }
                    Err(error) => return Err(error),
                };
                self.held().settle(&world, &id, is_kept);
                kept += u64::from(is_kept);
            }
        }
        Ok(kept)
    }

    /// Every change under this lock is whole, so a panic elsewhere leaves nothing half done.
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn add(&mut self, world: &WorldKey, noted: Noted) {
        if !self.by_world.contains_key(world) {
            self.order.push_back(world.clone());
        }
        if self.order.len() > WORLDS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_world.remove(&oldest);
        }
        let of_world = self.by_world.entry(world.clone()).or_default();
        of_world.push_back(noted);
        if of_world.len() > FAILED_EDITS_MAX {
            of_world.pop_front();
        }
    }

    fn of(&self, world: &WorldKey) -> Vec<Noted> {
        self.by_world.get(world).into_iter().flatten().cloned().collect()
    }

    fn worlds_waiting(&self) -> Vec<WorldKey> {
        let waits = |world: &&WorldKey| {
            self.by_world.get(world).is_some_and(|noted| noted.iter().any(|noted| noted.waits))
        };
        self.order.iter().filter(waits).cloned().collect()
    }

    /// The store has answered: what it keeps is found there.
    fn settle(&mut self, world: &WorldKey, id: &FailedEditId, is_kept: bool) {
        let Some(of_world) = self.by_world.get_mut(world) else { return };
        if is_kept {
            of_world.retain(|noted| noted.failed.id != *id);
        } else if let Some(noted) = of_world.iter_mut().find(|noted| noted.failed.id == *id) {
            noted.waits = false;
        }
        if of_world.is_empty() {
            self.retain(|known| known != world);
        }
    }

    fn retain(&mut self, stays: impl Fn(&WorldKey) -> bool) {
        self.by_world.retain(|known, _| stays(known));
        self.order.retain(stays);
    }
}
