//! The cases.

use std::sync::Arc;

use bytes::Bytes;
use tokio::task::JoinSet;
use unsaid_store_object::bucket::{Bucket, BucketError, Expect, Found, Put};

use super::shelf::{Shelf, done};

const NAME: &str = "history/U1";
const WRITERS: usize = 8;
const INCREMENTS: usize = 5;

pub(super) async fn what_is_put_is_read(shelf: &Shelf) {
    assert_eq!(shelf.bucket.get(NAME, None).await, Ok(Found::Absent));
    let version = shelf.create(NAME, "hello\n").await;
    assert_eq!(shelf.read(NAME).await, (Bytes::from("hello\n"), version));
    let empty = shelf.create("history/empty", "").await;
    assert_eq!(shelf.read("history/empty").await, (Bytes::new(), empty));
}

pub(super) async fn a_name_is_created_once(shelf: &Shelf) {
    shelf.create(NAME, "first").await;
    let second = shelf.bucket.put(NAME, Bytes::from("second"), &Expect::Absent).await;
    assert_eq!(second, Ok(Put::Stale));
    assert_eq!(shelf.read(NAME).await.0, "first");
}

pub(super) async fn an_update_replaces_what_it_expects(shelf: &Shelf) {
    let first = shelf.create(NAME, "first").await;
    let second = done(shelf.update(NAME, "second", &first).await);
    assert_ne!(first, second);
    assert_eq!(shelf.update(NAME, "third", &first).await, Put::Stale);
    assert_eq!(shelf.read(NAME).await, (Bytes::from("second"), second.clone()));
    // what is not there has no state
    assert_eq!(shelf.update("history/U2", "third", &second).await, Put::Stale);
    assert_eq!(shelf.bucket.get("history/U2", None).await, Ok(Found::Absent));
    done(shelf.update(NAME, "third", &second).await);
}

pub(super) async fn a_known_state_is_not_sent_again(shelf: &Shelf) {
    let first = shelf.create(NAME, "first").await;
    assert_eq!(shelf.bucket.get(NAME, Some(&first)).await, Ok(Found::Unchanged));
    let (_, read) = shelf.read(NAME).await;
    assert_eq!(shelf.bucket.get(NAME, Some(&read)).await, Ok(Found::Unchanged));
    let second = done(shelf.update(NAME, "second", &first).await);
    let found = shelf.bucket.get(NAME, Some(&first)).await;
    assert_eq!(found, Ok(Found::Object { bytes: Bytes::from("second"), version: second.clone() }));
    assert_eq!(shelf.bucket.get(NAME, Some(&second)).await, Ok(Found::Unchanged));
    shelf.bucket.delete(NAME).await.unwrap();
    assert_eq!(shelf.bucket.get(NAME, Some(&second)).await, Ok(Found::Absent));
}

pub(super) async fn the_start_of_an_object_is_read(shelf: &Shelf) {
    shelf.create(NAME, "0123456789").await;
    shelf.create("history/empty", "").await;
    for (bytes, expected) in [(0, ""), (1, "0"), (4, "0123"), (10, "0123456789")] {
        let start = shelf.bucket.get_start(NAME, bytes).await;
        assert_eq!(start, Ok(Some(Bytes::from(expected))), "{bytes}");
    }
    let all = shelf.bucket.get_start(NAME, 1_000_000).await;
    assert_eq!(all, Ok(Some(Bytes::from("0123456789"))));
    assert_eq!(shelf.bucket.get_start("history/empty", 5).await, Ok(Some(Bytes::new())));
    assert_eq!(shelf.bucket.get_start("history/U2", 5).await, Ok(None));
}

pub(super) async fn a_deleted_object_is_absent_and_can_come_back(shelf: &Shelf) {
    let first = shelf.create(NAME, "first").await;
    for _ in 0..2 {
        assert_eq!(shelf.bucket.delete(NAME).await, Ok(()));
        assert_eq!(shelf.bucket.get(NAME, None).await, Ok(Found::Absent));
        assert_eq!(shelf.bucket.list("history/").await, Ok(Vec::new()));
    }
    let again = shelf.create(NAME, "again").await;
    assert_ne!(first, again);
    assert_eq!(shelf.update(NAME, "late", &first).await, Put::Stale);
    assert_eq!(shelf.read(NAME).await.0, "again");
}

