//! What the server does by itself: ends turns of a dead predecessor, lets go of what time has
//! closed, and erases who is due.
//!
//! - [`sweep`]: empties what is closed, deletes what is logically gone
//! - [`follow`]: lets what is only in memory follow erasures made elsewhere
//! - [`failed_edits`]: hands edits that failed to the store
//! - [`keys`]: forgets idempotency keys that have had their day
//! - [`erase`]: the erasure job (H8)
//! - [`sign_ins`]: forgets ended sign-ins that nobody can use any more
//! - [`vacuum`]: asks PostgreSQL to free what was erased

pub mod erase;
pub mod failed_edits;
pub mod follow;
pub mod keys;
pub mod sign_ins;
pub mod sweep;
pub mod vacuum;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use unsaid_core::port::{Store, clock::Clock};
use unsaid_http::chat::Sessions;

use crate::lifecycle::Lifecycle;

pub use sweep::{before_serving, end_turns_of_predecessor};

/// Starts every job; each looks at the end between its batches. `erasures` wakes the erasure job: the
/// bytes of whoever was claimed go at once.
pub fn start(
    store: &Arc<dyn Store>,
    clock: &Arc<dyn Clock>,
    life: &Lifecycle,
    erase_interval: Duration,
    erasures: Arc<Notify>,
) {
    let (sweeping, forgetting, erasing) = (Arc::clone(store), Arc::clone(store), Arc::clone(store));
    life.spawn(sweep::run(sweeping, Arc::clone(clock), life.ending()));
    life.spawn(keys::run(forgetting, Arc::clone(clock), life.ending()));
    life.spawn(sign_ins::run(Arc::clone(store) as _, Arc::clone(clock), life.ending()));
    let job = erase::Job { erasure: erasing, clock: Arc::clone(clock), woken: erasures };
    life.spawn(job.run(erase_interval, life.ending()));
}

/// Starts what keeps words in memory within their time, and lets them follow what happens elsewhere.
pub fn follow_in_memory(
    sessions: &Sessions,
    store: &Arc<dyn Store>,
    clock: &Arc<dyn Clock>,
    life: &Lifecycle,
) {
    let volatile = &sessions.volatile;
    life.spawn(sweep::run(Arc::clone(volatile) as _, Arc::clone(clock), life.ending()));
    let follower = follow::Follower {
        people: Arc::clone(store) as _,
        worlds: Arc::clone(store) as _,
        volatile: Arc::clone(volatile) as _,
        logs: sessions.logs.clone(),
        clock: Arc::clone(clock),
    };
    life.spawn(follower.run(life.ending()));
}
