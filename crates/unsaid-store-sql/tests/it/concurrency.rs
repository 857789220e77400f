//! The file beside others: a second process, other programs, other versions.

use std::{collections::BTreeSet, fs, os::unix::fs::PermissionsExt, sync::Arc, time::Duration};

use rusqlite::config::DbConfig;
use tokio::task::JoinSet;
use unsaid_core::{
    domain::{
        conversation::{
            change::{Applied, Change, Event, Outcome},
            turn::Lease,
        },
        id::{HolderId, Number},
    },
    port::{
        Store,
        error::StoreError,
        history::{Commit, Committed, History as _},
    },
};
use unsaid_store_sql::sqlite::{OpenError, Options, SqliteStore, schema_version};
use unsaid_testkit::{
    builder::{answer, ask, at, chat_key, message, message_id, say},
    talk::Talk,
};

use crate::{
    child::{self, CHATS, Role},
    scene::{Said, Scene},
    wait::{until, until_well},
};

const LIMIT: Duration = Duration::from_mins(1);
const SAID_HERE: usize = 300;
/// A disk may stall in the other's commit for longer than anybody waits; seldom.
const REFUSED_MAX: usize = 3;

/// Two stores on one file, as the server and a command are.
#[tokio::test(flavor = "multi_thread")]
async fn h2_two_stores_on_one_file_give_one_order() {
    let scene = Scene::new();
    let stores = [scene.open(), scene.open()];
    let mut writers = JoinSet::new();
    for (number, store) in stores.iter().enumerate() {
        let talk = Talk::chat(store);
        writers.spawn(async move {
            let mut numbers = Vec::new();
            for turn in 0..100 {
                numbers.push(say_beside_others(&talk, &format!("s{number}-{turn}")).await);
            }
            numbers
        });
    }
    let (mut numbers, refused) = sum(writers.join_all().await.concat());
    assert!(refused <= REFUSED_MAX, "refused {refused} times");
    numbers.sort();
    assert!(numbers.into_iter().eq((1..=200).map(Number::new)), "not one order");
    for store in &stores {
        let page = store.page(&chat_key("c1"), None, 1_000).await.unwrap();
        assert_eq!(page.len(), 200);
    }
}

/// Each store takes event numbers in blocks of its own; whoever resumes still misses nothing.
#[tokio::test]
async fn events_of_two_stores_on_one_file_rise_in_the_order_of_their_commits() {
    let scene = Scene::new();
    let (one, two) = (scene.open(), scene.open());
    let talks = [&one, &two, &two, &one, &one, &two].map(Talk::chat);
    Talk::new(&one, chat_key("other")).say("m").await;
    for (number, talk) in talks.iter().enumerate() {
        talk.say(&format!("m{number}")).await;
    }
    let events = talks[0].events().await;
    let told = events.iter().map(|(_, event)| event.clone());
    let said = (0..6).map(|number| Event::Message { id: message_id(&format!("m{number}")) });
    assert!(told.eq(said), "{events:?}");
    assert!(events.is_sorted_by(|(a, _), (b, _)| a < b), "{events:?}");
}

/// Says something, again if the other was in the way too long; how often that was.
async fn say_beside_others(talk: &Talk, id: &str) -> (Number, usize) {
    for refused in 0..=REFUSED_MAX {
        match talk.store.commit(&talk.key, talk.change(say(message(id)))).await {
            Ok(Committed::Applied(Applied { outcome: Outcome::Said(number), .. }, _)) => {
                return (number, refused);
            }
            Err(StoreError::Unavailable(why)) if why.contains("Busy") => {}
            other => panic!("{id}: {other:?}"),
        }
    }
    panic!("{id} was refused again and again")
}

fn sum(said: Vec<(Number, usize)>) -> (Vec<Number>, usize) {
    let refused = said.iter().map(|(_, refused)| refused).sum();
    (said.into_iter().map(|(number, _)| number).collect(), refused)
}

