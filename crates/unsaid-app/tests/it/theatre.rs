//! A house in which turns run: a store to be failed, a messenger that records, and a clock that goes
//! with the paused time of the test.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use jiff::tz::TimeZone;
use tokio::{task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;
use unsaid_app::{
    answer::{Cast, Desk, Ended, Manner, Settings, answer, speech::Listener},
    call::Call,
    event::Watchers,
    place::Place,
    revise::{Revise, Revised, revise},
    say::{Say, say},
    tool::Tools,
    unsend::{Unsend, unsend},
};
use unsaid_core::{
    domain::{
        conversation::{
            Conversation,
            change::{Decision, Ripple},
            key::ConversationKey,
            log::Entry,
        },
        message::{Audience, Author, Message, Part},
        prompt::Room,
        time::Timestamp,
    },
    port::{Store, clock::Clock, messenger::Messenger, model::Model, people::People as _},
};
use unsaid_store_memory::MemoryStore;
use unsaid_testkit::{
    builder::{
        TERMS, agent_id, at, consent_line, holder_id, message, message_by, message_id, new_session,
        person, person_id, session_id, words,
    },
    clock::SeededChance,
    failing::Failing,
    messenger::RecordingMessenger,
    talk::Talk,
};

use crate::given::made;

/// As long as no test waits for it.
pub(crate) const LONG: Duration = Duration::from_hours(1);

/// Compiling schemas takes longer than most tests.
static TOOLS: LazyLock<Arc<Tools>> = LazyLock::new(|| Arc::new(Tools::reply_and_skip()));

/// Shows what the paused time of the test shows.
pub(crate) struct PausedClock(Instant);

impl Clock for PausedClock {
    fn now(&self) -> Timestamp {
        at(1_000_000).plus_millis(i64::try_from(self.0.elapsed().as_millis()).unwrap())
    }
}

/// One process on a store.
pub(crate) struct Theatre {
    pub(crate) store: Arc<Failing>,
    pub(crate) port: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) watchers: Arc<Watchers>,
    pub(crate) desk: Arc<Desk>,
    pub(crate) messenger: Arc<RecordingMessenger>,
    pub(crate) shutdown: CancellationToken,
    /// Where people talk to it.
    pub(crate) place: Place,
}

impl Theatre {
    /// On LINE.
    pub(crate) async fn line() -> Self {
        Self::at(crate::given::on_line()).await
    }

    /// In a session of Ana's, who lets her words be kept.
    pub(crate) async fn session() -> Self {
        let theatre = Self::at(Place::session(person_id("ana"), session_id("s1"))).await;
        theatre.port.open_session(new_session("s1", "ana", 0), TERMS).await.unwrap().unwrap();
        theatre
    }

    async fn at(place: Place) -> Self {
        let store = Arc::new(Failing::new(Arc::new(MemoryStore::unbounded())));
        let added = store.add(person("ana", true), consent_line(true, 0)).await;
        assert!(added.unwrap());
        let clock = Arc::new(PausedClock(Instant::now()));
        Self::process("p1", store, clock, place)
    }

    /// Another process on the same store, in the same place.
    pub(crate) fn another(&self, name: &str) -> Self {
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        let other = Self::process(name, store, clock, self.place.clone());
        Self { messenger: Arc::clone(&self.messenger), ..other }
    }

