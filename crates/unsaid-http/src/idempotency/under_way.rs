//! Calls with a key that are being answered: the same call waits for its turn, and then finds what the
//! first one did.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as Turns, OwnedMutexGuard};
use unsaid_core::domain::id::{IdempotencyKey, PersonId};
use unsaid_core::port::keys::KeyUse;

/// The calls of this server that are under way.
#[derive(Debug, Default)]
pub(super) struct UnderWay(Mutex<HashMap<Name, Weak<Turns<()>>>>);

/// By what a call is known.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Name {
    person: PersonId,
    scope: String,
    key: IdempotencyKey,
}

/// Nobody else makes the same call while this lives.
pub(super) type Turn = OwnedMutexGuard<()>;

impl UnderWay {
    /// Waits until nobody else makes this call.
    pub(super) async fn turn_of(&self, call: &KeyUse) -> Turn {
        self.turns_of(call).lock_owned().await
    }

    fn turns_of(&self, call: &KeyUse) -> Arc<Turns<()>> {
        let KeyUse { person, scope, key, .. } = call;
        let name = Name { person: person.clone(), scope: scope.clone(), key: key.clone() };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turns) = known.get(&name).and_then(Weak::upgrade) {
            return turns;
        }
        known.retain(|_, turns| turns.strong_count() > 0);
        let turns = Arc::new(Turns::new(()));
        known.insert(name, Arc::downgrade(&turns));
        turns
    }
}
