//! A house in which models and messengers answer at once: what is left is our own work.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use async_trait::async_trait;
use futures_util::stream;
use jiff::tz::TimeZone;
use tempfile::TempDir;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use unsaid_app::{
    answer::{Cast, Desk, Manner, Settings},
    event::Watchers,
    place::Place,
    tool::Tools,
};
use unsaid_core::{
    domain::{
        conversation::{
            Conversation,
            change::{Change, Event, Refusal, SendOutcome},
            key::ConversationKey,
            log::Entry,
        },
        id::{AgentId, EventNumber, HolderId, MessageId, Number, SourceId},
        message::Audience,
        prompt::Room,
        text::Words,
        time::Timestamp,
    },
    port::{
        Store,
        clock::Clock,
        error::StoreError,
        history::{Commit, Committed, History, Overview, SourceReport, Swept, Tail},
        messenger::{Letter, Messenger},
        model::{
            EndReason, Model, ModelError, ModelEvent, ModelRequest, ModelStream, ModelTurn, Piece,
            ToolCall, Usage,
        },
    },
};
use unsaid_store_sql::sqlite::{Options, SqliteStore};

use crate::stores::{self, SystemChance};

/// No turn takes so long.
const LONG: Duration = Duration::from_mins(5);

/// A store of the whole house, and what must outlive it.
pub(crate) struct Kept {
    pub(crate) store: Arc<dyn Store>,
    /// The directory of a file, or the address of a database.
    pub(crate) whereabouts: Whereabouts,
}

pub(crate) enum Whereabouts {
    File(TempDir),
    Database(String),
}

pub(crate) fn sqlite() -> Kept {
    let dir = tempfile::tempdir().expect("a directory");
    let store = SqliteStore::open(&dir.path().join("u.db"), &Options::default()).expect("a store");
    Kept { store: Arc::new(store), whereabouts: Whereabouts::File(dir) }
}

pub(crate) async fn postgres() -> Kept {
    let address = stores::database().await;
    let store = stores::open_postgres(&address).await;
    Kept { store: Arc::new(store), whereabouts: Whereabouts::Database(address) }
}

/// The clock on the wall.
pub(crate) struct Wall;

impl Clock for Wall {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970");
        Timestamp::from_millis(i64::try_from(since.as_millis()).expect("a time of our era"))
    }
}

/// What all turns work with.
pub(crate) fn desk(store: &Arc<dyn Store>, history: Arc<dyn History>) -> Desk {
    Desk {
        history,
        media: Arc::<dyn Store>::clone(store),
        people: Arc::<dyn Store>::clone(store),
        clock: Arc::new(Wall),
        chance: Arc::new(SystemChance),
        watchers: Arc::new(Watchers::default()),
        tools: Arc::new(Tools::reply_and_skip()),
        holder: HolderId::new("bench").expect("an id"),
        settings: Settings::default(),
    }
}

/// Who answers at a place, at once.
pub(crate) fn cast(place: Place, model: Arc<InstantModel>) -> Cast {
    Cast {
        place,
        me: AgentId::new("kai").expect("an id"),
        persona: Words::lossy("You are Kai, and you like short answers."),
        room: Room::OneToOne,
        zone: TimeZone::UTC,
        name_of: Arc::new(|_| "Ana".to_owned()),
        audience: Audience::default(),
        model,
        manner: Manner::Tools { messenger: Arc::new(InstantMessenger), read_calls: |_, _| None },
        time_max: LONG,
    }
}

/// A model that knows its answer before it is asked.
pub(crate) struct InstantModel {
    call: ToolCall,
    asked: Mutex<Option<Instant>>,
    shown_bytes: AtomicUsize,
}

impl InstantModel {
    pub(crate) fn calling(tool: &str, arguments: &str) -> Arc<Self> {
        let [id, name, arguments] = ["c1", tool, arguments].map(str::to_owned);
        let call = ToolCall { id, name, arguments };
        Arc::new(Self { call, asked: Mutex::default(), shown_bytes: AtomicUsize::new(0) })
    }

    /// When it was asked last.
    pub(crate) fn asked_at(&self) -> Instant {
        self.asked.lock().expect("a moment").take().expect("it was asked")
    }

