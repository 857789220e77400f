//! A source that was forgotten and comes again: its row is made anew while others wait for the old one.

use std::{sync::Arc, time::Duration};

use tokio::task::JoinSet;
use tokio_postgres::Client;
use unsaid_core::{
    domain::{
        conversation::change::{Applied, Change, Outcome, Say},
        time::Timestamp,
    },
    port::Store,
};
use unsaid_testkit::{
    builder::{at, delivery_id, holder_id, line_key, message},
    talk::Talk,
};

use super::database::Database;
use crate::wait;

const PATIENCE: Duration = Duration::from_secs(15);

/// H5: one server says the first words again, a second one waits for the row meanwhile, and a third
/// begins a turn: what the second writes leaves the turn alone.
#[tokio::test(flavor = "multi_thread")]
async fn h5_who_waited_for_a_row_that_was_made_anew_holds_the_new_one() {
    let database = Database::new().await;
    let one = talk(&database).await;
    one.say("old").await;
    one.store.drop_conversation(&one.key).await.unwrap();
    // Whoever brings one of these stops there, until the other transaction has ended.
    let (stop_one, stop_two) = (holding(&database, "d1").await, holding(&database, "d2").await);

    let mut first = JoinSet::new();
    let ask = asked("m1", "d1", one.now);
    first.spawn(async move { one.make(ask).await });
    until_waiting(&database, 1, || false).await;
    let two = talk(&database).await;
    let mut second = JoinSet::new();
    // Wanted earlier than what waits, so that the whole row is written.
    let ask = asked("m2", "d2", at(900));
    second.spawn(async move { two.make(ask).await });
    until_waiting(&database, 2, || false).await;
    stop_one.batch_execute("ROLLBACK").await.unwrap();
    first.join_next().await.unwrap().unwrap();

    until_waiting(&database, 1, || false).await;
    let three = talk(&database).await;
    let turn = Change::Begin { holder: holder_id("h"), until: three.now.plus_millis(500) };
    let mut third: JoinSet<(Talk, Applied)> = JoinSet::new();
    third.spawn(async move {
        let began = three.make(turn).await;
        (three, began)
    });
    let mut began = None;
    until_waiting(&database, 2, || {
        began = third.try_join_next();
        began.is_some()
    })
    .await;
    stop_two.batch_execute("ROLLBACK").await.unwrap();
    second.join_next().await.unwrap().unwrap();
    let began = if began.is_some() { began } else { third.join_next().await };
    let (three, began) = began.unwrap().unwrap();

    let Outcome::Began(lease) = began.outcome else { panic!("{began:?}") };
    three.answer(lease.fence, &["a1"]).await;
    assert_eq!(three.heard().await, ["m1", "m2", "a1"]);
    assert_eq!(three.overview().await.version.get(), 4, "one for each of them");
}

/// The same source on a server of its own.
async fn talk(database: &Database) -> Talk {
    let store: Arc<dyn Store> = Arc::new(database.open().await);
    Talk::new(&store, line_key("U1"))
}

fn asked(id: &str, delivery: &str, wanted: Timestamp) -> Change {
    let delivery = Some(delivery_id(delivery));
    let message = message(id);
    Change::Say(Say { message, delivery, wants_answer: Some(wanted), way_back: None })
}

/// A transaction that is about to take note of a delivery.
async fn holding(database: &Database, delivery: &str) -> Client {
    let client = database.plain().await;
    let sql =
        format!("INSERT INTO delivery (conversation, id, at) VALUES ('line:U1', '{delivery}', 0)");
    client.batch_execute(&format!("BEGIN; {sql}")).await.unwrap();
    client
}

/// Until so many wait for a lock, or it is over anyway.
async fn until_waiting(database: &Database, count: i64, mut over: impl FnMut() -> bool) {
    let client = database.plain().await;
    let sql = "SELECT count(*) FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let end = wait::now() + PATIENCE;
    while !over() && client.query_one(sql, &[]).await.unwrap().get::<_, i64>(0) != count {
        assert!(wait::now() < end, "not {count} wait for a lock");
    }
}
