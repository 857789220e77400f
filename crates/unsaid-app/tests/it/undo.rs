//! Takes an edit back.

use unsaid_app::{
    call::{Call, Once},
    undo::{Undo, UndoError, Undone, undo},
};
use unsaid_core::domain::conversation::change::{Change, Event, Interrupt};
use unsaid_testkit::builder::{answer, at, edit, edit_id, key_use, message, message_id, words_of};

use crate::given::{House, made, told};

const UNTIL: i64 = 60_000;

fn back(call: Call, id: &str) -> Undo {
    Undo { call, id: edit_id(id), interrupt: Interrupt::No }
}

async fn undoes(house: &House, change: Undo) -> Result<Once<Undone>, UndoError> {
    undo(&*house.port, &house.watchers, change).await
}

/// A house where m1 and its answer were replaced by m2.
async fn edited() -> House {
    let house = House::new().await;
    house.talk().exchange("m1", "a1").await;
    house.talk().make(edit("m1", message("m2"), "e1", at(UNTIL))).await;
    house
}

#[tokio::test]
async fn what_was_removed_is_back_and_watchers_are_told() {
    let house = edited().await;
    let mut watch = house.watch();
    let undone = made(undoes(&house, back(house.call(), "e1")).await.unwrap());
    assert_eq!(undone, Undone { from: Some(message_id("m1")), restored: 2 });
    assert_eq!(house.talk().heard().await, ["m1", "a1"]);
    let from = message_id("m2");
    let removed = Event::Removed { from, count: 1, edit: None, unsent: false };
    assert_eq!(told(&mut watch).await.1, removed);
    let (edit, from) = (edit_id("e1"), message_id("m1"));
    assert_eq!(told(&mut watch).await.1, Event::Restored { edit, from, count: 2 });
}

#[tokio::test]
async fn unknown_twice_blocked_and_late_are_told_apart() {
    let house = edited().await;
    assert_eq!(undoes(&house, back(house.call(), "e9")).await, Err(UndoError::NotFound));
    made(undoes(&house, back(house.call(), "e1")).await.unwrap());
    assert_eq!(undoes(&house, back(house.call(), "e1")).await, Err(UndoError::Blocked));
    house.talk().make(edit("m1", message("m3"), "e2", at(UNTIL))).await;
    house.clock.set(at(UNTIL));
    assert_eq!(undoes(&house, back(house.call(), "e2")).await, Err(UndoError::Expired));
}

#[tokio::test]
async fn a_running_turn_is_waited_for_unless_interrupted() {
    let house = edited().await;
    let until = at(50_000);
    house.talk().make(unsaid_testkit::builder::ask(answer("a9"), at(0))).await;
    let holder = unsaid_testkit::builder::holder_id("h1");
    house.talk().make(Change::Begin { holder, until }).await;
    let waits = undoes(&house, back(house.call(), "e1")).await;
    assert_eq!(waits, Err(UndoError::TurnInProgress { until }));
    let change = Undo { interrupt: Interrupt::Yes, ..back(house.call(), "e1") };
    made(undoes(&house, change).await.unwrap());
}

#[tokio::test]
async fn withdrawal_closes_the_window_at_once() {
    let house = edited().await;
    house.switch("ana", false).await;
    house.talk().assert_unsaid(&words_of("m1")).await;
    assert_eq!(undoes(&house, back(house.call(), "e1")).await, Err(UndoError::Blocked));
}

#[tokio::test]
async fn a_key_counts_once() {
    let house = edited().await;
    let key = key_use("ana", "k1", 1_000);
    let keyed = || back(house.call().once(key.clone()), "e1");
    made(undoes(&house, keyed()).await.unwrap());
    assert_eq!(undoes(&house, keyed()).await, Ok(Once::Repeated(key.clone())));
}
