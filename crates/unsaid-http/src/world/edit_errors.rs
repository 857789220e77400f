//! Edits and removals that failed, the newest of each world. They changed nothing, and are here to be
//! looked at: ids only, and only in memory, because it may be the storage that failed.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use unsaid_core::domain::id::{ChatId, MessageId};
use unsaid_core::port::worlds::WorldKey;
use utoipa::ToSchema;

use crate::openapi::word;

/// Kept of each world.
const KEPT_MAX: usize = 100;
/// Worlds of which something is kept; beyond that the oldest are forgotten.
const WORLDS_MAX: usize = 1_000;

/// See the module.
#[derive(Debug, Default)]
pub struct EditErrors {
    failed: Mutex<Failed>,
}

#[derive(Debug, Default)]
struct Failed {
    by_world: HashMap<(String, String), VecDeque<EditErrorShape>>,
    /// Worlds in the order in which something first failed there.
    order: VecDeque<(String, String)>,
}

/// One of them.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EditError)]
pub(crate) struct EditErrorShape {
    pub(crate) id: String,
    #[schema(format = DateTime)]
    pub(crate) at: String,
    #[schema(value_type = String)]
    pub(crate) chat_id: ChatId,
    #[schema(value_type = String)]
    pub(crate) message_id: MessageId,
    #[schema(schema_with = word::code)]
    pub(crate) code: &'static str,
}

impl EditErrors {
    /// Oldest first.
    pub(crate) fn of(&self, world: &WorldKey) -> Vec<EditErrorShape> {
        let failed = self.lock();
        let of_world = failed.by_world.get(&name(world));
        of_world.into_iter().flatten().cloned().collect()
    }

    pub(crate) fn add(&self, world: &WorldKey, error: EditErrorShape) {
        let mut failed = self.lock();
        let name = name(world);
        if !failed.by_world.contains_key(&name) {
            failed.order.push_back(name.clone());
        }
        if failed.order.len() > WORLDS_MAX
            && let Some(oldest) = failed.order.pop_front()
        {
            failed.by_world.remove(&oldest);
        }
        let of_world = failed.by_world.entry(name).or_default();
        of_world.push_back(error);
        if of_world.len() > KEPT_MAX {
            of_world.pop_front();
        }
    }

    /// The world is gone.
    pub(crate) fn drop_of(&self, world: &WorldKey) {
        let (mut failed, name) = (self.lock(), name(world));
        failed.by_world.remove(&name);
        failed.order.retain(|known| *known != name);
    }

    /// Every change under this lock is whole, so a panic elsewhere leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, Failed> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn name(world: &WorldKey) -> (String, String) {
    (world.owner.to_string(), world.id.to_string())
}

#[cfg(test)]
mod tests {
    use unsaid_core::domain::id::{PersonId, WorldId};

    use super::*;

    #[test]
    fn the_newest_hundred_are_kept() {
        let errors = EditErrors::default();
        let world = |name| WorldKey {
            owner: PersonId::new("ana").unwrap(),
            id: WorldId::from_name(name).unwrap(),
        };
        for number in 0..=KEPT_MAX {
            let error = EditErrorShape {
                id: number.to_string(),
                at: String::new(),
                chat_id: ChatId::new("c").unwrap(),
                message_id: MessageId::new("m").unwrap(),
                code: "STORAGE_FULL",
            };
            errors.add(&world("w"), error);
        }
        let kept = errors.of(&world("w"));
        assert_eq!((kept.len(), kept[0].id.as_str()), (KEPT_MAX, "1"));
        assert!(errors.of(&world("other")).is_empty());
        errors.drop_of(&world("w"));
        assert!(errors.of(&world("w")).is_empty());
    }
}
