//! The small commands.

use std::fs;

use tempfile::tempdir;

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
        ("UNSAID_DATABASE", "postgres://me:s3cret@db/unsaid"),
        ("GEMINI_API_KEY", "s3cret"),
    ];
    let arguments = ["config", "--log_format", "json"];
    let ended = Running::start_with(dir.path(), &arguments, &environment).end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for line in [
        "listen = \":2\"",
        "log = \"debug\"",
        "log_format = \"json\"",
        "database = \"postgres://me:***@db/unsaid\"",
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
