//! Fresh stores in directories of their own.

use std::sync::Arc;

use unsaid_store_sql::sqlite::{Options, SqliteStore};
use unsaid_testkit::contract::TestStore;

pub(crate) async fn fresh() -> TestStore {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&dir.path().join("unsaid.db"), &Options::default()).unwrap();
    TestStore::keeping(Arc::new(store), dir)
}
