//! A house with two people: Ana lets her words be kept, Bob does not.

use std::sync::Arc;

use unsaid_app::{
    call::{Call, Once},
    event::{Notice, Watch, Watchers},
    place::Place,
};
use unsaid_core::{
    domain::{
        conversation::{change::Event, key::ConversationKey},
        id::{EventNumber, SourceId},
        time::Timestamp,
    },
    port::{Store, clock::Clock as _, people::ConsentMoved},
};
use unsaid_store_memory::MemoryStore;
use unsaid_testkit::{
    builder::{at, chat_id, consent_line, consent_move, person, person_id, session_id},
    clock::MovedClock,
    failing::Failing,
    talk::Talk,
};

pub(crate) struct House {
    /// The store, to be failed.
    pub(crate) store: Arc<Failing>,
    /// The same, as a port.
    pub(crate) port: Arc<dyn Store>,
    pub(crate) watchers: Watchers,
    pub(crate) clock: MovedClock,
}

impl House {
    pub(crate) async fn new() -> Self {
        let store = Arc::new(Failing::new(Arc::new(MemoryStore::unbounded())));
        let port: Arc<dyn Store> = Arc::<Failing>::clone(&store);
        for (name, consent) in [("ana", true), ("bob", false)] {
            assert!(port.add(person(name, consent), consent_line(consent, 0)).await.unwrap());
        }
        Self { store, port, watchers: Watchers::default(), clock: MovedClock::at(at(1_000)) }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A call in Ana's chat.
    pub(crate) fn call(&self) -> Call {
        Call::new(chat_of("ana"), self.now())
    }

    /// Ana's chat, to be talked in without a use case.
    pub(crate) fn talk(&self) -> Talk {
        let mut talk = Talk::chat(&self.port).owned_by("ana");
        talk.now = self.now();
        talk
    }

    pub(crate) fn watch(&self) -> Watch {
        self.watchers.watch(chat_of("ana").conversation())
    }

    pub(crate) async fn switch(&self, name: &str, grant: bool) -> ConsentMoved {
        let to = consent_move(grant, self.now().as_millis());
        self.port.move_consent(&person_id(name), to).await.unwrap().unwrap()
    }

    /// Whether a conversation was ever heard of.
    pub(crate) async fn knows(&self, key: &ConversationKey) -> bool {
        self.port.whole(key).await.unwrap().is_some()
    }
}

pub(crate) fn chat_of(name: &str) -> Place {
    Place::chat(person_id(name), chat_id("c1"))
}

pub(crate) fn session_of(name: &str) -> Place {
    Place::session(person_id(name), session_id("s1"))
}

pub(crate) fn on_line() -> Place {
    Place::line(SourceId::new("U1").unwrap())
}

/// What was made now, and not before.
pub(crate) fn made<T: std::fmt::Debug>(once: Once<T>) -> T {
    match once {
        Once::Made(made) => made,
        Once::Repeated(before) => panic!("made before: {before:?}"),
    }
}

/// The next thing that was told, with its number.
pub(crate) async fn told(watch: &mut Watch) -> (Option<EventNumber>, Event) {
    let notice = watch.next().await.expect("the watch goes on");
    let Notice::Log { number, event } = notice else { panic!("not of the log: {notice:?}") };
    (number, event)
}

/// Never stops a job.
pub(crate) fn never() -> bool {
    false
}
