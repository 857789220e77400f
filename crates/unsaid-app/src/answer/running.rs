//! The turns that run in this process, by conversation.
//!
//! Whoever makes a change that may have ended a turn says so here, and the turn looks at once whether
//! it still stands (H5). Nobody has to know which changes end which turns: the log knows, and the turn
//! asks it. A change in another process is noticed by the next renewal, or by the look before sending.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;
use unsaid_core::domain::{conversation::key::ConversationKey, id::PersonId};

/// See the module. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Running {
    turns: Arc<Mutex<Turns>>,
    /// A seat was given back.
    freed: Arc<Notify>,
}

type Turns = HashMap<ConversationKey, Turn>;

#[derive(Debug)]
struct Turn {
    owner: Option<PersonId>,
    look: Arc<Notify>,
}

/// The right to run a turn of a conversation in this process; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Seat {
    key: ConversationKey,
    look: Arc<Notify>,
    running: Running,
}

impl Running {
    /// Takes the seat of a conversation, before its turn begins, so that no change is missed. `None`
    /// if somebody has it.
    pub(crate) fn enter(&self, key: &ConversationKey, owner: Option<&PersonId>) -> Option<Seat> {
        let mut turns = self.lock();
        if turns.contains_key(key) {
            return None;
        }
        let look = Arc::new(Notify::new());
        let turn = Turn { owner: owner.cloned(), look: Arc::clone(&look) };
        turns.insert(key.clone(), turn);
        Some(Seat { key: key.clone(), look, running: self.clone() })
    }

    /// The same, when whoever has it has given it back: both logs of a conversation have one seat.
    pub(crate) async fn enter_when_free(
        &self,
        key: &ConversationKey,
        owner: Option<&PersonId>,
    ) -> Seat {
        loop {
            // Listens before it looks, so that nothing is missed.
            let freed = self.freed.notified();
            if let Some(seat) = self.enter(key, owner) {
                return seat;
            }
            freed.await;
        }
    }

    /// Something changed in a conversation: its turn looks whether it still stands.
    pub fn look_again(&self, key: &ConversationKey) {
        if let Some(turn) = self.lock().get(key) {
            turn.look.notify_one();
        }
    }

    /// Something changed for a person (an erasure, a withdrawal): all turns in places of theirs look.
    pub fn look_again_for(&self, person: &PersonId) {
        let turns = self.lock();
        for turn in turns.values().filter(|turn| turn.owner.as_ref() == Some(person)) {
            turn.look.notify_one();
        }
    }

    /// How many turns run here.
    #[must_use]
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    /// Every change under this lock is whole, so a panic elsewhere leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Comes back when there is a reason to look. What happened before is not lost.
    pub(crate) async fn reason_to_look(&self) {
        self.look.notified().await;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.running.lock().remove(&self.key);
        self.running.freed.notify_waiters();
    }
}
