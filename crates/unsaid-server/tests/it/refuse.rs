//! Refused at start: one clear sentence, exit code 2, nothing changed.

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use rustix::process::Signal;
use tempfile::tempdir;

use crate::running::{Running, contents, run};

/// Starts a server that must not start; its sentence.
fn refused(dir: &Path, arguments: &[&str]) -> String {
    let before = contents(dir);
    let ended = run(dir, &[&["serve"], arguments].concat());
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert_eq!(ended.stdout, "");
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    assert_eq!(contents(dir), before, "something was changed");
    let sentence = ended.stderr.strip_prefix("unsaid: ").expect("it says who speaks");
    sentence.trim_end().replace(&*dir.to_string_lossy(), "DIR")
}

#[test]
fn wrong_configuration() {
    let dir = tempdir().unwrap();
    insta::assert_snapshot!(refused(dir.path(), &["--listen", "nowhere"]), @"`listen` among the flags must be an address such as 127.0.0.1:8080");
    insta::assert_snapshot!(refused(dir.path(), &["--lissten", ":0"]), @"unknown flag `--lissten`; the nearest known one is `--listen`");
    insta::assert_snapshot!(refused(dir.path(), &["--config", "missing.toml"]), @"cannot read missing.toml: no such file or directory");
    fs::write(dir.path().join("unsaid.toml"), "[line]\nchanel_secret = \"s3cret\"\n").unwrap();
    insta::assert_snapshot!(refused(dir.path(), &[]), @"unknown key `line.chanel_secret` in unsaid.toml; the nearest known one is `line.channel_secret`");
}

#[test]
fn an_open_line_door_without_a_model() {
    let dir = tempdir().unwrap();
    let line = ["--line.channel_secret", "s3cret", "--line.channel_access_token", "s3cret"];
    insta::assert_snapshot!(refused(dir.path(), &line), @"the LINE door is open and no model is configured: set `model.provider` (`demo` if that is really meant to answer people)");
}

#[test]
fn port_taken() {
    let dir = tempdir().unwrap();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let sentence = refused(dir.path(), &["--listen", &address]);
    insta::assert_snapshot!(sentence.replace(&address, "ADDRESS"), @"cannot listen on ADDRESS: address already in use; stop the other program or choose another port");
}

#[test]
fn data_directory_in_use_by_another_server() {
    let dir = tempdir().unwrap();
    let (first, _) = Running::serve(dir.path());
    // It still has the directory, and writes nothing of its own meanwhile.
    first.signal(Signal::STOP);
    insta::assert_snapshot!(refused(dir.path(), &["--listen", ":0"]), @"data directory unsaid-data is in use by another server");
}

#[test]
fn data_directory_that_cannot_be_used() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let arguments = ["--listen", ":0", "--data_dir", "file/below"];
    insta::assert_snapshot!(refused(dir.path(), &arguments), @"cannot use data directory file/below: not a directory");
    let arguments = ["--listen", ":0", "--data_dir", "file"];
    insta::assert_snapshot!(refused(dir.path(), &arguments), @"cannot use data directory file: not a directory");
}

#[test]
fn database_that_is_newer_or_none() {
    let dir = tempdir().unwrap();
    let data_dir = dir.path().join("unsaid-data");
    fs::create_dir(&data_dir).unwrap();
    fs::write(data_dir.join("unsaid.db"), database_header(4_000_000)).unwrap();
    let sentence = refused(dir.path(), &["--listen", ":0"]);
    assert!(sentence.contains("version 4000000, but this program knows only up to"), "{sentence}");

    fs::write(data_dir.join("unsaid.db"), "x".repeat(100)).unwrap();
    insta::assert_snapshot!(refused(dir.path(), &["--listen", ":0"]), @"cannot open unsaid-data/unsaid.db: the database is damaged: it is not an SQLite file");
}

/// The first 100 bytes of an `SQLite` file of this version.
pub(crate) fn database_header(version: u32) -> Vec<u8> {
    let mut header = b"SQLite format 3\0".to_vec();
    header.resize(100, 0);
    header[60..64].copy_from_slice(&version.to_be_bytes());
    header
}
