//! Somebody says something.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use unsaid_app::{
    call::{Call, Once},
    place::Place,
    say::{Said, Say, SayError, say},
};
use unsaid_core::domain::{conversation::change::Event, id::Number};
use unsaid_core::port::error::StoreError;
use unsaid_testkit::{
    builder::{
        GRACE_MS, chat, chat_id, delivery_id, key_use, message, message_by, message_id, world,
        world_key,
    },
    failing::Fault,
};

use crate::given::{House, chat_of, made, on_line, session_of, told};
use crate::interposed::{Interposed, Trick};

/// A house in which Ana has a world with a chat.
async fn house() -> House {
    let house = House::new().await;
    let made = house.port.add_world(world("ana", "w1"), chat("c1", 0), vec![]).await;
    made.unwrap().unwrap();
    house
}

fn speech(call: Call, id: &str) -> Say {
    Say { call, message: message(id), delivery: None, wants_answer: None, way_back: None }
}

async fn says(house: &House, say_it: Say) -> Result<Once<Said>, SayError> {
    say(&*house.port, &house.watchers, say_it).await
}

fn stored(number: u64) -> Said {
    Said::Stored { number: Number::new(number) }
}

#[tokio::test]
async fn words_are_kept_with_consent_and_watchers_are_told() {
    let house = house().await;
    let mut watch = house.watch();
    let wants_answer = Some(house.now());
    let ask = Say { wants_answer, ..speech(house.call(), "m1") };
    assert_eq!(made(says(&house, ask).await.unwrap()), stored(1));
    let (number, event) = told(&mut watch).await;
    assert_eq!(event, Event::Message { id: message_id("m1") });
    assert_eq!(house.talk().events().await, [(number.expect("it is durable"), event)]);
    assert_eq!(house.talk().overview().await.wanted_at, wants_answer, "in the same commit");
}

#[tokio::test(start_paused = true)]
async fn h10_a_store_that_hangs_has_a_second_and_a_half() {
    let house = house().await;
    let hangs = Interposed { store: Arc::clone(&house.port), trick: Trick::NoCommits };
    let before = Instant::now();
    let said = say(&hangs, &house.watchers, speech(house.call(), "m1")).await;
    assert!(matches!(said, Err(SayError::Broken(StoreError::Uncertain(_)))), "{said:?}");
    assert_eq!(before.elapsed(), Duration::from_millis(1_500));
}

#[tokio::test]
async fn h7_without_consent_nothing_is_kept_nor_told() {
    let house = house().await;
    let mut watch = house.watchers.watch(chat_of("bob").conversation());
    for place in [chat_of("bob"), session_of("bob"), chat_of("nobody")] {
        let call = Call::new(place.clone(), house.now());
        let unkept = Say { message: message_by("bob", "m1"), ..speech(call, "m1") };
        assert_eq!(made(says(&house, unkept).await.unwrap()), Said::NotStored);
        assert!(!house.knows(place.conversation()).await);
    }
    made(says(&house, speech(house.call(), "m2")).await.unwrap());
    assert_eq!(told(&mut watch).await.1, Event::Message { id: message_id("m2") });
}

#[tokio::test]
async fn h7_consent_counts_at_the_moment_of_the_commit() {
    let house = house().await;
    made(says(&house, speech(house.call(), "m1")).await.unwrap());
    house.switch("ana", false).await;
    let unkept = says(&house, speech(house.call(), "m2")).await.unwrap();
    assert_eq!(made(unkept), Said::NotStored);
    house.switch("ana", true).await;
    assert_eq!(made(says(&house, speech(house.call(), "m3")).await.unwrap()), stored(2));
    assert_eq!(house.talk().heard().await, ["m1", "m3"]);
}

