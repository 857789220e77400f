//! Letters of ours on their way to LINE.
//!
//! A letter goes with the reply token of its question while that is fresh. If it certainly did not
//! arrive that way, it is pushed, under the name of the delivery that brought the question, so that
//! LINE takes it once however often it comes. An answer that was lost is asked for once more; if it
//! stays unclear nothing else is tried, because people must not read the same thing twice.
//!
//! - `delivery`: the ways of one letter. `split`: one text as LINE takes it.

mod delivery;
mod split;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use tokio::{
    sync::Mutex,
    time::{Instant, sleep, timeout},
};
use unsaid_core::{
    domain::{
        conversation::{change::SendOutcome, key::ConversationKey},
        source::SourceKind,
    },
    port::{
        clock::Clock,
        messenger::{Letter, Messenger},
    },
};

use self::delivery::Delivery;
pub use self::delivery::retry_key;
use crate::client::LineClient;

/// Letters by the way they took (`reply`, `push`, or `none` if there was none) and what became of
/// them that way: `sent`, `failed`, `unknown`.
pub const SENT_TOTAL: &str = "unsaid_line_sent_total";

/// A reply token is used at most this long after it came.
pub const TOKEN_MS: i64 = 50_000;

/// What all messengers share. Cheap to clone.
#[derive(Clone)]
pub struct Outbox {
    client: LineClient,
    clock: Arc<dyn Clock>,
    options: OutboxOptions,
}

/// How letters are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboxOptions {
    /// `line.push`.
    pub push: bool,
    /// `line.loading_delay`.
    pub loading_delay: Duration,
    /// `line.loading_seconds`.
    pub loading_seconds: u8,
    /// How long it may take.
    pub times: SendTimes,
}

impl Default for OutboxOptions {
    fn default() -> Self {
        Self {
            push: true,
            loading_delay: Duration::from_secs(5),
            loading_seconds: 30,
            times: SendTimes::default(),
        }
    }
}

/// How long sending may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendTimes {
    /// All of it. Turns give a letter 25 seconds, and do not know what became of it afterwards.
    pub whole: Duration,
    /// One call. A refused reply and two pushes fit into the whole.
    pub attempt: Duration,
    /// With less than this left no call is begun.
    pub least: Duration,
    /// Before a call is repeated.
    pub pause: Duration,
    /// The animation is worth no more than this, and a letter waits for it no longer.
    pub loading: Duration,
}

impl Default for SendTimes {
    fn default() -> Self {
        Self {
            whole: Duration::from_secs(22),
            attempt: Duration::from_secs(7),
            least: Duration::from_secs(1),
            pause: Duration::from_millis(300),
            loading: Duration::from_secs(2),
        }
    }
}

impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Outbox({:?})", self.options)
    }
}

impl Outbox {
    /// Sends with this client.
    #[must_use]
    pub fn new(client: LineClient, clock: Arc<dyn Clock>, options: OutboxOptions) -> Self {
        Self { client, clock, options }
    }

    /// A messenger for one turn in a place of this kind.
    #[must_use]
    pub fn messenger(&self, kind: SourceKind) -> LineMessenger {
        LineMessenger {
            outbox: self.clone(),
            kind,
            handed_over: AtomicBool::new(false),
            showing: Mutex::new(Shown::No),
        }
    }
}

/// Tells the metrics what they are.
pub fn describe_metrics() {
    metrics::describe_counter!(SENT_TOTAL, "letters to LINE, by their way and what became of them");
}

/// See the module. For one turn.
#[derive(Debug)]
pub struct LineMessenger {
    outbox: Outbox,
    kind: SourceKind,
    /// From now on nothing is shown.
    handed_over: AtomicBool,
    /// Held while the animation is asked for, so that it cannot overtake a letter.
    showing: Mutex<Shown>,
}

#[derive(Debug, PartialEq, Eq)]
enum Shown {
    No,
    Yes,
}

#[async_trait]
impl Messenger for LineMessenger {
    async fn send(&self, letter: &Letter) -> SendOutcome {
        let SendTimes { whole, loading, .. } = self.outbox.options.times;
        let ends = Instant::now() + whole;
        self.handed_over.store(true, Ordering::SeqCst);
        // If the animation takes longer, it has no time left either.
        drop(timeout(loading, self.showing.lock()).await);
        Delivery::new(&self.outbox, letter, ends).run().await
    }

    async fn at_work(&self, conversation: &ConversationKey) {
        let (ConversationKey::Line(person), SourceKind::Person) = (conversation, self.kind) else {
            return;
        };
        sleep(self.outbox.options.loading_delay).await;
        let mut shown = self.showing.lock().await;
        if self.handed_over.load(Ordering::SeqCst) || *shown == Shown::Yes {
            return;
        }
        *shown = Shown::Yes;
        let OutboxOptions { loading_seconds, times, .. } = self.outbox.options;
        let showing = self.outbox.client.show_loading(person, loading_seconds, times.loading).await;
        if let Err(error) = showing {
            let status = error.status();
            tracing::debug!(%conversation, error = error.name(), status, "no loading animation");
        }
    }
}
