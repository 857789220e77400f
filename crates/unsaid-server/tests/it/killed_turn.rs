//! H1, H5, H11: `kill -9` at every named point of a turn. After the restart the answer is given once
//! or not at all, never twice, and history and outbox agree.
//!
//! A child opens the store as a server does and lets the worker of the house answer one conversation.
//! Every call of a port is a point, and so is every step of a model and of a letter. A first run tells
//! which points there are, so that none can be forgotten; then each is played: the child stands still
//! there, is killed, and another one finishes. The outbox is here, in the test.
//!
//! - `play`: what a child is to do. `child`, `server`, `door`: who does it.
//! - `points`, `ports`, `model`, `messenger`: the points, and everything that has some.
//! - `life`: a child as the test sees it. `outbox`: the other side. `check`: what must hold.

mod check;
pub(crate) mod child;
mod door;
pub(crate) mod life;
mod messenger;
mod model;
mod outbox;
mod play;
pub(crate) mod points;
mod ports;
mod server;

use std::path::Path;
use std::sync::Arc;

use tempfile::{TempDir, tempdir};
use unsaid_core::domain::conversation::Conversation;
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::port::Store;
use unsaid_server::store::sqlite;
use unsaid_store_sql::postgres::{Options, PostgresStore};

use self::check::After;
use self::life::{Told, until_done, until_killed};
use self::outbox::{Fate, Outbox};
use self::play::{LastWords, Play, Scene};
use crate::postgres::Database;

/// Where the letter is with the other side, but not accepted.
const HANDED_OVER: &str = "handed over";

/// A store, and the other side.
struct House {
    base: Base,
    outbox: Outbox,
    /// Each play has a conversation of its own.
    played: u32,
}

enum Base {
    Sqlite(TempDir),
    Postgres(Database),
}

/// A play with kills: where, one life after the other, and what else happens.
#[derive(Debug, Clone)]
struct Cue {
    scene: Scene,
    kills: Vec<String>,
    /// What happens while the last one that is killed stands still.
    last_words: LastWords,
    fate: Fate,
}

impl Cue {
    fn new(scene: Scene, kills: &[&str]) -> Self {
        let kills = kills.iter().map(|&stop| stop.to_owned()).collect();
        Self { scene, kills, last_words: LastWords::None, fate: Fate::Lost }
    }
}

impl Base {
    fn flag(&self) -> (String, String) {
        let (key, value) = match self {
            Self::Sqlite(dir) => ("data_dir", dir.path().to_str().unwrap()),
            Self::Postgres(database) => ("database", database.address.as_str()),
        };
        (key.to_owned(), value.to_owned())
    }

    /// Looks at a conversation. Nobody holds the store open while children live and die.
    async fn whole(&self, key: &ConversationKey) -> Conversation {
        let store: Arc<dyn Store> = match self {
            Self::Sqlite(dir) => open_sqlite(dir.path()),
            Self::Postgres(database) => {
                let options = Options { connection_ms_max: 20_000, ..Options::default() };
                Arc::new(PostgresStore::open(&database.address, &options).await.unwrap())
            }
        };
        store.whole(key).await.unwrap().unwrap_or_default()
    }
}

fn open_sqlite(dir: &Path) -> Arc<dyn Store> {
    sqlite::open(&sqlite::file(dir)).unwrap()
}

impl House {
    fn on_sqlite() -> Self {
        Self { base: Base::Sqlite(tempdir().unwrap()), outbox: Outbox::open(), played: 0 }
    }

    fn on_postgres() -> Self {
        Self { base: Base::Postgres(Database::new()), outbox: Outbox::open(), played: 0 }
    }

    /// Lives and kills, one more life that comes to its end, and what must hold then. Where nobody
    /// is killed there is a restart all the same. The life after the last kill.
    async fn play(&mut self, cue: &Cue) -> Told {
        self.played += 1;
        let mut play = Play {
            scene: cue.scene,
            conversation: self.played,
            life: 1,
            stop: None,
            last_words: LastWords::None,
            flag: self.base.flag(),
            outbox: self.outbox.address,
        };
        let mut said = Vec::new();
        for (index, stop) in cue.kills.iter().enumerate() {
            play.stop = Some(stop.clone());
            if index + 1 == cue.kills.len() {
                play.last_words = cue.last_words;
            }
            said.extend(until_killed(&play).said);
            if stop.ends_with(HANDED_OVER) {
                self.outbox.decide(cue.fate);
            }
            play.life += 1;
        }
        (play.stop, play.last_words) = (None, LastWords::None);
        let key = play.place().conversation().clone();
        let sent_before = self.outbox.of(&key.to_string()).len();
        let finished = until_done(&play);
        said.extend(finished.said.clone());
        let mut last = finished.clone();
        if cue.kills.is_empty() {
            play.life += 1;
            last = until_done(&play);
        }
        let whole = self.base.whole(&key).await;
        let outbox = self.outbox.of(&key.to_string());
        let Cue { scene, last_words, .. } = *cue;
        let after =
            After { scene, whole, outbox, sent_before, last_words, said: &said, last: &last };
        after.check(&format!("{cue:?}"));
        finished
    }

    /// The points of a scene, as they come.
    async fn points(&mut self, scene: Scene) -> Vec<String> {
        self.play(&Cue::new(scene, &[])).await.reached
    }

