//! Nothing is left over (H13).

use std::sync::Arc;

use bytes::Bytes;
use unsaid_core::port::{
    history::{Commit, History as _},
    media::{Media as _, MediaFile, MediaPlace},
};
use unsaid_store_object::{
    BucketStore, Options,
    bucket::{Bucket, Expect, memory::MemoryBucket},
};
use unsaid_testkit::builder::{
    at, line_key, media_key, message, message_id, picture, say, unsend, words_of,
};

use crate::{
    decor::{names, places_of},
    make::{quick, store_in},
};

fn memory() -> Arc<dyn Bucket> {
    Arc::new(MemoryBucket::new())
}

fn small() -> Options {
    Options { object_bytes_max: 2_000, ..quick() }
}

async fn say_many(store: &BucketStore, count: usize) {
    for index in 1..=count {
        let commit = Commit::new(say(message(&format!("m{index}"))), at(1_000));
        store.commit(&line_key("U1"), commit).await.unwrap();
    }
}

fn file_of(key: &str) -> MediaFile {
    picture(format!("<bytes of {key}>").as_bytes())
}

async fn put_file(store: &BucketStore, key: &str, message: &str) -> bool {
    let place = MediaPlace { conversation: line_key("U1"), message: message_id(message) };
    store.put(&media_key(key), &place, file_of(key)).await.unwrap()
}

#[tokio::test]
async fn what_nobody_names_is_deleted_after_a_start() {
    let bucket = memory();
    let store = store_in(&bucket, 1, small());
    say_many(&store, 40).await;
    assert!(put_file(&store, "early", "m1").await && put_file(&store, "late", "m40").await);
    store.idle().await;
    let before = names(&bucket).await;
    let left_over = [
        "history/U1.sealed/00000000deadbeef",
        "media/U1/k1.00000000deadbeef",
        "media/U2/k1.00000000deadbeef",
    ];
    let others = ["media/U1/photo.jpg", "notes/U1", "history/U1.sealed/readme"];
    for name in left_over.iter().chain(&others) {
        let bytes = Bytes::from_static(b"words left behind");
        bucket.put(name, bytes, &Expect::Absent).await.unwrap();
    }
    let restarted = store_in(&bucket, 2, small());
    let swept = restarted.sweep(at(1_000), 10).await.unwrap();
    assert_eq!(swept.purged, 3);
    let mut expected = before;
    expected.extend(others.map(str::to_owned));
    expected.push("history/U2".to_owned());
    expected.sort_unstable();
    assert_eq!(names(&bucket).await, expected, "and nothing else is");
    assert_eq!(restarted.sweep(at(1_000), 10).await.unwrap().purged, 0);
    assert_eq!(restarted.overview(&line_key("U1")).await.unwrap().unwrap().heard, 40);
    assert_eq!(restarted.overview(&line_key("U2")).await.unwrap(), None);
    for key in ["early", "late"] {
        let file = restarted.get(&line_key("U1"), &media_key(key)).await.unwrap();
        assert_eq!(file, Some(file_of(key)));
    }
}

#[tokio::test]
async fn a_dropped_conversation_leaves_a_name_and_no_words() {
    let bucket = memory();
    let store = store_in(&bucket, 1, small());
    say_many(&store, 40).await;
    assert!(put_file(&store, "early", "m1").await && put_file(&store, "late", "m40").await);
    store.drop_conversation(&line_key("U1")).await.unwrap();
    store.idle().await;
    assert_eq!(names(&bucket).await, ["history/U1"]);
    assert_eq!(places_of(&bucket, "words of").await, Vec::<String>::new());
    say_many(&store, 1).await;
    let whole = store.whole(&line_key("U1")).await.unwrap().unwrap();
    assert_eq!((whole.last_number.get(), whole.version.get()), (1, 1));
}

#[tokio::test]
async fn a_message_taken_back_from_a_segment_is_nowhere() {
    let bucket = memory();
    let store = store_in(&bucket, 1, small());
    say_many(&store, 40).await;
    assert!(put_file(&store, "early", "m3").await);
    let sealed = places_of(&bucket, &words_of("m3")).await;
    assert!(sealed[0].contains(".sealed/"), "{sealed:?}");
    let other = store_in(&bucket, 2, small());
    assert!(other.find(&line_key("U1"), &message_id("m3")).await.unwrap().is_some());
    store.commit(&line_key("U1"), Commit::new(unsend("m3"), at(1_000))).await.unwrap();
    store.idle().await;
    assert_eq!(places_of(&bucket, &words_of("m3")).await, Vec::<String>::new());
    assert_eq!(places_of(&bucket, "<bytes of early>").await, Vec::<String>::new());
    let found = other.find(&line_key("U1"), &message_id("m3")).await.unwrap();
    assert_eq!(found, None, "another process does not show it from its memory");
    let late = other.commit(&line_key("U1"), Commit::new(say(message("m3")), at(1_000))).await;
    assert!(format!("{late:?}").contains("TakenBack"));
}

#[tokio::test]
async fn what_another_process_left_to_delete_is_deleted() {
    let bucket = memory();
    let store = store_in(&bucket, 1, small());
    say_many(&store, 3).await;
    let head = concat!(
        r#"{"unsaid":1,"live":{"version":4,"number":4,"fence":0,"#,
        r#""doomed":["media/U3/k1.00000000deadbeef"],"nonces":[]},"lines":{}}"#,
        "\n"
    );
    for (name, bytes) in [("history/U3", head), ("media/U3/k1.00000000deadbeef", "its words")] {
        let bytes = Bytes::from_static(bytes.as_bytes());
        bucket.put(name, bytes, &Expect::Absent).await.unwrap();
    }
    let restarted = store_in(&bucket, 2, small());
    restarted.sweep(at(1_000), 10).await.unwrap();
    restarted.idle().await;
    assert_eq!(places_of(&bucket, "its words").await, Vec::<String>::new());
    assert_eq!(places_of(&bucket, "deadbeef").await, Vec::<String>::new(), "nor is its name kept");
}

#[tokio::test]
async fn the_next_write_deletes_before_it_forgets_what_to_delete() {
    let bucket = memory();
    let head = concat!(
        r#"{"unsaid":1,"live":{"version":4,"number":4,"fence":0,"#,
        r#""doomed":["media/U1/photo.jpg"],"nonces":[]},"lines":{}}"#,
        "\n"
    );
    for (name, bytes) in [("history/U1", head), ("media/U1/photo.jpg", "its words")] {
        let bytes = Bytes::from_static(bytes.as_bytes());
        bucket.put(name, bytes, &Expect::Absent).await.unwrap();
    }
    let store = store_in(&bucket, 1, small());
    say_many(&store, 1).await;
    store.idle().await;
    assert_eq!(names(&bucket).await, ["history/U1"]);
    assert_eq!(places_of(&bucket, "photo").await, Vec::<String>::new());
}