/// A server that writes without a pause, and somebody who types a command: both get their turn.
#[tokio::test(flavor = "multi_thread")]
async fn h2_two_processes_on_one_file_give_one_order() {
    let scene = Scene::new();
    let store = scene.open();
    let child = child::start(&scene, Role::AppendForever, 1);
    until("the other process writes", LIMIT, || Said::read(&scene).after("ack").count() > 0);
    let mut here = Vec::new();
    for turn in 0..SAID_HERE {
        let talk = Talk::new(&store, chat_key(CHATS[turn % CHATS.len()]));
        here.push(say_beside_others(&talk, &format!("here-{turn}")).await);
    }
    let (_, refused) = sum(here);
    assert!(refused <= REFUSED_MAX, "refused {refused} times");
    child.kill();
    let mut there = BTreeSet::new();
    for chat in CHATS {
        let page = store.page(&chat_key(chat), None, 1_000_000).await.unwrap();
        let numbers = page.iter().map(|entry| entry.number);
        assert!(numbers.eq((1..=page.len() as u64).map(Number::new)), "{chat} has a gap");
        let ids = page.iter().map(|entry| entry.message.id.to_string());
        there.extend(ids.map(|id| (chat.to_owned(), id)));
    }
    assert!(there.is_superset(&Said::read(&scene).places("ack")), "something is lost");
    assert_eq!(there.iter().filter(|(_, id)| id.starts_with("here-")).count(), SAID_HERE);
    scene.assert_whole();
}

#[tokio::test]
async fn files_are_for_their_owner_only() {
    let scene = Scene::new();
    let store = scene.open();
    let talk = Talk::chat(&store);
    talk.say("m1").await;
    talk.heard().await;
    let modes: Vec<(String, u32)> = fs::read_dir(scene.data())
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            (entry.file_name().into_string().unwrap(), mode)
        })
        .collect();
    assert_eq!(modes.len(), 3, "{modes:?}");
    assert!(modes.iter().all(|(_, mode)| *mode == 0o600), "{modes:?}");
}

/// A file of this program, closed.
fn closed() -> Scene {
    let scene = Scene::new();
    drop(scene.open());
    scene.until_closed();
    scene
}

fn refusal(scene: &Scene) -> OpenError {
    let before = scene.bytes();
    let error = SqliteStore::open(&scene.db(), &Options::default()).err();
    assert!(scene.bytes() == before, "a file that was refused has changed");
    error.expect("it is refused")
}

fn assert_newer(error: &OpenError) {
    let known = schema_version();
    match error {
        OpenError::Newer { found, known: told } => {
            assert_eq!((*found, *told), (known + 1, known));
            let sentence = error.to_string();
            assert!(sentence.contains(&format!("version {found}")), "{sentence}");
        }
        OpenError::Damaged(_) | OpenError::Io(_) => panic!("{error:?}"),
    }
}

#[test]
fn a_newer_file_is_refused_and_stays_as_it_is() {
    let scene = closed();
    let newer = schema_version() + 1;
    let plain = scene.plain();
    plain.pragma_update(None, "user_version", newer).unwrap();
    plain.close().unwrap();
    assert_newer(&refusal(&scene));
}

/// A newer program was killed before its log was brought into the file.
#[test]
fn a_file_that_is_newer_in_its_log_only_is_refused_and_stays_as_it_is() {
    let scene = closed();
    let newer = schema_version() + 1;
    let plain = scene.plain();
    plain.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    plain.pragma_update(None, "user_version", newer).unwrap();
    plain.close().unwrap();
    assert!(fs::metadata(scene.wal()).unwrap().len() > 0);
    let files = || [scene.db(), scene.wal()].map(|path| fs::read(path).unwrap());
    let before = files();
    let error = SqliteStore::open(&scene.db(), &Options::default()).err();
    assert_newer(&error.expect("it is refused"));
    // The index of the log in memory, the `-shm`, is made anew by whoever opens the file.
    assert!(files() == before, "a file that was refused has changed");
}

#[test]
fn a_file_that_is_no_database_is_refused_and_stays_as_it_is() {
    let mut looks_like_one = b"SQLite format 3\0".to_vec();
    looks_like_one.resize(60, 0xaa);
    looks_like_one.extend(schema_version().to_be_bytes());
    looks_like_one.resize(8_192, 0xaa);
    let text = b"a letter to a friend\n".repeat(500);
    for bytes in [b"short".to_vec(), text, looks_like_one] {
        let scene = Scene::new();
        fs::write(scene.db(), bytes).unwrap();
        let error = refusal(&scene);
        assert!(matches!(error, OpenError::Damaged(_)), "{error:?}");
        assert!(error.to_string().starts_with("the database is damaged: "), "{error}");
    }
}

#[test]
fn a_file_that_was_cut_short_is_refused_and_stays_as_it_is() {
    let scene = closed();
    let mut bytes = fs::read(scene.db()).unwrap();
    bytes.truncate(bytes.len() / 2 / 4_096 * 4_096);
    fs::write(scene.db(), bytes).unwrap();
    let error = refusal(&scene);
    assert!(matches!(error, OpenError::Damaged(_)), "{error:?}");
}

