//! Forget from here, and say something else instead.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;
use unsaid_app::{
    call::Once,
    edit::{Edit, EditError, Edited, Goes, edit},
};
use unsaid_core::{
    domain::{
        conversation::change::{Change, Event, Interrupt},
        id::{Number, Version},
    },
    port::error::StoreError,
};
use unsaid_testkit::{
    builder::{answer, edit_id, key_use, message, message_id, words_of},
    failing::Fault,
};

use crate::given::{House, made, told};
use crate::interposed::{Interposed, Trick};

const UNDO_MS: i64 = 600_000;

fn rewrite(house: &House, from: &str, with: &str) -> Edit {
    Edit {
        call: house.call(),
        from: message_id(from).into(),
        with: Some((message(with), Some(house.now()))),
        id: edit_id("e1"),
        undo_ms: UNDO_MS,
        interrupt: Interrupt::No,
        expect: None,
        goes: Goes::WhereConsentWants,
    }
}

async fn edits(house: &House, change: Edit) -> Result<Once<Edited>, EditError> {
    edit(&*house.port, &house.watchers, change).await
}

/// A house where m1 a1 m2 a2 was said.
async fn talked() -> House {
    let house = House::new().await;
    house.talk().exchange("m1", "a1").await;
    house.talk().exchange("m2", "a2").await;
    house
}

#[tokio::test]
async fn the_tail_is_replaced_and_watchers_are_told() {
    let house = talked().await;
    let mut watch = house.watch();
    let until = house.now().plus_millis(UNDO_MS);
    let edited =
        Edited { removed: 2, number: Some(Number::new(5)), undo: Some((edit_id("e1"), until)) };
    assert_eq!(made(edits(&house, rewrite(&house, "m2", "m3")).await.unwrap()), edited);
    assert_eq!(house.talk().heard().await, ["m1", "a1", "m3"]);
    let from = message_id("m2");
    let removed = Event::Removed { from, count: 2, edit: Some(edit_id("e1")), unsent: false };
    assert_eq!(told(&mut watch).await.1, removed);
    assert_eq!(told(&mut watch).await.1, Event::Message { id: message_id("m3") });
}

/// Whoever were told that it failed would try again, and it would have happened.
#[tokio::test(start_paused = true)]
async fn a_store_that_takes_long_is_waited_for() {
    let house = talked().await;
    let hangs = Interposed { store: Arc::clone(&house.port), trick: Trick::NoCommits };
    let long =
        timeout(Duration::from_mins(1), edit(&hangs, &house.watchers, rewrite(&house, "m2", "m3")))
            .await;
    assert!(long.is_err(), "{long:?}");
}

#[tokio::test]
async fn without_a_window_nothing_is_kept_to_undo() {
    let house = talked().await;
    let change = Edit { undo_ms: 0, ..rewrite(&house, "m2", "m3") };
    assert_eq!(made(edits(&house, change).await.unwrap()).undo, None);
    house.talk().assert_unsaid(&words_of("m2")).await;
}

#[tokio::test]
async fn without_new_words_it_only_forgets() {
    let house = talked().await;
    let change = Edit { with: None, ..rewrite(&house, "m1", "unused") };
    let edited = made(edits(&house, change).await.unwrap());
    assert_eq!((edited.removed, edited.number), (4, None));
    assert!(house.talk().heard().await.is_empty());
}

#[tokio::test]
async fn a_running_turn_is_waited_for_unless_interrupted() {
    let house = talked().await;
    house.talk().ask("m3").await;
    let lease = house.talk().begin().await;
    let waits = edits(&house, rewrite(&house, "m3", "m4")).await;
    assert_eq!(waits, Err(EditError::TurnInProgress { until: lease.until }));
    let change = Edit { interrupt: Interrupt::Yes, ..rewrite(&house, "m3", "m4") };
    made(edits(&house, change).await.unwrap());
    assert_eq!(house.talk().heard().await, ["m1", "a1", "m2", "a2", "m4"]);
}

#[tokio::test]
async fn an_answer_on_its_way_is_waited_for() {
    let house = talked().await;
    house.talk().ask("m3").await;
    let fence = house.talk().begin().await.fence;
    house.talk().make(Change::Intend { fence, message: answer("a3") }).await;
    let change = Edit { interrupt: Interrupt::Yes, ..rewrite(&house, "m3", "m4") };
    let id = message_id("a3");
    assert_eq!(edits(&house, change).await, Err(EditError::AnswerOnItsWay { id }));
}

#[tokio::test]
async fn what_cannot_be_edited_is_refused_and_nothing_changes() {
    let house = talked().await;
    let before = house.talk().whole().await;
    let old = Some(Version::new(1));
    for (change, refusal) in [
        (rewrite(&house, "m9", "m3"), EditError::NotFound),
        (rewrite(&house, "a1", "m3"), EditError::NotAPersons),
        (rewrite(&house, "m2", "m1"), EditError::IdTaken),
        (Edit { expect: old, ..rewrite(&house, "m2", "m3") }, EditError::VersionConflict),
    ] {
        assert_eq!(edits(&house, change).await, Err(refusal));
        assert_eq!(house.talk().whole().await, before);
    }
}

#[tokio::test]
async fn of_two_edits_that_saw_the_same_one_succeeds() {
    let house = talked().await;
    let expect = Some(house.talk().overview().await.version);
    let first = Edit { expect, ..rewrite(&house, "m1", "m3") };
    let second = Edit { expect, ..rewrite(&house, "m1", "m4") };
    made(edits(&house, first).await.unwrap());
    assert_eq!(edits(&house, second).await, Err(EditError::VersionConflict));
    assert_eq!(house.talk().heard().await, ["m3"]);
}

#[tokio::test]
async fn h7_new_words_need_consent_and_forgetting_does_not() {
    let house = talked().await;
    house.switch("ana", false).await;
    let refused = edits(&house, rewrite(&house, "m2", "m3")).await;
    assert_eq!(refused, Err(EditError::NoConsent));
    assert_eq!(house.talk().heard().await, ["m1", "a1", "m2", "a2"]);
    let change = Edit { with: None, undo_ms: 0, ..rewrite(&house, "m2", "unused") };
    made(edits(&house, change).await.unwrap());
    house.talk().assert_unsaid(&words_of("m2")).await;
}

#[tokio::test]
async fn h6_a_store_that_fails_leaves_all_of_it() {
    let house = talked().await;
    let before = house.talk().whole().await;
    for fault in [Fault::Unavailable, Fault::Full, Fault::LostRequest] {
        house.store.fail("commit", fault);
        let failed = edits(&house, rewrite(&house, "m2", "m3")).await;
        assert!(matches!(failed, Err(EditError::Broken(_))), "{failed:?}");
        assert_eq!(house.talk().whole().await, before);
    }
}

#[tokio::test]
async fn a_key_counts_once_even_if_its_answer_was_lost() {
    let house = talked().await;
    let key = key_use("ana", "k1", 1_000);
    let keyed = |key| Edit { call: house.call().once(key), ..rewrite(&house, "m2", "m3") };
    house.store.fail("commit", Fault::LostAnswer);
    let lost = edits(&house, keyed(key.clone())).await;
    assert!(matches!(lost, Err(EditError::Broken(StoreError::Uncertain(_)))));
    assert_eq!(edits(&house, keyed(key.clone())).await, Ok(Once::Repeated(key.clone())));
    let mut other = key;
    other.body_digest = [8; 32];
    assert_eq!(edits(&house, keyed(other)).await, Err(EditError::KeyReused));
}
