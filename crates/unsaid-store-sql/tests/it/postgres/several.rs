//! Several servers on one database give what one would give.

use std::{collections::BTreeSet, sync::Arc};

use tokio::task::JoinSet;
use unsaid_core::{
    domain::{
        audit::{EraseReason, first_break},
        conversation::change::{Change, Event},
        id::{EventNumber, Number},
    },
    port::{
        Store,
        erasure::{Batch, Claim},
        history::Committed,
        people::Which,
        worlds::WorldRefusal,
    },
};
use unsaid_testkit::{
    builder::{
        TERMS, agent, at, chat, chat_key, consent_line, consent_move, key_use, message,
        new_session, person, person_id, say, world, world_key,
    },
    talk::Talk,
};

use super::database::Database;

const SERVERS: usize = 3;

async fn servers(database: &Database) -> Vec<Arc<dyn Store>> {
    let mut servers: Vec<Arc<dyn Store>> = Vec::new();
    for _ in 0..SERVERS {
        servers.push(Arc::new(database.open().await));
    }
    servers
}

/// Does the same on every server at once, some times each.
async fn everywhere<T, F>(
    servers: &[Arc<dyn Store>],
    times: usize,
    work: impl Fn(Arc<dyn Store>, usize) -> F,
) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut calls = JoinSet::new();
    for call in 0..times * servers.len() {
        calls.spawn(work(Arc::clone(&servers[call % servers.len()]), call));
    }
    calls.join_all().await
}