    /// How much it was shown of what people said, then.
    pub(crate) fn shown_bytes(&self) -> usize {
        self.shown_bytes.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl Model for InstantModel {
    async fn ask(&self, request: ModelRequest) -> Result<ModelStream, ModelError> {
        *self.asked.lock().expect("a moment") = Some(Instant::now());
        self.shown_bytes.store(request.turns.iter().map(bytes).sum(), Ordering::Relaxed);
        let end = ModelEvent::End { reason: EndReason::Calls, usage: Usage::default(), echo: None };
        Ok(Box::pin(stream::iter([Ok(ModelEvent::Call(self.call.clone())), Ok(end)])))
    }

    fn takes_images(&self) -> bool {
        false
    }
}

fn bytes(turn: &ModelTurn) -> usize {
    match turn {
        ModelTurn::Heard(pieces) => pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(words) => words.as_str().len(),
                Piece::Image { bytes, .. } => bytes.len(),
            })
            .sum(),
        ModelTurn::Said(words) => words.as_str().len(),
        ModelTurn::Called { .. } | ModelTurn::Results(_) => 0,
    }
}

struct InstantMessenger;

#[async_trait]
impl Messenger for InstantMessenger {
    async fn send(&self, _: &Letter) -> SendOutcome {
        SendOutcome::Sent
    }
}

/// Something that happened to a conversation, when it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A turn has begun.
    Began(Instant),
    /// Its answer is settled.
    Settled(Instant),
    /// Nobody waits.
    Idle,
}

/// A log that tells when things were done in it.
pub(crate) struct MarkedHistory {
    store: Arc<dyn Store>,
    marks: UnboundedSender<Mark>,
}

impl MarkedHistory {
    pub(crate) fn new(store: &Arc<dyn Store>) -> (Arc<Self>, UnboundedReceiver<Mark>) {
        let (marks, seen) = mpsc::unbounded_channel();
        (Arc::new(Self { store: Arc::clone(store), marks }), seen)
    }
}

#[async_trait]
impl History for MarkedHistory {
    async fn commit(&self, key: &ConversationKey, commit: Commit) -> Result<Committed, StoreError> {
        let begins = matches!(commit.change, Change::Begin { .. });
        let settles = matches!(commit.change, Change::Settle { .. });
        let committed = self.store.commit(key, commit).await;
        let mark = match &committed {
            Ok(Committed::Applied(..)) if begins => Some(Mark::Began(Instant::now())),
            Ok(Committed::Applied(..)) if settles => Some(Mark::Settled(Instant::now())),
            Ok(Committed::Refused(Refusal::NothingWaiting)) => Some(Mark::Idle),
            Ok(_) | Err(_) => None,
        };
        if let Some(mark) = mark {
            self.marks.send(mark).expect("somebody reads the marks");
        }
        committed
    }

    async fn overview(&self, key: &ConversationKey) -> Result<Option<Overview>, StoreError> {
        self.store.overview(key).await
    }

    async fn page(
        &self,
        key: &ConversationKey,
        before: Option<Number>,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        self.store.page(key, before, limit).await
    }

    async fn find(
        &self,
        key: &ConversationKey,
        id: &MessageId,
    ) -> Result<Option<Entry>, StoreError> {
        self.store.find(key, id).await
    }

    async fn tail(
        &self,
        key: &ConversationKey,
        from: &MessageId,
        preview: usize,
    ) -> Result<Option<Tail>, StoreError> {
        self.store.tail(key, from, preview).await
    }

    async fn whole(&self, key: &ConversationKey) -> Result<Option<Conversation>, StoreError> {
        self.store.whole(key).await
    }

    async fn wanting(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<ConversationKey>, StoreError> {
        self.store.wanting(now, limit).await
    }

    async fn sources(
        &self,
        after: Option<&SourceId>,
        limit: usize,
    ) -> Result<Vec<SourceReport>, StoreError> {
        self.store.sources(after, limit).await
    }

    async fn events_after(
        &self,
        key: &ConversationKey,
        after: EventNumber,
        limit: usize,
    ) -> Result<Option<Vec<(EventNumber, Event)>>, StoreError> {
        self.store.events_after(key, after, limit).await
    }

    async fn release_turns(&self, now: Timestamp) -> Result<u64, StoreError> {
        self.store.release_turns(now).await
    }

    async fn drop_conversation(&self, key: &ConversationKey) -> Result<(), StoreError> {
        self.store.drop_conversation(key).await
    }

    async fn sweep(&self, now: Timestamp, limit: usize) -> Result<Swept, StoreError> {
        self.store.sweep(now, limit).await
    }
}
