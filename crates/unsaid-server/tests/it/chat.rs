//! A talk in the terminal, typed through a pipe: memory, unsend and edit can be seen.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::tempdir;

use crate::running::{Running, contents};

/// What a person types, line by line; what they see, and what is logged.
fn chat(dir: &Path, arguments: &[&str], typed: &[&str]) -> (String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_unsaid"))
        .args(["chat", "--model.provider", "demo", "--log", "debug"])
        .args(arguments)
        .env_clear()
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all((typed.join("\n") + "\n").as_bytes()).unwrap();
    drop(stdin);
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let (stdout, stderr) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert!(status.success(), "{stdout}{stderr}");
    (stdout, stderr)
}

#[test]
fn memory_unsend_and_edit_can_be_seen_and_nothing_is_logged() {
    let dir = tempdir().unwrap();
    let typed = [
        "My name is Quibblewort.",
        "I like tea.",
        "what is my name?",
        "/unsend 1",
        "what is my name?",
        "/edit 3 I like coffee.",
        "what did I say?",
        "/list",
    ];
    let (seen, logged) = chat(dir.path(), &[], &typed);
    insta::assert_snapshot!(seen);
    for word in ["Quibblewort", "tea", "coffee", "name"] {
        assert!(!logged.contains(word), "{logged}");
    }
    let (seen, _) = chat(dir.path(), &[], &["what did I say?", "/forget", "/list", "/quit"]);
    assert!(seen.contains("I like coffee."), "it is remembered until it is forgotten: {seen}");
    for (path, (_, bytes)) in contents(dir.path()) {
        for words in [&b"Quibblewort"[..], b"I like coffee"] {
            let found = bytes.windows(words.len()).any(|window| window == words);
            assert!(!found, "still in {}", path.display());
        }
    }
}

#[test]
fn an_edit_can_be_taken_back() {
    let dir = tempdir().unwrap();
    let typed = ["one", "two", "/edit 1 uno", "/undo", "/undo", "/edit 9 nothing", "/unsend 2"];
    let (seen, _) = chat(dir.path(), &["helper"], &typed);
    insta::assert_snapshot!(seen);
}

#[test]
fn it_works_beside_a_running_server_and_knows_its_personas() {
    let dir = tempdir().unwrap();
    let (_server, _) = Running::serve(dir.path());
    let (seen, _) = chat(dir.path(), &["counsellor"], &["Me llamo Lucía.", "¿Cómo me llamo?"]);
    assert!(seen.contains("Lucía"), "{seen}");
    let ended = crate::running::run(dir.path(), &["chat", "nobody"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("there are companion, counsellor, helper"), "{ended:?}");
}
