//! The contract of every store.

use std::{
    future::{Ready, ready},
    sync::Arc,
};

use unsaid_store_memory::MemoryStore;
use unsaid_testkit::contract::TestStore;

fn fresh() -> Ready<TestStore> {
    ready(TestStore::new(Arc::new(MemoryStore::unbounded())))
}

unsaid_testkit::contract!(fresh);
