//! `history` in a bucket: looked at before anything else, refused if it keeps what is taken back.

use std::fs;
use std::path::Path;

use tempfile::tempdir;
use tokio::runtime::Runtime;
use unsaid_testkit::bucket::gcs::{GcsStandIn, Settings};

use crate::running::{Running, contents, get, run};

/// A stand-in, and the runtime it lives on.
fn stand_in(change: impl FnOnce(&mut Settings)) -> (Runtime, GcsStandIn) {
    let runtime = Runtime::new().unwrap();
    let bucket = runtime.block_on(GcsStandIn::start());
    bucket.set(change);
    (runtime, bucket)
}

/// The sentence with which a server on this bucket refuses to start.
fn refused(bucket: &GcsStandIn, more: &[&str]) -> String {
    let dir = tempdir().unwrap();
    let (place, endpoint) = (bucket.place("bot"), bucket.endpoint());
    let arguments =
        ["serve", "--listen", ":0", "--history", &place, "--history_endpoint", &endpoint];
    let ended = run(dir.path(), &[&arguments, more].concat());
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(contents(dir.path()).is_empty(), "something was made");
    assert_eq!(bucket.objects().len(), 0, "something is left in the bucket");
    ended.stderr.trim_end().to_owned()
}

fn serves(dir: &Path, arguments: &[&str]) {
    let mut server = Running::start(dir, &[&["serve", "--listen", ":0"], arguments].concat());
    let ready = get(server.address(), "/readyz");
    assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
}

#[test]
fn a_bucket_that_forgets_is_served() {
    let (_runtime, bucket) = stand_in(|_| {});
    let dir = tempdir().unwrap();
    serves(
        dir.path(),
        &["--history", &bucket.place("bot"), "--history_endpoint", &bucket.endpoint()],
    );
}

#[test]
fn a_directory_is_served() {
    let dir = tempdir().unwrap();
    let place = format!("file://{}/conversations", dir.path().display());
    serves(dir.path(), &["--history", &place]);
    let ended = run(dir.path(), &["doctor", "--listen", ":0", "--history", &place]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("ok       history: the bucket does conditional writes"));
}

#[test]
fn a_bucket_that_keeps_old_versions_is_refused_unless_accepted() {
    let (_runtime, bucket) = stand_in(|settings| settings.versioning = true);
    insta::assert_snapshot!(refused(&bucket, &[]));
    bucket.set(|settings| {
        settings.versioning = false;
        settings.soft_delete_seconds = 604_800;
    });
    insta::assert_snapshot!(refused(&bucket, &[]));
    let dir = tempdir().unwrap();
    let (place, endpoint) = (bucket.place("bot"), bucket.endpoint());
    let accepted = ["--history_accept_delay", "true"];
    let arguments = ["--history", &place, "--history_endpoint", &endpoint];
    serves(dir.path(), &[&arguments[..], &accepted].concat());
    bucket.set(|settings| {
        settings.soft_delete_seconds = 0;
        settings.retention_seconds = Some(86_400);
    });
    insta::assert_snapshot!(refused(&bucket, &[]));
}

#[test]
fn a_bucket_that_ignores_conditions_is_refused() {
    let (_runtime, bucket) = stand_in(|settings| settings.ignores_conditions = true);
    insta::assert_snapshot!(refused(&bucket, &[]));
    insta::assert_snapshot!(refused(&bucket, &["--history_accept_delay", "true"]));
}

#[test]
fn the_doctor_says_what_is_wrong_with_a_bucket() {
    let (_runtime, bucket) = stand_in(|settings| settings.versioning = true);
    let dir = tempdir().unwrap();
    let (place, endpoint) = (bucket.place("bot"), bucket.endpoint());
    let arguments =
        ["doctor", "--listen", ":0", "--history", &place, "--history_endpoint", &endpoint];
    let ended = run(dir.path(), &arguments);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let line = ended.stdout.lines().find(|line| line.contains("history:")).unwrap();
    insta::assert_snapshot!(line);
    assert!(contents(dir.path()).is_empty());
}

#[test]
fn a_bucket_that_is_away_is_refused() {
    let (runtime, bucket) = stand_in(|_| {});
    let (place, endpoint) = (bucket.place("bot"), bucket.endpoint());
    drop(bucket);
    drop(runtime);
    let dir = tempdir().unwrap();
    let arguments =
        ["serve", "--listen", ":0", "--history", &place, "--history_endpoint", &endpoint];
    let ended = run(dir.path(), &arguments);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
    assert!(contents(dir.path()).is_empty());
}

#[test]
fn a_place_that_cannot_be_is_refused() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let below_a_file = format!("file://{}/file/below", dir.path().display());
    for arguments in [
        &["--history", "gs://"][..],
        &["--history", "s3://words", "--history_endpoint", "http://bucket.example.org"],
        &["--history", "file:///tmp", "--history_endpoint", "http://127.0.0.1:1"],
        &["--history", &below_a_file],
    ] {
        let ended = run(dir.path(), &[&["serve", "--listen", ":0"], arguments].concat());
        assert_eq!(ended.code, Some(2), "{arguments:?}: {ended:?}");
        assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
    }
}
