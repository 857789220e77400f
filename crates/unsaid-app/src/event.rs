//! What watchers are told, as it happens. Ids only: words are read from the log.
//!
//! A watcher has a bounded queue. Who reads too slowly is cut off after what waits, and resumes
//! from the durable events; nobody who speaks waits for somebody who listens. Changes of one commit
//! are told in order; two commits at the same moment may be told in either order, and their numbers
//! say which came first.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use tokio::sync::mpsc::{self, Receiver, Sender};
use unsaid_core::domain::{
    conversation::{
        change::{Applied, Event, Outcome},
        key::ConversationKey,
    },
    id::{AgentId, EventNumber, MessageId, PersonId},
};

use crate::answer::{running::Running, speech::SpeechEnd, voices::Spoken};

/// How many notices may wait for one watcher.
pub const NOTICES_WAITING_MAX: usize = 256;

/// One thing that watchers of a conversation are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The log changed.
    Log {
        /// Under which number it can be read again, where events are kept.
        number: Option<EventNumber>,
        /// What changed.
        event: Event,
    },
    /// Another server may have changed it: the log knows.
    Elsewhere,
    /// Its owner has changed what may be seen of it.
    Owner,
    /// It was dropped, and where it was may be gone too.
    Dropped,
    /// Something happens in a round that is not in the log.
    Round(RoundNotice),
}

/// What watchers of a chat are told while its agents answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoundNotice {
    /// An agent is asked.
    Begins(Spoken),
    /// It has answered, or will not.
    Ends {
        /// Who.
        agent: AgentId,
        /// The answer.
        id: MessageId,
        /// How it ended.
        end: SpeechEnd,
    },
    /// An agent is not asked any more, because it or all together were asked often enough.
    Limit {
        /// Who.
        agent: AgentId,
    },
    /// Nobody answers what was said.
    NoResponder,
    /// The round broke, and nobody answered.
    Failed {
        /// The name of what broke.
        code: &'static str,
    },
    /// The round is over.
    Over,
}

/// Everybody who watches, by conversation.
#[derive(Debug)]
pub struct Watchers {
    queues: Arc<Mutex<Queues>>,
    notices_waiting_max: usize,
    /// A running turn watches its conversation too: for what ends it.
    running: Running,
}

type Queues = HashMap<ConversationKey, Vec<Queue>>;

/// Where notices wait for one watcher.
#[derive(Debug)]
struct Queue {
    notices: Sender<Notice>,
    owner: Option<PersonId>,
}

/// One watcher of one conversation; dropping it ends the watch.
#[derive(Debug)]
pub struct Watch {
    key: ConversationKey,
    notices: Receiver<Notice>,
    queues: Weak<Mutex<Queues>>,
}

impl Default for Watchers {
    fn default() -> Self {
        Self::new(NOTICES_WAITING_MAX)
    }
}

impl Watchers {
    /// Nobody yet. At least one notice may wait for each.
    #[must_use]
    pub fn new(notices_waiting_max: usize) -> Self {
        let notices_waiting_max = notices_waiting_max.max(1);
        Self { queues: Arc::default(), notices_waiting_max, running: Running::default() }
    }

    /// Watches a conversation from now on.
    #[must_use]
    pub fn watch(&self, key: &ConversationKey) -> Watch {
        self.begin(key, None)
    }

    /// The same for its owner, who is also told when what they may see has changed.
    #[must_use]
    pub fn watch_as(&self, owner: &PersonId, key: &ConversationKey) -> Watch {
        self.begin(key, Some(owner.clone()))
    }

    fn begin(&self, key: &ConversationKey, owner: Option<PersonId>) -> Watch {
        let (sender, notices) = mpsc::channel(self.notices_waiting_max);
        let queue = Queue { notices: sender, owner };
        lock(&self.queues).entry(key.clone()).or_default().push(queue);
        Watch { key: key.clone(), notices, queues: Arc::downgrade(&self.queues) }
    }

    /// Tells everybody who watches a conversation, and cuts off who has too much waiting.
    pub fn tell(&self, key: &ConversationKey, notice: &Notice) {
        let mut queues = lock(&self.queues);
        let Some(watching) = queues.get_mut(key) else { return };
        watching.retain(|queue| queue.notices.try_send(notice.clone()).is_ok());
        if watching.is_empty() {
            queues.remove(key);
        }
    }

    /// Consent or history of somebody changed: their turns look whether they still stand, and what they
    /// watch is looked at anew.
    pub fn look_again_for(&self, owner: &PersonId) {
        self.running.look_again_for(owner);
        let mut queues = lock(&self.queues);
        for watching in queues.values_mut() {
            let is_theirs = |queue: &Queue| queue.owner.as_ref() == Some(owner);
            watching
                .retain(|queue| !is_theirs(queue) || queue.notices.try_send(Notice::Owner).is_ok());
        }
        queues.retain(|_, watching| !watching.is_empty());
    }

    /// The turns that run in this process.
    #[must_use]
    pub fn running(&self) -> &Running {
        &self.running
    }

    /// Tells what a change did; durable events have numbers. A turn that may be over because of it
    /// looks at once.
    pub fn tell_applied(&self, key: &ConversationKey, applied: &Applied, numbers: &[EventNumber]) {
        if may_end_a_turn(&applied.outcome) {
            self.running.look_again(key);
        }
        self.tell_events(key, applied, numbers);
    }

    /// Tells what a running turn did itself.
    pub(crate) fn tell_events(
        &self,
        key: &ConversationKey,
        applied: &Applied,
        numbers: &[EventNumber],
    ) {
        for (place, event) in applied.events.iter().enumerate() {
            let number = numbers.get(place).copied();
            self.tell(key, &Notice::Log { number, event: event.clone() });
        }
    }

    /// Ends all watching that goes on now, for a server that goes down.
    pub fn end_all(&self) {
        lock(&self.queues).clear();
    }

    /// How many watch a conversation.
    #[must_use]
    pub fn count(&self, key: &ConversationKey) -> usize {
        lock(&self.queues).get(key).map_or(0, Vec::len)
    }
}

impl Watch {
    /// The next notice; `None` once this watcher was cut off, or all watching ended, and what waited
    /// was read.
    pub async fn next(&mut self) -> Option<Notice> {
        self.notices.recv().await
    }

    /// Whether nothing waits to be heard.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.notices.is_empty()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.notices.close();
        let Some(queues) = self.queues.upgrade() else { return };
        let mut queues = lock(&queues);
        if let Some(watching) = queues.get_mut(&self.key) {
            watching.retain(|queue| !queue.notices.is_closed());
            if watching.is_empty() {
                queues.remove(&self.key);
            }
        }
    }
}

/// What is only said waits for the next turn.
fn may_end_a_turn(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Done
        | Outcome::Removed { .. }
        | Outcome::Replaced { .. }
        | Outcome::Restored { .. }
        | Outcome::Erased { .. } => true,
        Outcome::Said(_)
        | Outcome::Known
        | Outcome::TakenBack
        | Outcome::Began(_)
        | Outcome::Nothing
        | Outcome::Deferred
        | Outcome::RemovedBefore { .. } => false,
    }
}

/// Every change under this lock is whole, so a panic elsewhere leaves nothing half done.
fn lock(queues: &Mutex<Queues>) -> MutexGuard<'_, Queues> {
    queues.lock().unwrap_or_else(PoisonError::into_inner)
}
