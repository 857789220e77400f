//! Forget from here, and say something else instead (H6).

use unsaid_core::{
    domain::{
        conversation::change::{Change, Cut, Interrupt, Outcome, Refusal, ReplaceTail},
        id::{EditId, MessageId, Number, Version},
        message::Message,
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
pub struct Edit {
    /// Its circumstances.
    pub call: Call,
    /// Where what is forgotten begins.
    pub from: Cut,
    /// What is said instead, and from when on it wants an answer; `None` only forgets.
    pub with: Option<(Message, Option<Timestamp>)>,
    /// Under which name it can be undone.
    pub id: EditId,
    /// For how long, in milliseconds; `edit.undo` of the configuration, 0 is not at all.
    pub undo_ms: i64,
    /// What to do with a running turn.
    pub interrupt: Interrupt,
    /// The version that the caller decided from, if it must still be that.
    pub expect: Option<Version>,
    /// Where what is said instead goes.
    pub goes: Goes,
}

/// Where what is said instead goes, if what is edited was only in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goes {
    /// It is said now: kept if consent is on.
    WhereConsentWants,
    /// It was said before, without consent: it stays in memory (H7).
    WhereItWas,
}

impl Edit {
    /// Under which name it can be undone, and until when.
    pub(crate) fn undo(&self) -> Option<(EditId, Timestamp)> {
        (self.undo_ms > 0).then(|| (self.id.clone(), self.call.now.plus_millis(self.undo_ms)))
    }
}

/// All of it happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// How many messages are forgotten, the edited one included.
    pub removed: u64,
    /// The place of what is said instead.
    pub number: Option<Number>,
    /// Under which name it can be undone, and until when.
    pub undo: Option<(EditId, Timestamp)>,
}

/// Why nothing was edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// There is no such message.
    #[error("no such message")]
    NotFound,
    /// The message is not a person's.
    #[error("not a person's message")]
    NotAPersons,
    /// A turn is running, and the caller did not ask to interrupt it.
    #[error("a turn is running")]
    TurnInProgress {
        /// The end of its lease, if it is not renewed.
        until: Timestamp,
    },
    /// It is not known yet whether an answer left the house.
    #[error("an answer is on its way")]
    AnswerOnItsWay {
        /// The answer.
        id: MessageId,
    },
    /// The new message's id belongs to another one.
    #[error("the id is taken")]
    IdTaken,
    /// The conversation is not what the caller decided from.
    #[error("the conversation has changed")]
    VersionConflict,
    /// Consent is off, so that nothing may be kept instead.
    #[error("no consent")]
    NoConsent,
    /// The caller used this key before, for something else.
    #[error("the key was used for another call")]
    KeyReused,
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] StoreError),
}

/// Forgets a message and everything after it for every agent, and takes in the new words, in one
/// commit: all of it happened or none.
///
/// # Errors
/// See [`EditError`].
pub async fn edit(
    history: &dyn History,
    watchers: &Watchers,
    edit: Edit,
) -> Result<Once<Edited>, EditError> {
    let undo = edit.undo();
    let Edit { call, from, with, id: _, undo_ms: _, interrupt, expect, goes: _ } = edit;
    let brings_words = with.is_some();
    let change = Change::ReplaceTail(ReplaceTail { from, with, undo: undo.clone(), interrupt });
    let mut commit = if brings_words { call.commit_words(change) } else { call.commit(change) };
    commit.expect = expect;
    match call.make(history, watchers, commit).await? {
        Reply::Made(applied) => {
            let edited = match applied.outcome {
                Outcome::Replaced { count, number } => Edited { removed: count, number, undo },
                // Whatever came after a number was gone before.
                Outcome::Nothing => Edited { removed: 0, number: None, undo: None },
                other @ (Outcome::Said(_)
                | Outcome::Known
                | Outcome::TakenBack
                | Outcome::Began(_)
                | Outcome::Done
                | Outcome::Deferred
                | Outcome::Removed { .. }
                | Outcome::RemovedBefore { .. }
                | Outcome::Restored { .. }
                | Outcome::Erased { .. }) => return Err(out_of_contract(other).into()),
            };
            Ok(Once::Made(edited))
        }
        Reply::Refused(refusal) => Err(refused(refusal)),
        Reply::Repeated(before) => Ok(Once::Repeated(before)),
        Reply::KeyReused => Err(EditError::KeyReused),
    }
}

pub(crate) fn refused(refusal: Refusal) -> EditError {
    match refusal {
        Refusal::NotFound => EditError::NotFound,
        Refusal::NotAPersons => EditError::NotAPersons,
        Refusal::TurnInProgress { until } => EditError::TurnInProgress { until },
        Refusal::Unsettled { id } => EditError::AnswerOnItsWay { id },
        Refusal::IdTaken => EditError::IdTaken,
        Refusal::VersionConflict => EditError::VersionConflict,
        Refusal::NoConsent => EditError::NoConsent,
        Refusal::NothingWaiting
        | Refusal::NotYet { .. }
        | Refusal::StaleFence
        | Refusal::AlreadyAnswered
        | Refusal::EditNotFound
        | Refusal::UndoBlocked
        | Refusal::UndoExpired => out_of_contract(refusal).into(),
    }
}
