//! The job for everybody who is due, and erasing one person now.

use std::sync::atomic::{AtomicU64, Ordering};

use unsaid_app::{
    erase::{EraseError, EraseReport, claim_now, erase_due, erase_now},
    job::Stop,
};
use unsaid_core::{
    domain::{
        audit::{EraseReason, Erased, first_break},
        conversation::key::ConversationKey,
    },
    port::{Store, error::StoreError},
};
use unsaid_testkit::{
    builder::{GRACE_MS, at, chat_key, consent_line, message_by, person, person_id, say, words_of},
    failing::Fault,
    talk::Talk,
};

use crate::given::{House, never};

async fn runs(house: &House, stop: Stop<'_>) -> EraseReport {
    erase_due(&*house.port, &house.clock, stop).await.expect("it is known who is due")
}

/// Somebody says so much, withdraws, and the countdown ends.
async fn falls_due(house: &House, name: &str, messages: usize) -> ConversationKey {
    let mut talk = Talk::new(&house.port, chat_key(&format!("chat-of-{name}"))).owned_by(name);
    talk.now = house.now();
    for n in 0..messages {
        talk.make(say(message_by(name, &format!("{name}-{n}")))).await;
    }
    house.switch(name, false).await;
    talk.key
}

async fn joins(house: &House, name: &str) {
    assert!(house.port.add(person(name, true), consent_line(true, 0)).await.unwrap());
}

async fn is_held(house: &House, key: &ConversationKey, text: &str) -> bool {
    let whole = house.port.whole(key).await.unwrap();
    whole.is_some_and(|state| unsaid_testkit::describe::describe(&state).contains(text))
}

#[tokio::test]
async fn everybody_due_is_erased_to_the_end_and_the_others_stay() {
    let house = House::new().await;
    joins(&house, "eve").await;
    let ana = falls_due(&house, "ana", 3).await;
    let kept = Talk::new(&house.port, chat_key("chat-of-eve")).owned_by("eve");
    kept.make(say(message_by("eve", "kept"))).await;
    assert_eq!(runs(&house, &never).await, EraseReport::default(), "nobody is due yet");
    house.clock.advance(GRACE_MS);
    let report = runs(&house, &never).await;
    assert_eq!(report, EraseReport { erased: 1, ..EraseReport::default() });
    assert!(!is_held(&house, &ana, &words_of("ana-0")).await);
    assert!(is_held(&house, &kept.key, &words_of("kept")).await);
    let audit = house.port.audit(None, 10).await.unwrap();
    assert_eq!(audit.len(), 1);
    assert_eq!((&audit[0].person, audit[0].reason), (&person_id("ana"), EraseReason::Due));
    assert_eq!(audit[0].erased, Erased { sessions: 0, messages: 3, media: 0 });
    assert_eq!(runs(&house, &never).await, EraseReport::default(), "again is nothing");
}

#[tokio::test]
async fn it_goes_in_batches_of_a_thousand() {
    let house = House::new().await;
    falls_due(&house, "ana", 2_001).await;
    house.clock.advance(GRACE_MS);
    assert_eq!(runs(&house, &never).await.erased, 1);
    assert_eq!(house.store.calls("erase_batch"), 3);
}

#[tokio::test]
async fn it_is_stopped_between_batches_and_resumed() {
    let house = House::new().await;
    let key = falls_due(&house, "ana", 2_001).await;
    house.clock.advance(GRACE_MS);
    let looks = AtomicU64::new(0);
    // Before the claim, before the first batch, before the second.
    let stop = || looks.fetch_add(1, Ordering::SeqCst) == 2;
    let report = runs(&house, &stop).await;
    assert_eq!(report, EraseReport { stopped: true, ..EraseReport::default() });
    assert_eq!(house.store.calls("erase_batch"), 1);
    assert!(!is_held(&house, &key, &words_of("ana-2000")).await, "claimed is unreadable");
    house.switch("ana", true).await;
    assert_eq!(runs(&house, &never).await.erased, 1, "a claim is finished whatever came since");
}

