//! Edits that failed: noted at once, kept when the store takes them, shown once.

use std::sync::Arc;

use unsaid_app::{
    event::Watchers,
    logs::{Logs, Side},
    worker::Wake,
    world::{Keeper, WorldError, failed_edits::FailedEdits},
};
use unsaid_core::{
    domain::world::{FAILED_EDITS_MAX, World},
    port::{Store, error::StoreError, worlds::WorldKey},
};
use unsaid_testkit::{
    builder::{GRACE_MS, at, chat, failed_edit, person_id, world, world_key},
    failing::Fault,
};

use crate::given::House;

/// A house where Ana and Bob have a world each.
async fn furnished() -> House {
    let house = House::new().await;
    for (owner, first) in [("ana", "c1"), ("bob", "c2")] {
        let made = house.port.add_world(world(owner, "w"), chat(first, 0), vec![]).await;
        made.unwrap().unwrap();
    }
    house
}

fn of(owner: &str) -> WorldKey {
    world_key(owner, "w")
}

/// What somebody sees of their world.
async fn seen(house: &House, edits: &FailedEdits, owner: &str) -> Vec<String> {
    look(house, edits, &of(owner)).await.unwrap()
}

async fn look(
    house: &House,
    edits: &FailedEdits,
    key: &WorldKey,
) -> Result<Vec<String>, WorldError> {
    let side =
        |store: &Arc<dyn Store>| Side { history: Arc::clone(store) as _, wake: Wake::unheard() };
    let logs = Logs {
        kept: side(&house.port),
        volatile: side(&house.port),
        watchers: Arc::<Watchers>::default(),
        crossing: Arc::default(),
    };
    let keeper = Keeper { worlds: &*house.port, people: &*house.port, logs: &logs };
    let listed = edits.of(keeper, key).await?;
    Ok(listed.iter().map(|failed| failed.id.to_string()).collect())
}

async fn keep(house: &House, edits: &FailedEdits) -> Result<u64, StoreError> {
    edits.keep(&*house.port).await
}

#[tokio::test]
async fn what_was_noted_while_storage_was_away_is_kept_once_it_is_back() {
    let (house, edits) = (furnished().await, FailedEdits::default());
    for (id, when) in [("f1", 10), ("f2", 20), ("f3", 30)] {
        edits.note(&of("ana"), failed_edit(id, when));
    }
    edits.news().await;
    for fault in [Fault::Unavailable, Fault::Full, Fault::LostRequest] {
        house.store.fail("note_failed_edit", fault);
        assert!(keep(&house, &edits).await.is_err(), "{fault:?}");
        assert_eq!(seen(&house, &edits, "ana").await, ["f1", "f2", "f3"], "{fault:?}");
        assert_eq!(house.port.failed_edits(&of("ana")).await.unwrap(), []);
    }
    // The first is kept, and nobody is told.
    house.store.fail("note_failed_edit", Fault::LostAnswer);
    assert!(keep(&house, &edits).await.is_err());
    assert_eq!(seen(&house, &edits, "ana").await, ["f1", "f2", "f3"], "each once");
    // Then the first and the second are kept, and the third is not.
    house.store.fail_nth("note_failed_edit", 3, Fault::Unavailable);
    assert!(keep(&house, &edits).await.is_err());
    edits.note(&of("ana"), failed_edit("f4", 40));
    assert_eq!(seen(&house, &edits, "ana").await, ["f1", "f2", "f3", "f4"]);
    assert_eq!(keep(&house, &edits).await, Ok(2));
    assert_eq!(keep(&house, &edits).await, Ok(0), "nothing waits");
    let restarted = FailedEdits::default();
    for edits in [&edits, &restarted] {
        assert_eq!(seen(&house, edits, "ana").await, ["f1", "f2", "f3", "f4"]);
    }
}

#[tokio::test]
async fn memory_and_store_are_one_list_in_order_and_not_too_long() {
    let house = furnished().await;
    let servers = [FailedEdits::default(), FailedEdits::default()];
    for number in 0..FAILED_EDITS_MAX {
        let when = 10 * i64::try_from(number).unwrap();
        servers[number % 2].note(&of("ana"), failed_edit(&format!("f{number}"), when));
    }
    assert_eq!(keep(&house, &servers[1]).await, Ok(50));
    servers[1].note(&of("ana"), failed_edit("between", 15));
    let listed = seen(&house, &servers[1], "ana").await;
    assert_eq!((listed.len(), listed[0].as_str(), listed[1].as_str()), (51, "f1", "between"));
    assert_eq!(keep(&house, &servers[0]).await, Ok(50));
    let expected = ["f1", "between", "f2"];
    assert_eq!(seen(&house, &servers[1], "ana").await[..3], expected, "f0 is too old now");
    assert_eq!(seen(&house, &servers[1], "ana").await.len(), FAILED_EDITS_MAX);
    assert_eq!(seen(&house, &servers[1], "bob").await, Vec::<String>::new());
}

