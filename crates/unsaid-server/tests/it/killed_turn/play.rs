//! What a child is to do, told through its environment.

use std::env;
use std::net::SocketAddr;

use unsaid_app::answer::LEASE_MS;
use unsaid_app::place::Place;
use unsaid_core::domain::id::SourceId;
use unsaid_core::domain::time::Timestamp;
use unsaid_testkit::builder::{at, person_id, session_id};

use super::life::Part;

const SCENE: &str = "UNSAID_TEST_SCENE";
const CONVERSATION: &str = "UNSAID_TEST_CONVERSATION";
const LIFE: &str = "UNSAID_TEST_LIFE";
const STOP: &str = "UNSAID_TEST_STOP";
const LAST_WORDS: &str = "UNSAID_TEST_LAST_WORDS";
const FLAG: &str = "UNSAID_TEST_FLAG";
const OUTBOX: &str = "UNSAID_TEST_OUTBOX";

/// When the first life of a conversation is.
const BEGINNING_MS: i64 = 1_000_000;
/// How long a restart takes where nothing has to run out.
const RESTART_MS: i64 = 1_000;

/// What happens in the first life; later ones only finish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scene {
    /// Somebody asks, and is answered through a messenger.
    Reply,
    /// Somebody asks, and the model chooses silence.
    Skip,
    /// Somebody asks, and is answered in plain text, here.
    Text,
    /// A reply; the turn is renewed while the model thinks.
    Renewed,
    /// The server is told to end while the model thinks, and hands the turn back.
    HandedBack,
    /// A reply; somebody says more while the model thinks.
    SecondMessage,
}

impl Scene {
    const ALL: [Self; 6] =
        [Self::Reply, Self::Skip, Self::Text, Self::Renewed, Self::HandedBack, Self::SecondMessage];

    fn name(self) -> String {
        format!("{self:?}")
    }
}

/// What somebody does while everything stands still, right before the kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastWords {
    /// Nothing.
    None,
    /// Says more: `m2`.
    More,
    /// Takes the question back: `m1`.
    TakeBack,
}

impl LastWords {
    const ALL: [Self; 3] = [Self::None, Self::More, Self::TakeBack];

    fn name(self) -> String {
        format!("{self:?}")
    }
}

/// One life of one conversation.
#[derive(Debug, Clone)]
pub(super) struct Play {
    pub(super) scene: Scene,
    /// Which conversation; each is played once.
    pub(super) conversation: u32,
    /// From 1.
    pub(super) life: u32,
    /// Where it is killed; none: it comes to its end.
    pub(super) stop: Option<String>,
    /// What happens there.
    pub(super) last_words: LastWords,
    /// The key of the configuration that says where the store is, and its value.
    pub(super) flag: (String, String),
    /// The other side.
    pub(super) outbox: SocketAddr,
}

impl Play {
    pub(super) fn place(&self) -> Place {
        let name = format!("U{}", self.conversation);
        match self.scene {
            Scene::Text => Place::session(person_id("ana"), session_id(&name)),
            Scene::Reply
            | Scene::Skip
            | Scene::Renewed
            | Scene::HandedBack
            | Scene::SecondMessage => Place::line(SourceId::new(name).unwrap()),
        }
    }

    /// When it is lived. On a shared database the lease of the dead has run out by then, and just so.
    pub(super) fn now(&self) -> Timestamp {
        let pause_ms = if self.is_shared() { LEASE_MS } else { RESTART_MS };
        at(BEGINNING_MS + i64::from(self.life - 1) * pause_ms)
    }

    pub(super) fn is_shared(&self) -> bool {
        self.flag.0 == "database"
    }

    /// None in a process that is no child.
    pub(super) fn from_env() -> Option<Self> {
        let scene = env::var(SCENE).ok()?;
        let (flag, last_words) = (env::var(FLAG).unwrap(), env::var(LAST_WORDS).unwrap());
        let (key, value) = flag.split_once('=').unwrap();
        Some(Self {
            scene: Scene::ALL.into_iter().find(|known| known.name() == scene).unwrap(),
            conversation: number(CONVERSATION),
            life: number(LIFE),
            stop: env::var(STOP).ok(),
            last_words: LastWords::ALL
                .into_iter()
                .find(|known| known.name() == last_words)
                .unwrap(),
            flag: (key.to_owned(), value.to_owned()),
            outbox: env::var(OUTBOX).unwrap().parse().unwrap(),
        })
    }
}

impl Part for Play {
    const CHILD: &'static str = "killed_turn::child::child_begins";

    fn to_env(&self) -> Vec<(&'static str, String)> {
        let (key, value) = &self.flag;
        let mut all = vec![
            (SCENE, self.scene.name()),
            (CONVERSATION, self.conversation.to_string()),
            (LIFE, self.life.to_string()),
            (LAST_WORDS, self.last_words.name()),
            (FLAG, format!("{key}={value}")),
            (OUTBOX, self.outbox.to_string()),
        ];
        all.extend(self.stop.clone().map(|stop| (STOP, stop)));
        all
    }
}

fn number(name: &str) -> u32 {
    env::var(name).unwrap().parse().unwrap()
}
