//! How often something may be done in a while.
//!
//! A while begins with the first time and ends after the window; what was refused does not count.

use sha2::{Digest, Sha256};

use super::time::Timestamp;

/// Whose allowance it is, for what. A digest: addresses are not kept for this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AllowanceKey([u8; 32]);

/// So many times in so long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// How often.
    pub count_max: u64,
    /// In how long.
    pub window_ms: i64,
}

/// What was used of an allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Used {
    /// When the while ends.
    pub until: Timestamp,
    /// How often it was done since it began.
    pub count: u64,
}

/// The allowance is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsedUp {
    /// From when on it may be done again.
    pub until: Timestamp,
}

impl AllowanceKey {
    /// The key of somebody for something.
    #[must_use]
    pub fn new(what: &str, whose: &str) -> Self {
        Self(
            Sha256::new()
                .chain_update(what)
                .chain_update([0])
                .chain_update(whose)
                .finalize()
                .into(),
        )
    }

    /// As bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Allowance {
    /// Uses it once more, after `before`.
    ///
    /// # Errors
    /// If it is used up; then nothing more was used.
    pub fn used(self, before: Option<Used>, now: Timestamp) -> Result<Used, UsedUp> {
        match before {
            Some(Used { until, count }) if now < until => {
                if count < self.count_max {
                    Ok(Used { until, count: count + 1 })
                } else {
                    Err(UsedUp { until })
                }
            }
            Some(_) | None => Ok(Used { until: now.plus_millis(self.window_ms), count: 1 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_while_begins_with_the_first_time_and_ends_after_the_window() {
        let at = Timestamp::from_millis;
        let twice = Allowance { count_max: 2, window_ms: 100 };
        let first = twice.used(None, at(7)).unwrap();
        assert_eq!(first, Used { until: at(107), count: 1 });
        let second = twice.used(Some(first), at(106)).unwrap();
        assert_eq!(second, Used { until: at(107), count: 2 });
        assert_eq!(twice.used(Some(second), at(106)), Err(UsedUp { until: at(107) }));
        let anew = twice.used(Some(second), at(107)).unwrap();
        assert_eq!(anew, Used { until: at(207), count: 1 });
    }

    #[test]
    fn keys_tell_what_from_whose() {
        assert_ne!(AllowanceKey::new("ab", "c"), AllowanceKey::new("a", "bc"));
    }
}
