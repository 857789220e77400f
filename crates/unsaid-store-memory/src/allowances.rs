//! Counting in the memory of one process, for an installation of one server.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        allowance::{Allowance, AllowanceKey, Used, UsedUp},
        time::Timestamp,
    },
    port::{allowances::Allowances, error::StoreError},
};

/// Counts so many at a time; about 10 MB.
const KEYS_MAX: usize = 100_000;

/// See the module.
#[derive(Debug)]
pub struct MemoryAllowances {
    used: Mutex<HashMap<AllowanceKey, Used>>,
    keys_max: usize,
}

impl Default for MemoryAllowances {
    fn default() -> Self {
        Self::new(KEYS_MAX)
    }
}

impl MemoryAllowances {
    /// Nothing used yet. With more keys than this, those whose while ends first are forgotten.
    #[must_use]
    pub fn new(keys_max: usize) -> Self {
        Self { used: Mutex::default(), keys_max: keys_max.max(1) }
    }
}

#[async_trait]
impl Allowances for MemoryAllowances {
    async fn spend(
        &self,
        key: AllowanceKey,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<Result<(), UsedUp>, StoreError> {
        // Every change under this lock is whole, so a panic elsewhere leaves nothing half done.
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let before = used.get(&key).copied();
        if before.is_none() && used.len() >= self.keys_max {
            make_room(&mut used, now);
        }
        Ok(allowance.used(before, now).map(|after| {
            used.insert(key, after);
        }))
    }
}

/// Forgets what is over; if nothing is, the half that ends first. So this is rarely done.
fn make_room(used: &mut HashMap<AllowanceKey, Used>, now: Timestamp) {
    let held = used.len();
    used.retain(|_, used| now < used.until);
    if used.len() < held {
        return;
    }
    let mut ends: Vec<Timestamp> = used.values().map(|used| used.until).collect();
    let (_, middle, _) = ends.select_nth_unstable(held / 2);
    let middle = *middle;
    used.retain(|_, used| middle < used.until);
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONCE: Allowance = Allowance { count_max: 1, window_ms: 100 };

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn key(whose: &str) -> AllowanceKey {
        AllowanceKey::new("a test", whose)
    }

    #[tokio::test]
    async fn everybody_has_an_allowance_of_their_own() {
        let all = MemoryAllowances::default();
        assert_eq!(all.spend(key("ana"), ONCE, at(0)).await.unwrap(), Ok(()));
        let used_up = Err(UsedUp { until: at(100) });
        assert_eq!(all.spend(key("ana"), ONCE, at(50)).await.unwrap(), used_up);
        assert_eq!(all.spend(key("ben"), ONCE, at(50)).await.unwrap(), Ok(()));
        assert_eq!(all.spend(key("ana"), ONCE, at(100)).await.unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn it_does_not_grow_without_end() {
        let all = MemoryAllowances::new(10);
        for n in 0..1_000 {
            all.spend(key(&n.to_string()), ONCE, at(n / 20)).await.unwrap().unwrap();
            assert!(all.used.lock().unwrap().len() <= 10);
        }
        assert!(all.spend(key("999"), ONCE, at(50)).await.unwrap().is_err(), "the newest is known");
    }
}
