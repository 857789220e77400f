//! How an answer gets back is kept while one is owed, and not a change longer.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        conversation::change::{
            Change, Decision, Interrupt, Outcome, ReplaceTail, Say, SendOutcome,
        },
        message::WayBack,
    },
    port::Store,
};

use crate::{
    builder::{
        answer, ask_by_way, at, delivery_id, edit_id, message, message_by, message_id, restore,
        revise, unsend, way_back,
    },
    talk::{LEASE_MS, Talk},
};

/// Asks by the [`way_back`] of the question's id.
async fn ask(talk: &Talk, id: &str) {
    talk.make(ask_by_way(message(id), talk.now)).await;
}

/// What is kept for a message, wherever one looks.
async fn kept(talk: &Talk, id: &str) -> Option<WayBack> {
    let found = talk.find(id).await.expect("it was said");
    let whole = talk.whole().await;
    assert_eq!(whole.log.by_id(&message_id(id)), Some(&found));
    let page = talk.store.page(&talk.key, None, 100).await.expect("the store answers");
    assert!(page.contains(&found), "{id} is not in the list as it is found");
    found.way_back
}

async fn assert_kept(talk: &Talk, id: &str) {
    assert_eq!(kept(talk, id).await, Some(way_back(id)), "{id}");
}

async fn assert_gone(talk: &Talk, id: &str) {
    assert_eq!(kept(talk, id).await, None, "{id}");
}

/// It is there for whoever answers, however many turns that takes, until the answer has left.
pub async fn a_way_back_is_kept_until_the_answer_has_left(store: Arc<dyn Store>) {
    let mut talk = Talk::line(&store);
    let bare = WayBack { token: None, delivery: delivery_id("d\"2"), received_at: at(-1) };
    let said = Say {
        message: message("m2"),
        delivery: None,
        wants_answer: Some(talk.now),
        way_back: Some(bare.clone()),
    };
    ask(&talk, "m1").await;
    talk.make(Change::Say(said)).await;
    let fence = talk.begin().await.fence;
    assert_kept(&talk, "m1").await;
    let until = talk.now.plus_millis(2 * LEASE_MS);
    talk.make(Change::Renew { fence, until }).await;
    assert_kept(&talk, "m1").await;
    talk.make(Change::Release { fence }).await;
    assert_kept(&talk, "m1").await;
    talk.begin().await;
    talk.wait(LEASE_MS);
    let fence = talk.begin().await.fence;
    assert_kept(&talk, "m1").await;
    for (id, outcome) in [("r1", SendOutcome::Failed), ("r2", SendOutcome::Sent)] {
        assert_kept(&talk, "m1").await;
        assert_eq!(kept(&talk, "m2").await, Some(bare.clone()));
        talk.make(Change::Intend { fence, message: answer(id) }).await;
        talk.make(Change::Settle { id: message_id(id), outcome }).await;
    }
    assert_gone(&talk, "m1").await;
    assert_gone(&talk, "m2").await;
}

/// However a turn ends for good: of its questions nothing is kept, of what came meanwhile all.
pub async fn every_end_for_good_takes_the_way_back(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    let silent = Decision::Silent { reason: None };
    let failed = Decision::Failed { code: "model_timeout".to_owned() };
    let mut asked = "m0".to_owned();
    ask(&talk, &asked).await;
    for round in 1..=4 {
        let fence = talk.begin().await.fence;
        let next = format!("m{round}");
        ask(&talk, &next).await;
        let end = match round {
            1 => Change::Decide { fence, decision: silent.clone() },
            2 => Change::Decide { fence, decision: failed.clone() },
            3 => Change::Answer { fence, messages: vec![answer("r")], last: true },
            _ => Change::Stop,
        };
        talk.make(end).await;
        assert_gone(&talk, &asked).await;
        assert_kept(&talk, &next).await;
        asked = next;
    }
}

/// An answer that left although its turn had been given up is the answer.
pub async fn an_answer_that_left_late_takes_the_way_back(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    ask(&talk, "m1").await;
    let fence = talk.begin().await.fence;
    talk.make(Change::Intend { fence, message: answer("r1") }).await;
    ask(&talk, "m2").await;
    talk.make(Change::Release { fence }).await;
    assert_kept(&talk, "m1").await;
    talk.make(Change::Settle { id: message_id("r1"), outcome: SendOutcome::Unknown }).await;
    assert_gone(&talk, "m1").await;
    assert_kept(&talk, "m2").await;
}

/// H5: who is asked again because somebody else took theirs back is answered by the same way.
pub async fn h5_a_cancelled_turn_leaves_ways_back(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    ask(&talk, "m1").await;
    talk.make(ask_by_way(message_by("ben", "m2"), talk.now)).await;
    talk.begin().await;
    talk.make(unsend("m1")).await;
    assert_eq!(talk.find("m1").await, None);
    assert_kept(&talk, "m2").await;
    talk.begin().await;
    assert_kept(&talk, "m2").await;
    talk.make(revise("m2", "other words", at(5))).await;
    assert_kept(&talk, "m2").await;
    let fence = talk.begin().await.fence;
    talk.answer(fence, &["r1"]).await;
    assert_gone(&talk, "m2").await;
}

/// After a restart somebody else answers, by the same way.
pub async fn a_restart_leaves_ways_back(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    ask(&talk, "m1").await;
    talk.begin().await;
    store.release_turns(talk.now).await.expect("the store answers");
    assert_kept(&talk, "m1").await;
}

/// What an edit puts aside comes back without: nobody owed it an answer meanwhile.
pub async fn an_undo_brings_no_way_back(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    ask(&talk, "m0").await;
    ask(&talk, "m1").await;
    talk.begin().await;
    talk.make(Change::ReplaceTail(ReplaceTail {
        from: message_id("m1").into(),
        with: Some((message("m2"), Some(talk.now))),
        undo: Some((edit_id("e1"), talk.now.plus_millis(9_000))),
        interrupt: Interrupt::Yes,
    }))
    .await;
    let aside = talk.whole().await.undo.expect("it can be undone").entries;
    assert!(aside.iter().all(|entry| entry.waiting && entry.way_back.is_none()));
    assert_kept(&talk, "m0").await;
    assert!(matches!(talk.outcome(restore("e1")).await, Outcome::Restored { .. }));
    assert!(talk.find("m1").await.is_some_and(|entry| entry.waiting));
    assert_gone(&talk, "m1").await;
    assert_kept(&talk, "m0").await;
}

/// Where no answer is wanted, none gets back.
pub async fn a_way_back_without_a_wish_is_not_kept(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    let way_back = Some(way_back("m1"));
    let said = Say { message: message("m1"), delivery: None, wants_answer: None, way_back };
    talk.make(Change::Say(said)).await;
    assert_gone(&talk, "m1").await;
}
