//! What a turn writes into the log, with failing stores in mind.
//!
//! Every write is bounded in time. One that was not confirmed is looked for before it is made again;
//! ids and fences see to it that nothing is written twice.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout, timeout_at};
use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Event, Refusal, SendOutcome},
            key::ConversationKey,
        },
        id::{MessageId, PersonId},
    },
    port::{
        error::StoreError,
        history::{Commit, Committed},
    },
};

use super::Desk;
use crate::{
    backoff::Backoff,
    call::{STORAGE_MAX, out_of_contract, unconfirmed},
    event::Notice,
};

/// Between two tries of something that must be answered soon.
const SOON: Backoff =
    Backoff { first: Duration::from_millis(50), longest: Duration::from_millis(400) };
/// Between two tries of something that must be written, however long it takes.
const PATIENT: Backoff =
    Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(5) };
/// An outcome is recorded within about five minutes, or the next turn records that it is unknown.
const SETTLE_TRIES_MAX: u32 = 60;
/// An end that cannot be written comes with the end of the lease.
const END_TRIES_MAX: u32 = 6;

/// Whether something was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Yes,
    /// The turn is over, or the line is gone.
    Refused,
    /// Storage failed too often.
    No,
}

/// Writes into one conversation.
#[derive(Clone, Copy)]
pub(super) struct Pen<'a> {
    pub(super) desk: &'a Desk,
    pub(super) key: &'a ConversationKey,
    /// Whose it is.
    pub(super) owner: Option<&'a PersonId>,
    /// What brings words needs their consent (H7).
    pub(super) consent_of: Option<&'a PersonId>,
}

impl Pen<'_> {
    /// Makes a change without words, once.
    pub(super) async fn commit(&self, change: Change) -> Result<Committed, StoreError> {
        let commit = self.circumstances(change);
        let written = timeout(STORAGE_MAX, self.desk.history.commit(self.key, commit)).await;
        self.told(written.unwrap_or_else(|_| Err(unconfirmed())))
    }

    /// Appends an answer, and knows whether it is there: tried again for as long as storage may take.
    pub(super) async fn append(
        &self,
        change: Change,
        id: &MessageId,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let deadline = Instant::now() + STORAGE_MAX;
        let mut unsure = false;
        let mut failures = 0;
        loop {
            let error = match self.append_once(deadline, change.clone()).await {
                Ok(refused @ Err(_)) => {
                    // What was not confirmed may be there, and is then refused the second time.
                    return Ok(if unsure && self.is_there(deadline, id).await? {
                        Ok(())
                    } else {
                        refused
                    });
                }
                Ok(Ok(())) => return Ok(Ok(())),
                Err(error @ StoreError::Uncertain(_)) => {
                    unsure = true;
                    if self.is_there(deadline, id).await.unwrap_or(false) {
                        return Ok(Ok(()));
                    }
                    error
                }
                Err(error) => error,
            };
            let pause = SOON.after(failures);
            if Instant::now() + pause >= deadline {
                return Err(error);
            }
            sleep(pause).await;
            failures += 1;
        }
    }

    /// Records what became of an answer, however often it takes; repeating it changes nothing.
    /// `false` if it had to be left to the next turn.
    pub(super) async fn settle(&self, id: &MessageId, outcome: SendOutcome) -> bool {
        let change = Change::Settle { id: id.clone(), outcome };
        match self.insist(&change, SETTLE_TRIES_MAX, "outcome").await {
            // A refusal: the line is gone, with everything else.
            Written::Yes | Written::Refused => true,
            Written::No => false,
        }
    }

    /// Ends the turn. If that cannot be written, its lease runs out, and its questions wait again.
    pub(super) async fn end(&self, change: Change) -> Written {
        self.insist(&change, END_TRIES_MAX, "end").await
    }

    async fn insist(&self, change: &Change, tries: u32, what: &'static str) -> Written {
        let mut unsure = false;
        for failures in 0..tries {
            match self.commit(change.clone()).await {
                Ok(Committed::Applied(..)) => return Written::Yes,
                // What was not confirmed may have happened, and is then refused the second time.
                Ok(_) if unsure => return Written::Yes,
                Ok(_) => return Written::Refused,
                Err(error) => {
                    unsure = unsure || matches!(error, StoreError::Uncertain(_));
                    let error = error.name();
                    tracing::warn!(conversation = %self.key, what, error, "storage_write");
                }
            }
            sleep(PATIENT.after(failures)).await;
        }
        tracing::error!(conversation = %self.key, what, "not recorded");
        Written::No
    }

    async fn append_once(
        &self,
        deadline: Instant,
        change: Change,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let consent_of = self.consent_of.cloned();
        let commit = Commit { consent_of, ..self.circumstances(change) };
        let written = timeout_at(deadline, self.desk.history.commit(self.key, commit)).await;
        match self.told(written.unwrap_or_else(|_| Err(unconfirmed())))? {
            Committed::Applied(..) => Ok(Ok(())),
            Committed::Refused(refusal) => Ok(Err(refusal)),
            Committed::Repeated(before) => Err(out_of_contract(before)),
        }
    }

    /// Looks for an answer whose write was not confirmed, and tells watchers if it is there.
    async fn is_there(&self, deadline: Instant, id: &MessageId) -> Result<bool, StoreError> {
        let found = timeout_at(deadline, self.desk.history.find(self.key, id)).await;
        let Some(entry) = found.unwrap_or_else(|_| Err(unconfirmed()))? else { return Ok(false) };
        if entry.is_heard() {
            let event = Event::Message { id: id.clone() };
            self.desk.watchers.tell(self.key, &Notice::Log { number: None, event });
        }
        Ok(true)
    }

    fn circumstances(&self, change: Change) -> Commit {
        let owner = self.owner.cloned();
        Commit { owner, ..Commit::new(change, self.desk.clock.now()) }
    }

    fn told(&self, written: Result<Committed, StoreError>) -> Result<Committed, StoreError> {
        if let Ok(Committed::Applied(applied, numbers)) = &written {
            self.desk.watchers.tell_events(self.key, applied, numbers);
        }
        written
    }
}
