//! Time and chance, handed in so that tests can hold them still.

use crate::domain::time::Timestamp;

/// Tells the time. Nothing below the binary asks the system.
pub trait Clock: Send + Sync {
    /// Now, as people's calendars have it.
    fn now(&self) -> Timestamp;
}

/// Gives random bytes, for ids and keys.
pub trait Chance: Send + Sync {
    /// Fills `bytes`.
    fn fill(&self, bytes: &mut [u8]);
}
