use unsaid_core::port::Store;
use unsaid_core::port::history::Commit;
use unsaid_testkit::builder::{at, chat_key, edit, message, say};
use unsaid_testkit::clock::MovedClock;
use unsaid_testkit::failing::Failing;

use super::*;
use crate::store::sqlite;

#[tokio::test]
async fn what_is_closed_goes_before_serving_and_what_is_gone_after() {
    let dir = tempfile::tempdir().unwrap();
    let store = sqlite::open(&sqlite::file(dir.path())).unwrap();
    for id in ["c1", "c2", "c3"] {
        talk(&*store, id).await;
    }
    store.drop_conversation(&chat_key("c1")).await.unwrap();
    let (clock, ending) = (Arc::new(MovedClock::at(at(9_000))), CancellationToken::new());
    before_serving(&*store, &*clock, &ending).await.unwrap();
    let left = store.sweep(at(9_000), 0).await.unwrap();
    assert_eq!(left, Swept::default(), "undo windows are closed");

    let left = store.sweep(at(9_000), 1).await.unwrap();
    assert!(left.purged > 0, "what is gone can wait");
    let store = Arc::new(Failing::new(store));
    let swept = async {
        while store.calls("sweep") < 2 {
            tokio::task::yield_now().await;
        }
    };
    // the first tick comes at once
    tokio::select! {
        () = run(Arc::<Failing>::clone(&store), clock, ending) => unreachable!("nobody ended it"),
        ended = tokio::time::timeout(EVERY / 2, swept) => ended.unwrap(),
    }
    let left = store.sweep(at(9_000), 1).await.unwrap();
    assert_eq!(left, Swept::default(), "all is swept");
}

#[tokio::test]
async fn the_end_stops_it_before_serving() {
    let dir = tempfile::tempdir().unwrap();
    let store = sqlite::open(&sqlite::file(dir.path())).unwrap();
    talk(&*store, "c1").await;
    let ending = CancellationToken::new();
    ending.cancel();
    before_serving(&*store, &MovedClock::at(at(9_000)), &ending).await.unwrap();
    assert_eq!(store.sweep(at(9_000), 0).await.unwrap().expired, 1);
}

/// A message that was edited, with an undo window until 5,000.
async fn talk(store: &dyn Store, id: &str) {
    let changes = [say(message("m1")), edit("m1", message("m2"), "e1", at(5_000))];
    for change in changes {
        store.commit(&chat_key(id), Commit::new(change, at(1_000))).await.unwrap();
    }
}
