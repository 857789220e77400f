//! The end of whatever turn is running.

use unsaid_app::{
    call::Once,
    stop::{Reach, StopError, Stopped, stop},
};
use unsaid_core::{domain::conversation::change::Decision, port::error::StoreError};
use unsaid_testkit::{builder::key_use, failing::Fault};

use crate::given::{House, made};

#[tokio::test]
async fn the_turn_is_over_and_its_questions_wait_no_more() {
    let house = House::new().await;
    house.talk().ask("m1").await;
    let fence = house.talk().begin().await.fence;
    let stopped = stop(&*house.port, &house.watchers, house.call(), Reach::AlsoOwed).await;
    assert_eq!(made(stopped.unwrap()), Stopped::Stopped);
    let whole = house.talk().whole().await;
    assert_eq!((whole.turn, whole.wanted_at), (None, None));
    let ended = whole.turns[&fence].ended.clone();
    assert_eq!(ended.map(|(decision, _)| decision), Some(Decision::Stopped));
    let again = stop(&*house.port, &house.watchers, house.call(), Reach::AlsoOwed).await;
    assert_eq!(made(again.unwrap()), Stopped::Nothing);
}

#[tokio::test]
async fn a_key_counts_once_and_a_store_may_fail() {
    let house = House::new().await;
    house.talk().ask("m1").await;
    let key = key_use("ana", "k1", 1_000);
    let call = house.call().once(key.clone());
    made(stop(&*house.port, &house.watchers, call.clone(), Reach::AlsoOwed).await.unwrap());
    let again = stop(&*house.port, &house.watchers, call, Reach::AlsoOwed).await;
    assert_eq!(again, Ok(Once::Repeated(key.clone())));
    let mut other = key;
    other.body_digest = [8; 32];
    let reused =
        stop(&*house.port, &house.watchers, house.call().once(other), Reach::AlsoOwed).await;
    assert_eq!(reused, Err(StopError::KeyReused));
    house.store.fail("commit", Fault::Full);
    let failed = stop(&*house.port, &house.watchers, house.call(), Reach::AlsoOwed).await;
    assert_eq!(failed, Err(StopError::Broken(StoreError::Full)));
}
