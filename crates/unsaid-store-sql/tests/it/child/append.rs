//! Children that append. What they say: `ack` after a commit came back, `take` before one is taken
//! back, `gone` after that came back; each with the chat and the message.

use std::{fs, sync::Arc, time::Duration};

use tokio::task::JoinSet;
use unsaid_core::{
    domain::{
        conversation::change::{Change, Outcome},
        id::{Fence, HolderId},
        message::{Message, Part},
    },
    port::{
        Store,
        error::StoreError,
        history::{Commit, Committed},
    },
};
use unsaid_store_sql::sqlite::{Options, SqliteStore};
use unsaid_testkit::builder::{ask, at, chat_key, message, say, unsend, words, words_of};

use super::Speaker;
use crate::{scene::Scene, wait::until};

/// Tasks that append at once.
pub(crate) const WRITERS: usize = 16;
/// The chats they append to.
pub(crate) const CHATS: [&str; 5] = ["c0", "c1", "c2", "c3", "c4"];
/// The chat in which a turn is kept meanwhile.
pub(super) const TURN: &str = "turn";

pub(super) async fn forever(scene: &Scene, said: Speaker) {
    let store = scene.open();
    let said = Arc::new(said);
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (store, said) = (Arc::clone(&store), Arc::clone(&said));
        writers.spawn(async move {
            for turn in 0.. {
                append(&*store, &said, writer, turn).await;
            }
        });
    }
    writers.join_all().await;
}

/// Rounds, and between them time for the writer to empty its log. Between the messages a turn is kept,
/// which need not last.
pub(super) async fn and_take_back(scene: &Scene, said: Speaker, durable: bool) {
    let options = Options { durable, ..Options::default() };
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&scene.db(), &options).unwrap());
    let said = Arc::new(said);
    let fence = take_turn(&*store).await;
    for round in 0..6 {
        let mut writers = JoinSet::new();
        for writer in 0..6 {
            let (store, said) = (Arc::clone(&store), Arc::clone(&said));
            writers.spawn(async move {
                let turns = round * 10..round * 10 + 10;
                for turn in turns.clone() {
                    append(&*store, &said, writer, turn).await;
                    let until = at(2_000 + i64::try_from(turn).unwrap());
                    commit(&*store, TURN, Change::Renew { fence, until }).await.unwrap();
                }
                if writer % 2 == 0 {
                    take_back(&*store, &said, writer, turns.start + 3).await;
                }
            });
        }
        writers.join_all().await;
        let log = || fs::metadata(scene.wal()).map_or(0, |log| log.len());
        until("the log is emptied", Duration::from_mins(1), || log() == 0);
    }
    // Calls that are under way when a process ends are written down in halves.
    drop(store);
    scene.until_closed();
}

pub(super) async fn take_turn(store: &dyn Store) -> Fence {
    commit(store, TURN, ask(message("q1"), at(0))).await.unwrap();
    let begin = Change::Begin { holder: HolderId::new("child").unwrap(), until: at(2_000) };
    let Ok(Outcome::Began(lease)) = commit(store, TURN, begin).await else { panic!("no turn") };
    lease.fence
}

/// The chat and the id of a writer's message.
fn name(said: &Speaker, writer: usize, turn: usize) -> (&'static str, String) {
    (CHATS[(writer + turn) % CHATS.len()], format!("r{}-w{writer}-{turn}", said.run))
}

async fn append(store: &dyn Store, said: &Speaker, writer: usize, turn: usize) {
    let (chat, id) = name(said, writer, turn);
    let change = say(long_message(&id, turn * 97 % 3_000));
    let outcome = loop {
        match commit(store, chat, change.clone()).await {
            // Another process was in the way too long: nothing was written.
            Err(StoreError::Unavailable(why)) if why.contains("Busy") => {}
            outcome => break outcome,
        }
    };
    assert!(matches!(outcome, Ok(Outcome::Said(_))), "{outcome:?}");
    said.say(format_args!("ack {chat} {id}"));
}

async fn take_back(store: &dyn Store, said: &Speaker, writer: usize, turn: usize) {
    let (chat, id) = name(said, writer, turn);
    said.say(format_args!("take {chat} {id}"));
    let outcome = commit(store, chat, unsend(&id)).await;
    assert!(matches!(outcome, Ok(Outcome::Removed { .. })), "{outcome:?}");
    said.say(format_args!("gone {chat} {id}"));
}

/// The words of its id, and more of them.
pub(super) fn long_message(id: &str, bytes: usize) -> Message {
    let text = words_of(id).repeat(1 + bytes / words_of(id).len());
    Message { parts: vec![Part::text(words(&text))], ..message(id) }
}

pub(super) async fn commit(
    store: &dyn Store,
    chat: &str,
    change: Change,
) -> Result<Outcome, StoreError> {
    match store.commit(&chat_key(chat), Commit::new(change, at(1_000))).await? {
        Committed::Applied(applied, _) => Ok(applied.outcome),
        other @ (Committed::Refused(_) | Committed::Repeated(_)) => panic!("{other:?}"),
    }
}
