//! Stops whatever turn is running.

use unsaid_core::{
    domain::conversation::change::{Change, Outcome},
    port::{error::StoreError, history::History},
};

use crate::{
    call::{Call, Once, Reply, out_of_contract},
    event::Watchers,
};

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The turn is over; what it was asked waits no more, and nothing of it is kept.
    Stopped,
    /// None was running.
    Nothing,
}

/// Why nothing was stopped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StopError {
    /// The caller used this key before, for something else.
    #[error("the key was used for another call")]
    KeyReused,
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] StoreError),
}

/// Stops the running turn of a conversation, in whichever process it runs.
///
/// # Errors
/// See [`StopError`].
pub async fn stop(
    history: &dyn History,
    watchers: &Watchers,
    call: Call,
) -> Result<Once<Stopped>, StopError> {
    match call.make(history, watchers, call.commit(Change::Stop)).await? {
        Reply::Made(applied) if applied.outcome == Outcome::Nothing => {
            Ok(Once::Made(Stopped::Nothing))
        }
        Reply::Made(_) => Ok(Once::Made(Stopped::Stopped)),
        Reply::Refused(refusal) => Err(out_of_contract(refusal).into()),
        Reply::Repeated(before) => Ok(Once::Repeated(before)),
        Reply::KeyReused => Err(StopError::KeyReused),
    }
}
