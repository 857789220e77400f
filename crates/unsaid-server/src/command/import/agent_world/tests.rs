//! Imports that are cut off, and what people do here in between.

use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use unsaid_core::domain::audit::EraseReason;
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::message::Part;
use unsaid_core::domain::secret::SecretKey;
use unsaid_core::port::erasure::Batch;
use unsaid_core::port::history::Commit;
use unsaid_core::port::worlds::WorldKey;
use unsaid_store_memory::{Bounds, MemoryStore};
use unsaid_testkit::builder::{
    agent_id, at, chat, consent_line, consent_move, cut, message, person, person_id, say, unsend,
    world_key,
};
use unsaid_testkit::describe::describe;
use unsaid_testkit::failing::{Failing, Fault};

use super::*;

mod meanwhile;

/// Messages in the first chat of the source.
const MESSAGES: usize = 9;

/// One world, two agents, two chats, and something outside of all chats.
fn source() -> TempDir {
    let dir = tempdir().unwrap();
    let write = |file: &str, value: &Value| {
        let file = dir.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, value.to_string()).unwrap();
    };
    let world = json!({"id": "tea", "name": "Tea", "turnLimit": 7, "mainAgent": "green",
        "currentChatId": "c1"});
    write("tea/config.json", &world);
    write("tea/chats/c1.json", &json!({"id": "c1", "name": "One", "createdAt": "2025-10-21"}));
    write("tea/chats/c2.json", &json!({"id": "c2", "name": "Two", "createdAt": "2025-10-22"}));
    for agent in ["black", "green"] {
        write(&format!("tea/agents/{agent}/config.json"), &json!({"name": agent, "model": "m"}));
        let mut memory: Vec<Value> = (0..MESSAGES)
            .map(|n| {
                json!({"role": "user", "sender": "human", "content": format!("leaf {n}"),
                    "createdAt": format!("2025-10-21T10:00:0{n}.000Z"), "chatId": "c1",
                    "messageId": format!("m{n}")})
            })
            .collect();
        memory.push(json!({"role": "user", "sender": "human", "content": "cup", "chatId": "c2",
            "createdAt": "2025-10-22T10:00:00.000Z"}));
        memory.push(json!({"role": "user", "sender": "human", "content": "pot",
            "createdAt": "2025-10-23T10:00:00.000Z"}));
        write(&format!("tea/agents/{agent}/memory.json"), &json!(memory));
    }
    dir
}

async fn house(consent: bool) -> Arc<dyn Store> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(Bounds::NONE));
    assert!(store.add(person("ana", consent), consent_line(consent, 0)).await.unwrap());
    store
}

async fn import_into(store: &dyn Store, from: &TempDir, at_once: usize) -> Result<Report, Refusal> {
    let owner = person_id("ana");
    let found = read(from.path()).unwrap();
    let keyed = Keyed(SecretKey::new([7; 32]));
    import(found, &Target { store, owner: &owner, keyed, agents_max: 1_000, at_once }).await
}

fn tea() -> WorldKey {
    world_key("ana", "tea")
}

async fn key_of(store: &dyn Store, name: &str) -> Option<ConversationKey> {
    let chats = store.chats(&tea()).await.unwrap().ok()?;
    let chat = chats.into_iter().find(|chat| chat.name.as_str() == name)?;
    Some(ConversationKey::Chat(chat.id))
}

/// Settings and logs as text.
async fn shown(store: &dyn Store) -> String {
    let mut text = vec![format!("{:?}", store.world(&tea()).await.unwrap())];
    text.push(format!("{:?}", store.agents(&tea()).await.unwrap()));
    for chat in store.chats(&tea()).await.unwrap().unwrap() {
        text.push(format!("{chat:?}"));
        let whole = store.whole(&ConversationKey::Chat(chat.id)).await.unwrap();
        text.extend(whole.map(|whole| describe(&whole)));
    }
    text.join("\n")
}

async fn texts(store: &dyn Store, name: &str) -> Vec<String> {
    let key = key_of(store, name).await.unwrap();
    let page = store.page(&key, None, 100).await.unwrap();
    let parts = page.into_iter().flat_map(|entry| entry.message.parts);
    let text = |part: Part| match part {
        Part::Text { text } => Some(text.as_str().to_owned()),
        Part::Media { .. } | Part::Original { .. } => None,
    };
    parts.filter_map(text).collect()
}

