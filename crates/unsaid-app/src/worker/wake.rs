//! A nudge from a door.

use tokio::sync::mpsc::{self, Receiver, Sender};
use unsaid_core::domain::{conversation::key::ConversationKey, time::Timestamp};

/// How many wakes may wait; the sweep finds what was too much.
const WAKES_MAX: usize = 1_024;

/// A conversation, and the moment from which an answer is wanted there.
pub(super) type Woken = (ConversationKey, Timestamp);

/// Tells the worker that somebody waits, so that it need not look. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Wake {
    woken: Sender<Woken>,
}

impl Wake {
    pub(super) fn channel() -> (Self, Receiver<Woken>) {
        let (woken, receiver) = mpsc::channel(WAKES_MAX);
        (Self { woken }, receiver)
    }

    /// Nobody hears it: where nobody answers.
    #[must_use]
    pub fn unheard() -> Self {
        Self::channel().0
    }

    /// An answer is wanted in a conversation from this moment on. It never waits; a wake that is lost
    /// costs a few seconds and nothing else.
    pub fn at(&self, key: &ConversationKey, when: Timestamp) {
        drop(self.woken.try_send((key.clone(), when)));
    }
}
