//! The lease of a turn: taking it, keeping it, and noticing that it is over.

use std::{convert::Infallible, sync::OnceLock, time::Duration};

use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Outcome, Refusal, SendOutcome},
            turn::Lease,
        },
        id::{Fence, MessageId},
        time::Timestamp,
    },
    port::{error::StoreError, history::Committed},
};

use super::{Desk, LEASE_MS, NotBegun, RENEW_EVERY, pen::Pen, running::Seat};
use crate::call::{STORAGE_MAX, out_of_contract, too_slow};

/// After a renewal that failed, so long.
const RENEW_AGAIN: Duration = Duration::from_secs(1);
/// What stands in the way of a turn is cleared away so often at most.
const OBSTACLES_MAX: usize = 4;

/// Why a turn must not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    /// It was cancelled, stopped, or taken over.
    Lost,
    /// The process is ending.
    Shutdown,
    /// Its time is up.
    TimedOut,
}

/// What may end a turn from outside.
pub(super) struct Limits<'a> {
    pub(super) seat: &'a Seat,
    pub(super) shutdown: &'a CancellationToken,
    pub(super) deadline: Instant,
}

/// A turn that has begun.
pub(super) struct Hold<'a> {
    pub(super) pen: Pen<'a>,
    pub(super) lease: Lease,
    why: OnceLock<Over>,
    over: CancellationToken,
}

impl<'a> Hold<'a> {
    pub(super) fn new(pen: Pen<'a>, lease: Lease) -> Self {
        Self { pen, lease, why: OnceLock::new(), over: CancellationToken::new() }
    }

    /// Its number.
    pub(super) fn fence(&self) -> Fence {
        self.lease.fence
    }

    /// Does some work, unless the turn is over before it is done. Dropping the work must do no harm.
    pub(super) async fn unless_over<T>(&self, work: impl Future<Output = T>) -> Result<T, Over> {
        tokio::select! {
            biased;
            () = self.over.cancelled() => Err(self.why.get().copied().unwrap_or(Over::Lost)),
            done = work => Ok(done),
        }
    }

    /// Whether the turn is still the running one, by the log itself.
    pub(super) async fn stands(&self) -> Result<bool, StoreError> {
        let Pen { desk, key, .. } = self.pen;
        let found = timeout(STORAGE_MAX, desk.history.overview(key)).await;
        let found = found.unwrap_or_else(|_| Err(too_slow()))?;
        let lease = found.and_then(|overview| overview.turn);
        let now = desk.clock.now();
        Ok(lease.is_some_and(|lease| lease.fence == self.fence() && now < lease.until))
    }

    /// Renews the lease, and watches for everything that ends the turn. It runs beside the work, also
    /// while an answer that cannot be called back is being sent.
    pub(super) async fn keep(&self, limits: Limits<'_>) -> Infallible {
        let Limits { seat, shutdown, deadline } = limits;
        let mut until = self.lease.until;
        let mut renewal = Instant::now() + RENEW_EVERY;
        loop {
            let running = !self.over.is_cancelled();
            let lost = self.why.get() == Some(&Over::Lost);
            tokio::select! {
                biased;
                () = seat.reason_to_look(), if running => match self.stands().await {
                    Ok(true) => {}
                    Ok(false) => self.end(Over::Lost),
                    // Who cannot look can still ask to go on.
                    Err(_) => renewal = Instant::now(),
                },
                () = sleep_until(renewal), if !lost => {
                    let next = self.renew(&mut until).await;
                    renewal = Instant::now() + next;
                }
                () = sleep_until(deadline), if running => self.end(Over::TimedOut),
                () = shutdown.cancelled(), if running => self.end(Over::Shutdown),
                () = std::future::pending() => {}
            }
        }
    }

    /// When to renew again.
    async fn renew(&self, until: &mut Timestamp) -> Duration {
        let Pen { desk, key, .. } = self.pen;
        let wanted = desk.clock.now().plus_millis(LEASE_MS);
        let renew = Change::Renew { fence: self.fence(), until: wanted };
        match self.pen.commit(renew).await {
            Ok(Committed::Applied(..)) => {
                *until = wanted;
                RENEW_EVERY
            }
            Ok(Committed::Refused(_) | Committed::Repeated(_)) => {
                self.end(Over::Lost);
                RENEW_EVERY
            }
            Err(error) => {
                let turn = self.fence().get();
                tracing::warn!(conversation = %key, turn, error = error.name(), "storage_write");
                if desk.clock.now() >= *until {
                    self.end(Over::Lost);
                }
                RENEW_AGAIN
            }
        }
    }

