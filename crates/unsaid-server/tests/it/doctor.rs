//! What is wrong, and how to mend it; looking changes nothing.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::tempdir;

use crate::refuse::database_header;
use crate::running::{Running, contents, run};

/// What the doctor says, and its exit code; numbers that differ from machine to machine left out.
fn said(dir: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let before = contents(dir);
    let ended = run(dir, &[&["doctor", "--model.provider", "demo"], arguments].concat());
    assert_eq!(contents(dir), before, "looking changed something");
    let lines = ended.stdout.lines().map(|line| match line.rsplit_once(", ") {
        Some((start, rest)) if rest.ends_with("MiB free") => format!("{start}, N MiB free"),
        Some(_) | None => line.to_owned(),
    });
    (ended.code, lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn all_is_well_before_the_first_start() {
    let dir = tempdir().unwrap();
    let (code, text) = said(dir.path(), &["--listen", ":0"]);
    assert_eq!(code, Some(0), "{text}");
    insta::assert_snapshot!(text, @"
    ok       configuration: no file, the defaults count
    ok       data directory: unsaid-data will be made by serve, N MiB free
    ok       database: not made yet, serve will do it
    ok       history: LINE conversations are in the database
    ok       model: demo answers without a language model
    ok       line: the door is closed: `line.channel_secret` is unset
    ok       listen address: 127.0.0.1:0 is free
    ");
}

#[test]
fn all_is_well_beside_a_running_server() {
    let dir = tempdir().unwrap();
    let (_server, address) = Running::serve(dir.path());
    let address = address.to_string();
    let ended = run(dir.path(), &["doctor", "--listen", &address]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains(&format!("a server answers on {address}")), "{ended:?}");
    assert!(ended.stdout.contains("ok       database: "), "{ended:?}");
}

#[test]
fn what_is_wrong_is_told_with_its_cure() {
    let dir = tempdir().unwrap();
    let data_dir = dir.path().join("unsaid-data");
    fs::create_dir(&data_dir).unwrap();
    fs::set_permissions(&data_dir, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(data_dir.join("unsaid.db"), database_header(4_000_000)).unwrap();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    // somebody who hangs up at once is nobody of ours
    std::thread::spawn(move || other.accept().map(drop));
    let (code, text) = said(dir.path(), &["--listen", &address]);
    assert_eq!(code, Some(1), "{text}");
    let (_, known) = unsaid_server::store::sqlite::versions(&data_dir.join("unsaid.db")).unwrap();
    let text = text.replace(&address, "ADDRESS").replace(&format!("up to {known}"), "up to N");
    insta::assert_snapshot!(text, @"
    ok       configuration: no file, the defaults count
    problem  data directory: unsaid-data is open to others (0755) (mend: chmod 700 unsaid-data)
    problem  database: it has version 4000000, this program knows only up to N (mend: use the newer program, or put back a backup)
    ok       history: LINE conversations are in the database
    ok       model: demo answers without a language model
    ok       line: the door is closed: `line.channel_secret` is unset
    problem  listen address: ADDRESS is taken by another program (mend: stop it, or choose another address with --listen)
    ");
}

#[test]
fn a_wrong_configuration_is_a_finding() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("unsaid.toml"), "lissten = \":0\"\n").unwrap();
    let (code, text) = said(dir.path(), &[]);
    assert_eq!(code, Some(1), "{text}");
    insta::assert_snapshot!(text, @"problem  configuration: unknown key `lissten` in unsaid.toml; the nearest known one is `listen` (mend: unsaid config --default prints every key)");
}

#[test]
fn a_data_directory_that_cannot_be_made_is_a_finding() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let (code, text) = said(dir.path(), &["--listen", ":0", "--data-dir", "file/below"]);
    assert_eq!(code, Some(1), "{text}");
    insta::assert_snapshot!(text, @"
    ok       configuration: no file, the defaults count
    problem  data directory: file/below cannot be used: not a directory (mend: choose another data_dir)
    ok       database: not made yet, serve will do it
    ok       history: LINE conversations are in the database
    ok       model: demo answers without a language model
    ok       line: the door is closed: `line.channel_secret` is unset
    ok       listen address: 127.0.0.1:0 is free
    ");
}
