//! Worlds, agents, chats.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        audit::EraseReason,
        conversation::change::Refusal,
        id::Roster,
        world::{Agent, Chat, World},
    },
    port::{
        Store,
        erasure::Batch,
        history::Committed,
        worlds::{AgentPatch, WorldPatch, WorldRefusal},
    },
};

use crate::{
    builder::{
        agent, agent_id, ask, at, chat, chat_id, chat_key, consent_line, message, person,
        person_id, say, words, world, world_key,
    },
    talk::Talk,
};

/// Somebody with an account.
async fn join(store: &Arc<dyn Store>, owner: &str) {
    store.add(person(owner, true), consent_line(true, 0)).await.expect("the store answers");
}

async fn add(store: &Arc<dyn Store>, owner: &str, id: &str, first: &str) -> World {
    join(store, owner).await;
    let made = store.add_world(world(owner, id), chat(first, 0), vec![]).await;
    made.expect("the store answers").expect("it is not refused")
}

async fn read(store: &Arc<dyn Store>, id: &str) -> World {
    let found = store.world(&world_key("ana", id)).await.expect("the store answers");
    found.expect("there is such a world")
}

async fn chats(store: &Arc<dyn Store>) -> Vec<String> {
    let chats = store.chats(&world_key("ana", "w")).await.expect("the store answers");
    let chats = chats.expect("there is such a world");
    chats.iter().map(|chat| chat.id.to_string()).collect()
}

async fn agents(store: &Arc<dyn Store>) -> Vec<Agent> {
    let agents = store.agents(&world_key("ana", "w")).await.expect("the store answers");
    agents.expect("there is such a world")
}

/// A world comes with its first chat, which is current, and its agents.
pub async fn a_world_comes_with_chat_and_agents(store: Arc<dyn Store>) {
    join(&store, "ana").await;
    let asked = World {
        name: words("W 東京"),
        turn_limit: 7,
        main_agent: Some(agent_id("kai")),
        created_at: at(11),
        ..world("ana", "w")
    };
    let lin = Agent {
        provider: Some("openai".to_owned()),
        model: Some("some-model".to_owned()),
        auto_reply: false,
        ..agent("lin")
    };
    let (first, both) = (chat("c1", 5), vec![lin.clone(), agent("kai")]);
    let made = store.add_world(asked.clone(), first.clone(), both).await;
    let made = made.expect("the store answers").expect("it is not refused");
    let home = async |chat| store.home(&chat_id(chat)).await.expect("the store answers");
    assert_eq!(home("c1").await, Some(world_key("ana", "w")));
    assert_eq!(home("c2").await, None);
    let current_chat = Some(chat_id("c1"));
    assert_eq!(made, World { current_chat, roster: made.roster, ..asked });
    assert_eq!(read(&store, "w").await, made);
    let held = agents(&store).await;
    let named: Vec<&str> = held.iter().map(|agent| agent.id.as_str()).collect();
    assert_eq!(named, ["lin", "kai"], "in order of creation");
    assert_eq!(held[0], Agent { joined: held[0].joined, ..lin });
    assert!(held.iter().all(|agent| agent.joined <= made.roster), "they hear what comes now");
    let listed = store.chats(&world_key("ana", "w")).await.expect("the store answers");
    assert_eq!(listed, Ok(vec![first]));
}

/// A world's id is unique for its owner, and for nobody else.
pub async fn a_worlds_id_is_unique_for_its_owner(store: Arc<dyn Store>) {
    add(&store, "ana", "w", "c1").await;
    let again = store.add_world(world("ana", "w"), chat("c2", 0), vec![agent("kai")]).await;
    assert_eq!(again.expect("the store answers"), Err(WorldRefusal::WorldExists));
    assert_eq!(chats(&store).await, ["c1"], "nothing of it was made");
    assert_eq!(agents(&store).await, []);
    add(&store, "ben", "w", "c3").await;
    add(&store, "ana", "a", "c4").await;
    let listed = store.worlds(&person_id("ana")).await.expect("the store answers");
    let listed: Vec<&str> = listed.iter().map(|world| world.id.as_str()).collect();
    assert_eq!(listed, ["w", "a"], "oldest first");
    assert_eq!(store.worlds(&person_id("cem")).await.expect("the store answers"), []);
    let foreign = store.world(&world_key("cem", "w")).await.expect("the store answers");
    assert_eq!(foreign, None);
}

