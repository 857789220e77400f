//! Trying again what may be tried again.
//!
//! For reads, lists and deletes: done twice, they are as good as done once. A put is not, and whoever
//! puts has to look first.

use std::time::Duration;

use tokio::time::Instant;
use unsaid_core::port::clock::Chance;

use super::BucketError;

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// Calls until it succeeds, fails for good, or the deadline comes; the last error is returned.
///
/// # Errors
///
/// What the last call came to. `Uncertain` if it was still running at the deadline.
pub async fn retry<T, F>(
    chance: &dyn Chance,
    deadline: Instant,
    mut call: impl FnMut() -> F,
) -> Result<T, BucketError>
where
    F: Future<Output = Result<T, BucketError>>,
{
    let mut pause = FIRST_PAUSE;
    loop {
        let Ok(outcome) = tokio::time::timeout_at(deadline, call()).await else {
            return Err(BucketError::Uncertain("no answer in time".to_owned()));
        };
        let error = match outcome {
            Ok(value) => return Ok(value),
            Err(error) if error.may_pass() => error,
            Err(error) => return Err(error),
        };
        let next = Instant::now() + jittered(chance, pause);
        if next >= deadline {
            return Err(error);
        }
        tokio::time::sleep_until(next).await;
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

/// Between a half and the whole of it, so that those who failed together do not come back together.
#[must_use]
pub fn jittered(chance: &dyn Chance, pause: Duration) -> Duration {
    let mut byte = [0; 1];
    chance.fill(&mut byte);
    pause / 2 + pause / 2 * u32::from(byte[0]) / 255
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use unsaid_testkit::clock::SeededChance;

    use super::*;

    fn away() -> BucketError {
        BucketError::Away("cannot connect".to_owned())
    }

    async fn tried(outcomes: &[Result<u8, BucketError>]) -> (Result<u8, BucketError>, usize) {
        let calls = Cell::new(0);
        let deadline = Instant::now() + Duration::from_secs(5);
        let chance = SeededChance::new(1);
        let outcome = retry(&chance, deadline, || {
            let outcome = outcomes[calls.get().min(outcomes.len() - 1)].clone();
            calls.set(calls.get() + 1);
            std::future::ready(outcome)
        });
        (outcome.await, calls.get())
    }

    #[tokio::test(start_paused = true)]
    async fn a_passing_failure_passes() {
        let lost = BucketError::Uncertain("lost".to_owned());
        assert_eq!(
            tried(&[Err(BucketError::Busy), Err(away()), Err(lost), Ok(7)]).await,
            (Ok(7), 4)
        );
        assert_eq!(tried(&[Ok(1)]).await, (Ok(1), 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_lasting_failure_is_told_before_the_deadline() {
        let began = Instant::now();
        let (outcome, calls) = tried(&[Err(away())]).await;
        assert_eq!(outcome, Err(away()));
        assert!((5..12).contains(&calls), "{calls}");
        assert!(began.elapsed() < Duration::from_secs(5));
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_pass_is_told_at_once() {
        for error in [BucketError::Full, BucketError::refused("403")] {
            assert_eq!(tried(&[Err(error.clone()), Ok(1)]).await, (Err(error), 1));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_hangs_ends_at_the_deadline() {
        let deadline = Instant::now() + Duration::from_secs(5);
        let outcome = retry::<(), _>(&SeededChance::new(1), deadline, std::future::pending).await;
        assert!(matches!(outcome, Err(BucketError::Uncertain(_))), "{outcome:?}");
        assert_eq!(Instant::now(), deadline);
    }

    #[test]
    fn jitter_stays_between_half_and_whole() {
        let chance = SeededChance::new(3);
        for _ in 0..100 {
            let pause = jittered(&chance, Duration::from_millis(100));
            assert!((50..=100).contains(&pause.as_millis()), "{pause:?}");
        }
    }
}
