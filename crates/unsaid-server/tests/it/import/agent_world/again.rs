//! Importing again after something changed in the source: nothing twice, nothing lost, nothing back.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use unsaid_core::port::history::Commit;
use unsaid_testkit::builder::{at, cut, person_id};

use super::fixture::{Copy, write_tree};
use super::{House, tree};
use crate::running::run;

/// A question, and answers whose listener has them later and under ids of its own, or none.
fn exchange() -> Vec<Copy> {
    vec![
        Copy::of("o1", "q?", "00.000", "q1"),
        Copy::of("a1", "q?", "00.000", "q1"),
        Copy::of("o1", "Answer one", "03.000", "o-2").own(),
        Copy::of("a1", "Answer one", "03.400", "a-2").from("o1"),
        Copy::of("o1", "Answer two", "05.000", "").own(),
        Copy::of("a1", "Answer two", "05.020", "").from("o1"),
    ]
}

/// All at one time; the second agent did not hear the first message.
fn at_one_time(ids: [[&str; 3]; 2]) -> Vec<Copy> {
    let [[zero, one, two], [_, other_one, other_two]] = ids;
    vec![
        Copy::of("a1", "zero", "04.000", zero),
        Copy::of("a1", "one", "04.000", one),
        Copy::of("a1", "two", "04.000", two),
        Copy::of("o1", "one", "04.000", other_one),
        Copy::of("o1", "two", "04.000", other_two),
    ]
}

fn memory_of(from: &TempDir, agent: &str) -> PathBuf {
    from.path().join(format!("tea-house/agents/{agent}/memory.json"))
}

/// Breaks a memory, imports, mends it, and imports again.
fn import_broken_and_mended(house: &House, from: &TempDir, agent: &str) {
    let memory = memory_of(from, agent);
    let whole = fs::read(&memory).unwrap();
    fs::write(&memory, "[{").unwrap();
    assert_eq!(house.import(from.path()).code, Some(1));
    fs::write(&memory, whole).unwrap();
    let mended = house.import(from.path());
    assert_eq!(mended.code, Some(0), "{mended:?}");
}

/// What was said, without ids and hearers.
fn said(house: &House) -> Vec<String> {
    let lines = house.lines("tea-house", "Morning tea");
    let words = |line: &String| {
        let (_, rest) = line.split_once(": ").unwrap();
        rest.split_once(" → ").unwrap().0.to_owned()
    };
    lines.iter().map(words).collect()
}

#[test]
fn answers_are_not_there_twice_once_the_memory_of_their_speaker_was_mended() {
    for agent in ["o1", "a1"] {
        let (house, from) = (House::of_ana(true), tree(&exchange()));
        import_broken_and_mended(&house, &from, agent);
        assert_eq!(said(&house), ["q?", "Answer one", "Answer two"], "{agent}");
        // and whichever copies are left later
        for gone in ["a1", "o1"] {
            let (memory, away) = (memory_of(&from, gone), from.path().join("away"));
            fs::rename(&memory, &away).unwrap();
            house.import(from.path());
            fs::rename(&away, &memory).unwrap();
            assert_eq!(said(&house), ["q?", "Answer one", "Answer two"], "{agent} {gone}");
        }
    }
}

#[test]
fn answers_are_not_there_twice_once_their_speaker_was_deleted_in_the_source() {
    let (house, from) = (House::of_ana(true), tree(&exchange()));
    house.import(from.path());
    fs::remove_dir_all(from.path().join("tea-house/agents/o1")).unwrap();
    let again = house.import(from.path());
    assert!(again.stdout.contains(" 0 messages taken in, 3 messages known before"), "{again:?}");
    assert_eq!(said(&house), ["q?", "Answer one", "Answer two"]);
}

#[test]
fn an_answer_that_was_removed_here_stays_out_once_its_speaker_was_deleted_in_the_source() {
    let (house, from) = (House::of_ana(true), tree(&exchange()));
    house.import(from.path());
    let (key, _) = house.entries("tea-house", "Morning tea");
    let store = house.store();
    house.runtime.block_on(store.commit(&key, Commit::new(cut("q1"), at(1)))).unwrap();
    drop(store);
    fs::remove_dir_all(from.path().join("tea-house/agents/o1")).unwrap();
    house.import(from.path());
    assert_eq!(said(&house), [""; 0]);
}

#[test]
fn a_message_of_the_same_time_comes_once_its_memory_was_mended() {
    for ids in [
        [["z-a", "one-a", "two-a"], ["", "one-b", "two-b"]],
        [["z-a", "one-a", "two-a"], ["", "one-a", "two-a"]],
    ] {
        let (house, from) = (House::of_ana(true), tree(&at_one_time(ids)));
        import_broken_and_mended(&house, &from, "a1");
        assert_eq!(said(&house), ["one", "two", "zero"], "{ids:?}");
    }
}

#[test]
fn a_message_of_the_same_time_without_an_id_comes_once_its_memory_was_mended() {
    let (house, from) = (House::of_ana(true), tree(&at_one_time([[""; 3]; 2])));
    import_broken_and_mended(&house, &from, "a1");
    assert_eq!(said(&house), ["one", "two", "zero"]);
}

#[test]
fn equal_words_of_one_time_come_as_often_as_they_were_said() {
    let heard = |agent: &'static str, times: usize| {
        std::iter::repeat_with(move || Copy::of(agent, "ok", "04.000", "")).take(times)
    };
    let copies: Vec<Copy> = heard("a1", 3).chain(heard("o1", 2)).collect();
    let (house, from) = (House::of_ana(true), tree(&copies));
    import_broken_and_mended(&house, &from, "a1");
    assert_eq!(said(&house), ["ok"; 3]);
}

