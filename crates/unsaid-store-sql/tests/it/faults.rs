//! A disk that is full, fails, or cannot be written: nothing is acknowledged, the error has a name,
//! and when the cause is gone the same process serves again. The faults are made by `strace` in the
//! calls of the writer's thread, so that they need no special disk.

use std::{collections::BTreeSet, fs, path::Path, time::Duration};

use unsaid_core::{domain::id::Number, port::Store};
use unsaid_store_sql::sqlite::{OpenError, Options, SqliteStore};
use unsaid_testkit::builder::{chat_key, media_key};

use crate::{
    child::{self, Role, file_bytes},
    scene::{Said, Scene},
};

const LIMIT: Duration = Duration::from_mins(2);

#[tokio::test]
async fn a_full_disk_takes_nothing_and_then_serves_again() {
    let scene = Scene::new();
    let said = met(&scene, &["pwrite64:error=ENOSPC:when=200..240"]);
    assert_eq!(names(&said, "fail"), ["full"].into());
    assert_eq!(names(&said, "health"), ["full", "ok"].into());
    assert_kept_as_said(&scene, &said).await;
}

#[tokio::test]
async fn a_disk_that_does_not_sync_gets_no_acknowledgement_and_then_serves_again() {
    let scene = Scene::new();
    let faults = ["fsync:error=EIO:when=20..50", "fdatasync:error=EIO:when=20..50"];
    let said = met(&scene, &faults);
    assert_eq!(names(&said, "fail"), ["uncertain"].into());
    assert_eq!(names(&said, "health"), ["uncertain", "ok"].into());
    assert_kept_as_said(&scene, &said).await;
}

/// H1: a turn is kept without waiting for the disk. If the next wait fails, that may be lost, and all
/// that is acknowledged behind it: first the log is begun anew, and who still reads in the old one is
/// waited for.
#[test]
fn h1_nothing_is_acknowledged_behind_what_may_be_lost() {
    let scene = Scene::new();
    let inject = ["fsync:error=EIO:when=40", "fdatasync:error=EIO:when=40"];
    let faults = faults(&scene.wal(), &inject);
    child::start_traced(&scene, Role::MeetFaultInTurn, &faults).finish(LIMIT);
    let said = Said::read(&scene);
    assert_eq!(said.after("fail").collect::<Vec<_>>(), ["uncertain"]);
    assert_eq!(said.after("held").collect::<Vec<_>>(), ["unavailable"; 3]);
    assert_eq!(said.after("then").collect::<Vec<_>>(), ["ok"], "the log could be begun anew");
    scene.assert_whole();
}

#[tokio::test]
async fn a_disk_that_became_read_only_takes_nothing_and_then_serves_again() {
    let scene = Scene::new();
    let said = met(&scene, &["pwrite64:error=EROFS:when=200..240"]);
    let expected: BTreeSet<&str> = ["uncertain", "unavailable"].into();
    assert!(names(&said, "fail").is_subset(&expected), "{:?}", names(&said, "fail"));
    let mut health = names(&said, "health");
    assert!(health.remove("ok") && !health.is_empty() && health.is_subset(&expected));
    assert_kept_as_said(&scene, &said).await;
}

/// The disk is full before the commit: SQLite writes early what does not fit into its memory.
#[tokio::test]
async fn a_disk_that_is_full_in_the_middle_of_a_large_commit_keeps_only_whole_files() {
    let scene = Scene::new();
    let inject = ["pwrite64:error=ENOSPC:when=9000..9006"];
    let child = child::start_traced(&scene, Role::KeepFiles, &faults(&scene.wal(), &inject));
    child.finish(LIMIT);
    let said = Said::read(&scene);
    let failed = names(&said, "fail");
    assert!(failed.contains("full"), "{failed:?}");
    let store = scene.open();
    for (_, key) in said.places("ack") {
        let file = store.get(&chat_key("c0"), &media_key(&key)).await.unwrap();
        assert!(file.is_some_and(|file| file.bytes == file_bytes(&key)), "{key} is not whole");
    }
    for (_, key) in said.places("fail") {
        assert_eq!(
            store.get(&chat_key("c0"), &media_key(&key)).await.unwrap(),
            None,
            "{key} was not kept"
        );
    }
    scene.assert_whole();
}

/// Erasing needs the file itself to be written; while it cannot be, it is tried again.
#[test]
fn h13_a_disk_that_fails_delays_erasing_and_does_not_prevent_it() {
    let scene = closed();
    let inject = ["pwrite64:error=EIO:when=1"];
    let child = child::start_traced(&scene, Role::Forget, &faults(&scene.db(), &inject));
    child.finish(LIMIT);
    let said = Said::read(&scene);
    assert_eq!(said.after("busy").count(), 1, "the words were gone before the fault");
    assert_eq!(said.after("clean").count(), 1);
    let log = fs::read_to_string(scene.log()).unwrap();
    assert!(log.contains("could not be emptied"), "the log tells of the fault: {log}");
}

