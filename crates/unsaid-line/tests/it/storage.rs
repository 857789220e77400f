//! Storage that fails, loses answers or never comes back: LINE is told to come again, and what it
//! brings then takes effect once (H1, H3, H10).

use std::{
    slice::from_ref,
    sync::{Arc, atomic::AtomicBool, atomic::Ordering},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::{Instant, timeout};
use unsaid_core::port::error::StoreError;
use unsaid_line::inbound::{Rejected, TAKE_IN_MAX};
use unsaid_store_memory::MemoryStore;
use unsaid_testkit::{
    builder::line_key,
    failing::{Failing, Fault},
};

use crate::{
    door::{Door, duplicates, settings, taken},
    letter::{edited, event, message, text, unsend, with},
    slow::Slow,
};

const FAULTS: [Fault; 4] = [Fault::Unavailable, Fault::Full, Fault::LostRequest, Fault::LostAnswer];

/// What came before, and the call during which storage fails.
struct Case {
    name: &'static str,
    before: Vec<Value>,
    call: Vec<Value>,
}

fn cases() -> Vec<Case> {
    let said = || text("Uana", "m1", "hello");
    let picture = || message("Uana", "m1", &json!({"type": "image"}));
    let case = |name, before, call| Case { name, before, call };
    vec![
        case("text", vec![], vec![said()]),
        case("picture", vec![], vec![picture()]),
        case("picture again", vec![picture()], vec![picture()]),
        case("several", vec![], vec![said(), text("Uana", "m2", "b"), text("Uana", "m3", "c")]),
        case("unsend", vec![said()], vec![unsend("Uana", "m1")]),
        case("unsend before", vec![], vec![unsend("Uana", "m1"), said()]),
        case("unsend in one call", vec![], vec![said(), unsend("Uana", "m1")]),
        case("edit", vec![said()], vec![edited("Uana", "m1", "new", 9)]),
        case("edit before", vec![], vec![edited("Uana", "m1", "new", 9), said()]),
        case("leave", vec![said()], vec![event("unfollow", "Uana", "e1")]),
    ]
}

/// A door through which what came before has come, and somebody has begun to answer it.
async fn door_after(before: &[Value]) -> Door {
    let door = Door::new();
    if !before.is_empty() {
        door.call(before).await.unwrap();
        door.begin("Uana").await;
    }
    door.errands.taken();
    door
}

#[tokio::test]
async fn h3_whatever_fails_and_however_the_next_delivery_takes_effect_once() {
    let mut struck = 0;
    for Case { name, before, call } in cases() {
        let smooth = door_after(&before).await;
        let calls =
            |door: &Door| ["commit", "find", "page"].map(|name| (name, door.store.calls(name)));
        let earlier = calls(&smooth);
        smooth.call(&call).await.unwrap();
        let (later, expected) = (calls(&smooth), smooth.state("Uana").await);
        for ((what, many), (_, few)) in later.into_iter().zip(earlier) {
            for nth in 1..=many - few {
                for fault in FAULTS {
                    let door = door_after(&before).await;
                    door.store.fail_nth(what, nth, fault);
                    let case = format!("{name}: {fault:?} at {what} {nth}");
                    fail_and_repeat(&door, &call, what, fault, &case).await;
                    assert_eq!(door.state("Uana").await, expected, "{case}");
                    struck += 1;
                }
            }
        }
    }
    assert!(struck >= 70, "{struck}");
}

async fn fail_and_repeat(door: &Door, call: &[Value], what: &str, fault: Fault, case: &str) {
    let first = door.call(call).await;
    assert!(door.store.is_spent(), "{case}");
    match first {
        // an unsend only looks for a better line in the log
        Ok(_) => assert!(what == "find" && case.starts_with("unsend"), "{case}: {first:?}"),
        Err(Rejected::Storage(error)) => {
            let expected = match fault {
                Fault::Unavailable => "unavailable",
                Fault::Full => "full",
                Fault::LostRequest | Fault::LostAnswer | Fault::Late => "uncertain",
                Fault::Pause => "nothing",
            };
            assert_eq!(error.name(), expected, "{case}");
        }
        Err(other) => panic!("{case}: {other:?}"),
    }
    let second = door.call(call).await.unwrap();
    assert_eq!(second.taken + second.duplicates, call.len(), "{case}");
    let state = door.state("Uana").await;
    let third = door.call(call).await.unwrap();
    assert_eq!(third.malformed + third.refused + third.ignored, 0, "{case}");
    assert_eq!(door.state("Uana").await, state, "{case}");
}

#[tokio::test]
async fn ac_004_a_failure_is_rejected_with_its_kind_and_leaves_no_errand() {
    let door = Door::new();
    door.store.fail("commit", Fault::Full);
    let event = text("Uana", "m1", "hello");
    assert_eq!(door.call(from_ref(&event)).await, Err(Rejected::Storage(StoreError::Full)));
    assert!(door.errands.taken().is_empty());
    assert_eq!(door.state("Uana").await, "");
    door.tell(event).await;
    assert_eq!(door.errands.taken(), ["Uana spoke in Person Uana"]);
}

#[tokio::test]
async fn what_comes_after_a_failure_in_a_source_waits_and_other_sources_do_not() {
    let door = Door::new();
    let events = [
        text("Uana", "m1", "a"),
        text("Uana", "m2", "b"),
        text("Uana", "m3", "c"),
        text("Ubob", "m4", "d"),
    ];
    // sources take turns, in the order of their names
    door.store.fail_nth("commit", 2, Fault::Unavailable);
    let first = door.call(&events).await;
    assert!(matches!(first, Err(Rejected::Storage(StoreError::Unavailable(_)))), "{first:?}");
    assert_eq!(door.heard("Uana").await, ["m1"]);
    assert_eq!(door.heard("Ubob").await, ["m4"]);
    let mut errands = door.errands.taken();
    errands.sort_unstable();
    assert_eq!(errands, ["Uana spoke in Person Uana", "Ubob spoke in Person Ubob"]);
    let second = door.call(&events).await.unwrap();
    assert_eq!((second.taken, second.duplicates), (2, 2));
    assert_eq!(door.heard("Uana").await, ["m1", "m2", "m3"]);
}

#[tokio::test]
async fn events_that_need_no_storage_do_not_fail_with_it() {
    let door = Door::new();
    door.store.fail("commit", Fault::Unavailable);
    door.tell(event("follow", "Uana", "e1")).await;
    assert!(!door.store.is_spent());
}

fn slow(chat: &str) -> (Door, Arc<Slow>) {
    let store = Arc::new(Failing::new(Arc::new(MemoryStore::unbounded())));
    let port = Arc::<Failing>::clone(&store);
    let slow = Arc::new(Slow { store: port, key: line_key(chat), hangs: AtomicBool::new(true) });
    (Door::over(store, Arc::<Slow>::clone(&slow), settings()), slow)
}

#[tokio::test(start_paused = true)]
async fn h10_storage_that_hangs_is_too_slow_after_a_second_and_a_half() {
    let (door, slow) = slow("Uana");
    let events = [text("Uana", "m1", "a"), text("Ubob", "m2", "b"), text("Uana", "m3", "c")];
    let begun = Instant::now();
    assert_eq!(door.call(&events).await, Err(Rejected::TooSlow));
    assert_eq!(begun.elapsed(), TAKE_IN_MAX);
    assert_eq!(TAKE_IN_MAX, Duration::from_millis(1_500));
    assert_eq!(door.state("Uana").await, "");
    assert_eq!(door.heard("Ubob").await, ["m2"]);
    assert_eq!(door.errands.taken(), ["Ubob spoke in Person Ubob"]);

    slow.hangs.store(false, Ordering::SeqCst);
    let second = door.call(&events).await.unwrap();
    assert_eq!((second.taken, second.duplicates), (2, 1));
    assert_eq!(door.heard("Uana").await, ["m1", "m3"]);
    assert_eq!(door.call(&events).await, Ok(duplicates(3)));
}

#[tokio::test(start_paused = true)]
async fn h10_reading_that_hangs_is_too_slow_as_well() {
    let (door, slow) = slow("Uana");
    assert_eq!(door.call(&[unsend("Uana", "m1")]).await, Err(Rejected::TooSlow));
    slow.hangs.store(false, Ordering::SeqCst);
    assert_eq!(door.call(&[unsend("Uana", "m1")]).await, Ok(taken(1)));
}

#[tokio::test(start_paused = true)]
async fn a_failure_beside_something_slow_is_still_a_failure() {
    let (door, _slow) = slow("Uana");
    door.store.fail("commit", Fault::Full);
    let events = [text("Uana", "m1", "a"), text("Ubob", "m2", "b")];
    assert_eq!(door.call(&events).await, Err(Rejected::Storage(StoreError::Full)));
}

#[tokio::test(start_paused = true)]
async fn what_was_taken_in_before_line_hung_up_has_its_errands_done() {
    let (door, _slow) = slow("Uana");
    let events = [
        with(&message("Ubob", "m1", &json!({"type": "image"})), &json!({})),
        text("Uana", "m2", "b"),
    ];
    let hung_up = timeout(Duration::from_millis(100), door.call(&events)).await;
    assert!(hung_up.is_err());
    assert_eq!(door.errands.taken(), ["Ubob spoke in Person Ubob", "picture of m1 in Person Ubob"]);
}
