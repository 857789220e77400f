//! Somebody says something.

use unsaid_core::{
    domain::{
        conversation::change::{self, Change, Outcome, Refusal},
        id::{DeliveryId, Number},
        message::{Message, WayBack},
        time::Timestamp,
    },
    port::{error::StoreError, history::History},
};

use crate::{
    call::{Call, Once, Reply, STORAGE_MAX, out_of_contract},
    event::Watchers,
};

/// What is said, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Say {
    /// Its circumstances.
    pub call: Call,
    /// The words; their id is made or parsed by the door.
    pub message: Message,
    /// The delivery that brought them.
    pub delivery: Option<DeliveryId>,
    /// From when on an answer is wanted, if one is.
    pub wants_answer: Option<Timestamp>,
    /// How that answer gets back, where the door needs more than the conversation.
    pub way_back: Option<WayBack>,
}

impl Say {
    /// What it does to a log.
    pub(crate) fn change(&self) -> Change {
        let Self { call: _, message, delivery, wants_answer, way_back } = self.clone();
        Change::Say(change::Say { message, delivery, wants_answer, way_back })
    }
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// It is kept, and has its place.
    Stored {
        /// Its place.
        number: Number,
    },
    /// Consent is off: nothing was kept, not even that something was said.
    NotStored,
    /// The same delivery or message was here before; nothing changed.
    Known,
    /// It was taken back before it came; it stays out.
    TakenBack,
}

/// Why it was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SayError {
    /// The caller used this key before, for something else.
    #[error("the key was used for another call")]
    KeyReused,
    /// The chat or session was deleted meanwhile.
    #[error("no such chat or session")]
    NoSuchPlace,
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] StoreError),
}

/// Remembers what somebody says, with the wish for an answer, in one commit; in worlds and sessions
/// exactly if consent is on at that moment (H7).
///
/// # Errors
/// See [`SayError`].
pub async fn say(
    history: &dyn History,
    watchers: &Watchers,
    asked: Say,
) -> Result<Once<Said>, SayError> {
    let (change, call) = (asked.change(), asked.call);
    match call.make_within(STORAGE_MAX, history, watchers, call.commit_words(change)).await? {
        Reply::Made(applied) => Ok(Once::Made(said(&applied.outcome)?)),
        Reply::Refused(Refusal::NoConsent) => Ok(Once::Made(Said::NotStored)),
        Reply::Refused(Refusal::NotFound) => Err(SayError::NoSuchPlace),
        Reply::Refused(refusal) => Err(out_of_contract(refusal).into()),
        Reply::Repeated(before) => Ok(Once::Repeated(before)),
        Reply::KeyReused => Err(SayError::KeyReused),
    }
}

fn said(outcome: &Outcome) -> Result<Said, StoreError> {
    match outcome {
        Outcome::Said(number) => Ok(Said::Stored { number: *number }),
        Outcome::Known => Ok(Said::Known),
        Outcome::TakenBack => Ok(Said::TakenBack),
        Outcome::Began(_)
        | Outcome::Done
        | Outcome::Nothing
        | Outcome::Deferred
        | Outcome::Removed { .. }
        | Outcome::RemovedBefore { .. }
        | Outcome::Replaced { .. }
        | Outcome::Restored { .. }
        | Outcome::Erased { .. } => Err(out_of_contract(outcome)),
    }
}