#[test]
fn messages_that_share_an_id_are_not_lost_for_each_other() {
    let copies =
        [Copy::of("a1", "first", "01.000", "same"), Copy::of("o1", "second", "02.000", "same")];
    for broken in ["a1", "o1"] {
        let (house, from) = (House::of_ana(true), tree(&copies));
        import_broken_and_mended(&house, &from, broken);
        let mut both = said(&house);
        both.sort();
        assert_eq!(both, ["first", "second"], "{broken}");
        let again = house.import(from.path());
        assert!(again.stdout.contains(" 0 messages taken in, 2 messages"), "{again:?}");
    }
}

#[test]
fn where_nobody_can_tell_which_message_was_removed_here_that_is_said() {
    let copies =
        [Copy::of("a1", "first", "01.000", "same"), Copy::of("o1", "second", "02.000", "same")];
    let (house, from) = (House::of_ana(true), tree(&copies));
    let memory = memory_of(&from, "a1");
    let whole = fs::read(&memory).unwrap();
    fs::write(&memory, "[{").unwrap();
    house.import(from.path());
    let (key, _) = house.entries("tea-house", "Morning tea");
    let store = house.store();
    house.runtime.block_on(store.commit(&key, Commit::new(cut("same"), at(1)))).unwrap();
    drop(store);
    fs::write(&memory, whole).unwrap();
    let again = house.import(from.path());
    let line = "not taken in: tea-house, chat morning, no. 1, 2: has the id of another message, and \
                one of them was taken in before\n";
    assert!(again.stdout.contains(line), "{again:?}");
    assert_eq!((again.code, said(&house)), (Some(1), vec![]));
}

/// Changes a field of a file of the source.
fn rename(from: &TempDir, file: &str, name: &str) {
    let file = from.path().join("tea-house").join(file);
    let mut config: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    config["name"] = serde_json::json!(name);
    fs::write(&file, config.to_string()).unwrap();
}

fn worlds(house: &House) -> Vec<String> {
    let store = house.store();
    let worlds = house.runtime.block_on(store.worlds(&person_id("ana"))).unwrap();
    worlds.iter().map(|world| world.id.as_str().to_owned()).collect()
}

#[test]
fn a_world_that_was_renamed_in_the_source_is_not_there_twice() {
    let (house, from) = (House::of_ana(true), tree(&exchange()));
    house.import(from.path());
    let before = house.shown("tea-house");
    rename(&from, "config.json", "Coffee House");
    let again = house.import(from.path());
    let nothing = "0 worlds, 0 agents, 0 chats and 0 messages taken in, 3 messages known before";
    assert!(again.stdout.starts_with(nothing), "{again:?}");
    assert_eq!((worlds(&house), house.shown("tea-house")), (vec!["tea-house".into()], before));
}

#[test]
fn a_world_that_was_renamed_in_the_source_stays_erased_here() {
    let (house, from) = (House::of_ana(true), tree(&exchange()));
    house.import(from.path());
    let erased = run(house.dir.path(), &["erase", "--user", "ana@example.org"]);
    assert_eq!(erased.code, Some(0), "{erased:?}");
    rename(&from, "config.json", "Coffee House");
    house.import(from.path());
    assert_eq!((worlds(&house), said(&house)), (vec!["tea-house".into()], vec![]));
}

#[test]
fn an_agent_that_was_renamed_in_the_source_is_not_there_twice() {
    let (house, from) = (House::of_ana(true), tree(&exchange()));
    house.import(from.path());
    let before = house.shown("tea-house");
    rename(&from, "agents/o1/config.json", "Olive");
    let again = house.import(from.path());
    let nothing = "0 worlds, 0 agents, 0 chats and 0 messages taken in, 3 messages known before";
    assert!(again.stdout.starts_with(nothing), "{again:?}");
    assert_eq!(house.shown("tea-house"), before);
}

#[test]
fn an_agent_with_another_name_than_id_is_known_after_it_was_deleted_in_the_source() {
    let (house, from) = (House::of_ana(true), tree(&exchange()));
    rename(&from, "agents/o1/config.json", "Olive");
    house.import(from.path());
    let (_, before) = house.entries("tea-house", "Morning tea");
    fs::remove_dir_all(from.path().join("tea-house/agents/o1")).unwrap();
    let later = Copy::of("a1", "Answer three", "09.000", "").from("o1");
    write_tree(from.path(), &[exchange(), vec![later]].concat());
    fs::remove_dir_all(from.path().join("tea-house/agents/o1")).unwrap();
    house.import(from.path());
    let (_, now) = house.entries("tea-house", "Morning tea");
    assert_eq!(now[..3], before);
    assert!(now.len() == 4 && now[3].message.author == before[1].message.author, "{now:?}");
}

#[test]
fn a_world_called_templates_can_be_reached() {
    let (house, from) = (House::of_ana(true), tree(&exchange()));
    let (old, new) = (from.path().join("tea-house"), from.path().join("templates"));
    rename(&from, "config.json", "Templates");
    fs::rename(old, new).unwrap();
    for _ in 0..2 {
        let ended = house.import(from.path());
        let told = "; templates is `templates-2` here, where `templates` are the templates\n";
        assert!(ended.stdout.ends_with(told), "{ended:?}");
        assert_eq!((ended.code, worlds(&house)), (Some(0), vec!["templates-2".to_owned()]));
    }
}
