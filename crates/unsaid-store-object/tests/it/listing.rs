//! The list of sources, where not everything is in one store or in order.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use unsaid_core::{
    domain::conversation::key::ConversationKey,
    port::{
        Store,
        history::{Commit, History},
        joined::Joined,
    },
};
use unsaid_store_memory::MemoryStore;
use unsaid_store_object::bucket::{Bucket, Expect, memory::MemoryBucket};
use unsaid_testkit::builder::{at, line_key, message, say, source_id};

use crate::make::{quick, store_in};

const FOUND: &[u8] = include_bytes!("../../golden/found-every-shape.jsonl");

async fn say_in(store: &dyn History, source: &str) {
    let commit = Commit::new(say(message("m1")), at(1_000));
    store.commit(&line_key(source), commit).await.unwrap();
}

async fn ids(store: &dyn History, after: Option<&str>, limit: usize) -> Vec<String> {
    let after = after.map(source_id);
    let page = store.sources(after.as_ref(), limit).await.unwrap();
    page.iter().map(|source| source.id.to_string()).collect()
}

/// What belongs where is told by the id; each store also has something that belongs to the other.
#[tokio::test]
async fn two_stores_are_one_list_and_leftovers_are_not_in_it() {
    let bucket: Arc<dyn Bucket> = Arc::new(MemoryBucket::new());
    let apart = store_in(&bucket, 1, quick());
    let rest: Arc<dyn Store> = Arc::new(MemoryStore::unbounded());
    for source in ["A0", "A1", "A2", "A3", "A4", "Z"] {
        say_in(&apart, source).await;
    }
    for source in ["A0-1", "A3-1", "U3", "U1"] {
        say_in(rest.as_ref(), source).await;
    }
    for left in ["A1-1", "A1-2", "A1-3", "U1", "U2"] {
        say_in(&apart, left).await;
    }
    for left in ["A0", "A1", "A2", "Z"] {
        say_in(rest.as_ref(), left).await;
    }
    let is_apart = |key: &ConversationKey| match key {
        ConversationKey::Line(id) => {
            let id = id.as_str();
            id == "Z" || (id.len() == 2 && id.starts_with('A'))
        }
        ConversationKey::Chat(_) | ConversationKey::Session(_) => false,
    };
    let joined = Joined { is_apart, apart: Arc::new(apart), rest };
    let all = ids(&joined, None, 100).await;
    assert_eq!(all, ["A0", "A0-1", "A1", "A2", "A3", "A3-1", "A4", "U1", "U3", "Z"]);
    let mut seen: Vec<String> = Vec::new();
    loop {
        let some = ids(&joined, seen.last().map(String::as_str), 2).await;
        if some.is_empty() {
            break;
        }
        seen.extend(some);
    }
    assert_eq!(seen, all, "page by page it is the same, and once");
}

#[tokio::test]
async fn one_damaged_object_hides_no_other() {
    let bucket: Arc<dyn Bucket> = Arc::new(MemoryBucket::new());
    let damaged = Bytes::from_static(b"{\"unsaid\":1,\"live\":{\"version\":tru\n");
    bucket.put("history/U2", damaged, &Expect::Absent).await.unwrap();
    let store = store_in(&bucket, 1, quick());
    say_in(&store, "U1").await;
    say_in(&store, "U3").await;
    assert_eq!(ids(&store, None, 2).await, ["U1", "U3"]);
}

#[tokio::test]
async fn what_the_product_before_wrote_is_counted() {
    let bucket: Arc<dyn Bucket> = Arc::new(MemoryBucket::new());
    bucket.put("history/Cgolden", Bytes::from_static(FOUND), &Expect::Absent).await.unwrap();
    let store = store_in(&bucket, 1, quick());
    let page = store.sources(None, 10).await.unwrap();
    let found = store.whole(&line_key("Cgolden")).await.unwrap().unwrap();
    let newest = found.log.iter().next_back().map(|entry| entry.message.at);
    assert_eq!((page[0].messages, page[0].last_at), (27, newest));
    assert_eq!((page.len(), &page[0].last_decision), (1, &None));
}

#[tokio::test(start_paused = true)]
async fn a_source_of_another_process_is_found_with_the_next_look() {
    let bucket: Arc<dyn Bucket> = Arc::new(MemoryBucket::new());
    let (one, two) = (store_in(&bucket, 1, quick()), store_in(&bucket, 2, quick()));
    assert_eq!(ids(&two, None, 10).await, Vec::<String>::new());
    say_in(&one, "U1").await;
    tokio::time::sleep(Duration::from_secs(31)).await; // waits: for the next look
    assert_eq!(ids(&two, None, 10).await, ["U1"]);
}
