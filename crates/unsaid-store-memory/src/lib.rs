//! The volatile store: a map, a mutex, and the specification.
//!
//! It serves tests, and people who do not want their words kept: nothing of it reaches a file, and
//! it is bounded in messages, bytes and time ([`Bounds`]). Accounts, worlds and audit lines are few
//! and not bounded; what LINE calls people and places lives as long as a conversation may.
//!
//! - `state`: what is held, and the one place where a conversation changes.
//! - `bounds`: what is let go when there is too much.
//! - `history`, `keys`, `media`, `people`, `access`, `erasure`, `worlds`, `directory`,
//!   `volatile`: the ports.
//! - `allowances`, `recent_keys`: how often something was done, and what was asked once; apart from
//!   the store.

mod access;
mod allowances;
mod bounds;
mod directory;
mod erasure;
mod history;
mod keys;
mod media;
mod people;
mod recent_keys;
mod state;
mod volatile;
mod worlds;

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use unsaid_core::{
    domain::id::EventNumber,
    port::{error::StoreError, health::Health},
};

pub use self::allowances::MemoryAllowances;
pub use self::bounds::Bounds;
pub use self::recent_keys::RecentKeys;
use self::state::State;

/// See the crate.
#[derive(Debug)]
pub struct MemoryStore {
    state: Mutex<State>,
}

impl MemoryStore {
    /// An empty store that lets the oldest go when it holds more than this.
    #[must_use]
    pub fn new(bounds: Bounds) -> Self {
        Self { state: Mutex::new(State::new(bounds)) }
    }

    /// The same, with event numbers after this one: whoever knows a number of another store, or of an
    /// earlier life of this one, is not mistaken for one who knows this.
    #[must_use]
    pub fn numbering_after(self, number: EventNumber) -> Self {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.last_event = number;
        Self { state: Mutex::new(state) }
    }

    /// An empty store that lets nothing go.
    #[must_use]
    pub fn unbounded() -> Self {
        Self::new(Bounds::NONE)
    }

    /// Nothing waits while it holds this, so a plain mutex serves async callers.
    fn lock(&self) -> Result<MutexGuard<'_, State>, StoreError> {
        let broken = |_| StoreError::Unavailable("a change broke off halfway".to_owned());
        self.state.lock().map_err(broken)
    }
}

#[async_trait]
impl Health for MemoryStore {
    async fn check(&self) -> Result<(), StoreError> {
        self.lock().map(drop)
    }
}