#[test]
fn a_directory_that_cannot_be_written_is_refused_with_a_sentence() {
    // Nobody can make a file there, root included.
    let path = Path::new("/sys/unsaid.db");
    assert_refused(SqliteStore::open(path, &Options::default()).err());
    assert!(!path.exists());
}

/// A store that was made and closed.
fn closed() -> Scene {
    let scene = Scene::new();
    drop(scene.open());
    scene.until_closed();
    scene
}

fn assert_refused(error: Option<OpenError>) {
    let error = error.expect("it cannot be opened");
    assert!(matches!(error, OpenError::Io(_)), "{error:?}");
    assert!(error.to_string().starts_with("the database cannot be used: "), "{error}");
}

/// A store that is there, on a disk or in a directory that has become read-only.
#[test]
fn a_store_that_cannot_be_written_is_refused_with_a_sentence_and_stays_as_it_is() {
    let scene = closed();
    let before = scene.bytes();
    // The first look at the file only reads it.
    let read_only = faults(&scene.db(), &["openat:error=EROFS:when=2+"]);
    let no_log = faults(&scene.wal(), &["openat:error=EACCES"]);
    for (index, inject) in [read_only, no_log].iter().enumerate() {
        child::start_traced(&scene, Role::Open, inject).finish(LIMIT);
        let said = Said::read(&scene);
        let refused: Vec<&str> = said.after("refused").collect();
        assert_eq!((refused.len(), said.after("opened").count()), (index + 1, 0), "{refused:?}");
        let sentence = refused[index];
        assert!(sentence.starts_with("the database cannot be used: "), "{sentence}");
        assert_eq!(scene.bytes(), before, "a file was changed");
    }
}

/// A file that could not be made for want of room is made when there is room.
#[tokio::test]
async fn a_full_disk_is_no_damage_when_the_file_is_made() {
    for (write, whole) in [(1, "db"), (3, "wal"), (40, "wal"), (60, "wal")] {
        let scene = Scene::new();
        let path = if whole == "db" { scene.db() } else { scene.wal() };
        let inject = format!("pwrite64:error=ENOSPC:when={write}+");
        child::start_traced(&scene, Role::Open, &faults(&path, &[&inject])).finish(LIMIT);
        let said = Said::read(&scene);
        let refused: Vec<&str> = said.after("refused").collect();
        assert_eq!(refused.len(), 1, "{whole} {write}");
        assert!(refused[0].starts_with("the database cannot be used: "), "{refused:?}");
        assert!(refused[0].len() < 120, "not one sentence: {refused:?}");
        scene.open().check().await.unwrap();
        scene.assert_whole();
    }
}

/// Some calls on one file fail: `strace -e inject=…`.
fn faults(path: &Path, inject: &[&str]) -> Vec<String> {
    let mut arguments = vec!["-P".to_owned(), path.display().to_string()];
    arguments.extend(["-s", "0", "-e", "trace=openat,pwrite64,fsync,fdatasync"].map(str::to_owned));
    for fault in inject {
        arguments.extend(["-e".to_owned(), format!("inject={fault}")]);
    }
    arguments
}

/// Lets a child meet faults of the log; gives what it said.
fn met(scene: &Scene, inject: &[&str]) -> Said {
    let child = child::start_traced(scene, Role::MeetFault, &faults(&scene.wal(), inject));
    child.finish(LIMIT);
    let log = fs::read_to_string(scene.log()).unwrap();
    assert!(log.contains("not kept"), "the log tells of the fault");
    assert!(!log.contains("<words of"), "the log holds words: {log}");
    Said::read(scene)
}

/// The first words after a word: names of errors.
fn names<'a>(said: &'a Said, word: &'a str) -> BTreeSet<&'a str> {
    said.after(word).filter_map(|rest| rest.split(' ').next()).collect()
}

/// What was acknowledged is there and nothing else, and the numbers have no gap.
async fn assert_kept_as_said(scene: &Scene, said: &Said) {
    let (kept, failed) = (said.places("ack"), said.places("fail"));
    assert!(failed.len() >= 10, "the fault was too short: {failed:?}");
    assert_eq!(said.after("health").last(), Some("ok"));
    let store: std::sync::Arc<dyn Store> = scene.open();
    let page = store.page(&chat_key("c0"), None, 100_000).await.unwrap();
    let there: BTreeSet<_> =
        page.iter().map(|entry| ("c0".to_owned(), entry.message.id.to_string())).collect();
    assert_eq!(there, kept);
    assert!(page.iter().map(|entry| entry.number).eq((1..=page.len() as u64).map(Number::new)));
    scene.assert_whole();
}
