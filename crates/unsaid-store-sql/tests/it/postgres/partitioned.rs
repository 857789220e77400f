//! Every case of the contract, on tables that are spread by `deploy/postgres/partition.sql`.

use std::sync::Arc;

use unsaid_testkit::contract::TestStore;

use super::database::Database;

async fn fresh() -> TestStore {
    let database = Database::partitioned().await;
    let store = database.open().await;
    TestStore::keeping(Arc::new(store), database)
}

unsaid_testkit::contract!(fresh);
