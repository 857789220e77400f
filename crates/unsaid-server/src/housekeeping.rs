//! What the server does by itself: ends turns of a dead predecessor, lets go of what time has
//! closed, and erases who is due.
//!
//! - [`sweep`]: empties what is closed, deletes what is logically gone
//! - [`keys`]: forgets idempotency keys that have had their day
//! - [`erase`]: the erasure job (H8)
//! - [`vacuum`]: asks PostgreSQL to free what was erased

pub mod erase;
pub mod keys;
pub mod sweep;
pub mod vacuum;

use std::sync::Arc;
use std::time::Duration;

use unsaid_core::port::{Store, clock::Clock};

use crate::lifecycle::Lifecycle;

pub use sweep::{before_serving, end_turns_of_predecessor};

/// Starts every job; each looks at the end between its batches.
pub fn start(
    store: &Arc<dyn Store>,
    clock: &Arc<dyn Clock>,
    life: &Lifecycle,
    erase_interval: Duration,
) {
    let (sweeping, forgetting, erasing) = (Arc::clone(store), Arc::clone(store), Arc::clone(store));
    life.spawn(sweep::run(sweeping, Arc::clone(clock), life.ending()));
    life.spawn(keys::run(forgetting, Arc::clone(clock), life.ending()));
    life.spawn(erase::run(erasing, Arc::clone(clock), erase_interval, life.ending()));
}
