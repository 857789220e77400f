//! Sources in which something is damaged: the rest comes, and what does not is named.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use tempfile::{TempDir, tempdir};

use super::fixture::{Copy, write_database, write_tree};
use super::{House, tree};

fn two() -> [Copy; 2] {
    [Copy::of("o1", "hello", "00.000", "m1"), Copy::of("o1", "CUT", "01.000", "m2")]
}

/// The memory of o1, damaged.
fn with_memory(damage: impl Fn(Vec<u8>) -> Vec<u8>) -> TempDir {
    let from = tree(&two());
    let file = from.path().join("tea-house/agents/o1/memory.json");
    fs::write(&file, damage(fs::read(&file).unwrap())).unwrap();
    from
}

fn replaced(bytes: &[u8], by: &[u8]) -> Vec<u8> {
    let at = bytes.windows(3).position(|three| three == b"CUT").unwrap();
    [&bytes[..at], by, &bytes[at + 3..]].concat()
}

fn both_come(from: &Path, second: &str) {
    let house = House::of_ana(true);
    let ended = house.import(from);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let second = format!("m2 ana: {second} → o1");
    assert_eq!(house.lines("tea-house", "Morning tea"), ["m1 ana: hello → o1", second.as_str()]);
}

#[test]
fn half_of_a_surrogate_pair_does_not_cost_a_memory() {
    let from = with_memory(|bytes| replaced(&bytes, br"cut \ud83d"));
    both_come(from.path(), "cut \u{fffd}");
}

#[test]
fn a_byte_that_is_no_utf8_does_not_cost_a_memory() {
    let from = with_memory(|bytes| replaced(&bytes, b"caf\xe9"));
    both_come(from.path(), "caf\u{fffd}");
}

#[test]
fn a_byte_order_mark_does_not_cost_a_memory() {
    let from = with_memory(|bytes| [b"\xef\xbb\xbf".as_slice(), &bytes].concat());
    both_come(from.path(), "CUT");
}

#[test]
fn a_text_that_is_no_utf8_does_not_cost_a_database() {
    let from = tempdir().unwrap();
    let file = from.path().join("database.db");
    let program = write_database(&file, &two());
    let sql = "UPDATE agent_memory SET content = CAST(x'636166e9' AS TEXT) WHERE message_id = 'm2'";
    program.execute(sql, []).unwrap();
    both_come(&file, "caf\u{fffd}");
    drop(program);
}

#[test]
fn a_link_to_a_database_has_the_log_of_the_database() {
    let (from, elsewhere) = (tempdir().unwrap(), tempdir().unwrap());
    let file = from.path().join("database.db");
    let program = write_database(&file, &two());
    let link = elsewhere.path().join("link.db");
    symlink(&file, &link).unwrap();
    both_come(&link, "CUT");
    drop(program);
}

#[test]
fn a_prompt_in_another_encoding_comes_with_all_that_can_be_read() {
    let (house, from) = (House::of_ana(true), tree(&two()));
    let prompt = from.path().join("tea-house/agents/o1/system-prompt.md");
    fs::write(prompt, b"Eres un caf\xe9.").unwrap();
    assert_eq!(house.import(from.path()).code, Some(0));
    assert!(house.shown("tea-house").contains("Eres un caf\u{fffd}."));
}

#[test]
fn a_prompt_that_cannot_be_read_is_named() {
    let (house, from) = (House::of_ana(true), tree(&two()));
    let prompt = from.path().join("tea-house/agents/o1/system-prompt.md");
    fs::remove_file(&prompt).unwrap();
    fs::create_dir(&prompt).unwrap();
    let ended = house.import(from.path());
    let line = "not taken in: tea-house/agents/o1/system-prompt.md: cannot be read\n";
    assert!(ended.stdout.contains(line), "{ended:?}");
    assert_eq!((ended.code, house.lines("tea-house", "Morning tea").len()), (Some(1), 2));
}

#[test]
fn a_world_that_cannot_be_looked_into_is_named() {
    let from = tempdir().unwrap();
    // no way leads in, as without the permission, and also for who may do everything
    symlink(from.path().join("secret"), from.path().join("secret")).unwrap();
    let line = "not taken in: secret: cannot be read\n";
    let house = House::of_ana(true);
    let ended = house.import(from.path());
    assert!(ended.stdout.starts_with(line) && ended.code == Some(1), "{ended:?}");
    write_tree(from.path(), &two());
    let agents = from.path().join("tea-house/agents");
    symlink(agents.join("lost"), agents.join("lost")).unwrap();
    let ended = house.import(from.path());
    assert!(ended.stdout.contains(line), "{ended:?}");
    let line = "not taken in: tea-house/agents/lost: cannot be read\n";
    assert!(ended.stdout.contains(line), "{ended:?}");
    assert_eq!((ended.code, house.lines("tea-house", "Morning tea").len()), (Some(1), 2));
}
