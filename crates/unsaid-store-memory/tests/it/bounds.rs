//! The oldest go first: by number of messages, by bytes in all, by time.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Outcome, Refusal},
            key::ConversationKey,
        },
        id::{EventNumber, Number},
        message::{Message, Part},
        source::{SourceCard, SourceKind},
    },
    limits::Limits,
    port::{Store, directory::NameCard, media::MediaPlace},
};
use unsaid_store_memory::{Bounds, MemoryStore};
use unsaid_testkit::{
    builder::{
        answer, at, chat_key, edit, holder_id, media_key, message, message_id, person_id, picture,
        restore, say, source_id, unsend, words,
    },
    random::universe::Universe,
    talk::Talk,
};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

fn store(bounds: Bounds) -> Arc<dyn Store> {
    Arc::new(MemoryStore::new(bounds))
}

fn three_messages() -> Arc<dyn Store> {
    store(Bounds { messages_per_conversation: 3, ..Bounds::NONE })
}

fn kilobytes(count: usize) -> Arc<dyn Store> {
    store(Bounds { bytes_in_all: count * 1_000, ..Bounds::NONE })
}

/// A message of about ten kilobytes.
fn long(id: &str) -> Message {
    Message { parts: vec![Part::text(words(&"x".repeat(9_700)))], ..message(id) }
}

async fn put(store: &Arc<dyn Store>, talk: &Talk, message: &str, key: &str, len: usize) -> bool {
    let place = MediaPlace { conversation: talk.key.clone(), message: message_id(message) };
    store.put(&media_key(key), &place, picture(&vec![7; len])).await.unwrap()
}

#[test]
fn bounds_are_those_of_the_configuration() {
    let bounds = Bounds::from(&Limits::default());
    assert_eq!(bounds.messages_per_conversation, 200);
    assert_eq!((bounds.bytes_in_all, bounds.ttl_ms), (256 << 20, DAY_MS));
}

#[tokio::test]
async fn a_conversation_keeps_its_newest_messages() {
    let store = three_messages();
    let talk = Talk::chat(&store);
    talk.say("m1").await;
    assert!(put(&store, &talk, "m1", "k1", 10).await);
    for id in ["m2", "m3", "m4", "m5"] {
        talk.say(id).await;
    }
    assert_eq!(talk.heard().await, ["m3", "m4", "m5"]);
    talk.assert_wordless("m1").await;
    assert_eq!(talk.find("m2").await, None);
    assert_eq!(store.get(&talk.key, &media_key("k1")).await.unwrap(), None);
    assert_eq!(talk.overview().await.heard, 3);
    assert_eq!(talk.say("m6").await, Number::new(6), "numbers go on");
    let other = Talk::new(&store, chat_key("c2"));
    other.say("m1").await;
    assert_eq!(other.heard().await, ["m1"], "each conversation has its own bound");
}

#[tokio::test]
async fn nobody_owes_an_answer_to_what_is_gone() {
    let store = three_messages();
    let talk = Talk::chat(&store);
    talk.ask("m1").await;
    for id in ["m2", "m3", "m4"] {
        talk.say(id).await;
    }
    assert_eq!(talk.overview().await.wanted_at, None);
    let begin = Change::Begin { holder: holder_id("h1"), until: at(9_000) };
    assert_eq!(talk.refusal(begin).await, Refusal::NothingWaiting);
    talk.ask("m5").await;
    talk.say("m6").await;
    talk.say("m7").await;
    assert_eq!(talk.overview().await.wanted_at, Some(talk.now), "what is there still waits");
}

#[tokio::test]
async fn a_turn_goes_on_while_a_question_of_it_is_left() {
    let store = three_messages();
    let talk = Talk::chat(&store);
    talk.ask("m1").await;
    talk.ask("m2").await;
    let lease = talk.begin().await;
    talk.say("m3").await;
    talk.say("m4").await;
    let until = lease.until.plus_millis(1_000);
    talk.make(Change::Renew { fence: lease.fence, until }).await;
    talk.answer(lease.fence, &["r1"]).await;
    assert_eq!(talk.heard().await, ["m3", "m4", "r1"]);
    let whole = talk.whole().await;
    assert_eq!((whole.turn, whole.wanted_at), (None, None));
}

