//! Does errands, beside everything else and bounded in everything.
//!
//! Errands about one place are done in their order, because the last word about it counts. Pictures
//! have workers of their own: they take long, and each is for itself. What there is no room for is
//! forgotten and counted; it is made up for when it is needed.
//!
//! - `places`: what is known of the places where people talk.

mod places;

use std::{
    collections::HashMap,
    fmt,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{
        Mutex as AsyncMutex,
        mpsc::{self, Receiver, Sender},
    },
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use unsaid_core::domain::{
    conversation::key::ConversationKey,
    id::{MessageId, SourceId},
    time::Timestamp,
};

pub use self::places::Places;
pub(crate) use self::places::blank;
use crate::{
    errand::{Errand, Errands, Where},
    picture::{Pictures, report},
};

/// Errands by what became of them: `done`, `failed` (a store did), `late`, or `dropped` for want of
/// room.
pub const ERRANDS_TOTAL: &str = "unsaid_line_errands_total";

/// Lanes for errands about places; each place has one of them.
const LANES: usize = 4;
/// Pictures that are fetched at the same time.
const PICTURES_AT_ONCE: usize = 4;
/// Errands that wait in a lane, and pictures that wait for a worker.
const WAITING_MAX: usize = 256;
/// One errand about a place. Pictures have their own time.
const ERRAND_MAX: Duration = Duration::from_secs(30);
/// Places that are remembered, so that an ordinary message costs neither a read nor a write.
const KNOWN_MAX: usize = 10_000;
/// For so long, because another server may have heard of a change.
const KNOWN_MS: i64 = 60 * 60 * 1_000;

/// See the module.
pub struct ErrandRunner {
    lanes: Vec<Sender<Errand>>,
    pictures: Sender<(Where, MessageId)>,
    known: Arc<Known>,
}

impl fmt::Debug for ErrandRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ErrandRunner")
    }
}

/// Tells the metrics what they are.
pub fn describe_metrics() {
    metrics::describe_counter!(ERRANDS_TOTAL, "errands for LINE, by kind and what became of them");
}

impl ErrandRunner {
    /// Starts the workers; they end at the shutdown, with whatever they are at.
    #[must_use]
    pub fn start(
        places: Places,
        pictures: &Arc<Pictures>,
        tasks: &TaskTracker,
        shutdown: &CancellationToken,
    ) -> Arc<Self> {
        let (places, known) = (Arc::new(places), Arc::new(Known::default()));
        let lane = |_| {
            let (sender, errands) = mpsc::channel(WAITING_MAX);
            let lane = Lane { places: Arc::clone(&places), known: Arc::clone(&known) };
            let shutdown = shutdown.clone();
            tasks.spawn(async move { shutdown.run_until_cancelled(lane.run(errands)).await });
            sender
        };
        let lanes = (0..LANES).map(lane).collect();
        let (sender, promised) = mpsc::channel(WAITING_MAX);
        let promised = Arc::new(AsyncMutex::new(promised));
        for _ in 0..PICTURES_AT_ONCE {
            let fetching = fetch_pictures(Arc::clone(pictures), Arc::clone(&promised));
            let shutdown = shutdown.clone();
            tasks.spawn(async move { shutdown.run_until_cancelled(fetching).await });
        }
        Arc::new(Self { lanes, pictures: sender, known })
    }

    fn lane(&self, source: &SourceId) -> Option<&Sender<Errand>> {
        let mut hasher = DefaultHasher::new();
        source.hash(&mut hasher);
        let lane = hasher.finish() % u64::try_from(self.lanes.len()).ok()?;
        self.lanes.get(usize::try_from(lane).ok()?)
    }
}

