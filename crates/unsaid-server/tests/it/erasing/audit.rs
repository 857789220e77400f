//! The audit shows whether one of its lines was changed.

use tempfile::tempdir;
use unsaid_app::erase::erase_now;
use unsaid_testkit::builder::{at, person_id};
use unsaid_testkit::clock::MovedClock;

use super::base::Base;
use super::people::{DUE, Fate, Somebody};
use crate::running::{Ended, run};

/// A change of the second of three lines, and the way back.
const CHANGES: [(&str, &str); 9] = [
    ("at = at + 1000", "at = at - 1000"),
    ("person = 'cem'", "person = 'ben'"),
    ("reason = 'due'", "reason = 'now'"),
    ("sessions = sessions - 1", "sessions = sessions + 1"),
    ("messages = messages + 1", "messages = messages - 1"),
    ("media = 0", "media = 1"),
    ("prev_hash = 'x' || prev_hash", "prev_hash = substr(prev_hash, 2)"),
    ("hash = 'x' || hash", "hash = substr(hash, 2)"),
    ("id = 7", "id = 2"),
];

fn verify(base: &Base) -> Ended {
    let arguments = base.arguments(&["audit", "verify"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    run(tempdir().unwrap().path(), &arguments)
}

async fn every_change_shows(base: Base) {
    let (store, clock) = (base.open().await, MovedClock::at(at(DUE)));
    for name in ["ana", "ben", "cem"] {
        Somebody::new(name, Fate::Consents).comes(&store).await;
        erase_now(&*store, &clock, &|| false, &person_id(name)).await.unwrap().unwrap();
    }
    drop(store);
    let whole = verify(&base);
    assert_eq!(whole.code, Some(0), "{whole:?}");
    assert!(whole.stdout.starts_with("whole: 3 lines, the newest is "), "{whole:?}");
    for (change, back) in CHANGES {
        base.execute(&format!("UPDATE audit SET {change} WHERE id = 2")).await;
        let seen = verify(&base);
        assert_eq!(seen.code, Some(1), "{change}: {seen:?}");
        assert!(seen.stdout.starts_with("broken: line "), "{change}: {seen:?}");
        base.execute(&format!("UPDATE audit SET {back} WHERE id = 2 OR id = 7")).await;
        assert_eq!(verify(&base).stdout, whole.stdout, "{back}");
    }
    base.execute("DELETE FROM audit WHERE id = 1").await;
    let seen = verify(&base);
    assert_eq!(seen.code, Some(1), "{seen:?}");
    assert_eq!(seen.stdout, "broken: line 2 of 2 is not what was written\n");
    // What is cut off at the end shows to whoever noted down the newest.
    base.execute("DELETE FROM audit").await;
    assert_ne!(verify(&base).stdout, whole.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_change_shows_on_sqlite() {
    every_change_shows(Base::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_change_shows_on_postgres() {
    every_change_shows(Base::postgres()).await;
}
