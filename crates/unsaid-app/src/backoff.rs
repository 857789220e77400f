//! How long to wait before trying again.

use std::time::Duration;

/// Waits that double up to a longest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Backoff {
    pub(crate) first: Duration,
    pub(crate) longest: Duration,
}

impl Backoff {
    /// The wait after so many failures in a row; the first is 0.
    pub(crate) fn after(self, failures: u32) -> Duration {
        let times = 1_u32.checked_shl(failures).unwrap_or(u32::MAX);
        self.first.saturating_mul(times).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let backoff =
            Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(5) };
        let waits = [0, 1, 2, 5, 6, 31, 32, u32::MAX].map(|n| backoff.after(n).as_millis());
        assert_eq!(waits, [100, 200, 400, 3_200, 5_000, 5_000, 5_000, 5_000]);
    }
}
