//! A conversation's own queue: all that waits shares a write, and writes keep their distance.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, sleep_until, timeout_at};
use unsaid_core::{domain::conversation::key::ConversationKey, port::error::StoreError};

use super::{
    Inner,
    ask::{Answer, Ask},
    pending::Pending,
};

/// Most that may wait for one conversation.
const WAITING_MAX: usize = 1_000;

/// The lanes of all conversations in which something happens.
#[derive(Default)]
pub(crate) struct Lanes(Mutex<HashMap<ConversationKey, Lane>>);

struct Lane {
    waiting: VecDeque<Arc<Pending>>,
    /// The next write leaves no earlier.
    next_put: Instant,
}

impl Lanes {
    /// Before this moment no write leaves.
    pub(crate) fn hold_until(&self, key: &ConversationKey, next_put: Instant) {
        if let Some(lane) = self.lock().get_mut(key) {
            lane.next_put = next_put;
        }
    }

    /// Queues something; `true` if a new lane needs somebody to serve it.
    fn queue(&self, key: &ConversationKey, pending: &Arc<Pending>) -> Result<bool, StoreError> {
        let mut lanes = self.lock();
        let Some(lane) = lanes.get_mut(key) else {
            let waiting = VecDeque::from([Arc::clone(pending)]);
            lanes.insert(key.clone(), Lane { waiting, next_put: Instant::now() });
            return Ok(true);
        };
        if lane.next_put > pending.due || lane.waiting.len() >= WAITING_MAX {
            return Err(late());
        }
        lane.waiting.push_back(Arc::clone(pending));
        Ok(false)
    }

    /// All that waits, and from when on it may be written. `None` ends the lane.
    fn take(&self, key: &ConversationKey) -> Option<Turn> {
        let mut lanes = self.lock();
        let lane = lanes.get_mut(key)?;
        let now = Instant::now();
        if lane.next_put > now {
            return Some(Turn::NotBefore(lane.next_put));
        }
        if lane.waiting.is_empty() {
            lanes.remove(key);
            return None;
        }
        Some(Turn::Batch(lane.waiting.drain(..).collect()))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ConversationKey, Lane>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Turn {
    NotBefore(Instant),
    Batch(Vec<Arc<Pending>>),
}

impl Inner {
    /// Asks for something, and waits for its write at most this long.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        key: &ConversationKey,
        ask: Ask,
        within: Duration,
    ) -> Result<Answer, StoreError> {
        let due = Instant::now() + within;
        let (pending, mut replied) = Pending::new(ask, due);
        let pending = Arc::new(pending);
        if self.lanes.queue(key, &pending)? {
            self.tracker.spawn(serve(Arc::clone(self), key.clone()));
        }
        let listening = Listening(&pending);
        let reply = match timeout_at(due, &mut replied).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(_)) | Err(_) if pending.withdraw() => Err(late()),
            Ok(Err(_)) => Err(unconfirmed()),
            // The answer may have come in this very moment.
            Err(_) => replied.try_recv().unwrap_or_else(|_| Err(unconfirmed())),
        };
        drop(listening);
        reply
    }
}

/// Serves a lane until nothing waits.
async fn serve(inner: Arc<Inner>, key: ConversationKey) {
    let lane = Open { inner: &inner, key: &key };
    while let Some(turn) = inner.lanes.take(&key) {
        match turn {
            Turn::NotBefore(moment) => sleep_until(moment).await,
            Turn::Batch(batch) => inner.write(&key, batch).await,
        }
    }
    drop(lane);
}

/// Whoever stops listening takes back what was asked, if that is still possible.
struct Listening<'a>(&'a Pending);

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        self.0.withdraw();
    }
}

/// A lane must not stay open when the one who serves it is gone.
struct Open<'a> {
    inner: &'a Inner,
    key: &'a ConversationKey,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.inner.lanes.lock().remove(self.key);
        }
    }
}

pub(crate) fn late() -> StoreError {
    StoreError::Unavailable("no write could be made in time".to_owned())
}

pub(crate) fn unconfirmed() -> StoreError {
    StoreError::Uncertain("the write was not confirmed in time".to_owned())
}
