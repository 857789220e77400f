//! H12: what a change costs does not depend on the length of the conversation. Counted in steps of
//! SQLite's own machine, so that the count is the same on every machine.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use rusqlite::Connection;
use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Outcome, SendOutcome},
            key::ConversationKey,
        },
        id::{EditId, Fence, HolderId},
        time::Timestamp,
    },
    port::history::{Commit, Committed},
};
use unsaid_testkit::builder::{answer, ask, chat_key, edit, message, message_id, revise, unsend};

use super::{Options, SqliteStore, connection::SqliteDb, now_or_never};
use crate::history;

const SHORT_ROUNDS: u64 = 10;
const LONG_ROUNDS: u64 = 1_500;
const NOW: Timestamp = Timestamp::from_millis(1_000);
const LATER: Timestamp = Timestamp::from_millis(2_000);

#[test]
fn h12_no_change_costs_more_in_a_long_conversation() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("unsaid.db");
    drop(SqliteStore::open(&path, &Options::default()).unwrap());
    let bench = Bench::new(Connection::open(&path).unwrap());
    let short = bench.costs(&chat_key("short"), SHORT_ROUNDS);
    let long = bench.costs(&chat_key("long"), LONG_ROUNDS);
    for ((name, short), (_, long)) in short.iter().zip(&long) {
        assert!(*short > 0, "{name} was not counted");
        assert!(*long <= short + short / 2, "{name}: {short} steps when short, {long} when long");
    }
}

struct Bench {
    db: SqliteDb,
    steps: Arc<AtomicU64>,
}

impl Bench {
    fn new(mut connection: Connection) -> Self {
        connection.execute_batch("PRAGMA synchronous = OFF").unwrap();
        let steps = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&steps);
        let count = move || {
            counter.fetch_add(1, Ordering::Relaxed);
            false
        };
        connection.progress_handler(1, Some(count)).unwrap();
        Self { db: SqliteDb::new(connection), steps }
    }

    /// Fills a conversation with questions and answers, then counts one change of each kind.
    fn costs(&self, key: &ConversationKey, rounds: u64) -> Vec<(&'static str, u64)> {
        self.db.connection().execute_batch("BEGIN").unwrap();
        for round in 0..rounds {
            self.make(key, ask(message(&format!("q{round}")), NOW));
            let (_, fence) = self.begin(key);
            let messages = vec![answer(&format!("a{round}"))];
            self.make(key, Change::Answer { fence, messages, last: true });
        }
        self.db.connection().execute_batch("COMMIT").unwrap();
        let mut costs = vec![("say", self.make(key, ask(message("q"), NOW)).0)];
        let (steps, fence) = self.begin(key);
        costs.push(("begin", steps));
        let mut count = |name, change| costs.push((name, self.make(key, change).0));
        count("intend", Change::Intend { fence, message: answer("a") });
        count("settle", Change::Settle { id: message_id("a"), outcome: SendOutcome::Sent });
        count("revise", revise("q", "other words", LATER));
        count("unsend", unsend("q"));
        let last = format!("q{}", rounds - 1);
        count("edit of the last", edit(&last, message("new"), "e1", LATER));
        let edit = EditId::new("e1").unwrap();
        let interrupt = unsaid_core::domain::conversation::change::Interrupt::No;
        count("undo", Change::Restore { edit, interrupt });
        count("unsend of the first", unsend("q0"));
        count("expire", Change::Expire);
        costs
    }

    fn begin(&self, key: &ConversationKey) -> (u64, Fence) {
        let holder = HolderId::new("h").unwrap();
        match self.make(key, Change::Begin { holder, until: LATER }) {
            (steps, Outcome::Began(lease)) => (steps, lease.fence),
            (_, other) => panic!("{other:?}"),
        }
    }

    fn make(&self, key: &ConversationKey, change: Change) -> (u64, Outcome) {
        let before = self.steps.load(Ordering::Relaxed);
        let made = now_or_never(history::commit(&self.db, key, Commit::new(change, NOW)));
        match made.unwrap() {
            Committed::Applied(applied, _) => {
                (self.steps.load(Ordering::Relaxed) - before, applied.outcome)
            }
            other @ (Committed::Refused(_) | Committed::Repeated(_)) => panic!("{other:?}"),
        }
    }
}
