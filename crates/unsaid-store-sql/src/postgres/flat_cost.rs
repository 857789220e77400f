//! H12, counted in rows that the server has looked at.

use std::sync::Arc;

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

use super::{
    PostgresStore,
    connection::{Ended, PostgresDb, Purpose},
    scratch::with_store,
};
use crate::{
    db::{Db, values},
    flat_cost::{Meter, NOW, TURNS, assert_flat, assert_list_flat},
    history,
};

/// The server's own count for this connection: rows from indexes, rows from end to end, and rows
/// written. It stands still between transactions at most.
const LOOKED_AT: &str = "SELECT (sum(coalesce(idx_tup_fetch, 0) + seq_tup_read + n_tup_ins \
    + n_tup_upd + n_tup_del))::bigint, sum(seq_tup_read)::bigint FROM pg_stat_xact_user_tables";

#[tokio::test(flavor = "multi_thread")]
async fn h12_no_change_costs_more_in_a_long_conversation() {
    with_store("flat", async |store| {
        let rows = Rows(store);
        assert_flat(&rows, 1_500).await;
        assert_list_flat(&rows, 300).await;
    })
    .await;
}

struct Rows(PostgresStore);

impl Meter for Rows {
    async fn make(&self, key: &ConversationKey, change: Change) -> (u64, Outcome) {
        let engine: &Arc<super::Postgres> = &self.0.engine;
        let db: PostgresDb = engine.begin(Purpose::Change).await.unwrap();
        let (before, _) = looked_at(&db).await;
        let committed = history::commit(&db, key, Commit::new(change, NOW)).await.unwrap();
        let (after, end_to_end) = looked_at(&db).await;
        assert_eq!(end_to_end, 0, "a table was read from end to end");
        let Ended::Done(Ok(())) = db.end(Ok(())).await else { panic!("not committed") };
        match committed {
            Committed::Applied(applied, _) => (after - before, applied.outcome),
            other @ (Committed::Refused(_) | Committed::Repeated(_)) => panic!("{other:?}"),
        }
    }

    async fn list(&self, after: Option<&SourceId>) -> (u64, Vec<SourceReport>) {
        let db: PostgresDb = self.0.engine.begin(Purpose::Change).await.unwrap();
        let (before, _) = looked_at(&db).await;
        let page = history::sources(&db, after, 1).await.unwrap();
        let (after, end_to_end) = looked_at(&db).await;
        assert_eq!(end_to_end, 0, "a table was read from end to end");
        let Ended::Done(Ok(())) = db.end(Ok(())).await else { panic!("not committed") };
        (after - before, page)
    }

    async fn turns(&self, key: &ConversationKey) -> (u64, Vec<EndedTurn>) {
        let db: PostgresDb = self.0.engine.begin(Purpose::Change).await.unwrap();
        let (before, _) = looked_at(&db).await;
        let turns = history::ended_turns(&db, key, None, TURNS).await.unwrap();
        let (after, end_to_end) = looked_at(&db).await;
        assert_eq!(end_to_end, 0, "a table was read from end to end");
        let Ended::Done(Ok(())) = db.end(Ok(())).await else { panic!("not committed") };
        (after - before, turns)
    }

    /// The server looks at its tables every minute, and plans anew what it planned for empty ones.
    async fn rest(&self) {
        let (client, _driver) = self.0.engine.address.connect().await.unwrap();
        client.batch_execute("ANALYZE").await.unwrap();
    }
}

async fn looked_at(db: &PostgresDb) -> (u64, u64) {
    let counted = (db as &dyn Db).first(LOOKED_AT, values![]).await.unwrap().unwrap();
    (counted.count(0).unwrap(), counted.count(1).unwrap())
}