#[tokio::test(flavor = "multi_thread")]
async fn h2_three_servers_in_one_conversation_give_one_order() {
    let database = Database::new().await;
    let servers = servers(&database).await;
    let numbers = everywhere(&servers, 4, |store, writer| async move {
        let mut numbers = Vec::new();
        for turn in 0..25 {
            numbers.push(Talk::chat(&store).say(&format!("w{writer}-{turn}")).await);
        }
        assert!(numbers.is_sorted(), "a writer's own messages are in its order");
        numbers
    });
    let mut numbers = numbers.await.concat();
    numbers.sort();
    assert!(numbers.into_iter().eq((1..=300).map(Number::new)), "not one order");
    let log = servers[0].page(&chat_key("c1"), None, 1_000).await.unwrap();
    let said: Vec<_> = log.iter().map(|entry| entry.message.id.clone()).collect();
    assert_eq!(said.iter().collect::<BTreeSet<_>>().len(), 300, "something is there twice");
    for store in &servers {
        let events = store.events_after(&chat_key("c1"), EventNumber::ZERO, 1_000).await.unwrap();
        let events = events.expect("zero is before the first");
        assert!(events.is_sorted_by(|one, next| one.0 < next.0), "event numbers rise");
        let told = events.into_iter().map(|(_, event)| match event {
            Event::Message { id } => id,
            other @ (Event::Removed { .. } | Event::Restored { .. }) => panic!("{other:?}"),
        });
        assert!(told.eq(said.iter().cloned()), "events come in the order of the messages");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn h2_of_several_first_messages_one_is_the_first() {
    let database = Database::new().await;
    let servers = servers(&database).await;
    for round in 0..20 {
        let numbers = everywhere(&servers, 2, |store, call| async move {
            let talk = Talk::new(&store, chat_key(&format!("new-{round}")));
            talk.say(&format!("m{call}")).await
        });
        let numbers: BTreeSet<_> = numbers.await.into_iter().collect();
        assert!(numbers.into_iter().eq((1..=6).map(Number::new)), "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn h3_a_key_that_is_used_on_several_servers_takes_effect_once() {
    let database = Database::new().await;
    let servers = servers(&database).await;
    for round in 0..5 {
        let committed = everywhere(&servers, 2, |store, call| async move {
            // In different conversations, so that their rows do not put them in order.
            let talk = Talk::new(&store, chat_key(&format!("c{round}-{call}")));
            let key = key_use("ana", &format!("k{round}"), 1_000);
            talk.commit(talk.change(say(message("m"))).once(key)).await
        });
        let committed = committed.await;
        let made = committed.iter().filter(|one| matches!(one, Committed::Applied(..))).count();
        let repeated = committed.iter().filter(|one| matches!(one, Committed::Repeated(_))).count();
        assert_eq!((made, repeated), (1, 5), "round {round}: {committed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_and_a_credit_are_taken_once() {
    let database = Database::new().await;
    let servers = servers(&database).await;
    let added = everywhere(&servers, 2, |store, _| async move {
        store.add(person("ana", true), consent_line(true, 0)).await.unwrap()
    });
    assert_eq!(added.await.into_iter().filter(|added| *added).count(), 1);
    let opened = everywhere(&servers, 4, |store, call| async move {
        store.open_session(new_session(&format!("s{call}"), "ana", 50), TERMS).await.unwrap()
    });
    assert_eq!(opened.await.into_iter().flatten().count(), 1, "the one that is free");
    let (_, total) = servers[0].sessions(&person_id("ana"), Which::All, 0, 99).await.unwrap();
    assert_eq!(total, 1);
}

/// While consent is withdrawn on one server, people say things on the others: what was taken is
/// there, and nothing is taken afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn h7_consent_holds_on_all_servers_at_once() {
    let database = Database::new().await;
    let servers = servers(&database).await;
    for round in 0..10 {
        let id = format!("p{round}");
        servers[0].add(person(&id, true), consent_line(true, 0)).await.unwrap();
        let key = chat_key(&format!("c{round}"));
        let person = person_id(&id);
        let withdrawing = servers[0].move_consent(&person, consent_move(false, 10));
        let saying = everywhere(&servers[1..], 6, |store, call| {
            let talk = Talk::new(&store, chat_key(&format!("c{round}")));
            let change = talk.change(say(message(&format!("m{call}"))));
            let change = change.with_consent_of(person_id(&format!("p{round}")));
            async move { matches!(talk.commit(change).await, Committed::Applied(..)) }
        });
        let (moved, taken) = tokio::join!(withdrawing, saying);
        assert!(moved.unwrap().expect("a person").changed);
        let taken = taken.into_iter().filter(|taken| *taken).count();
        assert_eq!(servers[0].page(&key, None, 100).await.unwrap().len(), taken);
        let talk = Talk::new(&servers[2], key);
        let late = talk.change(say(message("late"))).with_consent_of(person_id(&id));
        assert!(matches!(talk.commit(late).await, Committed::Refused(_)), "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn h8_erasures_at_once_make_one_chain() {
    let database = Database::new().await;
    let servers = servers(&database).await;
    for id in 0..6 {
        let name = format!("p{id}");
        servers[0].add(person(&name, true), consent_line(true, 0)).await.unwrap();
        let talk = Talk::new(&servers[0], chat_key(&format!("c{id}"))).owned_by(&name);
        for turn in 0..30 {
            talk.say(&format!("m{turn}")).await;
        }
    }
    // Every person by all servers at once; sweeps get in between.
    let finished = everywhere(&servers, 6, |store, call| async move {
        let id = person_id(&format!("p{}", call % 6));
        let claim = store.claim(&id, EraseReason::Now, at(5_000)).await.unwrap();
        store.sweep(at(5_000), 7).await.unwrap();
        let mut finished = 0;
        loop {
            match store.erase_batch(&id, 7, at(5_000)).await.unwrap() {
                Batch::More => {}
                Batch::Finished(_) => finished += 1,
                Batch::Nothing => return (claim == Claim::Made, finished),
            }
        }
    });
    let finished = finished.await;
    let lines = servers[0].audit(None, 100).await.unwrap();
    assert_eq!(first_break(&lines), None, "{lines:?}");
    let made = finished.iter().filter(|(made, _)| *made).count();
    assert_eq!(finished.iter().map(|(_, finished)| finished).sum::<usize>(), lines.len());
    assert_eq!(made, lines.len(), "a line for each claim");
    let people: BTreeSet<_> = lines.iter().map(|line| &line.person).collect();
    assert_eq!(people.len(), 6);
    let said: u64 = lines.iter().map(|line| line.erased.messages).sum();
    assert_eq!(said, 6 * 30, "each message is counted once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_world_has_no_more_agents_than_it_may() {
    let database = Database::new().await;
    let servers = servers(&database).await;
    assert!(servers[0].add(person("ana", true), consent_line(true, 0)).await.unwrap());
    let first = servers[0].add_world(world("ana", "w"), chat("c1", 0), vec![]).await;
    first.unwrap().unwrap();
    let added = everywhere(&servers, 5, |store, call| async move {
        store.add_agent(&world_key("ana", "w"), agent(&format!("a{call}")), 10).await.unwrap()
    });
    let added = added.await;
    let refused = |one: &Result<_, _>| matches!(one, Err(WorldRefusal::LimitReached));
    assert_eq!(added.iter().filter(|one| refused(one)).count(), 5, "{added:?}");
    let agents = servers[1].agents(&world_key("ana", "w")).await.unwrap().unwrap();
    let joined: Vec<u64> = agents.iter().map(|agent| agent.joined.get()).collect();
    assert_eq!(joined, (1..=10).collect::<Vec<u64>>());
}

/// Sweeps of several servers do not get into each other's way, and take everything.
#[tokio::test(flavor = "multi_thread")]
async fn sweeps_at_once_take_everything_once() {
    let database = Database::new().await;
    let servers = servers(&database).await;
    for id in 0..4 {
        let talk = Talk::new(&servers[0], chat_key(&format!("c{id}")));
        for turn in 0..25 {
            talk.say(&format!("m{turn}")).await;
        }
        talk.make(Change::EraseAll).await;
    }
    let purged = everywhere(&servers, 10, |store, _| async move {
        store.sweep(at(2_000), 7).await.unwrap().purged
    });
    let mut purged: u64 = purged.await.iter().sum();
    loop {
        match servers[2].sweep(at(2_000), 7).await.unwrap().purged {
            0 => break,
            more => purged += more,
        }
    }
    assert_eq!(purged, 100);
    let words = database.plain().await.query_one("SELECT count(*) FROM words", &[]).await.unwrap();
    assert_eq!(words.get::<_, i64>(0), 0);
}
