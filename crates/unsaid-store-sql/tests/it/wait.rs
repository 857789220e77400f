//! Waiting for what can be seen, and no longer than the test allows.

use std::{
    thread,
    time::{Duration, Instant},
};

use unsaid_core::port::Store;

const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// Looks again and again until it is so; fails when it takes too long.
pub(crate) fn until(what: &str, limit: Duration, mut is_so: impl FnMut() -> bool) {
    let end = now() + limit;
    while !is_so() {
        assert!(now() < end, "{what}: not within {limit:?}");
        // waits: files and processes of others are looked at; they send nothing
        thread::sleep(BETWEEN_LOOKS);
    }
}

/// Asks until the store says that it is well. It may give the same answer for a while.
pub(crate) async fn until_well(store: &dyn Store) {
    let end = now() + Duration::from_secs(30);
    while let Err(error) = store.check().await {
        assert!(now() < end, "the store does not get well: {error}");
        // waits: an answer is kept for a second
        thread::sleep(BETWEEN_LOOKS);
    }
}

#[expect(clippy::disallowed_methods, reason = "measures how long a test waits")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