#[tokio::test]
async fn a_turn_is_over_when_all_its_questions_are_gone() {
    let store = three_messages();
    let mut talk = Talk::chat(&store);
    talk.ask("m1").await;
    let fence = talk.begin().await.fence;
    for id in ["m2", "m3", "m4"] {
        talk.say(id).await;
    }
    assert_eq!(talk.refusal(Change::Release { fence }).await, Refusal::StaleFence);
    talk.wait(9_000);
    let begin = Change::Begin { holder: holder_id("h1"), until: at(99_000) };
    assert_eq!(talk.refusal(begin).await, Refusal::NothingWaiting);
}

#[tokio::test]
async fn turns_of_which_nothing_is_left_are_forgotten() {
    let store = three_messages();
    let talk = Talk::line(&store);
    for index in 0..50 {
        talk.exchange(&format!("m{index}"), &format!("r{index}")).await;
    }
    let turns: Vec<u64> = talk.whole().await.turns.keys().map(|fence| fence.get()).collect();
    assert_eq!(turns, [49, 50]);
}

#[tokio::test]
async fn an_undo_buffer_is_not_older_than_the_oldest_message() {
    let store = three_messages();
    let talk = Talk::chat(&store);
    talk.say("m1").await;
    talk.make(edit("m1", message("m2"), "e1", at(90_000))).await;
    for id in ["r1", "r2"] {
        talk.make(say(answer(id))).await;
    }
    assert!(talk.whole().await.undo.is_some());
    talk.make(say(answer("r3"))).await;
    talk.assert_wordless("m1").await;
    assert_eq!(talk.refusal(restore("e1")).await, Refusal::UndoBlocked);
}

#[tokio::test]
async fn old_events_go_too_and_who_resumes_there_starts_anew() {
    let store = three_messages();
    let talk = Talk::chat(&store);
    talk.say("m0").await;
    let first = talk.events().await[0].0;
    for index in 1..100 {
        talk.say(&format!("m{index}")).await;
    }
    assert_eq!(talk.events().await.len(), 12);
    assert_eq!(store.events_after(&talk.key, first, 9).await.unwrap(), None);
    assert!(talk.events().await.iter().all(|(number, _)| *number > EventNumber::new(88)));
}

#[tokio::test]
async fn the_least_recently_touched_loses_its_oldest_first() {
    let store = kilobytes(65);
    let [a, b, c] = ["a", "b", "c"].map(|id| Talk::new(&store, chat_key(id)));
    for talk in [&a, &b, &c] {
        talk.make(say(long("m1"))).await;
        talk.make(say(long("m2"))).await;
    }
    assert_eq!(a.heard().await, ["m1", "m2"], "sixty fit");
    c.make(say(long("m3"))).await;
    assert_eq!(a.heard().await, ["m2"]);
    a.make(say(long("m3"))).await;
    assert_eq!(b.heard().await, ["m2"], "now this was touched least recently");
    b.say("m3").await;
    c.make(say(long("m4"))).await;
    assert_eq!(a.heard().await, ["m3"]);
    assert_eq!(c.heard().await, ["m1", "m2", "m3", "m4"]);
    assert_eq!(b.heard().await, ["m2", "m3"]);
}

#[tokio::test]
async fn a_conversation_that_lost_all_is_gone() {
    let store = kilobytes(45);
    let [a, b] = ["a", "b"].map(|id| Talk::new(&store, chat_key(id)));
    a.make(say(long("m1"))).await;
    for index in 0..20 {
        b.make(say(long(&format!("m{index}")))).await;
    }
    assert_eq!(store.whole(&a.key).await.unwrap(), None);
    assert_eq!(b.heard().await, ["m16", "m17", "m18", "m19"], "the rest is its own");
    assert_eq!(a.say("m1").await, Number::new(1), "it may begin anew");
}

#[tokio::test]
async fn files_count() {
    let store = kilobytes(60);
    let [a, b] = ["a", "b"].map(|id| Talk::new(&store, chat_key(id)));
    for id in ["m1", "m2"] {
        a.say(id).await;
        assert!(put(&store, &a, id, &format!("k-{id}"), 20_000).await);
    }
    b.make(say(long("m1"))).await;
    assert_eq!(a.heard().await, ["m1", "m2"], "fifty fit");
    b.make(say(long("m2"))).await;
    assert_eq!(a.heard().await, ["m2"], "a message goes with its file, and no other");
    assert_eq!(store.get(&a.key, &media_key("k-m1")).await.unwrap(), None);
    assert!(store.get(&a.key, &media_key("k-m2")).await.unwrap().is_some());
    assert!(!put(&store, &b, "m1", "huge", 100_000).await, "it does not fit at all");
}

