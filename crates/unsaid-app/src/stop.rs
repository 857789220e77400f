//! Stops whatever turn is running.

use unsaid_core::{
    domain::{
        conversation::change::{Change, Outcome},
        id::HolderId,
    },
    port::{
        error::StoreError,
        history::{Committed, History},
    },
};

use crate::{
    call::{Call, Once, Reply, out_of_contract},
    event::Watchers,
};

/// Who takes a turn only to end it.
const HOLDER: &str = "stop";
/// How long it has it, should it not come to that.
const HOLDER_MS: i64 = 2_000;

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The turn is over; what it was asked waits no more, and nothing of it is kept.
    Stopped,
    /// None was running.
    Nothing,
}

/// How much is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The running turn.
    Running,
    /// Also one that is owed and has not begun yet.
    AlsoOwed,
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
    reach: Reach,
) -> Result<Once<Stopped>, StopError> {
    match reach {
        Reach::Running => {}
        Reach::AlsoOwed => begin_what_waits(history, &call).await?,
    }
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

/// Takes a turn that nobody has begun, so that there is one to stop. Whoever wanted to run it finds
/// nothing that waits.
async fn begin_what_waits(history: &dyn History, call: &Call) -> Result<(), StoreError> {
    let key = call.place.conversation();
    let Some(found) = history.overview(key).await? else { return Ok(()) };
    let runs = found.turn.is_some_and(|lease| call.now < lease.until);
    if runs || found.wanted_at.is_none() {
        return Ok(());
    }
    let holder = HolderId::new(HOLDER).map_err(out_of_contract)?;
    let begin = Change::Begin { holder, until: call.now.plus_millis(HOLDER_MS) };
    let begin = Call { once: None, ..call.clone() }.commit(begin);
    match history.commit(key, begin).await? {
        // A refusal: somebody was faster.
        Committed::Applied(..) | Committed::Refused(_) => Ok(()),
        Committed::Repeated(before) => Err(out_of_contract(before)),
    }
}
