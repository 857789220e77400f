//! The true clock and true chance; the only file that asks the system for them.

use std::time::{SystemTime, UNIX_EPOCH};

use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::clock::{Chance, Clock};

/// The clock on the wall.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock port's own clock")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

/// Letters that nobody used before.
#[must_use]
pub fn random_id() -> String {
    let mut bytes = [0; 10];
    SystemChance.fill(&mut bytes);
    let letter =
        |byte: &u8| char::from(b"abcdefghijkmnpqrstuvwxyz23456789"[usize::from(byte % 32)]);
    bytes.iter().map(letter).collect()
}

/// The operating system's random numbers.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemChance;

impl Chance for SystemChance {
    #[expect(clippy::expect_used, reason = "without chance no id and no key is safe to give out")]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system gives random numbers");
    }
}
