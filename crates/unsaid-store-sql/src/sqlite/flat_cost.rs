//! H12, counted in steps of SQLite's own machine.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use rusqlite::Connection;
use unsaid_core::{
    domain::conversation::{
        change::{Change, Outcome},
        key::ConversationKey,
    },
    port::history::{Commit, Committed},
};

use super::{Options, SqliteStore, connection::SqliteDb};
use crate::{
    flat_cost::{Meter, NOW, assert_flat},
    history,
};

#[tokio::test]
async fn h12_no_change_costs_more_in_a_long_conversation() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("unsaid.db");
    drop(SqliteStore::open(&path, &Options::default()).unwrap());
    assert_flat(&Steps::new(Connection::open(&path).unwrap()), 1_500).await;
}

struct Steps {
    db: SqliteDb,
    steps: Arc<AtomicU64>,
}

impl Steps {
    fn new(mut connection: Connection) -> Self {
        connection.execute_batch("PRAGMA synchronous = OFF; BEGIN").unwrap();
        let steps = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&steps);
        let count = move || {
            counter.fetch_add(1, Ordering::Relaxed);
            false
        };
        connection.progress_handler(1, Some(count)).unwrap();
        Self { db: SqliteDb::new(connection), steps }
    }
}

impl Meter for Steps {
    async fn make(&self, key: &ConversationKey, change: Change) -> (u64, Outcome) {
        let before = self.steps.load(Ordering::Relaxed);
        match history::commit(&self.db, key, Commit::new(change, NOW)).await.unwrap() {
            Committed::Applied(applied, _) => {
                (self.steps.load(Ordering::Relaxed) - before, applied.outcome)
            }
            other @ (Committed::Refused(_) | Committed::Repeated(_)) => panic!("{other:?}"),
        }
    }

    async fn rest(&self) {}
}
