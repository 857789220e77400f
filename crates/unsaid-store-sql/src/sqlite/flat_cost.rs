//! H12, counted in steps of SQLite's own machine.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use rusqlite::Connection;
use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, EndedTurn, Outcome},
            key::ConversationKey,
        },
        id::SourceId,
    },
    port::history::{Commit, Committed, SourceReport},
};

use super::{Options, SqliteStore, connection::SqliteDb};
use crate::{
    flat_cost::{Meter, NOW, TURNS, assert_flat, assert_list_flat},
    history,
};

#[tokio::test]
async fn h12_no_change_costs_more_in_a_long_conversation() {
    let dir = tempfile::tempdir().unwrap();
    assert_flat(&Steps::beginning(dir.path()), 1_500).await;
}

#[tokio::test]
async fn h12_a_list_of_sources_costs_no_more_where_much_was_said() {
    let dir = tempfile::tempdir().unwrap();
    assert_list_flat(&Steps::beginning(dir.path()), 300).await;
}

struct Steps {
    db: SqliteDb,
    steps: Arc<AtomicU64>,
}

impl Steps {
    fn beginning(dir: &Path) -> Self {
        let path = dir.join("unsaid.db");
        drop(SqliteStore::open(&path, &Options::default()).unwrap());
        let mut connection = Connection::open(&path).unwrap();
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

    async fn list(&self, after: Option<&SourceId>) -> (u64, Vec<SourceReport>) {
        let before = self.steps.load(Ordering::Relaxed);
        let page = history::sources(&self.db, after, 1).await.unwrap();
        (self.steps.load(Ordering::Relaxed) - before, page)
    }

    async fn turns(&self, key: &ConversationKey) -> (u64, Vec<EndedTurn>) {
        let before = self.steps.load(Ordering::Relaxed);
        let turns = history::ended_turns(&self.db, key, None, TURNS).await.unwrap();
        (self.steps.load(Ordering::Relaxed) - before, turns)
    }

    async fn rest(&self) {}
}
