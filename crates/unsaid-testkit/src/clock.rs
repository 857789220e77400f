//! Time and chance in the hand of the test.

use std::sync::{
    Mutex,
    atomic::{AtomicI64, Ordering},
};

use unsaid_core::{
    domain::time::Timestamp,
    port::clock::{Chance, Clock},
};

use crate::random::dice::Dice;

/// A clock that stands still until the test moves it.
#[derive(Debug, Default)]
pub struct MovedClock(AtomicI64);

impl MovedClock {
    /// A clock that shows this moment.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.as_millis()))
    }

    /// Shows another moment, earlier or later.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.as_millis(), Ordering::SeqCst);
    }

    /// Goes on by so many milliseconds, and tells the time then.
    pub fn advance(&self, millis: i64) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(millis, Ordering::SeqCst)).plus_millis(millis)
    }
}

impl Clock for MovedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// Bytes that look random and are the same for the same seed.
#[derive(Debug)]
pub struct SeededChance {
    seed: u64,
    dice: Mutex<Dice>,
}

impl SeededChance {
    /// The bytes of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, dice: Mutex::new(Dice::new(seed)) }
    }

    /// Begins anew: what was drawn before is drawn once more.
    pub fn again(&self) {
        *self.dice.lock().expect("nothing panics while it holds this lock") = Dice::new(self.seed);
    }
}

impl Chance for SeededChance {
    fn fill(&self, bytes: &mut [u8]) {
        let mut dice = self.dice.lock().expect("nothing panics while it holds this lock");
        for chunk in bytes.chunks_mut(8) {
            let drawn = dice.draw().to_le_bytes();
            chunk.copy_from_slice(&drawn[..chunk.len()]);
        }
    }
}
