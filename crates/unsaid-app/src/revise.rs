//! An edit in place, as LINE has it: the text of one message is replaced.

use unsaid_core::{
    domain::{
        conversation::change::{self, Change, Outcome, Refusal, Ripple},
        id::{MessageId, PersonId},
        message::Part,
        time::Timestamp,
    },
    port::{error::StoreError, history::History},
};

use crate::{
    call::{Call, Once, Reply, out_of_contract},
    event::Watchers,
};

/// What is edited, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revise {
    /// Its circumstances.
    pub call: Call,
    /// The message.
    pub id: MessageId,
    /// Who edited, if known.
    pub by: Option<PersonId>,
    /// Its parts from now on.
    pub parts: Vec<Part>,
    /// The door's time of the edit; the largest wins, in whatever order they come.
    pub at: Timestamp,
    /// What happens to answers; `unsend.ripple` of the configuration.
    pub ripple: Ripple,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revised {
    /// The message has its new text.
    Done,
    /// The message has not come yet; the edit waits for it.
    Waits,
    /// A newer edit was here before.
    Older,
    /// The message was taken back.
    TakenBack,
    /// Consent is off: nothing was kept.
    NotStored,
}

/// Why nothing was edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReviseError {
    /// The message is not a person's.
    #[error("not a person's message")]
    NotAPersons,
    /// The caller used this key before, for something else.
    #[error("the key was used for another call")]
    KeyReused,
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] StoreError),
}

/// Replaces the text of a message. Answers that were built on the old one lose their words, and a
/// running turn that read it begins again.
///
/// # Errors
/// See [`ReviseError`].
pub async fn revise(
    history: &dyn History,
    watchers: &Watchers,
    revise: Revise,
) -> Result<Once<Revised>, ReviseError> {
    let Revise { call, id, by, parts, at, ripple } = revise;
    let change = Change::Revise(change::Revise { id, by, parts, at, ripple });
    match call.make(history, watchers, call.commit_words(change)).await? {
        Reply::Made(applied) => Ok(Once::Made(revised(&applied.outcome)?)),
        Reply::Refused(Refusal::NoConsent) => Ok(Once::Made(Revised::NotStored)),
        Reply::Refused(Refusal::NotAPersons) => Err(ReviseError::NotAPersons),
        Reply::Refused(refusal) => Err(out_of_contract(refusal).into()),
        Reply::Repeated(before) => Ok(Once::Repeated(before)),
        Reply::KeyReused => Err(ReviseError::KeyReused),
    }
}

fn revised(outcome: &Outcome) -> Result<Revised, StoreError> {
    match outcome {
        Outcome::Done => Ok(Revised::Done),
        Outcome::Deferred => Ok(Revised::Waits),
        Outcome::Nothing => Ok(Revised::Older),
        Outcome::TakenBack => Ok(Revised::TakenBack),
        Outcome::Said(_)
        | Outcome::Known
        | Outcome::Began(_)
        | Outcome::Removed { .. }
        | Outcome::RemovedBefore { .. }
        | Outcome::Replaced { .. }
        | Outcome::Restored { .. }
        | Outcome::Erased { .. } => Err(out_of_contract(outcome)),
    }
}