/// Settings change one by one; what is named must exist.
pub async fn a_world_can_be_changed(store: Arc<dyn Store>) {
    let made = add(&store, "ana", "w", "c1").await;
    add(&store, "ana", "other", "c9").await;
    let key = world_key("ana", "w");
    store.add_agent(&key, agent("kai"), 9).await.expect("it answers").expect("it joins");
    let patch = async |patch| store.change_world(&key, patch).await.expect("the store answers");
    let named = WorldPatch { name: Some(words("New")), ..WorldPatch::default() };
    let named = patch(named).await.expect("it is not refused");
    assert_eq!((named.name.as_str(), named.id.as_str()), ("New", "w"));
    let kai = Some(Some(agent_id("kai")));
    let many = WorldPatch {
        turn_limit: Some(9),
        main_agent: kai,
        current_chat: Some(None),
        ..WorldPatch::default()
    };
    let changed = patch(many).await.expect("it is not refused");
    let expected = World {
        name: words("New"),
        turn_limit: 9,
        main_agent: Some(agent_id("kai")),
        current_chat: None,
        roster: changed.roster,
        ..made
    };
    assert_eq!(changed, expected);
    assert_eq!(read(&store, "w").await, expected);
    let elsewhere = Some(Some(chat_id("c9")));
    let refused =
        WorldPatch { current_chat: elsewhere, name: Some(words("No")), ..WorldPatch::default() };
    assert_eq!(patch(refused).await, Err(WorldRefusal::ChatNotFound));
    let nobody = Some(Some(agent_id("lin")));
    let refused = WorldPatch { main_agent: nobody, turn_limit: Some(1), ..WorldPatch::default() };
    assert_eq!(patch(refused).await, Err(WorldRefusal::AgentNotFound));
    assert_eq!(read(&store, "w").await, expected, "a refusal changes nothing");
    let off = WorldPatch {
        main_agent: Some(None),
        current_chat: Some(Some(chat_id("c1"))),
        ..WorldPatch::default()
    };
    let back = patch(off).await.expect("it is not refused");
    assert_eq!((back.main_agent, back.current_chat), (None, Some(chat_id("c1"))));
}

/// Whatever is asked of a world that is not there is refused.
pub async fn an_unknown_world_refuses_everything(store: Arc<dyn Store>) {
    let key = world_key("ana", "w");
    let gone = Some(WorldRefusal::WorldNotFound);
    let kai = agent_id("kai");
    let answers = [
        store.change_world(&key, WorldPatch::default()).await.expect("it answers").err(),
        store.delete_world(&key).await.expect("it answers").err(),
        store.add_agent(&key, agent("kai"), 9).await.expect("it answers").err(),
        store.agents(&key).await.expect("it answers").err(),
        store.change_agent(&key, &kai, AgentPatch::default()).await.expect("it answers").err(),
        store.delete_agent(&key, &kai).await.expect("it answers").err(),
        store.add_chat(&key, chat("c1", 0)).await.expect("it answers").err(),
        store.chats(&key).await.expect("it answers").err(),
        store.delete_chat(&key, &chat_id("c1"), chat("c2", 0)).await.expect("it answers").err(),
    ];
    for answer in answers {
        assert_eq!(answer, gone);
    }
}

/// An agent that joins later is told from those who were there.
pub async fn an_agent_that_joins_raises_the_roster(store: Arc<dyn Store>) {
    add(&store, "ana", "w", "c1").await;
    let key = world_key("ana", "w");
    let mut last = read(&store, "w").await.roster;
    for id in ["kai", "lin"] {
        let asked = Agent { joined: Roster::new(77), ..agent(id) };
        let joined = store.add_agent(&key, asked, 2).await.expect("it answers");
        let joined = joined.expect("it is not refused").joined;
        assert!(joined > last, "what was said before was not heard");
        last = read(&store, "w").await.roster;
        assert_eq!(joined, last, "what is said now is");
    }
    let again = store.add_agent(&key, agent("kai"), 9).await.expect("the store answers");
    assert_eq!(again, Err(WorldRefusal::AgentExists));
    let third = store.add_agent(&key, agent("mia"), 2).await.expect("the store answers");
    assert_eq!(third, Err(WorldRefusal::LimitReached));
    assert_eq!(read(&store, "w").await.roster, last);
    assert_eq!(agents(&store).await.len(), 2);
}

/// An agent's settings change one by one.
pub async fn an_agent_can_be_changed(store: Arc<dyn Store>) {
    add(&store, "ana", "w", "c1").await;
    let key = world_key("ana", "w");
    let joined = store.add_agent(&key, agent("kai"), 9).await.expect("it answers");
    let before = joined.expect("it is not refused");
    let kai = agent_id("kai");
    let patch = AgentPatch {
        name: Some(words("Kai II")),
        system_prompt: Some(words("be brief")),
        provider: Some(Some("gemini".to_owned())),
        model: Some(Some("some-model".to_owned())),
        auto_reply: Some(false),
    };
    let changed = store.change_agent(&key, &kai, patch).await.expect("it answers");
    let expected = Agent {
        name: words("Kai II"),
        system_prompt: words("be brief"),
        provider: Some("gemini".to_owned()),
        model: Some("some-model".to_owned()),
        auto_reply: false,
        ..before
    };
    assert_eq!(changed, Ok(expected.clone()));
    let patch = AgentPatch { provider: Some(None), ..AgentPatch::default() };
    let changed = store.change_agent(&key, &kai, patch).await.expect("it answers");
    let expected = Agent { provider: None, ..expected };
    assert_eq!(changed, Ok(expected.clone()));
    assert_eq!(agents(&store).await, [expected]);
    let nobody = store.change_agent(&key, &agent_id("lin"), AgentPatch::default()).await;
    assert_eq!(nobody.expect("the store answers"), Err(WorldRefusal::AgentNotFound));
}