#[tokio::test]
async fn memory_holds_the_newest_of_a_world() {
    let (house, edits) = (furnished().await, FailedEdits::default());
    for number in 0..=FAILED_EDITS_MAX {
        edits.note(&of("bob"), failed_edit(&format!("f{number}"), 10));
    }
    let listed = seen(&house, &edits, "bob").await;
    assert_eq!((listed.len(), listed[0].as_str()), (FAILED_EDITS_MAX, "f1"));
}

#[tokio::test]
async fn h7_without_consent_they_are_in_memory_only_and_the_store_is_asked_once() {
    let (house, edits) = (furnished().await, FailedEdits::default());
    edits.note(&of("bob"), failed_edit("f1", 10));
    for _ in 0..3 {
        assert_eq!(keep(&house, &edits).await, Ok(0));
        assert_eq!(seen(&house, &edits, "bob").await, ["f1"]);
    }
    assert_eq!(house.store.calls("note_failed_edit"), 1);
    house.switch("bob", true).await;
    assert_eq!(keep(&house, &edits).await, Ok(0), "it failed without consent");
    assert_eq!(seen(&house, &FailedEdits::default(), "bob").await, Vec::<String>::new());
}

#[tokio::test]
async fn h8_a_withdrawal_hides_them_and_an_erasure_takes_them() {
    let (house, edits) = (furnished().await, FailedEdits::default());
    edits.note(&of("ana"), failed_edit("kept", 999));
    assert_eq!(keep(&house, &edits).await, Ok(1));
    edits.note(&of("ana"), failed_edit("waiting", 999));
    house.switch("ana", false).await;
    let nothing = Vec::<String>::new();
    assert_eq!(seen(&house, &edits, "ana").await, nothing);
    edits.note(&of("ana"), failed_edit("without", 1_001));
    assert_eq!(keep(&house, &edits).await, Ok(0));
    assert_eq!(seen(&house, &edits, "ana").await, ["without"]);
    house.switch("ana", true).await;
    assert_eq!(seen(&house, &edits, "ana").await, ["kept", "waiting", "without"]);
    house.switch("ana", false).await;
    house.clock.advance(GRACE_MS);
    house.switch("ana", true).await;
    assert_eq!(seen(&house, &edits, "ana").await, nothing, "that was too late");
    assert_eq!(house.port.failed_edits(&of("ana")).await.unwrap(), []);
}

#[tokio::test]
async fn what_waits_for_a_world_that_is_gone_is_kept_nowhere() {
    let (house, edits) = (furnished().await, FailedEdits::default());
    edits.note(&of("ana"), failed_edit("f1", 10));
    // At another server; then one of the same name is made.
    house.port.delete_world(&of("ana")).await.unwrap().unwrap();
    let gone = look(&house, &edits, &of("ana")).await;
    assert_eq!(gone, Err(WorldError::WorldNotFound));
    let again = World { created_at: at(20), ..world("ana", "w") };
    house.port.add_world(again, chat("c3", 20), vec![]).await.unwrap().unwrap();
    for _ in 0..2 {
        assert_eq!(seen(&house, &edits, "ana").await, Vec::<String>::new());
        assert_eq!(keep(&house, &edits).await, Ok(0));
    }
    for (id, forget) in [("f2", true), ("f3", false)] {
        edits.note(&of("ana"), failed_edit(id, 30));
        edits.note(&of("bob"), failed_edit(id, 30));
        if forget {
            edits.forget(&person_id("ana"));
        } else {
            edits.drop_of(&of("ana"));
        }
        assert_eq!(seen(&house, &edits, "ana").await, Vec::<String>::new());
        assert_eq!(keep(&house, &edits).await, Ok(0));
    }
    assert_eq!(seen(&house, &edits, "bob").await, ["f2", "f3"], "others keep theirs");
}
