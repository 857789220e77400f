//! Objects that the product before ours wrote: taken over, and forgotten from.

use std::sync::Arc;

use bytes::Bytes;
use unsaid_core::{
    domain::{
        conversation::change::{Change, Outcome, Ripple},
        id::Number,
        message::Part,
    },
    port::{
        history::{Commit, Committed, History as _},
        media::Media as _,
    },
};
use unsaid_store_object::{
    BucketStore, Options, Quarantined,
    bucket::{Bucket, Expect, Found, memory::MemoryBucket},
    legacy,
};
use unsaid_testkit::builder::{
    agent_id, at, line_key, media_key, message, message_id, person_id, revise, say, unsend,
};

use crate::{
    decor::{names, places_of},
    make::{quick, store_in},
};

const FOUND: &[u8] = include_bytes!("../../golden/found-every-shape.jsonl");

async fn planted(name: &str, bytes: &'static [u8]) -> Arc<dyn Bucket> {
    let bucket: Arc<dyn Bucket> = Arc::new(MemoryBucket::new());
    bucket.put(name, Bytes::from_static(bytes), &Expect::Absent).await.unwrap();
    bucket
}

async fn lines(bucket: &Arc<dyn Bucket>) -> Vec<Vec<u8>> {
    let Found::Object { bytes, .. } = bucket.get("history/Cgolden", None).await.unwrap() else {
        panic!("there is no such object");
    };
    bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

async fn make(store: &BucketStore, change: Change) -> Outcome {
    let commit = Commit::new(change, at(1_000));
    match store.commit(&line_key("Cgolden"), commit).await.unwrap() {
        Committed::Applied(applied, _) => applied.outcome,
        other => panic!("not applied: {other:?}"),
    }
}

#[tokio::test]
async fn a_take_over_keeps_every_line_byte_for_byte() {
    let bucket = planted("history/Cgolden", FOUND).await;
    let store = store_in(&bucket, 1, quick());
    let before = lines(&bucket).await;
    let found = store.whole(&line_key("Cgolden")).await.unwrap().unwrap();
    assert_eq!(lines(&bucket).await, before, "reading changes nothing");
    make(&store, say(message("m1"))).await;
    let after = lines(&bucket).await;
    assert!(after[0].starts_with(b"{\"unsaid\":1,"));
    let kept = before.len() - 1;
    assert_eq!(after[1..=kept], before[..kept]);
    assert_eq!(after.len(), before.len() + 2, "one first line, one new line");
    let other = store_in(&bucket, 2, quick()).whole(&line_key("Cgolden")).await.unwrap().unwrap();
    for entry in found.log.iter() {
        assert_eq!(other.log.get(entry.number), Some(entry));
    }
    assert_eq!(other.last_number, found.last_number.next());
}

#[tokio::test]
async fn a_take_over_that_seals_keeps_every_line_too() {
    let bucket = planted("history/Cgolden", FOUND).await;
    let options = Options { object_bytes_max: 1_500, ..quick() };
    let store = store_in(&bucket, 1, options.clone());
    let found = store.whole(&line_key("Cgolden")).await.unwrap().unwrap();
    make(&store, say(message("m1"))).await;
    let sealed = names(&bucket).await.iter().filter(|name| name.contains(".sealed/")).count();
    assert!(sealed > 1, "{sealed} segments");
    let other = store_in(&bucket, 2, options);
    let whole = other.whole(&line_key("Cgolden")).await.unwrap().unwrap();
    for entry in found.log.iter() {
        assert_eq!(whole.log.get(entry.number), Some(entry));
    }
    assert_eq!(places_of(&bucket, "a role nobody knows").await.len(), 1);
    make(&other, Change::EraseAll).await;
    other.idle().await;
    for text in ["hello", "a role nobody knows", "a text where a list should be"] {
        assert_eq!(places_of(&bucket, text).await, Vec::<String>::new(), "{text}");
    }
}

#[tokio::test]
async fn lines_that_cannot_be_read_are_named_and_stay() {
    let bucket = planted("history/Cgolden", FOUND).await;
    let store = store_in(&bucket, 1, quick());
    store.overview(&line_key("Cgolden")).await.unwrap();
    let bad = |line| Quarantined { object: "history/Cgolden".to_owned(), line };
    assert_eq!(store.quarantined(), [22, 23, 24, 25, 26].map(bad));
    make(&store, Change::Clear(agent_id("kai"))).await;
    let again = store_in(&bucket, 2, quick());
    again.overview(&line_key("Cgolden")).await.unwrap();
    assert_eq!(again.quarantined(), store.quarantined(), "they keep the place of their finding");
}

#[tokio::test]
async fn a_message_written_twice_is_heard_once_and_taken_back_twice() {
    let bucket = planted("history/Cgolden", FOUND).await;
    let store = store_in(&bucket, 1, quick());
    let hello = "\"text\":\"hello\"";
    assert_eq!(places_of(&bucket, hello).await, ["history/Cgolden"]);
    make(&store, unsend("544030001")).await;
    assert_eq!(places_of(&bucket, hello).await, Vec::<String>::new());
}

#[tokio::test]
async fn forgetting_a_person_takes_lines_of_unknown_roles_too() {
    let bucket = planted("history/Cgolden", FOUND).await;
    let store = store_in(&bucket, 1, quick());
    let erase = |person: &str| {
        let (person, ripple) = (person_id(person), Ripple::Withdraw);
        Change::EraseAuthor { person, ripple }
    };
    make(&store, erase("Uana")).await;
    assert_eq!(places_of(&bucket, "spaced and turned around").await.len(), 1, "nobody's");
    assert_eq!(places_of(&bucket, "日本語").await, Vec::<String>::new());
    assert_eq!(places_of(&bucket, "a role nobody knows").await.len(), 1, "somebody else's");
    assert_eq!(make(&store, erase("Uben")).await, Outcome::Nothing, "nothing that was heard");
    assert_eq!(places_of(&bucket, "a role nobody knows").await, Vec::<String>::new());
}

#[tokio::test]
async fn files_of_the_product_before_go_with_their_messages() {
    let bucket = planted("history/Cgolden", FOUND).await;
    for name in ["media/Uana/photo-1.jpg", "media/Cgolden/plain", "history/Uother"] {
        let bytes = Bytes::from(name.to_owned());
        bucket.put(name, bytes, &Expect::Absent).await.unwrap();
    }
    let store = store_in(&bucket, 1, quick());
    let (key, photo) = (line_key("Cgolden"), media_key("media/Uana/photo-1.jpg"));
    let file = store.get(&key, &photo).await.unwrap().unwrap();
    assert_eq!(
        (file.mime.as_str(), &file.bytes[..]),
        ("image/jpeg", &b"media/Uana/photo-1.jpg"[..])
    );
    assert!(store.get(&key, &media_key("plain")).await.unwrap().is_some());
    let steal = store.get(&key, &media_key("history/Uother")).await.unwrap();
    assert_eq!(steal, None, "another conversation is nobody's file");
    make(&store, unsend("544030012")).await;
    make(&store, revise("544030013", "no film", at(5))).await;
    make(&store, unsend("544030015")).await;
    store.idle().await;
    assert_eq!(store.get(&key, &photo).await.unwrap(), None);
    let left = names(&bucket).await;
    assert_eq!(left, ["history/Cgolden", "history/Uother"]);
}

#[tokio::test]
async fn an_edit_in_place_replaces_the_line_as_it_was_found() {
    let bucket = planted("history/Cgolden", FOUND).await;
    let store = store_in(&bucket, 1, quick());
    make(&store, revise("544030031", "straight", at(5))).await;
    let entry = store.find(&line_key("Cgolden"), &message_id("544030031")).await.unwrap().unwrap();
    assert!(
        matches!(&entry.message.parts[..], [Part::Text { text }] if text.as_str() == "straight")
    );
    assert_eq!(places_of(&bucket, "spaced").await, Vec::<String>::new());
}

#[test]
fn an_importer_reads_everything() {
    let read = legacy::read(FOUND, &line_key("Cgolden"));
    assert_eq!(read.messages.len(), 27);
    let unread: Vec<u64> = read.unread.iter().map(|unread| unread.line).collect();
    assert_eq!(unread, [21, 22, 23, 24, 25, 26, 27, 28]);
    assert_eq!(read.files.len(), 3);
    let made_up = read.messages.iter().filter(|message| message.id.as_str().starts_with("legacy-"));
    assert_eq!(made_up.count(), 10);
    assert_eq!(Number::new(read.messages.len() as u64), Number::new(27));
}
