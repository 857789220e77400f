//! Settings that could not be read at first.

use std::fs;

use serde_json::json;
use tempfile::TempDir;
use unsaid_core::domain::text::Words;
use unsaid_core::port::worlds::{AgentPatch, WorldPatch};
use unsaid_testkit::builder::{agent_id, world_key};

use super::fixture::{Copy, write_tree};
use super::{House, tree};

fn hello() -> [Copy; 1] {
    [Copy::of("o1", "hello", "00.000", "m1")]
}

/// All settings broken, imported.
fn broken() -> (House, TempDir) {
    let (house, from) = (House::of_ana(true), tree(&hello()));
    for file in ["config.json", "agents/o1/config.json", "chats/morning.json"] {
        fs::write(from.path().join("tea-house").join(file), "{").unwrap();
    }
    assert_eq!(house.import(from.path()).code, Some(1));
    (house, from)
}

#[test]
fn settings_come_once_they_can_be_read() {
    let (house, from) = broken();
    write_tree(from.path(), &hello());
    let ended = house.import(from.path());
    let told = "; worlds or agents whose settings could be read only now: 2; chats that keep the name \
                they got while theirs could not be read: 1\n";
    assert!(ended.stdout.ends_with(told) && ended.code == Some(0), "{ended:?}");
    let whole = House::of_ana(true);
    whole.import(from.path());
    let settings = |house: &House| {
        let store = house.store();
        let key = world_key("ana", "tea-house");
        house.runtime.block_on(async {
            let world = store.world(&key).await.unwrap().unwrap();
            let mut agents = store.agents(&key).await.unwrap().unwrap();
            agents.sort_by(|a, b| a.id.cmp(&b.id));
            let agents = agents.into_iter();
            let agents =
                agents.map(|a| (a.name, a.system_prompt, a.provider, a.model, a.auto_reply));
            (
                world.name,
                world.turn_limit,
                world.main_agent,
                world.current_chat,
                agents.collect::<Vec<_>>(),
            )
        })
    };
    assert_eq!(settings(&house), settings(&whole));
    let again = house.import(from.path());
    assert!(!again.stdout.contains("only now"), "{again:?}");
}

#[test]
fn what_the_owner_changed_meanwhile_stays() {
    let (house, from) = broken();
    let store = house.store();
    let key = world_key("ana", "tea-house");
    let name = Some(Words::lossy("Mine"));
    let world = WorldPatch { name: name.clone(), turn_limit: Some(3), ..WorldPatch::default() };
    house.runtime.block_on(store.change_world(&key, world)).unwrap().unwrap();
    let agent = AgentPatch { name, model: Some(Some("mine".to_owned())), ..AgentPatch::default() };
    let o1 = agent_id("o1");
    house.runtime.block_on(store.change_agent(&key, &o1, agent)).unwrap().unwrap();
    write_tree(from.path(), &hello());
    house.import(from.path());
    let world = house.runtime.block_on(store.world(&key)).unwrap().unwrap();
    assert_eq!((world.name.as_str(), world.turn_limit), ("Mine", 3));
    assert_eq!(world.main_agent, Some(agent_id("o1")));
    let agents = house.runtime.block_on(store.agents(&key)).unwrap().unwrap();
    let agent = agents.into_iter().find(|agent| agent.id == o1).unwrap();
    assert_eq!((agent.name.as_str(), agent.model.as_deref()), ("Mine", Some("mine")));
    assert_eq!(agent.provider.as_deref(), Some("openai"));
}

#[test]
fn a_prompt_comes_once_it_can_be_read() {
    let (house, from) = (House::of_ana(true), tree(&hello()));
    let agent = from.path().join("tea-house/agents/o1");
    let config = json!({ "name": "O1", "systemPrompt": "You were O1." });
    fs::write(agent.join("config.json"), config.to_string()).unwrap();
    let prompt = agent.join("system-prompt.md");
    fs::remove_file(&prompt).unwrap();
    fs::create_dir(&prompt).unwrap();
    assert_eq!(house.import(from.path()).code, Some(1));
    assert!(!house.shown("tea-house").contains("You were O1."), "no other stands for it");
    fs::remove_dir(&prompt).unwrap();
    write_tree(from.path(), &hello());
    assert_eq!(house.import(from.path()).code, Some(0));
    assert!(house.shown("tea-house").contains("You are O1."));
}