    /// The first reason counts. Whatever is written because of another one is refused by the fence.
    fn end(&self, why: Over) {
        if self.why.set(why).is_ok() {
            self.over.cancel();
        }
    }
}

/// Takes the turn. An answer of a dead turn that may have left the house is settled first: it is not
/// known, and never sent again (H11).
pub(super) async fn begin(pen: Pen<'_>) -> Result<Result<Lease, NotBegun>, StoreError> {
    for _ in 0..OBSTACLES_MAX {
        let holder = pen.desk.holder.clone();
        let until = pen.desk.clock.now().plus_millis(LEASE_MS);
        let refusal = match pen.commit(Change::Begin { holder, until }).await? {
            Committed::Applied(applied, _) => {
                let Outcome::Began(lease) = applied.outcome else {
                    return Err(out_of_contract("a beginning that began nothing"));
                };
                return Ok(Ok(lease));
            }
            Committed::Refused(refusal) => refusal,
            Committed::Repeated(before) => return Err(out_of_contract(before)),
        };
        if let Some(obstacle) = clear_away(pen, refusal).await? {
            return Ok(Err(obstacle));
        }
    }
    Ok(Err(NotBegun::Elsewhere))
}

/// What stands in the way of a turn, unless it can be cleared away.
async fn clear_away(pen: Pen<'_>, refusal: Refusal) -> Result<Option<NotBegun>, StoreError> {
    match refusal {
        Refusal::NothingWaiting => Ok(Some(NotBegun::Nothing)),
        Refusal::NotYet { at } => Ok(Some(NotBegun::Later { at })),
        Refusal::TurnInProgress { .. } => free_own_turn(pen).await,
        Refusal::Unsettled { id } => settle_lost(pen, &id).await,
        Refusal::NotFound
        | Refusal::NotAPersons
        | Refusal::StaleFence
        | Refusal::AlreadyAnswered
        | Refusal::IdTaken
        | Refusal::EditNotFound
        | Refusal::UndoBlocked
        | Refusal::UndoExpired
        | Refusal::VersionConflict
        | Refusal::NoConsent => Err(out_of_contract(refusal)),
    }
}

/// A turn of this very process that nobody runs any more: its beginning was not confirmed, or its end
/// could not be written. `None` if it is out of the way.
async fn free_own_turn(pen: Pen<'_>) -> Result<Option<NotBegun>, StoreError> {
    let Desk { history, holder, .. } = pen.desk;
    let found = timeout(STORAGE_MAX, history.overview(pen.key)).await;
    let lease = found.unwrap_or_else(|_| Err(too_slow()))?.and_then(|overview| overview.turn);
    match lease {
        Some(lease) if lease.holder == *holder => {
            pen.commit(Change::Release { fence: lease.fence }).await?;
            Ok(None)
        }
        Some(_) => Ok(Some(NotBegun::Elsewhere)),
        None => Ok(None),
    }
}

/// Whoever was sending it has had enough time to say what became of it. `None` if it is settled now.
async fn settle_lost(pen: Pen<'_>, id: &MessageId) -> Result<Option<NotBegun>, StoreError> {
    let Desk { history, settings, clock, .. } = pen.desk;
    let found = timeout(STORAGE_MAX, history.find(pen.key, id)).await;
    let Some(entry) = found.unwrap_or_else(|_| Err(too_slow()))? else { return Ok(None) };
    let at = entry.message.at.plus_millis(settings.unsettled_ms);
    if clock.now() < at {
        return Ok(Some(NotBegun::Later { at }));
    }
    pen.commit(Change::Settle { id: id.clone(), outcome: SendOutcome::Unknown }).await?;
    tracing::warn!(conversation = %pen.key, answer = %id, "outcome of an earlier answer is unknown");
    Ok(None)
}