#[tokio::test]
async fn h7_after_a_grant_that_came_too_late_history_starts_empty() {
    let house = house().await;
    made(says(&house, speech(house.call(), "m1")).await.unwrap());
    house.switch("ana", false).await;
    house.clock.advance(GRACE_MS);
    house.switch("ana", true).await;
    made(says(&house, speech(house.call(), "m2")).await.unwrap());
    assert_eq!(house.talk().heard().await, ["m2"]);
}

#[tokio::test]
async fn on_line_nobody_is_asked() {
    let house = house().await;
    let call = Call::new(on_line(), house.now());
    assert_eq!(made(says(&house, speech(call, "m1")).await.unwrap()), stored(1));
}

#[tokio::test]
async fn h3_the_same_message_or_delivery_counts_once() {
    let house = house().await;
    let brought = |id: &str, by: &str| {
        let place: Place = on_line();
        let delivery = Some(delivery_id(by));
        Say { delivery, ..speech(Call::new(place, house.now()), id) }
    };
    assert_eq!(made(says(&house, brought("m1", "d1")).await.unwrap()), stored(1));
    for (id, delivery) in [("m1", "d1"), ("m1", "d2"), ("m2", "d1")] {
        let again = says(&house, brought(id, delivery)).await.unwrap();
        assert_eq!(made(again), Said::Known);
    }
}

#[tokio::test]
async fn h3_the_same_key_counts_once_and_another_body_under_it_is_refused() {
    let house = house().await;
    let key = key_use("ana", "k1", 1_000);
    let keyed = |key| speech(house.call().once(key), "m1");
    made(says(&house, keyed(key.clone())).await.unwrap());
    let mut again = keyed(key.clone());
    again.message = message("m2");
    assert_eq!(says(&house, again).await, Ok(Once::Repeated(key.clone())));
    let mut other = key;
    other.body_digest = [8; 32];
    assert_eq!(says(&house, keyed(other)).await, Err(SayError::KeyReused));
    assert_eq!(house.talk().heard().await, ["m1"]);
}

#[tokio::test]
async fn what_was_taken_back_before_it_came_stays_out() {
    let house = house().await;
    let mut talk = house.talk();
    talk.key = on_line().conversation().clone();
    talk.make(unsaid_testkit::builder::unsend("m1")).await;
    let call = Call::new(on_line(), house.now());
    assert_eq!(made(says(&house, speech(call, "m1")).await.unwrap()), Said::TakenBack);
}

#[tokio::test]
async fn a_store_that_fails_is_broken_and_nobody_is_told() {
    let house = house().await;
    let mut watch = house.watch();
    house.store.fail("commit", Fault::Full);
    let failed = says(&house, speech(house.call(), "m1")).await;
    assert_eq!(failed, Err(SayError::Broken(StoreError::Full)));
    made(says(&house, speech(house.call(), "m2")).await.unwrap());
    assert_eq!(told(&mut watch).await.1, Event::Message { id: message_id("m2") });
}

#[tokio::test]
async fn an_answer_that_was_lost_can_be_asked_for_again() {
    let house = house().await;
    house.store.fail("commit", Fault::LostAnswer);
    let lost = says(&house, speech(house.call(), "m1")).await;
    assert!(matches!(lost, Err(SayError::Broken(StoreError::Uncertain(_)))));
    assert_eq!(made(says(&house, speech(house.call(), "m1")).await.unwrap()), Said::Known);
}

/// Somebody deletes the chat, or the session, between the look and the commit.
#[tokio::test]
async fn what_is_said_where_nothing_is_any_more_is_not_kept() {
    let house = house().await;
    let (world, gone) = (world_key("ana", "w1"), chat_id("c1"));
    house.port.delete_chat(&world, &gone, chat("c2", 0)).await.unwrap().unwrap();
    for place in [chat_of("ana"), session_of("ana")] {
        let said = says(&house, speech(Call::new(place.clone(), house.now()), "m1")).await;
        assert_eq!(said, Err(SayError::NoSuchPlace));
        assert!(!house.knows(place.conversation()).await, "something is kept");
    }
}
