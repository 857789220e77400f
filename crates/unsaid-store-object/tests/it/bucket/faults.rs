//! What a cloud's failures are called, and what became of the write.

use std::time::Duration;

use bytes::Bytes;
use tokio::net::{TcpSocket, TcpStream};
use unsaid_store_object::bucket::{
    BucketError, Expect, Found, Put, Version,
    place::{Opened, Options},
};
use unsaid_testkit::bucket::gcs::{Fault, GcsStandIn, On};

use super::shelf::{OPTIONS, done, open, open_with, s3};

const NAME: &str = "history/U1";
const WHOLE_NAME: &str = "line/history/U1";
const WORDS: &str = "nobody should read this";
/// Short enough to wait for where no answer will come.
const SHORT: Options = Options { call_time_max: Duration::from_millis(700) };

async fn scene() -> (GcsStandIn, Opened) {
    let cloud = GcsStandIn::start().await;
    let opened = open(&cloud.place("line"), &cloud.endpoint());
    (cloud, opened)
}

/// The same bucket for one who waits only as long as the fault deserves.
fn for_fault(cloud: &GcsStandIn, fault: Fault) -> Opened {
    let options = match fault {
        Fault::Hang | Fault::ApplyThenHang => SHORT,
        _ => OPTIONS,
    };
    open_with(&cloud.place("line"), &cloud.endpoint(), &options)
}

/// What was written, where it was, or who asked may tell of people.
fn assert_tells_nothing(error: &BucketError) {
    let text = format!("{error} {error:?}");
    for secret in [WORDS, "U1", "127.0.0.1", "unsaid-test", "Bearer"] {
        assert!(!text.contains(secret), "{text}");
    }
}

fn away(text: &str) -> BucketError {
    BucketError::Away(text.to_owned())
}

fn uncertain(text: &str) -> BucketError {
    BucketError::Uncertain(text.to_owned())
}

#[tokio::test]
async fn a_put_that_fails_is_called_what_it_is() {
    let cases = [
        (Fault::ApplyThenStatus(503), uncertain("failed: 503"), true),
        (Fault::ApplyThenStatus(500), uncertain("failed: 500"), true),
        (Fault::ApplyThenStatus(200), uncertain("answer not understood"), true),
        (Fault::ApplyThenDrop, uncertain("answer lost"), true),
        (Fault::ApplyThenHang, uncertain("answer lost"), true),
        (Fault::Drop, uncertain("answer lost"), false),
        (Fault::Hang, uncertain("answer lost"), false),
        (Fault::Status(503), uncertain("failed: 503"), false),
        (Fault::Status(408), uncertain("failed: 408"), false),
        (Fault::Status(429), BucketError::Busy, false),
        (Fault::Code(503, "SlowDown"), BucketError::Busy, false),
        (Fault::Status(507), BucketError::Full, false),
        (Fault::Code(403, "AccessDenied"), away("refused: 403 AccessDenied"), false),
        (Fault::Status(401), away("refused: 401"), false),
        (Fault::Status(400), away("refused: 400"), false),
    ];
    for (fault, expected, is_written) in cases {
        let cloud = GcsStandIn::start().await;
        let opened = for_fault(&cloud, fault);
        cloud.order(On::Put, fault, 1);
        let put = opened.bucket.put(NAME, Bytes::from(WORDS), &Expect::Absent).await;
        let error = put.unwrap_err();
        assert_eq!(error, expected, "{fault:?}");
        assert_tells_nothing(&error);
        assert_eq!(cloud.objects().contains_key(WHOLE_NAME), is_written, "{fault:?}");
        // tried once: the fault is used up, and nothing came after it
        assert!(cloud.traffic().puts <= 1 && cloud.faults_left() == 0, "{fault:?}");
    }
}

