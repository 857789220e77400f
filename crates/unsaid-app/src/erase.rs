//! Forget all (H8): the job for everybody who is due, and erasing one person now.
//!
//! A claim is the point of no return; the bytes follow in batches, between other writers. Everything
//! can be repeated and resumed by anybody: who was claimed and not finished is due.

use std::{collections::BTreeSet, time::Duration};

use tokio::time::{Instant, sleep};
use unsaid_core::{
    domain::{
        audit::{AuditLine, EraseReason},
        id::PersonId,
    },
    port::{
        clock::Clock,
        erasure::{Batch, Claim, Erasure},
        error::StoreError,
    },
};

use crate::job::Stop;

/// Messages deleted in one commit.
pub const BATCH_MESSAGES: usize = 1_000;
/// People looked up at a time.
const PEOPLE_AT_A_TIME: usize = 100;
/// Others get no more than so long between two pieces of work.
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// People erased, and failures to erase somebody or to learn who is due.
pub const ERASURES_TOTAL: &str = "unsaid_erasures_total";

/// Names the metric, and shows it before anything has happened.
pub fn describe_metrics() {
    metrics::describe_counter!(ERASURES_TOTAL, "people erased, and failures to do so");
    count(0, 0);
}

/// What one run of the job did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EraseReport {
    /// How many people were erased to the end.
    pub erased: u64,
    /// Who could not be erased, and why; they stay due, and the next run tries again.
    pub failed: Vec<(PersonId, StoreError)>,
    /// Whether it was stopped before everybody was looked at.
    pub stopped: bool,
}

/// Why a person was not erased.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EraseError {
    /// There is no such person.
    #[error("no such person")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] StoreError),
}

/// Erases everybody who is due, until none is left. One person's failure does not stop the others. It
/// is counted, whoever has it done.
///
/// # Errors
/// If the store cannot even say who is due.
pub async fn erase_due(
    erasure: &dyn Erasure,
    clock: &dyn Clock,
    stop: Stop<'_>,
) -> Result<EraseReport, StoreError> {
    let ran = run(erasure, clock, stop).await;
    match &ran {
        Ok(report) => count(report.erased, report.failed.len() as u64),
        Err(_) => count(0, 1),
    }
    ran
}

fn count(erased: u64, failed: u64) {
    metrics::counter!(ERASURES_TOTAL, "outcome" => "erased").increment(erased);
    metrics::counter!(ERASURES_TOTAL, "outcome" => "failed").increment(failed);
}

async fn run(
    erasure: &dyn Erasure,
    clock: &dyn Clock,
    stop: Stop<'_>,
) -> Result<EraseReport, StoreError> {
    let mut report = EraseReport::default();
    // Looked at, and perhaps still due: not again in this run.
    let mut passed = BTreeSet::new();
    loop {
        let limit = passed.len().saturating_add(PEOPLE_AT_A_TIME);
        let mut due = erasure.due(clock.now(), limit).await?;
        due.retain(|person| !passed.contains(person));
        if due.is_empty() {
            return Ok(report);
        }
        for person in due {
            match erase_if_due(erasure, clock, stop, &person).await {
                Ok(Ended::Erased(_)) => report.erased += 1,
                Ok(Ended::Stopped) => return Ok(EraseReport { stopped: true, ..report }),
                Ok(Ended::Nothing) => {
                    passed.insert(person);
                }
                Err(error) => {
                    passed.insert(person.clone());
                    report.failed.push((person, error));
                }
            }
        }
    }
}

/// Makes everything of a person unreadable, at once and for good. The bytes follow with the next run
/// of the job, or with [`erase_now`].
///
/// # Errors
/// See [`EraseError`].
pub async fn claim_now(
    erasure: &dyn Erasure,
    clock: &dyn Clock,
    person: &PersonId,
) -> Result<(), EraseError> {
    match erasure.claim(person, EraseReason::Now, clock.now()).await? {
        Claim::Made | Claim::Joined => Ok(()),
        Claim::NotDue | Claim::Unknown => Err(EraseError::NotFound),
    }
}

/// Makes everything of a person unreadable whose due moment has come, however late the job is; if it has
/// not, nothing happens. The bytes follow with the next run of the job.
///
/// # Errors
/// If the store fails.
pub async fn claim_if_due(
    erasure: &dyn Erasure,
    clock: &dyn Clock,
    person: &PersonId,
) -> Result<(), StoreError> {
    match erasure.claim(person, EraseReason::Due, clock.now()).await? {
        Claim::Made | Claim::Joined | Claim::NotDue | Claim::Unknown => Ok(()),
    }
}

/// Erases one person to the end, whatever their consent says. The audit line is `None` if it was
/// stopped, or if somebody else finished first.
///
/// # Errors
/// See [`EraseError`].
pub async fn erase_now(
    erasure: &dyn Erasure,
    clock: &dyn Clock,
    stop: Stop<'_>,
    person: &PersonId,
) -> Result<Option<AuditLine>, EraseError> {
    claim_now(erasure, clock, person).await?;
    match erase_claimed(erasure, clock, stop, person).await? {
        Ended::Erased(line) => Ok(Some(line)),
        Ended::Nothing | Ended::Stopped => Ok(None),
    }
}

enum Ended {
    Erased(AuditLine),
    /// Not due any more, or finished by somebody else.
    Nothing,
    Stopped,
}

async fn erase_if_due(
    erasure: &dyn Erasure,
    clock: &dyn Clock,
    stop: Stop<'_>,
    person: &PersonId,
) -> Result<Ended, StoreError> {
    if stop() {
        return Ok(Ended::Stopped);
    }
    let claim = in_turns(erasure.claim(person, EraseReason::Due, clock.now())).await?;
    match claim {
        Claim::Made | Claim::Joined => erase_claimed(erasure, clock, stop, person).await,
        Claim::NotDue | Claim::Unknown => Ok(Ended::Nothing),
    }
}

async fn erase_claimed(
    erasure: &dyn Erasure,
    clock: &dyn Clock,
    stop: Stop<'_>,
    person: &PersonId,
) -> Result<Ended, StoreError> {
    while !stop() {
        let batch = erasure.erase_batch(person, BATCH_MESSAGES, clock.now());
        match in_turns(batch).await? {
            Batch::More => {}
            Batch::Finished(line) => return Ok(Ended::Erased(line)),
            Batch::Nothing => return Ok(Ended::Nothing),
        }
    }
    Ok(Ended::Stopped)
}

/// Does a piece of work, and then leaves the store to others for as long as it took: who talks
/// meanwhile waits behind one piece, never behind the whole job.
async fn in_turns<T>(work: impl Future<Output = T>) -> T {
    let begun = Instant::now();
    let done = work.await;
    sleep(begun.elapsed().min(PAUSE_MAX)).await;
    done
}