/// The store keeps serving while another program holds the file for a moment.
#[tokio::test]
async fn a_change_waits_for_another_writer() {
    let scene = Scene::new();
    let store: Arc<dyn Store> = scene.open();
    let plain = scene.plain();
    plain.execute_batch("BEGIN IMMEDIATE").unwrap();
    let talk = Talk::chat(&store);
    let mut said = std::pin::pin!(talk.say("m1"));
    // Polled once, so that it waits at the writer when the other lets go.
    let first = std::future::poll_fn(|context| std::task::Poll::Ready(said.as_mut().poll(context)));
    assert!(first.await.is_pending(), "it did not wait");
    plain.execute_batch("COMMIT").unwrap();
    assert_eq!(said.await, Number::new(1));
}

/// It does not wait for ever, and says what it waited for.
#[tokio::test]
async fn a_change_that_waited_too_long_says_why() {
    let scene = Scene::new();
    let store: Arc<dyn Store> = scene.open();
    let talk = Talk::chat(&store);
    talk.say("m0").await;
    let plain = scene.plain();
    plain.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.commit(&talk.key, talk.change(say(message("m1")))).await.unwrap_err();
    assert!(matches!(&error, StoreError::Unavailable(why) if why.contains("Busy")), "{error:?}");
    assert!(store.check().await.is_err(), "a store that cannot be written says so");
    plain.execute_batch("COMMIT").unwrap();
    until_well(&*store).await;
    assert_eq!(talk.say("m1").await, Number::new(2), "nothing of it was kept");
}

/// On Unix a process that closes a file loses its locks on it, also those it got through another
/// descriptor. Then the next process that ends believes to be the last one, and removes the log.
#[tokio::test]
async fn h1_a_second_store_in_one_process_does_not_cost_the_first_its_locks() {
    let scene = Scene::new();
    let store = scene.open();
    let talk = Talk::chat(&store);
    talk.say("m1").await;
    let second = scene.open();
    child::start(&scene, Role::Open, 1).finish(LIMIT);
    assert_eq!(Said::read(&scene).after("opened").count(), 1);
    talk.say("m2").await;
    // What a crash would leave behind now.
    let after = Scene::new();
    for path in [scene.db(), scene.wal()] {
        fs::copy(&path, after.data().join(path.file_name().unwrap())).unwrap();
    }
    assert_eq!(Talk::chat(&after.open()).heard().await, ["m1", "m2"]);
    drop(second);
}

/// Who takes or keeps a turn does not wait for the disk; who says or answers something does.
#[tokio::test]
async fn h1_only_what_must_last_waits_for_the_disk() {
    let scene = Scene::new();
    let store = SqliteStore::open(&scene.db(), &Options::default()).unwrap();
    let commit = async |change| {
        let before = store.commits();
        let made = store.commit(&chat_key("c1"), Commit::new(change, at(10))).await.unwrap();
        let Committed::Applied(applied, _) = made else { panic!("{made:?}") };
        (applied.outcome, store.commits() - before)
    };
    assert_eq!(commit(ask(message("m1"), at(0))).await.1, 1);
    let begin = Change::Begin { holder: HolderId::new("here").unwrap(), until: at(50) };
    let (Outcome::Began(Lease { fence, .. }), 0) = commit(begin).await else { panic!("no turn") };
    assert_eq!(commit(Change::Renew { fence, until: at(60) }).await, (Outcome::Done, 0));
    let messages = vec![answer("a1")];
    assert_eq!(commit(Change::Answer { fence, messages, last: true }).await.1, 1);
    assert_eq!(commit(say(message("m2"))).await.1, 1);
}

/// Nobody waits for the log to be brought into the file, and it does not grow without end.
#[tokio::test]
async fn h12_the_log_stays_short_however_much_is_said() {
    let scene = Scene::new();
    let store = scene.open();
    let mut longest = 0;
    for number in 0..1_500 {
        let said = say(message(&format!("m{number}")));
        store.commit(&chat_key("c1"), Commit::new(said, at(10))).await.unwrap();
        longest = longest.max(fs::metadata(scene.wal()).unwrap().len());
    }
    // Frames of a page and its head; a commit may go beyond the mark.
    assert!(longest < 4_200 * (4_096 + 24), "{longest} bytes");
    // And it was needed: all of it would have been longer.
    assert!(longest > 900 * (4_096 + 24), "{longest} bytes");
}