#[tokio::test]
async fn a_conflict_is_stale_and_may_be_our_own_write() {
    let (cloud, opened) = scene().await;
    cloud.order(On::Put, Fault::ApplyThenStatus(503), 1);
    let put = || opened.bucket.put(NAME, Bytes::from(WORDS), &Expect::Absent);
    assert_eq!(put().await, Err(uncertain("failed: 503")));
    assert_eq!(put().await, Ok(Put::Stale));
    for status in [409, 412] {
        cloud.order(On::Put, Fault::Status(status), 1);
        assert_eq!(put().await, Ok(Put::Stale), "{status}");
    }
    assert_eq!(cloud.places_of(WORDS.as_bytes()).len(), 1);
}

#[tokio::test]
async fn reads_and_deletes_that_fail_are_called_what_they_are() {
    let (cloud, opened) = scene().await;
    cloud.plant(WHOLE_NAME, WORDS);
    let cases = [
        (Fault::Status(503), uncertain("failed: 503")),
        (Fault::Drop, uncertain("answer lost")),
        (Fault::Hang, uncertain("answer lost")),
        (Fault::Status(429), BucketError::Busy),
        (Fault::Code(403, "AccessDenied"), away("refused: 403 AccessDenied")),
    ];
    for (fault, expected) in cases {
        let bucket = for_fault(&cloud, fault).bucket;
        cloud.order(On::Any, fault, 4);
        assert_eq!(bucket.get(NAME, None).await, Err(expected.clone()), "get, {fault:?}");
        assert_eq!(bucket.get_start(NAME, 3).await, Err(expected.clone()), "start, {fault:?}");
        assert_eq!(bucket.list("history/").await, Err(expected.clone()), "list, {fault:?}");
        assert_eq!(bucket.delete(NAME).await, Err(expected.clone()), "delete, {fault:?}");
        assert_eq!(cloud.faults_left(), 0);
    }
    assert!(matches!(opened.bucket.get(NAME, None).await, Ok(Found::Object { .. })));
}

#[tokio::test]
async fn an_answer_that_is_cut_off_is_no_answer() {
    let (cloud, opened) = scene().await;
    cloud.plant(WHOLE_NAME, WORDS);
    for _ in 0..2 {
        cloud.order(On::Get, Fault::CutBody, 1);
        let error = opened.bucket.get(NAME, None).await.unwrap_err();
        assert_eq!(error, uncertain("answer not understood"));
        assert_tells_nothing(&error);
    }
    cloud.order(On::List, Fault::CutBody, 1);
    let listed = opened.bucket.list("").await;
    assert_eq!(listed, Err(uncertain("answer not understood")));
}

#[tokio::test]
async fn a_slow_answer_is_waited_for() {
    let (cloud, opened) = scene().await;
    cloud.order(On::Put, Fault::Slow(Duration::from_millis(100)), 1);
    done(opened.bucket.put(NAME, Bytes::from(WORDS), &Expect::Absent).await.unwrap());
}

#[tokio::test]
async fn who_is_not_there_is_away() {
    let (cloud, opened) = scene().await;
    drop(cloud);
    let bucket = &opened.bucket;
    let gone = away("cannot connect");
    assert_eq!(bucket.get(NAME, None).await, Err(gone.clone()));
    assert_eq!(bucket.put(NAME, Bytes::from(WORDS), &Expect::Absent).await, Err(gone.clone()));
    assert_eq!(bucket.delete(NAME).await, Err(gone.clone()));
    assert_eq!(bucket.list("").await, Err(gone));
}

/// To the library it timed out, as a put does whose answer is late; but nothing was ever sent.
#[tokio::test]
async fn who_takes_no_connection_is_away() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    // nobody accepts: when the queue is full, the kernel no longer answers
    let mut queue = Vec::new();
    while let Ok(stream) =
        tokio::time::timeout(Duration::from_millis(300), TcpStream::connect(address)).await
    {
        queue.push(stream.unwrap());
    }
    let bucket = open("gs://unsaid-test/line", &format!("http://{address}")).bucket;
    let put = bucket.put(NAME, Bytes::from(WORDS), &Expect::Absent).await;
    assert_eq!(put, Err(away("cannot connect")));
}

