//! One order, and everything once (H2, H3).

use std::slice::from_ref;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use unsaid_core::domain::conversation::change::Change;
use unsaid_line::inbound::Receipt;
use unsaid_testkit::builder::message_id;

use crate::{
    door::{Door, duplicates, taken},
    letter::{edited, message, text, unsend, with},
};

#[tokio::test]
async fn h2_events_of_one_source_are_taken_in_the_order_of_the_call() {
    let door = Door::new();
    let chats = ["Uana", "Ubob", "Cgroup"];
    let events: Vec<Value> = (0..90)
        .map(|number| text(chats[number % 3], &format!("m{number}"), &format!("says {number}")))
        .collect();
    assert_eq!(door.call(&events).await, Ok(taken(90)));
    for (place, chat) in chats.iter().enumerate() {
        let expected: Vec<String> = (0..30).map(|turn| format!("m{}", turn * 3 + place)).collect();
        assert_eq!(door.heard(chat).await, expected, "{chat}");
    }
}

#[tokio::test]
async fn h3_the_same_delivery_takes_effect_once() {
    let door = Door::new();
    let event = text("Uana", "m1", "hello");
    door.tell(event.clone()).await;
    let state = door.state("Uana").await;
    for _ in 0..3 {
        let again = with(&event, &json!({"deliveryContext": {"isRedelivery": true}}));
        assert_eq!(door.call(&[again]).await, Ok(duplicates(1)));
    }
    // whatever it brings the second time
    let other = with(&text("Uana", "m2", "other"), &json!({"webhookEventId": "event-m1"}));
    assert_eq!(door.call(&[other]).await, Ok(duplicates(1)));
    assert_eq!(door.state("Uana").await, state);
}

#[tokio::test]
async fn h3_the_same_message_takes_effect_once_under_whatever_delivery() {
    let door = Door::new();
    door.tell(text("Uana", "m1", "hello")).await;
    let state = door.state("Uana").await;
    for delivery in [json!("event-x"), json!(null)] {
        let again = with(&text("Uana", "m1", "hello"), &json!({"webhookEventId": delivery}));
        assert_eq!(door.call(&[again]).await, Ok(duplicates(1)));
    }
    assert_eq!(door.state("Uana").await, state);
    // in one call, too
    let event = text("Ubob", "m1", "hello");
    let receipt = door.call(&[event.clone(), event.clone(), event]).await;
    assert_eq!(receipt, Ok(Receipt { taken: 1, duplicates: 2, ..Receipt::default() }));
    assert_eq!(door.heard("Ubob").await, ["m1"]);
}

#[tokio::test]
async fn a_picture_that_is_delivered_again_is_fetched_while_it_is_only_promised() {
    let door = Door::new();
    let event = message("Uana", "m1", &json!({"type": "image"}));
    door.tell(event.clone()).await;
    let errands = ["Uana spoke in Person Uana", "picture of m1 in Person Uana"];
    assert_eq!(door.errands.taken(), errands);
    assert_eq!(door.call(from_ref(&event)).await, Ok(duplicates(1)));
    assert_eq!(door.errands.taken(), errands);
    // once it is here, another try could only lose it
    door.talk("Uana").make(Change::Fill { id: message_id("m1"), parts: vec![] }).await;
    assert_eq!(door.call(from_ref(&event)).await, Ok(duplicates(1)));
    assert_eq!(door.errands.taken(), errands[..1]);
    // and when it was taken back, nobody wants it any more
    door.tell(unsend("Uana", "m1")).await;
    door.errands.taken();
    door.call(&[event]).await.unwrap();
    assert_eq!(door.errands.taken(), errands[..1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn webhooks_at_the_same_time_lose_nothing_and_number_without_gaps() {
    const MESSAGES: u64 = 100;
    let door = Door::new();
    let mut calls = JoinSet::new();
    for number in 0..MESSAGES {
        // each is delivered three times, and some in the company of another source
        for _ in 0..3 {
            let mut events = vec![text("Cgroup", &format!("m{number}"), "hello")];
            if number % 4 == 0 {
                events.push(text("Uana", &format!("u{number}"), "hello"));
            }
            calls.spawn(door.post(&events));
        }
    }
    let receipts = calls.join_all().await;
    let taken: usize = receipts.iter().map(|receipt| receipt.as_ref().unwrap().taken).sum();
    assert_eq!(taken, 125);
    let whole = door.whole("Cgroup").await.unwrap();
    let numbers: Vec<u64> = whole.log.iter().map(|entry| entry.number.get()).collect();
    assert_eq!(numbers, (1..=MESSAGES).collect::<Vec<_>>());
    assert_eq!(door.whole("Uana").await.unwrap().log.len(), 25);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn messages_edits_and_unsends_at_the_same_time_end_the_same() {
    let door = Door::new();
    let mut calls = JoinSet::new();
    for number in 0..30 {
        let id = format!("m{number}");
        let mut events = vec![text("Cgroup", &id, "first"), edited("Cgroup", &id, "second", 9)];
        if number % 3 == 0 {
            events.push(unsend("Cgroup", &id));
        }
        for event in events {
            calls.spawn(door.post(&[event]));
        }
    }
    assert!(calls.join_all().await.iter().all(Result::is_ok));
    let mut heard = door.heard("Cgroup").await;
    heard.sort_unstable();
    let mut expected: Vec<String> =
        (0..30).filter(|number| number % 3 != 0).map(|number| format!("m{number}")).collect();
    expected.sort_unstable();
    assert_eq!(heard, expected);
    for id in &expected {
        assert_eq!(door.words("Cgroup", id).await, "second", "{id}");
    }
    door.talk("Cgroup").assert_unsaid("first").await;
}
