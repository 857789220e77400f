//! Takes an edit back, inside its window.

use unsaid_core::{
    domain::{
        conversation::change::{Change, Interrupt, Outcome, Refusal},
        id::{EditId, MessageId},
        time::Timestamp,
    },
    port::{error::StoreError, history::History},
};

use crate::{
    call::{Call, Once, Reply, out_of_contract},
    event::Watchers,
};

/// Which edit is undone, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undo {
    /// Its circumstances.
    pub call: Call,
    /// The edit.
    pub id: EditId,
    /// What to do with a running turn.
    pub interrupt: Interrupt,
}

/// What was removed is back, with ids, order and hearers; what replaced it is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The first message that came back, if any did.
    pub from: Option<MessageId>,
    /// How many came back.
    pub restored: u64,
}

/// Why nothing was undone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UndoError {
    /// There is no such edit, or it is long gone.
    #[error("no such edit")]
    NotFound,
    /// A person went on since, or it was undone.
    #[error("the edit cannot be undone any more")]
    Blocked,
    /// Its time has passed.
    #[error("the time to undo has passed")]
    Expired,
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
    /// The caller used this key before, for something else.
    #[error("the key was used for another call")]
    KeyReused,
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] StoreError),
}

/// Brings back what an edit removed, and removes what replaced it, in one commit.
///
/// # Errors
/// See [`UndoError`].
pub async fn undo(
    history: &dyn History,
    watchers: &Watchers,
    undo: Undo,
) -> Result<Once<Undone>, UndoError> {
    let Undo { call, id, interrupt } = undo;
    let change = Change::Restore { edit: id, interrupt, or_nothing: false };
    restored(history, watchers, call, change).await
}

/// Makes a change that restores.
pub(crate) async fn restored(
    history: &dyn History,
    watchers: &Watchers,
    call: Call,
    change: Change,
) -> Result<Once<Undone>, UndoError> {
    match call.make(history, watchers, call.commit(change)).await? {
        Reply::Made(applied) => {
            let Outcome::Restored { from, count } = applied.outcome else {
                return Err(out_of_contract("an undo that restored nothing").into());
            };
            Ok(Once::Made(Undone { from, restored: count }))
        }
        Reply::Refused(refusal) => Err(refused(refusal)),
        Reply::Repeated(before) => Ok(Once::Repeated(before)),
        Reply::KeyReused => Err(UndoError::KeyReused),
    }
}

pub(crate) fn refused(refusal: Refusal) -> UndoError {
    match refusal {
        Refusal::EditNotFound => UndoError::NotFound,
        Refusal::UndoBlocked => UndoError::Blocked,
        Refusal::UndoExpired => UndoError::Expired,
        Refusal::TurnInProgress { until } => UndoError::TurnInProgress { until },
        Refusal::Unsettled { id } => UndoError::AnswerOnItsWay { id },
        Refusal::NotFound
        | Refusal::NotAPersons
        | Refusal::NothingWaiting
        | Refusal::NotYet { .. }
        | Refusal::StaleFence
        | Refusal::AlreadyAnswered
        | Refusal::IdTaken
        | Refusal::VersionConflict
        | Refusal::NoConsent => out_of_contract(refusal).into(),
    }
}