#[tokio::test]
async fn a_bucket_that_does_not_exist_is_not_an_empty_one() {
    let cloud = GcsStandIn::start().await;
    let state = Version { e_tag: Some("\"1\"".to_owned()), generation: Some("1".to_owned()) };
    for bucket in [
        open("gs://another/line", &cloud.endpoint()).bucket,
        open("s3://no-such-words/line", &s3()).bucket,
    ] {
        let gone = away("refused: 404 NoSuchBucket");
        assert_eq!(bucket.get(NAME, None).await, Err(gone.clone()));
        assert_eq!(bucket.get_start(NAME, 1).await, Err(gone.clone()));
        for expect in [Expect::Absent, Expect::Version(state.clone())] {
            assert_eq!(bucket.put(NAME, Bytes::from(WORDS), &expect).await, Err(gone.clone()));
        }
        assert_eq!(bucket.delete(NAME).await, Err(gone.clone()));
        assert_eq!(bucket.list("").await, Err(gone));
    }
}

#[tokio::test]
async fn an_object_that_is_written_too_often_is_busy() {
    let (cloud, opened) = scene().await;
    cloud.set(|settings| settings.one_write_a_second = true);
    let bucket = &opened.bucket;
    let put = bucket.put(NAME, Bytes::from("1"), &Expect::Absent).await;
    let expect = Expect::Version(done(put.unwrap()));
    assert_eq!(bucket.put(NAME, Bytes::from("2"), &expect).await, Err(BucketError::Busy));
    done(bucket.put("history/U2", Bytes::from("1"), &Expect::Absent).await.unwrap());
}

/// The tag says "unchanged", the generation does not.
#[tokio::test]
async fn content_that_comes_back_is_told_apart_with_and_without_a_hint() {
    for (tells, requests) in [(false, 3), (true, 2)] {
        let (cloud, opened) = scene().await;
        cloud.set(|settings| settings.unchanged_tells_generation = tells);
        let bucket = &opened.bucket;
        let first = done(bucket.put(NAME, Bytes::from("A"), &Expect::Absent).await.unwrap());
        cloud.plant(WHOLE_NAME, "B");
        cloud.plant(WHOLE_NAME, "A");
        cloud.forget_traffic();
        let found = bucket.get(NAME, Some(&first)).await.unwrap();
        let Found::Object { version, .. } = found else { panic!("{found:?}") };
        assert_ne!(version, first);
        assert_eq!(cloud.traffic_of(WHOLE_NAME).gets, requests);
        assert_eq!(bucket.get(NAME, Some(&version)).await, Ok(Found::Unchanged));
    }
}

/// Consoles make an object to show a directory. A list of what is below does not hold it.
#[tokio::test]
async fn directories_that_a_console_made_are_not_listed() {
    let (cloud, opened) = scene().await;
    cloud.plant("line/history/", "");
    cloud.plant(WHOLE_NAME, WORDS);
    let listed = opened.bucket.list("history/").await.unwrap();
    assert_eq!(listed.iter().map(|object| object.name.as_str()).collect::<Vec<_>>(), [NAME]);
}

#[tokio::test]
async fn traffic_and_kept_generations_can_be_seen() {
    let (cloud, opened) = scene().await;
    cloud.set(|settings| settings.versioning = true);
    let bucket = &opened.bucket;
    let first = done(bucket.put(NAME, Bytes::from(WORDS), &Expect::Absent).await.unwrap());
    done(bucket.put(NAME, Bytes::from("forgotten"), &Expect::Version(first)).await.unwrap());
    bucket.get(NAME, None).await.unwrap();
    assert_eq!(cloud.places_of(WORDS.as_bytes()).len(), 1);
    bucket.delete(NAME).await.unwrap();
    assert!(cloud.objects().is_empty());
    assert_eq!(cloud.places_of(b"forgotten").len(), 1);
    let traffic = cloud.traffic_of(WHOLE_NAME);
    assert_eq!((traffic.puts, traffic.gets, traffic.deletes), (2, 1, 1));
    assert_eq!((traffic.bytes_in, traffic.bytes_out), (WORDS.len() as u64 + 9, 9));
}
