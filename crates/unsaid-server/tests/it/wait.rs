//! Waiting for what can be seen, and no longer than [`DEADLINE`].

use std::thread;
use std::time::{Duration, Instant};

use crate::running::DEADLINE;

const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Looks again and again until `is_so` says what is wanted; fails with what was seen last.
#[expect(clippy::disallowed_methods, reason = "measures how long a test waits")]
pub(crate) fn until(mut look: impl FnMut() -> String, is_so: impl Fn(&str) -> bool) -> String {
    let end = Instant::now() + DEADLINE;
    loop {
        let seen = look();
        if is_so(&seen) {
            return seen;
        }
        assert!(Instant::now() < end, "not within {DEADLINE:?}, but: {seen}");
        // waits: another process is looked at; it sends nothing by itself
        thread::sleep(BETWEEN_LOOKS);
    }
}
