//! H2, H5: whoever changes a conversation holds it, also if somebody else makes its row meanwhile.

use std::{collections::VecDeque, sync::Mutex};

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        conversation::change::{Change, Outcome},
        id::{EventNumber, HolderId},
        time::Timestamp,
    },
    port::{
        error::StoreError,
        history::{Commit, Committed, History},
    },
};
use unsaid_testkit::builder::{answer, ask, chat_key, message};

use super::{
    connection::{Ended, PostgresDb, Purpose},
    scratch::with_store,
};
use crate::{
    db::{Db, Lock, Row, Value, values},
    history,
    store::Doing,
};

const NOW: Timestamp = Timestamp::from_millis(1_000);
const LATER: Timestamp = Timestamp::from_millis(2_000);

/// One server looks for the row and finds none; before it looks again, another one says the first
/// words, and before it writes, a turn begins there.
#[tokio::test(flavor = "multi_thread")]
async fn h5_a_turn_that_begins_beside_a_first_message_is_kept() {
    with_store("first", async |store| {
        let key = chat_key("c1");
        let turn = Change::Begin { holder: HolderId::new("h").unwrap(), until: LATER };
        let meanwhile = [ask(message("m1"), NOW), turn].map(|change| {
            let (store, key) = (store.clone(), key.clone());
            Box::pin(async move { store.commit(&key, Commit::new(change, NOW)).await })
                as Doing<'static, Committed>
        });
        let slow = Slow {
            db: store.engine.begin(Purpose::Change).await.unwrap(),
            meanwhile: Mutex::new(meanwhile.into()),
            seen: Mutex::default(),
        };
        // Wanted earlier than what waits, so that the whole row is written.
        let second = ask(message("m2"), Timestamp::from_millis(900));
        history::commit(&slow, &key, Commit::new(second, NOW)).await.unwrap();
        let Slow { db, seen, .. } = slow;
        let Ended::Done(Ok(())) = db.end(Ok(())).await else { panic!("not committed") };
        let Some(Committed::Applied(began, _)) = seen.into_inner().unwrap().pop() else {
            panic!("no turn was begun meanwhile")
        };
        let Outcome::Began(lease) = began.outcome else { panic!("{began:?}") };
        let messages = vec![answer("a1")];
        let change = Change::Answer { fence: lease.fence, messages, last: true };
        let answered = store.commit(&key, Commit::new(change, NOW)).await.unwrap();
        assert!(matches!(answered, Committed::Applied(..)), "the turn was lost: {answered:?}");
        let whole = store.whole(&key).await.unwrap().unwrap();
        assert_eq!((whole.version.get(), whole.last_number.get()), (4, 3));
    })
    .await;
}

/// A server that is slow: after each of its first statements something happens elsewhere.
struct Slow {
    db: PostgresDb,
    meanwhile: Mutex<VecDeque<Doing<'static, Committed>>>,
    /// What became of it.
    seen: Mutex<Vec<Committed>>,
}

impl Slow {
    async fn pause(&self) {
        let next = self.meanwhile.lock().unwrap().pop_front();
        if let Some(next) = next {
            // What was sent without waiting comes before what happens elsewhere.
            self.db.rows("SELECT 1", values![]).await.unwrap();
            let committed = next.await.unwrap();
            self.seen.lock().unwrap().push(committed);
        }
    }
}

#[async_trait]
impl Db for Slow {
    async fn run(&self, sql: &'static str, values: Vec<Value>) -> Result<u64, StoreError> {
        self.db.run(sql, values).await
    }

    async fn send(&self, sql: &'static str, values: Vec<Value>) -> Result<(), StoreError> {
        self.db.send(sql, values).await
    }

    async fn rows(&self, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        let rows = self.db.rows(sql, values).await;
        self.pause().await;
        rows
    }

    async fn event_number(&self, after: EventNumber) -> Result<EventNumber, StoreError> {
        self.db.event_number(after).await
    }

    async fn keep_words(&self, place: &str, words: &[u8]) -> Result<i64, StoreError> {
        self.db.keep_words(place, words).await
    }

    async fn erase_words(&self, place: &str, slots: &[i64]) -> Result<(), StoreError> {
        self.db.erase_words(place, slots).await
    }

    async fn lock(&self, lock: Lock<'_>) -> Result<(), StoreError> {
        self.db.lock(lock).await?;
        self.pause().await;
        Ok(())
    }

    async fn try_lock(&self, lock: Lock<'_>) -> Result<bool, StoreError> {
        self.db.try_lock(lock).await
    }

    fn is_shared(&self) -> bool {
        true
    }
}
