//! Memory in place of a store, for LINE conversations that are not to be kept.

use std::sync::Arc;

use unsaid_core::limits::Limits;
use unsaid_core::port::Store;
use unsaid_core::port::joined::Joined;
use unsaid_store_memory::{Bounds, MemoryStore};

use super::bucket::is_line;

/// LINE conversations in memory, within bounds and until the end of the process; the rest as it is.
#[must_use]
pub fn joined(limits: &Limits, database: Arc<dyn Store>) -> Arc<dyn Store> {
    let apart = Arc::new(MemoryStore::new(Bounds::from(limits)));
    Arc::new(Joined { is_apart: is_line, apart, rest: database })
}
