//! The small commands.

use std::fs;

use tempfile::tempdir;

use crate::refuse::database_header;
use crate::running::{Running, contents, run};

#[test]
fn config_default_prints_the_file() {
    let dir = tempdir().unwrap();
    let ended = run(dir.path(), &["config", "--default"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.stdout, include_str!("../../src/config/default.toml"));
    assert!(contents(dir.path()).is_empty());
}

#[test]
fn config_prints_what_is_in_effect_without_secrets() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("unsaid.toml"), "listen = \":1\"\nlog = \"debug\"\n").unwrap();
    let environment = [
        ("UNSAID_LISTEN", ":2"),
        ("UNSAID_DATABASE", "postgres://me:pa?s3cret@db/unsaid"),
        ("UNSAID_MODEL__BASE_URL", "https://s3cret@model.example.org/v1"),
        ("UNSAID_HISTORY_ENDPOINT", "http://me:s3cret@bucket.example.org"),
        ("UNSAID_PUBLIC_URL", "https://me:s3cret@chat.example.org"),
        ("OPENAI_API_KEY", "s3cret"),
    ];
    let arguments = ["config", "--log_format", "json"];
    let ended = Running::start_with(dir.path(), &arguments, &environment).end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for line in [
        "listen = \":2\"",
        "log = \"debug\"",
        "log_format = \"json\"",
        "database = \"postgres://***\"",
        "base_url = \"https://***@model.example.org/v1\"",
        "history_endpoint = \"http://***@bucket.example.org\"",
        "public_url = \"https://***@chat.example.org\"",
        "api_key = \"***\"",
    ] {
        assert!(ended.stdout.lines().any(|printed| printed == line), "{line}: {}", ended.stdout);
    }
    assert!(!format!("{ended:?}").contains("s3cret"));
}

#[test]
fn migrate_says_from_where_to_where() {
    let dir = tempdir().unwrap();
    let ended = run(dir.path(), &["migrate"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.starts_with("database migrated: none -> "), "{ended:?}");

    let again = run(dir.path(), &["migrate"]);
    assert!(again.stdout.starts_with("database is at version "), "{again:?}");
}

#[test]
fn migrate_works_beside_a_running_server() {
    let dir = tempdir().unwrap();
    let (_server, _) = Running::serve(dir.path());
    let ended = run(dir.path(), &["migrate"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.starts_with("database is at version "), "{ended:?}");
}

#[test]
fn migrate_does_not_change_tables_under_a_running_server() {
    let dir = tempdir().unwrap();
    let data_dir = dir.path().join("unsaid-data");
    fs::create_dir(&data_dir).unwrap();
    // a server of an older program, as seen from outside: the lock, and a file of its version
    fs::write(data_dir.join("unsaid.db"), database_header(0)).unwrap();
    let server = fs::File::create(data_dir.join("server.lock")).unwrap();
    server.lock().unwrap();
    let before = contents(dir.path());
    let ended = run(dir.path(), &["migrate"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let sentence = "unsaid: data directory unsaid-data is in use by another server\n";
    assert_eq!(ended.stderr, sentence);
    assert_eq!(contents(dir.path()), before, "something was changed");
}

#[test]
fn migrate_leaves_a_whole_file_behind() {
    let dir = tempdir().unwrap();
    assert_eq!(run(dir.path(), &["migrate"]).code, Some(0));
    let data_dir = dir.path().join("unsaid-data");
    assert!(data_dir.join("unsaid.db").exists());
    assert!(!data_dir.join("unsaid.db-wal").exists());
}
