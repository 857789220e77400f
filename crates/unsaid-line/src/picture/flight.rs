//! One download of a picture at a time in this process.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use tokio::sync::{Mutex as AsyncMutex, MutexGuard};
use tokio_util::sync::CancellationToken;
use unsaid_core::domain::{conversation::key::ConversationKey, id::MessageId};

/// All pictures that somebody is at.
#[derive(Debug, Default)]
pub(super) struct Flights {
    flying: Mutex<HashMap<(ConversationKey, MessageId), Weak<Flight>>>,
}

/// One picture that somebody is at.
#[derive(Debug, Default)]
pub(super) struct Flight {
    one: AsyncMutex<()>,
    given_up: CancellationToken,
}

impl Flights {
    /// The same for everybody who asks while somebody has it.
    pub(super) fn of(&self, conversation: &ConversationKey, message: &MessageId) -> Arc<Flight> {
        let mut flying = self.flying.lock().unwrap_or_else(PoisonError::into_inner);
        flying.retain(|_, flight| flight.strong_count() > 0);
        let key = (conversation.clone(), message.clone());
        if let Some(flight) = flying.get(&key).and_then(Weak::upgrade) {
            return flight;
        }
        let flight = Arc::new(Flight::default());
        flying.insert(key, Arc::downgrade(&flight));
        flight
    }
}

impl Flight {
    /// Waits until nobody else is at it. Whoever is dropped lets the next one go on.
    pub(super) async fn alone(&self) -> MutexGuard<'_, ()> {
        self.one.lock().await
    }

    /// Tells whoever is at it to stop.
    pub(super) fn give_up(&self) {
        self.given_up.cancel();
    }

    /// Waits until somebody gives it up.
    pub(super) async fn given_up(&self) {
        self.given_up.cancelled().await;
    }
}
