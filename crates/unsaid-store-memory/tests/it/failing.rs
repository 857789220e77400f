//! The failing store of the testkit, over this one.

use std::{
    future::{Ready, ready},
    sync::Arc,
};

use unsaid_core::port::{
    Store,
    directory::Directory as _,
    erasure::Erasure as _,
    error::StoreError,
    health::Health as _,
    history::{Commit, Committed, History},
    people::People as _,
    worlds::Worlds as _,
};
use unsaid_store_memory::MemoryStore;
use unsaid_testkit::{
    builder::{at, chat_key, consent_line, message, message_id, person, person_id, say},
    contract::TestStore,
    failing::{Failing, Fault},
};

fn harmless() -> Ready<TestStore> {
    ready(TestStore::new(Arc::new(Failing::new(Arc::new(MemoryStore::unbounded())))))
}

mod passes_everything_on {
    use super::harmless;

    unsaid_testkit::contract!(harmless);
}

fn failing() -> (Arc<dyn Store>, Failing) {
    let behind: Arc<dyn Store> = Arc::new(MemoryStore::unbounded());
    (Arc::clone(&behind), Failing::new(behind))
}

async fn commit(store: &dyn History, id: &str) -> Result<Committed, StoreError> {
    store.commit(&chat_key("c1"), Commit::new(say(message(id)), at(0))).await
}

async fn is_there(store: &Arc<dyn Store>, id: &str) -> bool {
    let id = message_id(id);
    store.find(&chat_key("c1"), &id).await.unwrap().is_some()
}

#[tokio::test]
async fn faults_strike_the_named_call_once_and_say_the_truth() {
    let faults = [
        (Fault::Unavailable, "unavailable", false),
        (Fault::Full, "full", false),
        (Fault::LostRequest, "uncertain", false),
        (Fault::LostAnswer, "uncertain", true),
    ];
    for (fault, name, made) in faults {
        let (behind, store) = failing();
        store.fail("commit", fault);
        store.check().await.unwrap();
        assert_eq!(commit(&store, "m1").await.unwrap_err().name(), name);
        assert_eq!(is_there(&behind, "m1").await, made);
        assert!(matches!(commit(&store, "m2").await, Ok(Committed::Applied(..))));
        assert!(store.is_spent());
        assert_eq!((store.calls("commit"), store.calls("sweep")), (2, 0));
    }
}

/// As a commit of which nobody heard in time, though the database makes it in the end.
#[tokio::test]
async fn a_late_commit_is_made_before_the_next_one() {
    let (behind, store) = failing();
    store.fail("commit", Fault::Late);
    assert_eq!(commit(&store, "m1").await.unwrap_err().name(), "uncertain");
    assert!(!is_there(&behind, "m1").await);
    commit(&store, "m2").await.unwrap();
    assert!(is_there(&behind, "m1").await && is_there(&behind, "m2").await);
}

#[tokio::test]
async fn the_nth_call_is_counted_from_now_on() {
    let (behind, store) = failing();
    commit(&store, "m1").await.unwrap();
    store.fail_nth("commit", 2, Fault::Unavailable);
    store.fail_nth("commit", 3, Fault::LostAnswer);
    commit(&store, "m2").await.unwrap();
    assert!(!store.is_spent());
    assert!(commit(&store, "m3").await.is_err());
    assert!(commit(&store, "m4").await.is_err());
    assert!(store.is_spent());
    commit(&store, "m5").await.unwrap();
    assert!(!is_there(&behind, "m3").await && is_there(&behind, "m4").await);
}

#[tokio::test]
async fn every_port_can_fail() {
    let (_, store) = failing();
    for call in ["add", "due", "worlds", "check", "wanting", "names", "sources"] {
        store.fail(call, Fault::Full);
    }
    assert!(store.add(person("ana", true), consent_line(true, 0)).await.is_err());
    assert!(store.due(at(0), 1).await.is_err());
    assert!(store.worlds(&person_id("ana")).await.is_err());
    assert!(store.check().await.is_err());
    assert!(store.wanting(at(0), 1).await.is_err());
    assert!(store.names(&[]).await.is_err());
    assert!(store.sources(None, 1).await.is_err());
    assert!(store.is_spent());
}

#[tokio::test]
#[should_panic(expected = "the call is a method of a port")]
async fn a_call_that_no_port_has_is_a_mistake_of_the_test() {
    failing().1.fail("comit", Fault::Full);
}