/// A deleted agent is no longer the main one; what it said stays.
pub async fn a_deleted_agent_leaves_what_it_said(store: Arc<dyn Store>) {
    add(&store, "ana", "w", "c1").await;
    let key = world_key("ana", "w");
    store.add_agent(&key, agent("kai"), 9).await.expect("it answers").expect("it joins");
    let kai = agent_id("kai");
    let main = WorldPatch { main_agent: Some(Some(kai.clone())), ..WorldPatch::default() };
    store.change_world(&key, main).await.expect("it answers").expect("it is not refused");
    let talk = Talk::chat(&store).owned_by("ana");
    talk.exchange("m1", "r1").await;
    let roster = read(&store, "w").await.roster;
    assert_eq!(store.delete_agent(&key, &kai).await.expect("the store answers"), Ok(()));
    let refused = store.delete_agent(&key, &kai).await.expect("the store answers");
    assert_eq!(refused, Err(WorldRefusal::AgentNotFound));
    assert_eq!(read(&store, "w").await.main_agent, None);
    assert_eq!(talk.heard().await, ["m1", "r1"]);
    let again = store.add_agent(&key, agent("kai"), 9).await.expect("it answers");
    assert!(again.expect("it joins").joined > roster, "it is another one now");
}

/// Chats are listed oldest first; a new one does not become current by itself.
pub async fn chats_are_listed_oldest_first(store: Arc<dyn Store>) {
    add(&store, "ana", "w", "c5").await;
    let key = world_key("ana", "w");
    for (index, id) in ["c3", "c4"].into_iter().enumerate() {
        let new = Chat { name: words("Chat"), ..chat(id, 10 + i64::from(index == 1)) };
        let added = store.add_chat(&key, new.clone()).await.expect("the store answers");
        assert_eq!(added, Ok(new));
    }
    assert_eq!(chats(&store).await, ["c5", "c3", "c4"]);
    assert_eq!(read(&store, "w").await.current_chat, Some(chat_id("c5")));
}

/// A deleted chat is gone with what was said in it; the newest remaining one becomes current.
pub async fn a_deleted_chat_is_gone_with_its_words(store: Arc<dyn Store>) {
    add(&store, "ana", "w", "c1").await;
    let key = world_key("ana", "w");
    for (id, when) in [("c2", 10), ("c3", 20)] {
        store.add_chat(&key, chat(id, when)).await.expect("it answers").expect("it is added");
    }
    let talk = Talk::chat(&store).owned_by("ana");
    talk.exchange("m1", "r1").await;
    let delete = async |id: &str| {
        store.delete_chat(&key, &chat_id(id), chat("spare", 99)).await.expect("it answers")
    };
    let left = delete("c1").await.expect("it is not refused");
    assert_eq!(left.current_chat, Some(chat_id("c3")));
    assert_eq!(store.whole(&talk.key).await.expect("the store answers"), None);
    assert_eq!((talk.heard().await, talk.events().await), (vec![], vec![]));
    assert_eq!(delete("c1").await, Err(WorldRefusal::ChatNotFound));
    let left = delete("c2").await.expect("it is not refused");
    assert_eq!(left.current_chat, Some(chat_id("c3")), "the current one stays current");
    let left = delete("c3").await.expect("it is not refused");
    assert_eq!(left.current_chat, Some(chat_id("spare")));
    assert_eq!(chats(&store).await, ["spare"]);
    assert_eq!(read(&store, "w").await, left);
}