    /// Plays a scene once for each of these points, with the kill there.
    #[expect(clippy::print_stderr, reason = "which points there were is good to know")]
    async fn kill_at(&mut self, cue: &Cue, points: &[String]) {
        for stop in points {
            let kills = [&cue.kills[..], std::slice::from_ref(stop)].concat();
            let cue = Cue { kills, ..cue.clone() };
            self.play(&cue).await;
            if stop.ends_with(HANDED_OVER) {
                self.play(&Cue { fate: Fate::Late, ..cue }).await;
            }
        }
        eprintln!("{} kills, one each: {}", points.len(), points.join(", "));
    }
}

fn assert_among(points: &[String], wanted: &[&str]) {
    for point in wanted {
        assert!(points.iter().any(|known| known == point), "no {point} among {points:?}");
    }
}

/// What a plain turn passes before the model has decided.
const THINKING: [&str; 10] = [
    "before say 1",
    "after say 1",
    "before begin 1",
    "after begin 1",
    "before page 1",
    "after page 1",
    "model 1 asked",
    "model 1 after 0 pieces",
    "model 1 after 1 pieces",
    "model 1 ends",
];

async fn a_reply(mut house: House) {
    let points = house.points(Scene::Reply).await;
    assert_among(&points, &THINKING);
    let sending = [
        "before intend 1",
        "after intend 1",
        "before overview 1",
        "after overview 1",
        "letter 1 unwritten",
        "letter 1 half written",
        "letter 1 handed over",
        "letter 1 accepted",
        "letter 1 answered",
        "before settle 1",
        "after settle 1",
        // Whether anybody waits.
        "before overview 2",
        "after overview 2",
    ];
    assert_among(&points, &sending);
    house.kill_at(&Cue::new(Scene::Reply, &[]), &points).await;
}

async fn a_silence(mut house: House) {
    let points = house.points(Scene::Skip).await;
    assert_among(&points, &THINKING);
    assert_among(
        &points,
        &["before decide 1", "after decide 1", "before overview 1", "after overview 1"],
    );
    house.kill_at(&Cue::new(Scene::Skip, &[]), &points).await;
}

async fn a_plain_text(mut house: House) {
    let points = house.points(Scene::Text).await;
    assert_among(&points, &THINKING);
    assert_among(
        &points,
        &["before answer 1", "after answer 1", "before overview 1", "after overview 1"],
    );
    house.kill_at(&Cue::new(Scene::Text, &[]), &points).await;
}

/// The points that a plain reply has not.
async fn more_than_a_reply(house: &mut House, scene: Scene) -> Vec<String> {
    let plain = house.points(Scene::Reply).await;
    let points = house.points(scene).await;
    points.into_iter().filter(|point| !plain.contains(point)).collect()
}

async fn a_renewed_turn(mut house: House) {
    let points = more_than_a_reply(&mut house, Scene::Renewed).await;
    assert_among(&points, &["before renew 1", "after renew 1"]);
    house.kill_at(&Cue::new(Scene::Renewed, &[]), &points).await;
}

async fn a_turn_that_is_handed_back(mut house: House) {
    let points = more_than_a_reply(&mut house, Scene::HandedBack).await;
    assert_among(&points, &["before release 1", "after release 1"]);
    house.kill_at(&Cue::new(Scene::HandedBack, &[]), &points).await;
}

/// It comes while the model thinks, and has a turn of its own.
async fn a_second_message(mut house: House) {
    let points = house.points(Scene::SecondMessage).await;
    assert_among(&points, &["before say 2", "after say 2", "before begin 2", "letter 2 accepted"]);
    house.kill_at(&Cue::new(Scene::SecondMessage, &[]), &points).await;
}

/// It comes at every point, and the kill follows on its heels.
async fn a_message_before_the_kill(mut house: House) {
    let points = house.points(Scene::Reply).await;
    let cue = Cue { last_words: LastWords::More, ..Cue::new(Scene::Reply, &[]) };
    house.kill_at(&cue, &points).await;
}

/// The question is taken back at every point, and the kill follows on its heels.
async fn an_unsend_before_the_kill(mut house: House) {
    let points = house.points(Scene::Reply).await;
    let cue = Cue { last_words: LastWords::TakeBack, ..Cue::new(Scene::Reply, &[]) };
    house.kill_at(&cue, &points).await;
}

/// Killed with a letter out, and again at every point of finding out about it.
async fn a_restart(mut house: House) {
    let cue = Cue::new(Scene::Reply, &["letter 1 accepted"]);
    let points = house.play(&cue).await.reached;
    assert_among(&points, &["before find 1", "after find 1", "before settle 1", "after settle 1"]);
    house.kill_at(&cue, &points).await;
}

/// Every play on every durable store.
macro_rules! on_every_store {
    ($($play:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $play() {
                super::$play(super::House::on_sqlite()).await;
            })*
        }
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $play() {
                super::$play(super::House::on_postgres()).await;
            })*
        }
    };
}

on_every_store![
    a_reply,
    a_silence,
    a_plain_text,
    a_renewed_turn,
    a_turn_that_is_handed_back,
    a_second_message,
    a_message_before_the_kill,
    an_unsend_before_the_kill,
    a_restart,
];
