//! What may delay the last step, the emptying of the log beside the file: readers, load, the end of
//! the process. And words in errors.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use rusqlite::Connection;
use tokio::task::JoinSet;
use unsaid_core::{
    domain::message::Message,
    port::{error::StoreError, history::Commit},
};
use unsaid_testkit::{
    builder::{
        agent, at, chat, chat_key, consent_line, message, person, person_id, say, unsend, world,
        world_key,
    },
    talk::Talk,
};

use super::{
    House,
    search::{marked, marks_in},
};
use crate::wait::{now, until};

/// How long a reader looks at one state.
const LOOK: Duration = Duration::from_millis(20);

/// Somebody who looks at one state of the file, as a backup does.
fn snapshot(house: &House) -> Connection {
    let reader = house.scene.plain();
    reader.execute_batch("BEGIN").unwrap();
    let messages: i64 =
        reader.query_row("SELECT count(*) FROM message", [], |row| row.get(0)).unwrap();
    assert!(messages > 0, "the reader sees what is to be forgotten");
    reader
}

#[tokio::test]
async fn h13_a_reader_delays_the_end_and_does_not_prevent_it() {
    let house = House::new();
    house.talk().make(say(marked("m1", 1, 500))).await;
    let reader = snapshot(&house);
    house.talk().make(unsend("m1")).await;
    for number in 0..50 {
        house.talk().say(&format!("n{number}")).await;
    }
    house.assert_there(1);
    house.talk().assert_wordless("m1").await;
    reader.execute_batch("COMMIT").unwrap();
    house.assert_gone(1);
}

/// The process may end while a reader is in the way, and the next one begin.
#[tokio::test]
async fn h13_the_next_process_finishes_what_a_reader_delayed() {
    let mut house = House::new();
    house.talk().make(say(marked("m1", 1, 500))).await;
    let reader = snapshot(&house);
    house.talk().make(unsend("m1")).await;
    let scene = crate::scene::Scene::at(house.scene.root());
    house.store = scene.open();
    house.assert_there(1);
    reader.execute_batch("COMMIT").unwrap();
    house.assert_gone(1);
}

/// At every moment somebody looks at an older state, and somebody writes.
#[tokio::test(flavor = "multi_thread")]
async fn h13_words_go_also_while_others_read_and_write_without_a_pause() {
    let house = House::new();
    house.talk().make(say(marked("m1", 1, 500))).await;
    let done = Arc::new(AtomicBool::new(false));
    let readers = thread::spawn({
        let (readers, done) = ([house.scene.plain(), house.scene.plain()], Arc::clone(&done));
        move || look_in_turns(&readers, &done)
    });
    let mut writers = JoinSet::new();
    for writer in 0..2 {
        let (talk, done) = (house.talk(), Arc::clone(&done));
        writers.spawn(async move {
            let mut turns = 0;
            while !done.load(Ordering::Relaxed) {
                talk.say(&format!("w{writer}-{turns}")).await;
                turns += 1;
            }
            turns
        });
    }
    house.talk().make(unsend("m1")).await;
    let (began, data) = (now(), house.scene.data());
    let gone = tokio::task::spawn_blocking(move || {
        until("the words go", super::GONE_WITHIN, || !marks_in(&data).contains(&1));
    });
    let gone = gone.await;
    done.store(true, Ordering::Relaxed);
    let (looks, turns) = (readers.join().unwrap(), writers.join_all().await);
    assert!(gone.is_ok(), "the words stayed; meanwhile {looks} looks and {turns:?} changes");
    eprintln!("under load the words went after {:?}", now() - began);
    assert!(
        looks > 10 && turns.iter().all(|turns| *turns > 10),
        "{looks} looks, {turns:?} changes"
    );
}

/// One begins to look before the other ends.
fn look_in_turns([one, other]: &[Connection; 2], done: &AtomicBool) -> u32 {
    let look = |reader: &Connection| {
        reader.execute_batch("BEGIN; SELECT count(*) FROM message").unwrap();
    };
    look(one);
    let mut looks = 1;
    while !done.load(Ordering::Relaxed) {
        let (ending, beginning) = if looks % 2 == 0 { (other, one) } else { (one, other) };
        // waits: a reader that takes its time is what this is about
        thread::sleep(LOOK);
        look(beginning);
        ending.execute_batch("COMMIT").unwrap();
        looks += 1;
    }
    looks
}

/// An engine may quote a value where it says what is wrong with it.
#[tokio::test]
async fn words_are_in_no_error_of_a_failing_commit() {
    let house = House::new();
    house.talk().make(say(message("m0"))).await;
    let plain = house.scene.plain();
    plain
        .execute_batch(
            "CREATE TRIGGER quote BEFORE INSERT ON words
             BEGIN SELECT RAISE(ABORT, CAST(NEW.content AS TEXT)); END;
             CREATE TRIGGER quote_again BEFORE UPDATE ON words
             BEGIN SELECT RAISE(ABORT, CAST(NEW.content AS TEXT)); END;",
        )
        .unwrap();
    let commit = Commit::new(say(marked("m1", 1, 300)), at(1));
    assert!(!format!("{commit:?}").contains("canary"), "a change prints its words");
    let error = house.store.commit(&chat_key("c1"), commit).await.unwrap_err();
    assert_wordless(&error);
    plain.execute_batch("DROP TRIGGER quote; DROP TRIGGER quote_again").unwrap();
    house.talk().make(say(marked("m1", 1, 300))).await;
    assert_eq!(house.talk().heard().await, ["m0", "m1"], "the next commit is well");
}

/// Nor where it reads something that nobody can have written.
#[tokio::test]
async fn words_are_in_no_error_about_damaged_words() {
    let house = House::new();
    let store = &house.store;
    house.talk().make(say(marked("m1", 1, 300))).await;
    assert!(store.add(person("ana", true), consent_line(true, 0)).await.unwrap());
    store.add_world(world("ana", "w"), chat("c9", 0), vec![agent("kai")]).await.unwrap().unwrap();
    let damage = "UPDATE words SET content = CAST('\"canary-00000001' AS BLOB) || x'ff'";
    house.scene.plain().execute_batch(damage).unwrap();
    let key = world_key("ana", "w");
    for error in [
        store.page(&chat_key("c1"), None, 10).await.unwrap_err(),
        store.whole(&chat_key("c1")).await.unwrap_err(),
        store.person(&person_id("ana")).await.unwrap_err(),
        store.agents(&key).await.unwrap_err(),
        store.chats(&key).await.unwrap_err(),
        store.world(&key).await.unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
        assert_wordless(&error);
    }
}

fn assert_wordless(error: &StoreError) {
    for text in [error.to_string(), format!("{error:?}")] {
        assert!(!text.contains("canary"), "an error quotes words: {text}");
    }
}

/// A message with words prints none of them.
#[test]
fn words_are_not_printed() {
    let message: Message = marked("m1", 1, 300);
    assert!(!format!("{message:?} {:?}", say(message.clone())).contains("canary"));
}

/// The server's own readers end by themselves.
#[tokio::test]
async fn h13_a_look_at_the_store_keeps_nothing_back() {
    let house = House::new();
    for number in 0..20 {
        let talk: Talk = house.talk();
        talk.make(say(marked(&format!("m{number}"), number, 500))).await;
        talk.heard().await;
        talk.make(unsend(&format!("m{number}"))).await;
    }
    let data = house.scene.data();
    until("the words go", Duration::from_secs(10), || marks_in(&data).is_empty());
}
