//! What somebody does here while an import runs, or between two.

use std::pin::pin;

use futures_util::future::{Either, select};
use unsaid_core::domain::conversation::change::Refusal as ChangeRefusal;
use unsaid_core::port::history::Committed;
use unsaid_core::port::worlds::WorldPatch;
use unsaid_testkit::builder::{edit, restore};

use super::*;

/// Imports one message after the other, and does something after so many.
async fn import_and(
    store: &Arc<dyn Store>,
    from: &TempDir,
    messages: u64,
    meanwhile: impl AsyncFnOnce(),
) -> Result<Report, Refusal> {
    let failing = Failing::new(Arc::clone(store));
    failing.fail_nth("commit", messages + 1, Fault::Unavailable);
    import_beside(&failing, from, 1, meanwhile).await
}

/// Imports, and does something once all has gone wrong that was planned; never, if that is never.
async fn import_beside(
    failing: &Failing,
    from: &TempDir,
    at_once: usize,
    meanwhile: impl AsyncFnOnce(),
) -> Result<Report, Refusal> {
    let waits = async {
        while !failing.is_spent() {
            tokio::task::yield_now().await;
        }
        meanwhile().await;
    };
    let importing = pin!(import_into(failing, from, at_once));
    match select(importing, pin!(waits)).await {
        Either::Left((report, _)) => report,
        Either::Right(((), importing)) => importing.await,
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_said_in_a_chat_that_is_deleted_meanwhile() {
    let (from, store) = (source(), house(true).await);
    let report = import_and(&store, &from, 3, async || {
        let Some(ConversationKey::Chat(one)) = key_of(&*store, "One").await else {
            panic!("not a chat")
        };
        store.delete_chat(&tea(), &one, chat("spare", 0)).await.unwrap().unwrap();
        assert_eq!(store.whole(&ConversationKey::Chat(one)).await.unwrap(), None);
    });
    let report = report.await.unwrap();
    assert_eq!(
        counts(&report),
        (1, 2, 3, 5, 0),
        "three of the first chat, and those of the others"
    );
    assert_eq!(report.unread(), ["tea, chat c1: deleted here meanwhile"]);
    let one = naming::chat_id(&person_id("ana"), "tea", Some("c1")).unwrap();
    assert_eq!(store.whole(&ConversationKey::Chat(one)).await.unwrap(), None);
    let again = import_into(&*store, &from, 4).await.unwrap();
    assert_eq!((counts(&again), again.removed_here), ((0, 0, 0, 0, 2), 1));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_said_in_a_world_that_is_deleted_meanwhile() {
    for messages in [0, 3] {
        let (from, store) = (source(), house(true).await);
        let report = import_and(&store, &from, messages, async || {
            store.delete_world(&tea()).await.unwrap().unwrap();
        });
        let report = report.await.unwrap();
        assert_eq!((report.messages, report.unread().len()), (messages, 3), "{report}");
        for source in [Some("c1"), Some("c2"), None] {
            let chat = naming::chat_id(&person_id("ana"), "tea", source).unwrap();
            assert_eq!(store.whole(&ConversationKey::Chat(chat)).await.unwrap(), None);
        }
        let again = import_into(&*store, &from, 4).await.unwrap();
        assert_eq!((counts(&again), again.removed_here), ((0, 0, 0, 0, 0), 1));
    }
}

#[tokio::test(start_paused = true)]
async fn of_an_account_that_is_deleted_meanwhile_nothing_is_left() {
    for messages in [0, 3, 10] {
        let (from, store) = (source(), house(true).await);
        let ended = import_and(&store, &from, messages, async || {
            erase(&*store, EraseReason::Account).await;
        });
        let refusal = ended.await.unwrap_err().to_string();
        assert!(refusal.contains("the account of the owner was deleted"), "{refusal}");
        assert_eq!(store.worlds(&person_id("ana")).await.unwrap(), []);
        for source in [Some("c1"), Some("c2"), None] {
            let chat = naming::chat_id(&person_id("ana"), "tea", source).unwrap();
            assert_eq!(store.whole(&ConversationKey::Chat(chat)).await.unwrap(), None);
        }
        // Whoever had the id next would know nothing of it.
        assert!(store.add(person("ana", true), consent_line(true, 0)).await.unwrap());
        let report = import_into(&*store, &from, 4).await.unwrap();
        assert_eq!(counts(&report), (1, 2, 3, 11, 0));
    }
}

#[tokio::test]
async fn without_an_account_no_world_is_made() {
    let (from, store) = (source(), house(true).await);
    erase(&*store, EraseReason::Account).await;
    let refusal = import_into(&*store, &from, 4).await.unwrap_err().to_string();
    assert!(refusal.contains("the account of the owner was deleted"), "{refusal}");
    assert_eq!(store.worlds(&person_id("ana")).await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn nothing_comes_after_everything_was_erased_meanwhile() {
    let (from, store) = (source(), house(true).await);
    let ended = import_and(&store, &from, 3, async || erase(&*store, EraseReason::Now).await).await;
    let refusal = ended.unwrap_err().to_string();
    assert!(refusal.contains("was erased here meanwhile"), "{refusal}");
    assert_eq!(texts(&*store, "One").await, [""; 0]);
    import_into(&*store, &from, 4).await.unwrap();
    assert_eq!(texts(&*store, "One").await, [""; 0]);
}

/// How many messages can be read.
async fn left(store: &dyn Store) -> usize {
    let mut left = 0;
    for name in ["One", "Two", "Imported"] {
        if key_of(store, name).await.is_some() {
            left += texts(store, name).await.len();
        }
    }
    left
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_whenever_everything_is_erased_meanwhile() {
    let from = source();
    for (call, was_whole) in [
        ("used", true),
        ("used", false),
        ("remember", true),
        ("remember", false),
        ("overview", false),
        ("commit", false),
    ] {
        for nth in 1.. {
            let store = house(true).await;
            if was_whole {
                import_into(&*store, &from, 4).await.unwrap();
            }
            let failing = Failing::new(Arc::clone(&store));
            failing.fail_nth(call, nth, Fault::Pause);
            let erased = async || erase(&*store, EraseReason::Now).await;
            let ended = import_beside(&failing, &from, 1, erased).await;
            if !failing.is_spent() {
                assert!(ended.is_ok() && nth > 1, "{call} {nth}");
                break;
            }
            assert_eq!(left(&*store).await, 0, "{call} {nth}");
            if was_whole {
                import_into(&*store, &from, 4).await.unwrap();
                assert_eq!(left(&*store).await, 0, "{call} {nth}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn no_import_goes_on_with_what_another_began_after_an_erasure() {
    let (from, store) = (source(), house(true).await);
    let ended = import_and(&store, &from, 3, async || {
        erase(&*store, EraseReason::Now).await;
        import_into(&*store, &from, 4).await.unwrap();
    });
    let refusal = ended.await.unwrap_err().to_string();
    assert!(refusal.contains("was erased here meanwhile"), "{refusal}");
    assert_eq!(texts(&*store, "One").await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn what_is_on_its_way_together_does_not_come_after_what_somebody_does_in_between() {
    for is_erased in [true, false] {
        let (from, store) = (source(), house(true).await);
        let failing = Failing::new(Arc::clone(&store));
        for nth in 2..=4 {
            failing.fail_nth("commit", nth, Fault::Pause);
        }
        let ended = import_beside(&failing, &from, 4, async || {
            let key = key_of(&*store, "One").await.unwrap();
            if is_erased {
                erase(&*store, EraseReason::Now).await;
            } else {
                store.commit(&key, Commit::new(say(message("mine")), at(1))).await.unwrap();
            }
        });
        assert_eq!(ended.await.is_err(), is_erased);
        let mut said = texts(&*store, "One").await;
        said.retain(|text| text.starts_with("leaf"));
        let leaves = if is_erased { 0 } else { MESSAGES };
        let leaves: Vec<String> = (0..leaves).map(|n| format!("leaf {n}")).collect();
        assert_eq!(said, leaves);
    }
}

#[tokio::test]
async fn after_an_erasure_settings_and_agents_stay_as_the_owner_left_them() {
    let from = source();
    for nth in 1.. {
        let store = house(true).await;
        import_into(&*store, &from, 4).await.unwrap();
        store.delete_agent(&tea(), &agent_id("black")).await.unwrap().unwrap();
        let two = naming::chat_id(&person_id("ana"), "tea", Some("c2")).unwrap();
        let patch = WorldPatch {
            main_agent: Some(None),
            current_chat: Some(Some(two)),
            ..WorldPatch::default()
        };
        store.change_world(&tea(), patch).await.unwrap().unwrap();
        erase(&*store, EraseReason::Now).await;
        let settings = async || (store.world(&tea()).await, store.agents(&tea()).await);
        let before = settings().await;
        let failing = Failing::new(Arc::clone(&store));
        failing.fail_nth("remember", nth, Fault::Full);
        let is_whole = import_into(&failing, &from, 4).await.is_ok();
        for _ in 0..2 {
            import_into(&*store, &from, 4).await.unwrap();
            assert_eq!(settings().await, before, "{nth}");
        }
        if is_whole {
            assert!(nth > 1);
            break;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn who_speaks_between_two_imports_costs_nothing() {
    let from = source();
    for call in ["remember", "add_chat", "change_world", "commit"] {
        for nth in 1.. {
            let store = house(true).await;
            let failing = Failing::new(Arc::clone(&store));
            failing.fail_nth(call, nth, Fault::Full);
            if import_into(&failing, &from, 1).await.is_ok() {
                assert!(!failing.is_spent() && nth > 1, "{call} {nth}");
                break;
            }
            let mut spoken = 0;
            for name in ["One", "Two", "Imported"] {
                if store.world(&tea()).await.unwrap().is_none() {
                    break;
                }
                let Some(key) = key_of(&*store, name).await else { continue };
                store.commit(&key, Commit::new(say(message("mine")), at(1))).await.unwrap();
                spoken += 1;
            }
            let again = import_into(&*store, &from, 1).await.unwrap();
            assert_eq!(again.erased_here, 0, "{call} {nth}");
            let mut all = 0;
            for name in ["One", "Two", "Imported"] {
                all += texts(&*store, name).await.len();
            }
            assert_eq!(all, 11 + spoken, "{call} {nth}");
        }
    }
}

#[tokio::test]
async fn an_edit_here_cannot_be_undone_once_more_was_said_in_the_source() {
    let (from, store) = (source(), house(true).await);
    import_into(&*store, &from, 4).await.unwrap();
    let key = key_of(&*store, "One").await.unwrap();
    let edited = edit("m7", message("new"), "e1", at(i64::MAX));
    store.commit(&key, Commit::new(edited, at(3))).await.unwrap();
    import_into(&*store, &from, 4).await.unwrap();
    assert!(store.overview(&key).await.unwrap().unwrap().has_way_back, "nothing new was said");
    let file = from.path().join("tea/agents/green/memory.json");
    let mut memory: Vec<Value> = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    memory.push(json!({"role": "assistant", "content": "steep", "chatId": "c1",
        "createdAt": "2025-10-24T10:00:00.000Z", "messageId": "m9"}));
    fs::write(&file, json!(memory).to_string()).unwrap();
    let again = import_into(&*store, &from, 4).await.unwrap();
    assert_eq!(counts(&again), (0, 0, 0, 1, 11));
    let undone = store.commit(&key, Commit::new(restore("e1"), at(4))).await.unwrap();
    assert_eq!(undone, Committed::Refused(ChangeRefusal::UndoBlocked));
    let said = texts(&*store, "One").await;
    assert_eq!((said.len(), said.last().map(String::as_str)), (MESSAGES, Some("steep")));
}
