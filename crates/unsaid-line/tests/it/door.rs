//! A LINE door: a store to be failed, a clock to be moved, and somebody who writes errands down.

use std::{
    sync::{Arc, LazyLock, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use serde_json::Value;
use unsaid_app::{
    answer::{self, Desk},
    event::Watchers,
    tool::Tools,
    worker::{Casting, Stage, Worker},
};
use unsaid_core::{
    domain::{
        conversation::{Conversation, change::Ripple, key::ConversationKey, turn::Lease},
        message::{Message, Part},
        time::Timestamp,
    },
    port::{Store, clock::Clock, error::StoreError, history::History},
};
use unsaid_line::{
    errand::{Errand, Errands},
    inbound::{Groups, Inbound, Receipt, Rejected, Settings},
    signature::{ChannelSecret, sign},
};
use unsaid_store_memory::MemoryStore;
use unsaid_testkit::{
    builder::{at, holder_id, line_key},
    clock::{MovedClock, SeededChance},
    describe::describe,
    failing::Failing,
    talk::Talk,
};

use crate::letter::{HAPPENED, body};

pub(crate) const SECRET: &str = "the-channel-secret-of-the-tests";
/// LINE is quick: events arrive so long after they happened.
pub(crate) const NOW: i64 = HAPPENED + 200;
pub(crate) const DEBOUNCE_MS: i64 = 1_500;

/// Compiling schemas takes longer than most tests.
static TOOLS: LazyLock<Arc<Tools>> = LazyLock::new(|| Arc::new(Tools::reply_and_skip()));

pub(crate) struct Door {
    pub(crate) store: Arc<Failing>,
    pub(crate) port: Arc<dyn Store>,
    pub(crate) clock: Arc<MovedClock>,
    pub(crate) watchers: Arc<Watchers>,
    pub(crate) errands: Arc<Notes>,
    pub(crate) inbound: Arc<Inbound>,
}

/// Writes errands down.
#[derive(Default)]
pub(crate) struct Notes(Mutex<Vec<Errand>>);

impl Errands for Notes {
    fn take(&self, errand: Errand) {
        self.0.lock().unwrap().push(errand);
    }
}

impl Notes {
    /// What was written since the last look.
    pub(crate) fn whole(&self) -> Vec<Errand> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// The same in few words.
    pub(crate) fn taken(&self) -> Vec<String> {
        self.whole().iter().map(in_few_words).collect()
    }
}

fn in_few_words(errand: &Errand) -> String {
    let (what, place) = match errand {
        Errand::Spoke { place, person } => {
            let person = person.as_ref().map_or("?", |person| person.as_str());
            (format!("{person} spoke"), place)
        }
        Errand::Picture { place, message } => (format!("picture of {message}"), place),
        Errand::Arrived { place } => ("arrived".to_owned(), place),
        Errand::Left { place } => ("left".to_owned(), place),
        Errand::MembersChanged { place } => ("members changed".to_owned(), place),
    };
    format!("{what} in {:?} {}", place.kind, place.id)
}

/// Nobody answers here.
struct Nobody;

#[async_trait]
impl Stage for Nobody {
    async fn cast(&self, _: &ConversationKey) -> Result<Casting, StoreError> {
        Ok(Casting::Elsewhere)
    }
}

pub(crate) fn settings() -> Settings {
    Settings {
        debounce: Duration::from_millis(1_500),
        answer_within: Duration::from_mins(5),
        groups: Groups::Decide,
        ripple: Ripple::Withdraw,
    }
}

/// What a worker needs to look for turns.
pub(crate) fn desk(store: &Arc<Failing>, watchers: &Arc<Watchers>, clock: Arc<dyn Clock>) -> Desk {
    Desk {
        history: Arc::<Failing>::clone(store),
        media: Arc::<Failing>::clone(store),
        people: Arc::<Failing>::clone(store),
        clock,
        chance: Arc::new(SeededChance::new(7)),
        watchers: Arc::clone(watchers),
        tools: Arc::clone(&TOOLS),
        holder: holder_id("p1"),
        settings: answer::Settings::default(),
    }
}

impl Door {
    pub(crate) fn new() -> Self {
        Self::with(settings())
    }

    pub(crate) fn with(settings: Settings) -> Self {
        let store = Arc::new(Failing::new(Arc::new(MemoryStore::unbounded())));
        let history = Arc::<Failing>::clone(&store);
        Self::over(store, history, settings)
    }

    /// A door that sees the store through something.
    pub(crate) fn over(store: Arc<Failing>, history: Arc<dyn History>, settings: Settings) -> Self {
        let port: Arc<dyn Store> = Arc::<Failing>::clone(&store);
        let clock = Arc::new(MovedClock::at(at(NOW)));
        let watchers = Arc::new(Watchers::default());
        let errands = Arc::new(Notes::default());
        let desk = desk(&store, &watchers, Arc::<MovedClock>::clone(&clock));
        let worker = Worker::new(Arc::new(desk), Arc::new(Nobody), 1);
        let inbound = Arc::new(Inbound {
            history,
            watchers: Arc::clone(&watchers),
            wake: worker.wake(),
            errands: Arc::<Notes>::clone(&errands),
            clock: Arc::<MovedClock>::clone(&clock),
            secret: ChannelSecret::new(SECRET),
            settings,
        });
        Self { store, port, clock, watchers, errands, inbound }
    }

    /// LINE calls with these events.
    pub(crate) async fn call(&self, events: &[Value]) -> Result<Receipt, Rejected> {
        self.call_raw(&body(events)).await
    }

    /// LINE calls with a body.
    pub(crate) async fn call_raw(&self, body: &[u8]) -> Result<Receipt, Rejected> {
        let signature = sign(&ChannelSecret::new(SECRET), body);
        self.inbound.receive(&[signature.as_bytes()], body).await
    }

    /// LINE calls with one event, which has its effect.
    pub(crate) async fn tell(&self, event: Value) {
        assert_eq!(self.call(&[event]).await, Ok(taken(1)));
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A conversation, behind the door's back.
    pub(crate) fn talk(&self, chat: &str) -> Talk {
        Talk { now: self.now(), ..Talk::new(&self.port, line_key(chat)) }
    }

    /// A conversation as text; empty if there is none.
    pub(crate) async fn state(&self, chat: &str) -> String {
        self.whole(chat).await.as_ref().map(describe).unwrap_or_default()
    }

    pub(crate) async fn whole(&self, chat: &str) -> Option<Conversation> {
        self.port.whole(&line_key(chat)).await.unwrap()
    }

    /// The ids that a list shows.
    pub(crate) async fn heard(&self, chat: &str) -> Vec<String> {
        self.talk(chat).heard().await
    }

    /// A message that is there.
    pub(crate) async fn message(&self, chat: &str, id: &str) -> Message {
        self.talk(chat).find(id).await.expect("the message is there").message
    }

    /// The text of a message.
    pub(crate) async fn words(&self, chat: &str, id: &str) -> String {
        match &self.message(chat, id).await.parts[..] {
            [Part::Text { text }] => text.as_str().to_owned(),
            other => panic!("not one text: {other:?}"),
        }
    }

    /// Somebody begins to answer, as soon as that is wanted.
    pub(crate) async fn begin(&self, chat: &str) -> Lease {
        self.clock.advance(DEBOUNCE_MS);
        self.talk(chat).begin().await
    }

    /// The same call as a task of its own.
    pub(crate) fn post(
        &self,
        events: &[Value],
    ) -> impl Future<Output = Result<Receipt, Rejected>> + Send + use<> {
        let (inbound, body) = (Arc::clone(&self.inbound), body(events));
        async move {
            let signature = sign(&ChannelSecret::new(SECRET), &body);
            inbound.receive(&[signature.as_bytes()], &body).await
        }
    }
}

/// So many events had their effect.
pub(crate) fn taken(count: usize) -> Receipt {
    Receipt { taken: count, ..Receipt::default() }
}

/// So many had it before.
pub(crate) fn duplicates(count: usize) -> Receipt {
    Receipt { duplicates: count, ..Receipt::default() }
}
