//! Why no more is taken in.

use unsaid_core::port::error::StoreError;
use unsaid_core::port::worlds::{Asked, WorldRefusal};

/// See the module. Somebody may delete or erase what is being taken in.
#[derive(Debug)]
pub(super) enum Stop {
    /// The chat was deleted here.
    ChatGone,
    /// The world was deleted here.
    WorldGone,
    /// Everything that the owner said was erased here.
    Erased,
    /// The account of the owner was deleted here.
    OwnerGone,
    Broken(StoreError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Broken(error)
    }
}

/// Any other refusal is somebody who changes the same world at the same time.
pub(super) fn made<T>(asked: Asked<T>) -> Result<T, Stop> {
    asked?.map_err(|refusal| match refusal {
        WorldRefusal::OwnerNotFound => Stop::OwnerGone,
        WorldRefusal::WorldNotFound => Stop::WorldGone,
        WorldRefusal::WorldExists
        | WorldRefusal::AgentExists
        | WorldRefusal::LimitReached
        | WorldRefusal::ChatNotFound
        | WorldRefusal::AgentNotFound => StoreError::Unavailable(refusal.to_string()).into(),
    })
}