impl Errands for ErrandRunner {
    fn take(&self, errand: Errand) {
        let (kind, source) = (kind(&errand), place(&errand).id.clone());
        let taken = match errand {
            Errand::Picture { place, message } => self.pictures.try_send((place, message)).is_ok(),
            Errand::Spoke { place, .. } if self.known.has(&place) => true,
            Errand::Spoke { .. }
            | Errand::Arrived { .. }
            | Errand::Left { .. }
            | Errand::MembersChanged { .. } => {
                self.lane(&source).is_some_and(|lane| lane.try_send(errand).is_ok())
            }
        };
        if !taken {
            tracing::debug!(%source, kind, "no room for an errand");
            count(kind, "dropped");
        }
    }
}

/// Errands about some of the places, one after the other.
struct Lane {
    places: Arc<Places>,
    known: Arc<Known>,
}

impl Lane {
    async fn run(self, mut errands: Receiver<Errand>) {
        while let Some(errand) = errands.recv().await {
            let (kind, source) = (kind(&errand), place(&errand).id.clone());
            match timeout(ERRAND_MAX, self.run_one(errand)).await {
                Ok(Ok(())) => count(kind, "done"),
                Ok(Err(error)) => {
                    tracing::warn!(%source, kind, error = error.name(), "errand failed");
                    count(kind, "failed");
                }
                Err(_late) => {
                    tracing::warn!(%source, kind, "errand took too long");
                    count(kind, "late");
                }
            }
        }
    }

    async fn run_one(&self, errand: Errand) -> Result<(), unsaid_core::port::error::StoreError> {
        match errand {
            // Somebody may have spoken twice before the first was done.
            Errand::Spoke { place, .. } if self.known.has(&place) => Ok(()),
            Errand::Spoke { place, .. } => {
                self.places.spoke(&place).await?;
                self.known.add(&place);
                Ok(())
            }
            Errand::Arrived { place } => self.places.arrived(&place).await,
            Errand::Left { place } => {
                self.known.forget(&place);
                self.places.left(&place).await
            }
            Errand::MembersChanged { place } => self.places.members_changed(&place).await,
            // They have workers of their own.
            Errand::Picture { .. } => Ok(()),
        }
    }
}

async fn fetch_pictures(
    pictures: Arc<Pictures>,
    promised: Arc<AsyncMutex<Receiver<(Where, MessageId)>>>,
) {
    loop {
        let next = promised.lock().await.recv().await;
        let Some((place, message)) = next else { return };
        let conversation = ConversationKey::Line(place.id);
        match pictures.fetch(&conversation, &message).await {
            Ok(_) => count("picture", "done"),
            Err(error) => {
                report(&conversation, &message, &error);
                count("picture", "failed");
            }
        }
    }
}

/// Places that are known to be kept, with the bot in them.
#[derive(Debug, Default)]
struct Known {
    since: Mutex<HashMap<SourceId, Timestamp>>,
}

impl Known {
    fn has(&self, place: &Where) -> bool {
        let known = self.lock().get(&place.id).copied();
        known.is_some_and(|since| place.at <= since.plus_millis(KNOWN_MS))
    }

    fn add(&self, place: &Where) {
        let mut known = self.lock();
        if known.len() >= KNOWN_MAX {
            // Whoever speaks is known again at once.
            known.clear();
        }
        known.insert(place.id.clone(), place.at);
    }

    fn forget(&self, place: &Where) {
        self.lock().remove(&place.id);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SourceId, Timestamp>> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn place(errand: &Errand) -> &Where {
    match errand {
        Errand::Spoke { place, .. }
        | Errand::Picture { place, .. }
        | Errand::Arrived { place }
        | Errand::Left { place }
        | Errand::MembersChanged { place } => place,
    }
}

fn kind(errand: &Errand) -> &'static str {
    match errand {
        Errand::Spoke { .. } => "spoke",
        Errand::Picture { .. } => "picture",
        Errand::Arrived { .. } => "arrived",
        Errand::Left { .. } => "left",
        Errand::MembersChanged { .. } => "members_changed",
    }
}

fn count(kind: &'static str, outcome: &'static str) {
    metrics::counter!(ERRANDS_TOTAL, "errand" => kind, "outcome" => outcome).increment(1);
}