#[tokio::test]
async fn one_persons_failure_does_not_stop_the_others() {
    let house = House::new().await;
    for name in ["carl", "dora", "eve"] {
        joins(&house, name).await;
        falls_due(&house, name, 1).await;
    }
    house.clock.advance(GRACE_MS);
    house.store.fail("claim", Fault::Unavailable);
    house.store.fail_nth("erase_batch", 2, Fault::Full);
    let report = runs(&house, &never).await;
    assert_eq!((report.erased, report.failed.len(), report.stopped), (1, 2, false));
    assert!(matches!(report.failed[0].1, StoreError::Unavailable(_)));
    assert_eq!(report.failed[1].1, StoreError::Full);
    assert!(house.store.is_spent());
    let report = runs(&house, &never).await;
    assert_eq!((report.erased, report.failed.len()), (2, 0), "the next run tries again");
    let audit = house.port.audit(None, 10).await.unwrap();
    assert_eq!((audit.len(), first_break(&audit)), (3, None));
}

#[tokio::test]
async fn more_failures_than_are_looked_up_at_a_time_do_not_hide_the_rest() {
    let house = House::new().await;
    for n in 0..150 {
        let name = format!("p{n:03}");
        joins(&house, &name).await;
        falls_due(&house, &name, 1).await;
    }
    house.clock.advance(GRACE_MS);
    for n in 1..=120 {
        house.store.fail_nth("claim", n, Fault::Unavailable);
    }
    let report = runs(&house, &never).await;
    assert_eq!((report.erased, report.failed.len()), (30, 120));
}

#[tokio::test]
async fn who_consents_again_in_time_is_not_erased() {
    let house = House::new().await;
    let key = falls_due(&house, "ana", 1).await;
    house.clock.advance(GRACE_MS - 1);
    house.switch("ana", true).await;
    house.clock.advance(1);
    assert_eq!(runs(&house, &never).await, EraseReport::default());
    assert!(is_held(&house, &key, &words_of("ana-0")).await);
}

#[tokio::test]
async fn a_store_that_cannot_say_who_is_due_is_broken() {
    let house = House::new().await;
    house.store.fail("due", Fault::Unavailable);
    let failed = erase_due(&*house.port, &house.clock, &never).await;
    assert!(matches!(failed, Err(StoreError::Unavailable(_))));
}

#[tokio::test]
async fn erasing_now_needs_no_date_and_leaves_consent_as_it_is() {
    let house = House::new().await;
    house.talk().say("m1").await;
    let ana = person_id("ana");
    let line = erase_now(&*house.port, &house.clock, &never, &ana).await.unwrap();
    let line = line.expect("it was finished");
    assert_eq!((line.reason, line.erased.messages), (EraseReason::Now, 1));
    house.talk().assert_unsaid(&words_of("m1")).await;
    assert!(house.port.person(&ana).await.unwrap().unwrap().consent.is_on());
    let nobody = erase_now(&*house.port, &house.clock, &never, &person_id("nobody")).await;
    assert_eq!(nobody, Err(EraseError::NotFound));
}

#[tokio::test]
async fn a_claim_makes_all_unreadable_and_the_job_does_the_rest() {
    let house = House::new().await;
    house.talk().say("m1").await;
    claim_now(&*house.port, &house.clock, &person_id("ana")).await.unwrap();
    assert!(house.talk().heard().await.is_empty());
    assert_eq!(house.port.due(at(0), 9).await.unwrap(), [person_id("ana")]);
    house.talk().say("m2").await;
    assert_eq!(runs(&house, &never).await.erased, 1);
    assert_eq!(house.talk().heard().await, ["m2"], "what was said since stays");
    let nobody = claim_now(&*house.port, &house.clock, &person_id("nobody")).await;
    assert_eq!(nobody, Err(EraseError::NotFound));
}

#[tokio::test]
async fn erasing_now_can_be_stopped_after_the_claim() {
    let house = House::new().await;
    house.talk().say("m1").await;
    let ana = person_id("ana");
    let line = erase_now(&*house.port, &house.clock, &|| true, &ana).await;
    assert_eq!(line, Ok(None));
    let store: &dyn Store = &*house.port;
    assert_eq!(store.due(at(0), 9).await.unwrap(), [ana], "the job goes on with it");
}
