//! Sessions that end, or run out, while somebody answers in them.

use serde_json::{Value, json};
use unsaid_app::event::Watchers;
use unsaid_app::follow::follow;
use unsaid_core::domain::session::SessionTerms;
use unsaid_core::port::clock::Clock as _;
use unsaid_core::port::volatile::Volatile as _;
use unsaid_testkit::model::text;

use super::heard::Guest;
use crate::accounts::house::{House, MINUTE_MS, Plan};

const BOTH: [(&str, bool); 2] = [("ana", true), ("ben", false)];

async fn timed() -> House {
    let terms = SessionTerms { free: 3, free_minutes: 5, paid_minutes: 45 };
    House::planned(Plan { terms, ..Plan::default() }).await
}

/// What the server does once a second; says how many conversations went from memory.
async fn tick(house: &House) -> usize {
    let (store, now) = (&*house.store, house.clock.now());
    follow(store, store, &*house.volatile, &Watchers::default(), now).await.unwrap()
}

async fn status(house: &House, guest: &Guest<'_>) -> Value {
    let path = format!("/api/sessions/{}", guest.session);
    house.get(&path, &guest.token).await.body["status"].clone()
}

async fn ends(house: &House, guest: &Guest<'_>) {
    let path = format!("/api/sessions/{}/end", guest.session);
    let ended = house.call("POST", &path).bearer(&guest.token).await_it().await;
    assert_eq!((ended.status, &ended.body["status"]), (200, &json!("ended")));
}

/// The types of all frames of an answer in whose middle something happens.
async fn frames(guest: &Guest<'_>, meanwhile: impl AsyncFnOnce()) -> Vec<String> {
    let mut stream = guest.asks("hello").await;
    let asked = guest.asked().await;
    asked.say(text("Good "));
    let mut frames = Vec::new();
    while frames.last().is_none_or(|frame: &Value| frame["delta"] != "Good ") {
        frames.push(stream.next().await);
    }
    meanwhile().await;
    asked.answer([text("morning")]);
    frames.extend(stream.rest().await);
    let name = |frame: &Value| frame["type"].as_str().or(frame.as_str()).unwrap().to_owned();
    frames.iter().map(name).collect()
}

const WHOLE: [&str; 8] = [
    "start",
    "text-start",
    "text-delta",
    "text-delta",
    "text-end",
    "data-stored",
    "finish",
    "[DONE]",
];

#[tokio::test]
async fn ending_a_session_cuts_no_answer_off_with_or_without_consent() {
    for (name, consent) in BOTH {
        let house = House::new().await;
        let guest = Guest::new(&house, name, consent).await;
        let meanwhile = async || {
            ends(&house, &guest).await;
            assert_eq!(tick(&house).await, 0, "somebody is still answering");
        };
        assert_eq!(frames(&guest, meanwhile).await, WHOLE, "consent: {consent}");
        assert_eq!(tick(&house).await, usize::from(!consent));
        assert_eq!(house.volatile.held().await.unwrap(), []);
        assert_eq!(status(&house, &guest).await, "ended");
    }
}

#[tokio::test]
async fn a_session_that_runs_out_cuts_no_answer_off_with_or_without_consent() {
    for (name, consent) in BOTH {
        let house = timed().await;
        let guest = Guest::new(&house, name, consent).await;
        house.clock.advance(5 * MINUTE_MS - 1);
        let meanwhile = async || {
            house.clock.advance(1);
            assert_eq!(tick(&house).await, 0, "somebody is still answering");
        };
        assert_eq!(frames(&guest, meanwhile).await, WHOLE, "consent: {consent}");
        assert_eq!(tick(&house).await, usize::from(!consent));
        assert_eq!(house.volatile.held().await.unwrap(), []);
    }
}

#[tokio::test]
async fn a_session_that_ran_out_is_shown_as_expired_with_or_without_consent() {
    for (name, consent) in BOTH {
        let house = timed().await;
        let guest = Guest::new(&house, name, consent).await;
        guest.exchange("hello", "hi").await;
        house.clock.advance(5 * MINUTE_MS);
        assert_eq!(tick(&house).await, usize::from(!consent));
        assert_eq!(status(&house, &guest).await, "expired", "consent: {consent}");
        let session = house.store.session(&guest.session.clone().try_into().unwrap()).await;
        let session = session.unwrap().unwrap();
        assert_eq!((session.expert.is_some(), session.ended_at), (consent, None));
    }
}

#[tokio::test]
async fn an_erasure_does_not_wait_for_the_answer_in_a_session_that_has_ended() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", false).await;
    let mut stream = ana.asks("hello").await;
    let asked = ana.asked().await;
    ends(&house, &ana).await;
    assert_eq!(house.volatile.held().await.unwrap().len(), 1);
    house.call("POST", "/api/users/me/erase").bearer(&ana.token).await_it().await;
    assert_eq!(house.volatile.held().await.unwrap(), []);
    asked.answer([text("too late")]);
    let last = stream.rest().await.into_iter().rev().nth(1);
    assert_eq!(last, Some(json!({ "type": "abort" })));
}

#[tokio::test]
async fn a_turn_whose_holder_is_gone_keeps_nothing_of_an_ended_session_in_memory() {
    let house = House::new().await;
    let ana = Guest::new(&house, "ana", false).await;
    let _stream = ana.asks("hello").await;
    let _asked = ana.asked().await;
    ends(&house, &ana).await;
    assert_eq!(tick(&house).await, 0);
    // Longer than any lease.
    house.clock.advance(10 * MINUTE_MS);
    assert_eq!(tick(&house).await, 1);
    assert_eq!(house.volatile.held().await.unwrap(), []);
}