    fn process(name: &str, store: Arc<Failing>, clock: Arc<dyn Clock>, place: Place) -> Self {
        let watchers = Arc::new(Watchers::default());
        let port: Arc<dyn Store> = Arc::<Failing>::clone(&store);
        let desk = Arc::new(Desk {
            history: Arc::<Failing>::clone(&store),
            media: Arc::<Failing>::clone(&store),
            people: Arc::<Failing>::clone(&store),
            clock: Arc::clone(&clock),
            chance: Arc::new(SeededChance::new(u64::from(name.as_bytes()[1]))),
            watchers: Arc::clone(&watchers),
            tools: Arc::clone(&TOOLS),
            holder: holder_id(name),
            settings: Settings::default(),
        });
        let (messenger, shutdown) = (RecordingMessenger::new(), CancellationToken::new());
        Self { store, port, clock, watchers, desk, messenger, shutdown, place }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn key(&self) -> &ConversationKey {
        self.place.conversation()
    }

    pub(crate) fn call(&self) -> Call {
        Call::new(self.place.clone(), self.now())
    }

    /// The conversation, to be talked in without a use case.
    pub(crate) fn talk(&self) -> Talk {
        let mut talk = Talk::new(&self.port, self.key().clone());
        talk.owner = self.place.owner().cloned();
        talk.now = self.now();
        talk
    }

    /// Ana says something that wants an answer now.
    pub(crate) async fn ask(&self, id: &str) {
        self.ask_from(id, self.now()).await;
    }

    /// Ana says something that wants an answer from a moment on.
    pub(crate) async fn ask_from(&self, id: &str, when: Timestamp) {
        let asked = Say {
            call: self.call(),
            message: Message { at: self.now(), ..message(id) },
            delivery: None,
            wants_answer: Some(when),
            way_back: None,
        };
        made(say(&*self.port, &self.watchers, asked).await.unwrap());
    }

    pub(crate) async fn unsend(&self, id: &str) {
        let gone = Unsend { call: self.call(), id: message_id(id), ripple: Ripple::Withdraw };
        made(unsend(&*self.port, &self.watchers, gone).await.unwrap());
    }

    pub(crate) async fn edit(&self, id: &str, text: &str) -> Revised {
        let new = Revise {
            call: self.call(),
            id: message_id(id),
            by: Some(person_id("ana")),
            parts: vec![Part::text(words(text))],
            at: self.now(),
            ripple: Ripple::Withdraw,
        };
        made(revise(&*self.port, &self.watchers, new).await.unwrap())
    }

    /// Whoever answers through tools.
    pub(crate) fn with_tools(&self, model: Arc<dyn Model>) -> Cast {
        self.with_messenger(model, Arc::<RecordingMessenger>::clone(&self.messenger))
    }

    pub(crate) fn with_messenger(
        &self,
        model: Arc<dyn Model>,
        messenger: Arc<dyn Messenger>,
    ) -> Cast {
        let manner = Manner::Tools { messenger, read_calls: |_, _| None };
        self.cast(model, manner)
    }

    /// Whoever answers in plain text.
    pub(crate) fn in_text(&self, model: Arc<dyn Model>, listener: Arc<dyn Listener>) -> Cast {
        self.cast(model, Manner::Text { listener })
    }

    fn cast(&self, model: Arc<dyn Model>, manner: Manner) -> Cast {
        Cast {
            place: self.place.clone(),
            me: agent_id("kai"),
            persona: words("You are Kai."),
            room: Room::OneToOne,
            zone: TimeZone::UTC,
            name_of: Arc::new(|author| match author {
                Author::Person(Some(person)) => person.to_string(),
                Author::Person(None) => "somebody".to_owned(),
                Author::Agent(agent) => agent.to_string(),
            }),
            audience: Audience::default(),
            model,
            manner,
            time_max: LONG,
        }
    }

    /// Runs one turn to its end.
    pub(crate) async fn turn(&self, cast: &Cast) -> Ended {
        answer(&self.desk, cast, &self.shutdown).await.unwrap()
    }

    /// Lets one turn run beside the test.
    pub(crate) fn start(&self, cast: Cast) -> JoinSet<Ended> {
        let (desk, shutdown) = (Arc::clone(&self.desk), self.shutdown.clone());
        let mut turn = JoinSet::new();
        turn.spawn(async move { answer(&desk, &cast, &shutdown).await.unwrap() });
        turn
    }

    pub(crate) async fn whole(&self) -> Conversation {
        self.talk().whole().await
    }

    /// How the newest turn ended.
    pub(crate) async fn decision(&self) -> Decision {
        let whole = self.whole().await;
        let (_, record) = whole.turns.last_key_value().expect("a turn began");
        record.ended.clone().expect("it ended").0
    }

    /// All answers, heard or not.
    pub(crate) async fn answers(&self) -> Vec<Entry> {
        let whole = self.whole().await;
        whole.log.iter().filter(|entry| entry.turn.is_some()).cloned().collect()
    }

    /// The texts of the letters that arrived.
    pub(crate) fn arrived(&self) -> Vec<String> {
        let outbox = self.messenger.outbox();
        outbox.iter().map(|letter| letter.text.as_str().to_owned()).collect()
    }
}

/// The end of a turn that runs beside the test.
pub(crate) async fn end_of(mut turn: JoinSet<Ended>) -> Ended {
    turn.join_next().await.expect("a turn runs").expect("it does not panic")
}

pub(crate) fn failed(code: &str) -> Decision {
    Decision::Failed { code: code.to_owned() }
}

/// Somebody else in the room.
pub(crate) fn said_by_bob(id: &str) -> Message {
    message_by("bob", id)
}
