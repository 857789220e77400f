//! Forget all of one conversation.

use unsaid_core::{
    domain::conversation::change::{Change, Outcome},
    port::{error::StoreError, history::History},
};

use crate::{
    call::{Call, Reply, out_of_contract},
    event::Watchers,
};

/// Forgets everything that was said; how many messages that were. The conversation itself stays, and
/// numbers go on.
///
/// # Errors
/// If the store fails.
pub async fn forget(
    history: &dyn History,
    watchers: &Watchers,
    call: &Call,
) -> Result<u64, StoreError> {
    match call.make(history, watchers, call.commit(Change::EraseAll)).await? {
        Reply::Made(applied) => match applied.outcome {
            Outcome::Erased { count } => Ok(count),
            Outcome::Nothing => Ok(0),
            other @ (Outcome::Said(_)
            | Outcome::Known
            | Outcome::TakenBack
            | Outcome::Began(_)
            | Outcome::Done
            | Outcome::Deferred
            | Outcome::Removed { .. }
            | Outcome::RemovedBefore { .. }
            | Outcome::Replaced { .. }
            | Outcome::Restored { .. }) => Err(out_of_contract(other)),
        },
        Reply::Refused(refusal) => Err(out_of_contract(refusal)),
        Reply::Repeated(_) | Reply::KeyReused => Ok(0),
    }
}
