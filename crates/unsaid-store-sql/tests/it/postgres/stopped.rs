//! A server that stands still, as a machine under load or a container that is paused does, and goes
//! on later.

use std::{collections::BTreeSet, fs, sync::Arc, time::Duration};

use tokio::task::JoinSet;
use unsaid_core::{
    domain::{
        conversation::change::{Change, Outcome, Refusal},
        id::{Fence, Number},
    },
    port::{
        Store,
        error::StoreError,
        history::{Commit, Committed},
    },
};
use unsaid_store_sql::postgres::{Options, PostgresStore};
use unsaid_testkit::{
    builder::{answer, at, chat_key, holder_id, message, say},
    random::dice::Dice,
    talk::{LEASE_MS, Talk},
};

use super::database::Database;
use crate::{
    child::{self, Role, Speaker},
    scene::{Said, Scene},
    wait::{now, until},
};

const LIMIT: Duration = Duration::from_mins(1);
const WRITERS: usize = 4;
const STOPS: usize = 4;
const KILLS: u32 = 20;
/// A server that stands still in the middle of a change is put out after so long.
const PUT_OUT: Duration = Duration::from_secs(1);

/// Where a child finds its database, and a sign to go on.
const ADDRESS: &str = "address";
const GO: &str = "go";

async fn child_store(scene: &Scene) -> Arc<dyn Store> {
    let address = fs::read_to_string(scene.root().join(ADDRESS)).unwrap();
    let idle_in_transaction_ms_max = u64::try_from(PUT_OUT.as_millis()).unwrap();
    let options = Options { idle_in_transaction_ms_max, ..Options::default() };
    Arc::new(PostgresStore::open(&address, &options).await.unwrap())
}

/// A child that takes a turn, and answers when it is told to. Says `began` with the fence, then
/// `answered` or `refused`.
pub(crate) async fn hold_turn(scene: &Scene, said: &Speaker) {
    let store = child_store(scene).await;
    let talk = Talk::chat(&store);
    talk.ask("m1").await;
    let fence = talk.begin().await.fence;
    said.say(format_args!("began {}", fence.get()));
    until("it is told to go on", LIMIT, || scene.root().join(GO).exists());
    // Its own idea of the time is still the old one.
    let change = Change::Answer { fence, messages: vec![answer("late")], last: true };
    match talk.commit(talk.change(change)).await {
        Committed::Refused(Refusal::StaleFence) => said.say("refused now"),
        other @ (Committed::Applied(..) | Committed::Refused(_) | Committed::Repeated(_)) => {
            said.say(format_args!("answered {other:?}"));
        }
    }
}

/// A child that appends without a pause. Says `ack` for what came back.
pub(crate) async fn append_forever(scene: &Scene, said: Speaker, run: &str) {
    let (store, said) = (child_store(scene).await, Arc::new(said));
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (store, said) = (Arc::clone(&store), Arc::clone(&said));
        let name = format!("child-{run}-{writer}");
        writers.spawn(async move {
            for turn in 0.. {
                let id = format!("{name}-{turn}");
                match store.commit(&chat_key("c1"), Commit::new(say(message(&id)), at(1_000))).await
                {
                    Ok(Committed::Applied(..)) => said.say(format_args!("ack c1 {id}")),
                    // It was put out while it stood still.
                    Err(StoreError::Unavailable(_) | StoreError::Uncertain(_)) => {}
                    other => panic!("{other:?}"),
                }
            }
        });
    }
    writers.join_all().await;
}

fn scene_of(database: &Database) -> Scene {
    let scene = Scene::new();
    fs::write(scene.root().join(ADDRESS), &database.address).unwrap();
    scene
}

#[tokio::test(flavor = "multi_thread")]
async fn h5_a_holder_that_stood_still_beyond_its_lease_cannot_answer() {
    let database = Database::new().await;
    let scene = scene_of(&database);
    let child = child::start(&scene, Role::HoldTurn, 1);
    until("the child has the turn", LIMIT, || Said::read(&scene).after("began").count() == 1);
    child.signal("STOP");
    let store: Arc<dyn Store> = Arc::new(database.open().await);
    let mut talk = Talk::chat(&store);
    talk.wait(LEASE_MS + 1);
    assert_eq!(store.wanting(talk.now, 9).await.unwrap(), [talk.key.clone()]);
    let until_later = talk.now.plus_millis(LEASE_MS);
    let begin = Change::Begin { holder: holder_id("h2"), until: until_later };
    let Outcome::Began(lease) = talk.outcome(begin).await else { panic!("not begun") };
    assert_eq!(lease.fence, Fence::new(2));
    fs::write(scene.root().join(GO), "").unwrap();
    child.signal("CONT");
    child.finish(LIMIT);
    let said = Said::read(&scene);
    assert_eq!(said.after("refused").count(), 1, "the child answered");
    talk.answer(lease.fence, &["r1"]).await;
    assert_eq!(talk.heard().await, ["m1", "r1"]);
}

/// H1: `kill -9` of a server, again and again, while it appends.
#[tokio::test(flavor = "multi_thread")]
async fn h1_kills_of_a_server_lose_no_acknowledged_message() {
    let database = Database::new().await;
    let scene = scene_of(&database);
    let store: Arc<dyn Store> = Arc::new(database.open().await);
    let mut dice = Dice::new(20);
    for kill in 1..=KILLS {
        let enough = Said::read(&scene).after("ack").count() + 1 + dice.index(60);
        let child = child::start(&scene, Role::AppendToPostgres, kill);
        until("the child appends", LIMIT, || Said::read(&scene).after("ack").count() >= enough);
        child.kill();
        // Another server goes on in the same conversation.
        Talk::chat(&store).say(&format!("here-{kill}")).await;
    }
    let there = whole(&*store).await;
    assert!(there.is_superset(&Said::read(&scene).places("ack")), "something is lost");
}

/// The ids of the chat `c1`, which has no gap and nothing twice.
async fn whole(store: &dyn Store) -> BTreeSet<(String, String)> {
    let page = store.page(&chat_key("c1"), None, 1_000_000).await.unwrap();
    let numbers = page.iter().map(|entry| entry.number);
    assert!(numbers.eq((1..=page.len() as u64).map(Number::new)), "there is a gap");
    let there = page.iter().map(|entry| ("c1".to_owned(), entry.message.id.to_string()));
    let there: BTreeSet<_> = there.collect();
    assert_eq!(there.len(), page.len(), "something is there twice");
    there
}

/// Wherever in its changes a server stands still, the others go on soon, and nothing is torn.
#[tokio::test(flavor = "multi_thread")]
async fn h2_a_server_that_stands_still_in_a_change_does_not_hold_up_the_others() {
    let database = Database::new().await;
    let scene = scene_of(&database);
    let store: Arc<dyn Store> = Arc::new(database.open().await);
    let child = child::start(&scene, Role::AppendToPostgres, 1);
    let mut dice = Dice::new(4);
    for stop in 0..STOPS {
        let enough = Said::read(&scene).after("ack").count() + 1 + dice.index(50);
        until("the child appends", LIMIT, || Said::read(&scene).after("ack").count() >= enough);
        child.signal("STOP");
        let stopped = now();
        Talk::chat(&store).say(&format!("here-{stop}")).await;
        assert!(stopped.elapsed() < PUT_OUT * 10, "held up for {:?}", stopped.elapsed());
        child.signal("CONT");
    }
    child.kill();
    let there = whole(&*store).await;
    assert!(there.is_superset(&Said::read(&scene).places("ack")), "something is lost");
    assert_eq!(there.iter().filter(|(_, id)| id.starts_with("here-")).count(), STOPS);
}