#[tokio::test]
async fn bookkeeping_counts() {
    let store = kilobytes(100);
    let talk = Talk::line(&store);
    let mut most = 0;
    for index in 0..2_000 {
        talk.make(unsend(&format!("m{index}"))).await;
        let whole = store.whole(&talk.key).await.unwrap();
        most = most.max(whole.map_or(0, |whole| whole.tombstones.len()));
    }
    assert!((100..500).contains(&most), "{most}");
}

#[tokio::test]
async fn what_is_given_back_can_be_used_again() {
    let store = kilobytes(35);
    let talk = Talk::chat(&store);
    let other = Talk::new(&store, chat_key("c2"));
    other.say("m1").await;
    for index in 0..20 {
        let id = format!("m{index}");
        talk.make(say(long(&id))).await;
        if index % 2 == 0 {
            talk.make(Change::EraseAll).await;
        } else {
            store.drop_conversation(&talk.key).await.unwrap();
        }
    }
    assert_eq!(other.heard().await, ["m1"], "nothing had to go");
}

#[tokio::test]
async fn time_drops_what_nobody_touches() {
    let store = store(Bounds { ttl_ms: DAY_MS, ..Bounds::NONE });
    let [mut a, b] = ["a", "b"].map(|id| Talk::new(&store, chat_key(id)));
    a.say("m1").await;
    b.say("m1").await;
    assert!(put(&store, &b, "m1", "k1", 10).await);
    a.wait(DAY_MS - 1);
    a.say("m2").await;
    let swept = store.sweep(b.now.plus_millis(DAY_MS - 1), 10).await.unwrap();
    assert_eq!(swept.expired, 0);
    let swept = store.sweep(b.now.plus_millis(DAY_MS), 10).await.unwrap();
    assert_eq!(swept.expired, 1);
    assert_eq!(store.whole(&b.key).await.unwrap(), None);
    assert_eq!(store.get(&b.key, &media_key("k1")).await.unwrap(), None);
    assert_eq!(a.heard().await, ["m1", "m2"]);
}

#[tokio::test]
async fn whoever_comes_too_late_begins_anew() {
    let store = store(Bounds { ttl_ms: DAY_MS, ..Bounds::NONE });
    let mut talk = Talk::chat(&store);
    talk.say("m1").await;
    talk.wait(DAY_MS);
    assert_eq!(talk.outcome(say(message("m2"))).await, Outcome::Said(Number::new(1)));
    assert_eq!(talk.heard().await, ["m2"]);
    assert_eq!(talk.events().await.len(), 1);
}

#[tokio::test]
async fn random_changes_stay_within_every_bound() {
    let tight = Bounds { messages_per_conversation: 4, bytes_in_all: 40_000, ttl_ms: DAY_MS };
    let store = store(tight);
    let keys = ["a", "b", "c"].map(chat_key);
    for seed in 0..300 {
        let mut universe = Universe::new(seed);
        for _ in 0..20 {
            let key: &ConversationKey = &keys[universe.dice.index(keys.len())];
            let whole = store.whole(key).await.unwrap().unwrap_or_default();
            store.commit(key, universe.next(&whole)).await.unwrap();
            let whole = store.whole(key).await.unwrap().unwrap_or_default();
            assert!(whole.log.len() <= 4, "seed {seed}");
            assert_eq!(whole.wanted_at.is_some(), !whole.log.waiting().is_empty(), "seed {seed}");
        }
    }
}

#[tokio::test]
async fn what_line_said_long_ago_is_asked_again() {
    let store = store(Bounds { ttl_ms: DAY_MS, ..Bounds::NONE });
    let ana = person_id("Uana");
    let name = NameCard { id: ana.clone(), name: Some(words("Ana")), at: at(5) };
    let source = SourceCard {
        id: source_id("C1"),
        kind: SourceKind::Group,
        name: None,
        members: Some(3),
        present: true,
        at: at(5),
    };
    store.keep_name(name.clone()).await.unwrap();
    store.keep_source(source.clone()).await.unwrap();
    store.sweep(at(DAY_MS), 100).await.unwrap();
    assert_eq!(store.names(std::slice::from_ref(&ana)).await.unwrap(), [name]);
    assert_eq!(store.source(&source_id("C1")).await.unwrap(), Some(source));
    store.sweep(at(DAY_MS + 5), 100).await.unwrap();
    assert_eq!(store.names(&[ana]).await.unwrap(), []);
    assert_eq!(store.source(&source_id("C1")).await.unwrap(), None);
}
