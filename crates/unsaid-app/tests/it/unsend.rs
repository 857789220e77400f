//! Forget one.

use unsaid_app::{
    call::{Call, Once},
    unsend::{Unsend, UnsendError, Unsent, unsend},
};
use unsaid_core::domain::conversation::change::{Event, Ripple};
use unsaid_testkit::builder::{key_use, message_id, words_of};

use crate::given::{House, made, on_line, told};

async fn unsends(house: &House, call: Call, id: &str) -> Result<Once<Unsent>, UnsendError> {
    let id = message_id(id);
    unsend(&*house.port, &house.watchers, Unsend { call, id, ripple: Ripple::Withdraw }).await
}

fn unsent(withdrawn: &[&str], before: bool) -> Unsent {
    Unsent { withdrawn: withdrawn.iter().map(|id| message_id(id)).collect(), before }
}

#[tokio::test]
async fn the_message_goes_with_its_answers_and_watchers_are_told() {
    let house = House::new().await;
    house.talk().exchange("m1", "a1").await;
    let mut watch = house.watch();
    let gone = unsends(&house, house.call(), "m1").await.unwrap();
    assert_eq!(made(gone), unsent(&["a1"], false));
    for id in ["m1", "a1"] {
        let (number, event) = told(&mut watch).await;
        assert!(number.is_some());
        let from = message_id(id);
        assert_eq!(event, Event::Removed { from, count: 1, edit: None, unsent: true });
        house.talk().assert_wordless(id).await;
    }
}

#[tokio::test]
async fn again_is_the_same_answer() {
    let house = House::new().await;
    house.talk().exchange("m1", "a1").await;
    made(unsends(&house, house.call(), "m1").await.unwrap());
    for _ in 0..2 {
        let again = unsends(&house, house.call(), "m1").await.unwrap();
        assert_eq!(made(again), unsent(&["a1"], true));
    }
}

#[tokio::test]
async fn an_unknown_message_is_refused_in_a_chat_and_remembered_on_line() {
    let house = House::new().await;
    assert_eq!(unsends(&house, house.call(), "m1").await, Err(UnsendError::NotFound));
    let call = Call::new(on_line(), house.now());
    assert_eq!(made(unsends(&house, call, "m1").await.unwrap()), unsent(&[], false));
}

#[tokio::test]
async fn an_agents_message_is_refused() {
    let house = House::new().await;
    house.talk().exchange("m1", "a1").await;
    assert_eq!(unsends(&house, house.call(), "a1").await, Err(UnsendError::NotAPersons));
}

#[tokio::test]
async fn it_does_not_wait_for_a_running_turn_and_ends_it() {
    let house = House::new().await;
    house.talk().ask("m1").await;
    house.talk().begin().await;
    made(unsends(&house, house.call(), "m1").await.unwrap());
    assert_eq!(house.talk().overview().await.turn, None);
}

#[tokio::test]
async fn it_works_without_consent() {
    let house = House::new().await;
    house.talk().say("m1").await;
    house.switch("ana", false).await;
    made(unsends(&house, house.call(), "m1").await.unwrap());
    house.talk().assert_unsaid(&words_of("m1")).await;
}

#[tokio::test]
async fn a_key_counts_once() {
    let house = House::new().await;
    house.talk().say("m1").await;
    let key = key_use("ana", "k1", 1_000);
    made(unsends(&house, house.call().once(key.clone()), "m1").await.unwrap());
    let again = unsends(&house, house.call().once(key.clone()), "m1").await;
    assert_eq!(again, Ok(Once::Repeated(key.clone())));
    let mut other = key;
    other.body_digest = [8; 32];
    let reused = unsends(&house, house.call().once(other), "m2").await;
    assert_eq!(reused, Err(UnsendError::KeyReused));
}
