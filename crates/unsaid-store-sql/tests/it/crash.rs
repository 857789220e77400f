//! H1: `kill -9` while many append. What was acknowledged is there when the file is opened again.

use std::{fs, time::Duration};

use unsaid_core::domain::id::Number;
use unsaid_testkit::{builder::chat_key, random::dice::Dice};

use crate::{
    child::{self, CHATS, Role, WRITERS},
    scene::{Said, Scene},
    wait::until,
};

const FILES: u32 = 5;
const KILLS_PER_FILE: u32 = 10;
const ACKS_BEFORE_KILL_MAX: u64 = 300;
const LIMIT: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread")]
async fn h1_fifty_kills_lose_no_acknowledged_message() {
    let mut dice = Dice::new(50);
    let mut acknowledged = 0;
    for file in 0..FILES {
        let scene = Scene::new();
        for kill in 1..=KILLS_PER_FILE {
            kill_while_appending(&scene, file * KILLS_PER_FILE + kill, &mut dice);
            assert_nothing_lost(&scene, kill as usize).await;
        }
        acknowledged += Said::read(&scene).after("ack").count();
    }
    eprintln!("{} kills, {acknowledged} messages acknowledged", FILES * KILLS_PER_FILE);
}

fn kill_while_appending(scene: &Scene, run: u32, dice: &mut Dice) {
    let before = Said::read(scene).after("ack").count();
    let more = 1 + dice.index(usize::try_from(ACKS_BEFORE_KILL_MAX).unwrap());
    let child = child::start(scene, Role::AppendForever, run);
    until("enough is acknowledged", LIMIT, || {
        Said::read(scene).after("ack").count() >= before + more
    });
    child.kill();
}

async fn assert_nothing_lost(scene: &Scene, kills: usize) {
    let acknowledged = Said::read(scene).places("ack");
    let store = scene.open();
    let mut there = std::collections::BTreeSet::new();
    for chat in CHATS {
        let page = store.page(&chat_key(chat), None, 1_000_000).await.unwrap();
        let numbers = page.iter().map(|entry| entry.number);
        assert!(numbers.eq((1..=page.len() as u64).map(Number::new)), "{chat} has a gap");
        let ids = page.iter().map(|entry| entry.message.id.to_string());
        there.extend(ids.map(|id| (chat.to_owned(), id)));
        for entry in &page {
            assert!(
                !entry.gone && !entry.message.parts.is_empty(),
                "{:?} has no words",
                entry.message.id
            );
        }
    }
    let lost: Vec<_> = acknowledged.difference(&there).collect();
    assert!(lost.is_empty(), "lost: {lost:?}");
    // Each writer waits for one commit at a time.
    assert!(there.len() - acknowledged.len() <= kills * WRITERS, "acknowledged too late");
    scene.assert_whole();
}

/// Also a file that is being made is none that cannot be opened.
#[tokio::test(flavor = "multi_thread")]
async fn a_kill_while_the_file_is_made_leaves_one_that_opens() {
    for round in 0..10 {
        let scene = Scene::new();
        let child = child::start(&scene, Role::AppendForever, 1);
        let bytes = round * 4_096;
        until("the file begins", LIMIT, || {
            let size = |path| fs::metadata(path).map(|file| file.len());
            let (db, wal) = (size(scene.db()), size(scene.wal()));
            db.is_ok_and(|db| db + wal.unwrap_or(0) >= bytes)
        });
        child.kill();
        assert_nothing_lost(&scene, 1).await;
    }
}