async fn erase(store: &dyn Store, reason: EraseReason) {
    let ana = person_id("ana");
    store.claim(&ana, reason, at(5)).await.unwrap();
    while store.erase_batch(&ana, 1_000, at(6)).await.unwrap() == Batch::More {}
}

fn counts(report: &Report) -> (u64, u64, u64, u64, u64) {
    (report.worlds, report.agents, report.chats, report.messages, report.known)
}

#[tokio::test(start_paused = true)]
async fn an_import_that_is_cut_off_anywhere_and_begun_again_gives_the_same_whole() {
    let from = source();
    let whole = house(true).await;
    let report = import_into(&*whole, &from, 4).await.unwrap();
    assert_eq!(counts(&report), (1, 2, 3, 11, 0));
    let whole = shown(&*whole).await;
    let calls = ["commit", "remember", "add_world", "add_agent", "add_chat", "change_world"];
    for (call, at_once) in calls.iter().flat_map(|call| [(call, 4), (call, 1)]) {
        for nth in 1.. {
            let store = Arc::new(Failing::new(house(true).await));
            store.fail_nth(call, nth, Fault::Full);
            if import_into(&*store, &from, at_once).await.is_ok() {
                assert!(!store.is_spent() && nth > 1, "{call} {nth}");
                break;
            }
            import_into(&*store, &from, at_once).await.unwrap();
            assert_eq!(shown(&*store).await, whole, "{call} {nth}");
            let again = import_into(&*store, &from, at_once).await.unwrap();
            assert_eq!(counts(&again), (0, 0, 0, 0, 11), "{call} {nth}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_away_for_a_moment_or_loses_its_answer_is_asked_again() {
    let from = source();
    let whole = house(true).await;
    import_into(&*whole, &from, 4).await.unwrap();
    let whole = shown(&*whole).await;
    for fault in [Fault::Unavailable, Fault::LostRequest, Fault::LostAnswer] {
        for nth in [1, 3, 4, 9, 11] {
            let store = Arc::new(Failing::new(house(true).await));
            store.fail_nth("commit", nth, fault);
            import_into(&*store, &from, 4).await.unwrap();
            assert_eq!(shown(&*store).await, whole, "{fault:?} {nth}");
        }
    }
}

#[tokio::test]
async fn what_was_removed_here_stays_out() {
    let (from, store) = (source(), house(true).await);
    import_into(&*store, &from, 4).await.unwrap();
    let key = key_of(&*store, "One").await.unwrap();
    store.commit(&key, Commit::new(unsend("m2"), at(1))).await.unwrap();
    store.commit(&key, Commit::new(cut("m7"), at(2))).await.unwrap();
    store.commit(&key, Commit::new(say(message("new")), at(3))).await.unwrap();
    let two = key_of(&*store, "Two").await.unwrap();
    let ConversationKey::Chat(two) = two else { panic!("not a chat") };
    store.delete_chat(&tea(), &two, chat("spare", 0)).await.unwrap().unwrap();
    store.delete_agent(&tea(), &agent_id("black")).await.unwrap().unwrap();
    let left = shown(&*store).await;
    let again = import_into(&*store, &from, 4).await.unwrap();
    assert_eq!(counts(&again), (0, 0, 0, 0, 10));
    assert_eq!(again.removed_here, 2, "a chat and an agent");
    assert!(again.unread().is_empty());
    assert_eq!(shown(&*store).await, left);
    store.delete_world(&tea()).await.unwrap().unwrap();
    let again = import_into(&*store, &from, 4).await.unwrap();
    assert_eq!((counts(&again), again.removed_here), ((0, 0, 0, 0, 0), 1));
    assert!(store.world(&tea()).await.unwrap().is_none());
}

#[tokio::test]
async fn what_was_erased_here_stays_out() {
    let (from, store) = (source(), house(true).await);
    import_into(&*store, &from, 4).await.unwrap();
    erase(&*store, EraseReason::Now).await;
    for _ in 0..2 {
        let again = import_into(&*store, &from, 4).await.unwrap();
        assert_eq!(counts(&again), (0, 0, 0, 0, 0));
        assert_eq!(texts(&*store, "One").await, [""; 0]);
    }
}

#[tokio::test]
async fn what_was_erased_here_stays_out_also_if_somebody_spoke_there_since() {
    let (from, store) = (source(), house(true).await);
    import_into(&*store, &from, 4).await.unwrap();
    erase(&*store, EraseReason::Now).await;
    let key = key_of(&*store, "One").await.unwrap();
    store.commit(&key, Commit::new(say(message("new")), at(7))).await.unwrap();
    for _ in 0..2 {
        let again = import_into(&*store, &from, 4).await.unwrap();
        assert_eq!((counts(&again), again.erased_here), ((0, 0, 0, 0, 0), 11));
        assert_eq!(texts(&*store, "One").await.len(), 1);
    }
    store.delete_world(&tea()).await.unwrap().unwrap();
    let again = import_into(&*store, &from, 4).await.unwrap();
    assert_eq!((counts(&again), again.removed_here), ((0, 0, 0, 0, 0), 1));
}

#[tokio::test]
async fn without_consent_the_settings_come_and_the_words_when_there_is_consent() {
    let (from, store) = (source(), house(false).await);
    let report = import_into(&*store, &from, 4).await.unwrap();
    assert_eq!((counts(&report), report.without_consent), ((1, 2, 3, 0, 0), 11));
    assert_eq!(report.unread().len(), 1, "{:?}", report.unread());
    assert_eq!(texts(&*store, "One").await, [""; 0]);
    store.move_consent(&person_id("ana"), consent_move(true, 9)).await.unwrap();
    let report = import_into(&*store, &from, 4).await.unwrap();
    assert_eq!((counts(&report), report.without_consent), ((0, 0, 0, 11, 0), 0));
    assert_eq!(texts(&*store, "One").await.len(), MESSAGES);
}

#[tokio::test]
async fn what_the_source_says_later_comes_later() {
    let (from, store) = (source(), house(true).await);
    import_into(&*store, &from, 4).await.unwrap();
    let file = from.path().join("tea/agents/green/memory.json");
    let mut memory: Vec<Value> = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    // the program gives ids to what has none when it is started again
    for entry in &mut memory {
        if entry["messageId"].is_null() {
            entry["messageId"] = json!("given-later");
        }
    }
    memory.push(json!({"role": "assistant", "content": "steep\\nwell", "chatId": "c1",
        "createdAt": "2025-10-24T10:00:00.000Z", "messageId": "m9", "replyToMessageId": "m8"}));
    fs::write(&file, json!(memory).to_string()).unwrap();
    let again = import_into(&*store, &from, 4).await.unwrap();
    assert_eq!(counts(&again), (0, 0, 0, 1, 11));
    assert_eq!(texts(&*store, "One").await.last().unwrap(), "steep\nwell");
}

#[tokio::test]
async fn a_world_of_that_name_that_was_made_here_gets_agents_and_chats_and_keeps_its_own() {
    let (from, store) = (source(), house(true).await);
    let mine = unsaid_testkit::builder::world("ana", "tea");
    store.add_world(mine, chat("mine", 0), vec![]).await.unwrap().unwrap();
    let report = import_into(&*store, &from, 4).await.unwrap();
    assert_eq!(counts(&report), (0, 2, 3, 11, 0));
    let world = store.world(&tea()).await.unwrap().unwrap();
    assert_eq!(world.turn_limit, 5);
    assert_eq!(world.current_chat.unwrap().as_str(), "mine");
    assert_eq!(world.main_agent, None);
}

#[tokio::test]
async fn a_world_in_which_nothing_was_said_has_an_empty_chat() {
    let (from, store) = (tempdir().unwrap(), house(true).await);
    fs::create_dir(from.path().join("tea")).unwrap();
    fs::write(from.path().join("tea/config.json"), "{}").unwrap();
    for counted in [(1, 0, 1, 0, 0), (0, 0, 0, 0, 0)] {
        let report = import_into(&*store, &from, 4).await.unwrap();
        assert_eq!(counts(&report), counted);
        assert!(report.unread().is_empty());
    }
    assert_eq!(texts(&*store, "New chat").await, [""; 0]);
}
