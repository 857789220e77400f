//! What is looked at in a source, and what is not.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use tempfile::tempdir;

use super::fixture::{Copy, talk, write_agent, write_database, write_tree};
use super::{House, tree};

const WHOLE: &str = "1 world, 2 agents, 3 chats and 12 messages taken in";
const HELLO: &str = "1 world, 2 agents, 1 chat and 1 message taken in";

fn hello() -> [Copy; 1] {
    [Copy::of("o1", "hello", "00.000", "m1")]
}

#[test]
fn what_is_only_shown_is_not_said() {
    let shown = r#"{"__type":"synthetic_assistant_tool_result","version":1,"displayOnly":true,"tool":"shell_cmd","content":"canary"}"#;
    let copies = [
        Copy::of("o1", "hello", "00.000", "m1"),
        Copy::of("o1", shown, "01.000", "m2").own(),
        Copy::of("o1", r#"{"displayOnly": true}"#, "02.000", "m3"),
    ];
    let (one, other) = (House::of_ana(true), House::of_ana(true));
    let (from, elsewhere) = (tree(&copies), tempdir().unwrap());
    let file = elsewhere.path().join("database.db");
    let program = write_database(&file, &copies);
    let sql = "UPDATE agent_memory SET message_metadata = '{\"displayOnly\":true}' \
        WHERE message_id = 'm3'";
    program.execute(sql, []).unwrap();
    let place = "tea-house/agents/o1/memory.json";
    for (house, path, place, numbers, said) in
        [(&one, from.path(), place, "2", 2), (&other, file.as_path(), "agent_memory", "2, 3", 1)]
    {
        let ended = house.import(path);
        let line = format!("not taken in: {place}, no. {numbers}: only shown by the program\n");
        assert!(ended.stdout.contains(&line) && ended.code == Some(1), "{ended:?}");
        assert_eq!(house.lines("tea-house", "Morning tea").len(), said);
    }
    drop(program);
}

#[test]
fn a_link_to_a_world_or_an_agent_beside_it_is_not_another() {
    let (house, from) = (House::of_ana(true), tree(&hello()));
    let world = from.path().join("tea-house");
    for link in ["a-link", "z-link"] {
        symlink(&world, from.path().join(link)).unwrap();
        symlink(world.join("agents/o1"), world.join("agents").join(link)).unwrap();
    }
    for begins in [HELLO, "0 worlds, 0 agents, 0 chats and 0 messages"] {
        let ended = house.import(from.path());
        assert!(ended.stdout.starts_with(begins) && ended.code == Some(0), "{ended:?}");
    }
}

#[test]
fn a_link_to_a_world_elsewhere_is_followed() {
    let (house, from, elsewhere) = (House::of_ana(true), tree(&hello()), tempdir().unwrap());
    for link in ["tea", "tea-too"] {
        symlink(from.path().join("tea-house"), elsewhere.path().join(link)).unwrap();
    }
    let ended = house.import(elsewhere.path());
    assert!(ended.stdout.starts_with(HELLO) && ended.code == Some(0), "{ended:?}");
}

#[test]
fn what_systems_leave_behind_is_neither_world_nor_agent() {
    let (house, from) = (House::of_ana(true), tree(&hello()));
    for name in [".git", "__MACOSX", "lost+found", ".trash"] {
        for directory in [from.path().to_owned(), from.path().join("tea-house/agents")] {
            fs::create_dir_all(directory.join(name).join("agents")).unwrap();
            fs::write(directory.join(name).join("config.json"), "{}").unwrap();
        }
    }
    fs::write(from.path().join("tea-house/agents/.DS_Store"), "\0").unwrap();
    fs::write(from.path().join("tea-house/chats/._morning.json"), "\0").unwrap();
    let ended = house.import(from.path());
    assert!(ended.stdout.starts_with(HELLO) && ended.code == Some(0), "{ended:?}");
}

fn make_pipe(path: &Path) {
    fs::remove_file(path).ok();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_pipe_is_not_opened() {
    let (house, from) = (House::of_ana(true), tree(&hello()));
    let world = from.path().join("tea-house");
    let files = [
        "config.json",
        "agents/a1/memory.json",
        "agents/a1/system-prompt.md",
        "chats/evening.json",
    ];
    for file in files {
        make_pipe(&world.join(file));
    }
    let ended = house.import(from.path());
    for file in files {
        let line = format!("not taken in: tea-house/{file}: cannot be read\n");
        assert!(ended.stdout.contains(&line), "{ended:?}");
    }
    assert_eq!(house.lines("tea-house", "Morning tea").len(), 1);
    make_pipe(&from.path().join("pipe"));
    assert_eq!(house.import(&from.path().join("pipe")).code, Some(2));
}

#[test]
fn a_pipe_beside_a_database_is_not_opened() {
    let (house, from) = (House::of_ana(true), tempdir().unwrap());
    let file = from.path().join("database.db");
    drop(write_database(&file, &talk()));
    make_pipe(&from.path().join("database.db-wal"));
    let ended = house.import(&file);
    assert!(ended.code == Some(2) && ended.stderr.contains("cannot be read"), "{ended:?}");
}

#[test]
fn a_limit_that_is_none_here_is_said() {
    let (house, from) = (House::of_ana(true), tree(&talk()));
    let file = from.path().join("tea-house/config.json");
    let config = fs::read_to_string(&file).unwrap();
    let mut config: serde_json::Value = serde_json::from_str(&config).unwrap();
    config["turnLimit"] = serde_json::json!(80);
    fs::write(&file, config.to_string()).unwrap();
    let ended = house.import(from.path());
    assert!(ended.stdout.contains(WHOLE), "{ended:?}");
    let line = "; tea-house has a turn limit of 50 here instead of 80\n";
    assert!(ended.stdout.ends_with(line), "{ended:?}");
    assert!(!house.import(from.path()).stdout.contains("turn limit"), "it is said once");
}

#[test]
fn a_level_too_high_or_too_low_is_said() {
    let (house, from) = (House::of_ana(true), tempdir().unwrap());
    let worlds = from.path().join("b-worlds");
    fs::create_dir_all(from.path().join("a-empty")).unwrap();
    write_tree(&worlds, &hello());
    write_agent(&worlds, "extra", "Extra", &[]);
    let real = worlds.canonicalize().unwrap();
    let above = format!("it belongs to the world in {}", real.join("tea-house").display());
    let below = format!("{} holds some: name that", worlds.display());
    for (path, hint) in [
        (from.path().to_owned(), &below),
        (worlds.join("tea-house/agents"), &above),
        (worlds.join("tea-house/agents/extra"), &above),
        (worlds.join("tea-house/chats"), &above),
        (worlds.join("tea-house/chats/morning.json"), &above),
    ] {
        let ended = house.import(&path);
        assert!(ended.code == Some(2) && ended.stderr.contains(hint), "{ended:?}");
    }
    fs::remove_dir_all(&worlds).unwrap();
    fs::create_dir(&worlds).unwrap();
    drop(write_database(&worlds.join("database.db"), &hello()));
    let ended = house.import(from.path());
    assert!(ended.code == Some(2) && ended.stderr.contains(&below), "{ended:?}");
}

#[test]
fn a_database_without_a_world_is_refused() {
    let (house, from) = (House::of_ana(true), tempdir().unwrap());
    let file = from.path().join("database.db");
    let program = write_database(&file, &[]);
    program
        .execute_batch("DELETE FROM worlds; DELETE FROM agents; DELETE FROM world_chats")
        .unwrap();
    let ended = house.import(from.path());
    assert!(ended.code == Some(2) && ended.stderr.contains("without any world"), "{ended:?}");
    drop(program);
}