/// Words that were on their way into a chat while it was deleted are not kept: nobody would find them.
/// Also not after the sweep, and not if nobody had said anything there.
pub async fn words_for_a_deleted_chat_are_refused(store: Arc<dyn Store>) {
    add(&store, "ana", "w", "c1").await;
    let added = store.add_chat(&world_key("ana", "w"), chat("c2", 0)).await;
    added.expect("the store answers").expect("there is such a world");
    let talks = ["c1", "c2"].map(|id| Talk::new(&store, chat_key(id)).owned_by("ana"));
    let first = talks[0].change(say(message("m1"))).at_home();
    assert!(matches!(talks[0].commit(first).await, Committed::Applied(..)), "its chat is there");
    let deleted = store.delete_world(&world_key("ana", "w")).await;
    assert_eq!(deleted.expect("the store answers"), Ok(()));
    for _ in 0..2 {
        for talk in &talks {
            let late = talk.change(ask(message("m2"), talk.now)).at_home();
            assert_eq!(talk.commit(late).await, Committed::Refused(Refusal::NotFound));
            let kept = store.whole(&talk.key).await.expect("the store answers");
            assert_eq!(kept, None, "{} is in no world", talk.key);
        }
        store.sweep(at(9_000), 1_000).await.expect("the store answers");
    }
    let line = Talk::line(&store);
    let said = line.commit(line.change(say(message("m1"))).at_home()).await;
    assert!(matches!(said, Committed::Applied(..)), "a source on LINE needs nothing to begin");
}

/// A deleted world is gone with agents, chats and words; a new one of its name is empty.
pub async fn a_deleted_world_is_gone_with_everything(store: Arc<dyn Store>) {
    add(&store, "ana", "w", "c1").await;
    add(&store, "ana", "stays", "c2").await;
    let key = world_key("ana", "w");
    store.add_agent(&key, agent("kai"), 9).await.expect("it answers").expect("it joins");
    let gone = Talk::chat(&store).owned_by("ana");
    gone.say("m1").await;
    let stays = Talk::new(&store, chat_key("c2")).owned_by("ana");
    stays.say("m1").await;
    assert_eq!(store.delete_world(&key).await.expect("the store answers"), Ok(()));
    assert_eq!(store.world(&key).await.expect("the store answers"), None);
    assert_eq!(store.whole(&gone.key).await.expect("the store answers"), None);
    assert_eq!(gone.heard().await, Vec::<String>::new());
    assert_eq!(stays.heard().await, ["m1"]);
    add(&store, "ana", "w", "c3").await;
    assert_eq!((agents(&store).await, chats(&store).await), (vec![], vec!["c3".to_owned()]));
}

/// A world that is refused is not there, not even in part.
pub async fn a_world_with_two_agents_of_one_id_is_refused_whole(store: Arc<dyn Store>) {
    join(&store, "ana").await;
    let twins = vec![agent("kai"), agent("kai")];
    let refused = store.add_world(world("ana", "w"), chat("c1", 0), twins).await;
    assert_eq!(refused.expect("the store answers"), Err(WorldRefusal::AgentExists));
    let key = world_key("ana", "w");
    assert_eq!(store.world(&key).await.expect("the store answers"), None);
    assert!(store.chats(&key).await.expect("the store answers").is_err());
    add(&store, "ana", "w", "c1").await;
}

/// Deletes the account of Ana with everything.
async fn delete_account(store: &Arc<dyn Store>) {
    let ana = person_id("ana");
    store.claim(&ana, EraseReason::Account, at(3_000)).await.expect("the store answers");
    let batch = || store.erase_batch(&ana, 1_000, at(3_000));
    while batch().await.expect("the store answers") == Batch::More {}
}

/// Who has no account (any more) gets no world: nobody would ever delete it.
pub async fn h8_an_account_that_is_gone_gets_no_world(store: Arc<dyn Store>) {
    let make = async || {
        let made = store.add_world(world("ana", "w"), chat("c1", 0), vec![agent("kai")]).await;
        made.expect("the store answers")
    };
    assert_eq!(make().await, Err(WorldRefusal::OwnerNotFound));
    join(&store, "ana").await;
    let claimed = store.claim(&person_id("ana"), EraseReason::Account, at(3_000)).await;
    claimed.expect("the store answers");
    assert_eq!(make().await, Err(WorldRefusal::OwnerNotFound), "it is claimed");
    delete_account(&store).await;
    assert_eq!(make().await, Err(WorldRefusal::OwnerNotFound));
    join(&store, "ana").await;
    assert!(make().await.is_ok(), "somebody else has its id now");
}

/// Worlds that are made while their owner's account is deleted go with it, or are refused.
pub async fn h8_worlds_beside_the_deletion_of_the_account_do_not_outlive_it(store: Arc<dyn Store>) {
    join(&store, "ana").await;
    let mut calls = tokio::task::JoinSet::new();
    for call in 0..8 {
        let store = Arc::clone(&store);
        calls.spawn(async move {
            let new = world("ana", &format!("w{call}"));
            let made = store.add_world(new, chat(&format!("c{call}"), 0), vec![]).await;
            made.expect("the store answers").ok();
        });
    }
    tokio::task::yield_now().await;
    delete_account(&store).await;
    calls.join_all().await;
    let left = store.worlds(&person_id("ana")).await.expect("the store answers");
    assert_eq!(left, []);
}
