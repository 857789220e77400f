//! The switch, what it shows, and its ledger.

use unsaid_app::consent::{
    ConsentError, Preferences, Switch, Switched, ledger, preferences, switch,
};
use unsaid_core::domain::time::Timestamp;
use unsaid_testkit::builder::{GRACE_MS, at, consent_move, person_id};

use crate::given::House;

async fn moves(house: &House, name: &str, grant: bool) -> Result<Switched, ConsentError> {
    let to = consent_move(grant, house.now().as_millis());
    switch(&*house.port, Switch { person: person_id(name), to }).await
}

async fn shows(house: &House, name: &str) -> Result<Preferences, ConsentError> {
    preferences(&*house.port, &person_id(name), house.now()).await
}

fn showing(store_history: bool, changed_at: i64, gone_at: Option<Timestamp>) -> Preferences {
    let changed_at = at(changed_at);
    Preferences { store_history, changed_at, deletion_scheduled_at: gone_at }
}

#[tokio::test]
async fn off_starts_the_countdown_and_on_ends_it() {
    let house = House::new().await;
    assert_eq!(shows(&house, "ana").await, Ok(showing(true, 0, None)));
    let due = at(1_000 + GRACE_MS);
    let off = showing(false, 1_000, Some(due));
    let moved = moves(&house, "ana", false).await.unwrap();
    assert_eq!(moved, Switched { preferences: off, changed: true, erased: false });
    assert_eq!(shows(&house, "ana").await, Ok(off));
    house.clock.set(at(2_000));
    let moved = moves(&house, "ana", true).await.unwrap();
    let on = showing(true, 2_000, None);
    assert_eq!(moved, Switched { preferences: on, changed: true, erased: false });
}

#[tokio::test]
async fn the_same_value_moves_nothing() {
    let house = House::new().await;
    for (name, value) in [("ana", true), ("bob", false)] {
        let before = shows(&house, name).await.unwrap();
        house.clock.advance(5);
        let moved = moves(&house, name, value).await.unwrap();
        assert_eq!(moved, Switched { preferences: before, changed: false, erased: false });
    }
    moves(&house, "ana", false).await.unwrap();
    house.clock.advance(5);
    assert!(!moves(&house, "ana", false).await.unwrap().changed, "the date stands");
}

#[tokio::test]
async fn from_the_due_moment_on_there_is_no_date() {
    let house = House::new().await;
    moves(&house, "ana", false).await.unwrap();
    house.clock.set(at(1_000 + GRACE_MS));
    assert_eq!(shows(&house, "ana").await, Ok(showing(false, 1_000, None)));
}

#[tokio::test]
async fn a_grant_that_came_too_late_says_that_history_was_erased() {
    let house = House::new().await;
    house.talk().say("m1").await;
    moves(&house, "ana", false).await.unwrap();
    house.clock.set(at(1_000 + GRACE_MS));
    let moved = moves(&house, "ana", true).await.unwrap();
    assert!(moved.erased && moved.preferences.store_history);
    assert!(house.talk().heard().await.is_empty());
}

#[tokio::test]
async fn every_move_is_a_line_of_the_ledger() {
    let house = House::new().await;
    for grant in [true, false, false, true] {
        house.clock.advance(1_000);
        moves(&house, "ana", grant).await.unwrap();
    }
    let lines = ledger(&*house.port, &person_id("ana")).await.unwrap();
    let lines: Vec<_> = lines.iter().map(|line| (line.at.as_millis(), line.granted)).collect();
    assert_eq!(lines, [(0, true), (3_000, false), (5_000, true)]);
}

#[tokio::test]
async fn nobody_has_no_switch() {
    let house = House::new().await;
    assert_eq!(moves(&house, "nobody", true).await, Err(ConsentError::NotFound));
    assert_eq!(shows(&house, "nobody").await, Err(ConsentError::NotFound));
}