pub(super) async fn lists_hold_whole_pieces_in_order(shelf: &Shelf) {
    for name in
        ["history/U2", "history/U1/b", "history/U10", "history2/U1", "media/x", "history/U1/a"]
    {
        shelf.create(name, name.to_owned()).await;
    }
    let names = async |prefix: &str| {
        let listed = shelf.bucket.list(prefix).await.unwrap();
        assert!(listed.iter().all(|object| object.bytes == object.name.len() as u64), "{listed:?}");
        listed.into_iter().map(|object| object.name).collect::<Vec<_>>()
    };
    let history = ["history/U1/a", "history/U1/b", "history/U10", "history/U2"];
    assert_eq!(names("history/").await, history);
    assert_eq!(names("history").await, history);
    assert_eq!(names("history/U1/").await, history[..2]);
    assert_eq!(names("nothing/").await, [""; 0]);
    assert_eq!(names("").await, [&history[..], &["history2/U1", "media/x"]].concat());
}

pub(super) async fn odd_names_are_kept_apart(shelf: &Shelf) {
    let names = [
        "odd/a b",
        "odd/a+b",
        "odd/a%20b",
        "odd/%2E%2E",
        "odd/..a",
        "odd/.a",
        "odd/A",
        "odd/a",
        "odd/日本語",
        "odd/é",
        "odd/a&b=c?d#e",
        "odd/<a>\"'",
        "odd/a\\b",
        "odd/a:b*|~^`{}[]",
        "odd/.unsaid/lock-00",
    ];
    for name in names {
        shelf.create(name, name.to_owned()).await;
    }
    for name in names {
        assert_eq!(shelf.read(name).await.0, name);
    }
    let listed = shelf.bucket.list("odd/").await.unwrap();
    let mut expected = names.to_vec();
    expected.sort_unstable();
    assert_eq!(listed.iter().map(|object| object.name.as_str()).collect::<Vec<_>>(), expected);
    for name in names {
        shelf.bucket.delete(name).await.unwrap();
    }
    assert_eq!(shelf.bucket.list("").await, Ok(Vec::new()));
}

pub(super) async fn names_that_lead_elsewhere_are_refused(shelf: &Shelf) {
    let refused = BucketError::Away("refused: object name not allowed".to_owned());
    for name in ["", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a\0b", "a\n"] {
        let bucket = &shelf.bucket;
        assert_eq!(bucket.get(name, None).await, Err(refused.clone()), "{name:?}");
        assert_eq!(bucket.get_start(name, 1).await, Err(refused.clone()), "{name:?}");
        assert_eq!(bucket.put(name, Bytes::new(), &Expect::Absent).await, Err(refused.clone()));
        assert_eq!(bucket.delete(name).await, Err(refused.clone()), "{name:?}");
    }
    assert_eq!(shelf.bucket.list("../").await, Err(refused));
}

/// S3 does not tell such states apart and need not; nobody may be caught between the two.
pub(super) async fn content_that_comes_back_does_not_confuse(shelf: &Shelf) {
    let first = shelf.create(NAME, "A").await;
    let second = done(shelf.update(NAME, "B", &first).await);
    let third = done(shelf.update(NAME, "A", &second).await);
    let current = match shelf.bucket.get(NAME, Some(&first)).await.unwrap() {
        Found::Unchanged => first,
        Found::Object { bytes, version } => {
            assert_eq!((bytes, &version), (Bytes::from("A"), &third));
            version
        }
        Found::Absent => panic!("absent"),
    };
    done(shelf.update(NAME, "C", &current).await);
    assert_eq!(shelf.update(NAME, "D", &second).await, Put::Stale);
}

pub(super) async fn increments_at_once_are_all_counted(shelf: &Shelf) {
    shelf.create(NAME, "0").await;
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        writers.spawn(increment(Arc::clone(&shelf.bucket)));
    }
    while let Some(ended) = writers.join_next().await {
        ended.unwrap();
    }
    assert_eq!(shelf.read(NAME).await.0, (WRITERS * INCREMENTS).to_string());
}

async fn increment(bucket: Arc<dyn Bucket>) {
    let mut made = 0;
    while made < INCREMENTS {
        let Ok(Found::Object { bytes, version }) = bucket.get(NAME, None).await else {
            panic!("it is there");
        };
        let count: usize = std::str::from_utf8(&bytes).unwrap().parse().unwrap();
        let next = Bytes::from((count + 1).to_string());
        match bucket.put(NAME, next, &Expect::Version(version)).await.unwrap() {
            Put::Done(_) => made += 1,
            Put::Stale => {}
        }
    }
}

pub(super) async fn large_objects_are_whole(shelf: &Shelf) {
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|place| (place % 251) as u8).collect();
    shelf.create("media/large", bytes.clone()).await;
    assert_eq!(shelf.read("media/large").await.0, bytes);
    assert_eq!(
        shelf.bucket.get_start("media/large", 70_000).await.unwrap().unwrap(),
        bytes[..70_000]
    );
    assert_eq!(shelf.bucket.list("media/").await.unwrap()[0].bytes, 3_000_000);
}
