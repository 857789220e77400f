//! What watchers are told, and how they resume.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Event, SendOutcome},
            key::ConversationKey,
        },
        id::EventNumber,
    },
    port::{Store, history::Committed},
};

use crate::{
    builder::{
        answer, at, chat_key, edit, edit_id, line_key, message, message_id, restore, say,
        session_key, unsend,
    },
    talk::Talk,
};

fn said(id: &str) -> Event {
    Event::Message { id: message_id(id) }
}

fn unsent(id: &str) -> Event {
    Event::Removed { from: message_id(id), count: 1, edit: None, unsent: true }
}

/// Events come back in their order, with the numbers that the commit gave.
pub async fn events_come_back_in_order(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.say("m0").await;
    let Committed::Applied(applied, numbers) = talk.commit(talk.change(say(message("m1")))).await
    else {
        panic!("not applied");
    };
    assert_eq!(applied.events, [said("m1")]);
    talk.say("m2").await;
    let events = talk.events().await;
    assert_eq!(events.len(), 3);
    assert!(EventNumber::ZERO < events[0].0 && events.is_sorted_by(|one, next| one.0 < next.0));
    assert_eq!((events[1].0, &events[1].1), (numbers[0], &said("m1")));
    let newest =
        async |key: ConversationKey| store.newest_event(&key).await.expect("the store answers");
    assert_eq!(newest(talk.key.clone()).await, events[2].0);
    assert_eq!(newest(chat_key("elsewhere")).await, EventNumber::ZERO);
    store.drop_conversation(&talk.key).await.expect("the store answers");
    assert_eq!(newest(talk.key.clone()).await, EventNumber::ZERO);
}

/// Whoever resumes gets what came after, no more and no less.
pub async fn whoever_resumes_misses_nothing(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    for id in ["m1", "m2", "m3"] {
        talk.say(id).await;
    }
    let all = talk.events().await;
    let after = async |number, limit| {
        store.events_after(&talk.key, number, limit).await.expect("the store answers")
    };
    assert_eq!(after(all[0].0, 10).await.as_deref(), Some(&all[1..]));
    assert_eq!(after(all[0].0, 1).await.as_deref(), Some(&all[1..2]));
    assert_eq!(after(all[2].0, 10).await, Some(vec![]));
    assert_eq!(after(EventNumber::ZERO, 2).await.as_deref(), Some(&all[..2]));
}

/// Numbers are unique over all conversations, and one that is not of this one is unknown to it.
pub async fn a_foreign_event_number_is_unknown(store: Arc<dyn Store>) {
    let (one, two) = (Talk::new(&store, chat_key("x")), Talk::new(&store, chat_key("y")));
    one.say("m1").await;
    two.say("m1").await;
    one.say("m2").await;
    let (ones, twos) = (one.events().await, two.events().await);
    assert!(ones[0].0 < twos[0].0 && twos[0].0 < ones[1].0, "{ones:?} {twos:?}");
    let after = async |key: &ConversationKey, number| {
        store.events_after(key, number, 10).await.expect("the store answers")
    };
    assert_eq!(after(&one.key, twos[0].0).await, None);
    assert_eq!(after(&two.key, ones[0].0).await, None);
    assert_eq!(after(&one.key, EventNumber::new(9_999)).await, None);
    let nowhere = chat_key("nowhere");
    assert_eq!(after(&nowhere, EventNumber::ZERO).await, Some(vec![]));
    assert_eq!(after(&nowhere, ones[0].0).await, None);
}

/// Only chats have watchers that resume.
pub async fn only_chats_keep_events(store: Arc<dyn Store>) {
    for key in [line_key("U1"), session_key("s1")] {
        let talk = Talk::new(&store, key);
        let Committed::Applied(applied, numbers) =
            talk.commit(talk.change(say(message("m1")))).await
        else {
            panic!("not applied");
        };
        assert_eq!((applied.events, numbers), (vec![said("m1")], vec![]));
        assert_eq!(talk.events().await, []);
    }
}

/// An unsend is told with the answers it takes; ids only, and a replay finds no words.
pub async fn h4_a_replay_holds_no_words_taken_back(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.exchange("m1", "r1").await;
    talk.make(unsend("m1")).await;
    let told: Vec<Event> = talk.events().await.into_iter().map(|(_, event)| event).collect();
    assert_eq!(told, [said("m1"), said("r1"), unsent("m1"), unsent("r1")]);
    for id in ["m1", "r1"] {
        talk.assert_wordless(id).await;
    }
    let again = talk.make(unsend("m1")).await;
    assert_eq!(again.events, [], "what changes nothing is told to nobody");
}

/// An edit and its undo are told in full.
pub async fn an_edit_and_its_undo_are_told(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.exchange("m1", "r1").await;
    let edited = talk.make(edit("m1", message("m2"), "e1", at(9_000))).await;
    let removed = Event::Removed {
        from: message_id("m1"),
        count: 2,
        edit: Some(edit_id("e1")),
        unsent: false,
    };
    assert_eq!(edited.events, [removed, said("m2")]);
    let undone = talk.make(restore("e1")).await;
    let replaced = Event::Removed { from: message_id("m2"), count: 1, edit: None, unsent: false };
    let restored = Event::Restored { edit: edit_id("e1"), from: message_id("m1"), count: 2 };
    assert_eq!(undone.events, [replaced, restored]);
    assert_eq!(talk.events().await.len(), 6);
}

/// An answer that leaves the house is told when it has left, not before.
pub async fn h11_an_answer_is_told_when_it_has_left(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.ask("m1").await;
    let fence = talk.begin().await.fence;
    let intended = talk.make(Change::Intend { fence, message: answer("r1") }).await;
    assert_eq!(intended.events, []);
    let outcome = SendOutcome::Sent;
    let settled = talk.make(Change::Settle { id: message_id("r1"), outcome }).await;
    assert_eq!(settled.events, [said("r1")]);
}

/// Forget all is one line for watchers.
pub async fn forget_all_is_told_once(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.exchange("m1", "r1").await;
    let erased = talk.make(Change::EraseAll).await;
    let told = Event::Removed { from: message_id("m1"), count: 2, edit: None, unsent: false };
    assert_eq!(erased.events, [told]);
    assert_eq!(talk.make(Change::EraseAll).await.events, []);
}

/// The numbers of a dropped conversation are not given again.
pub async fn event_numbers_are_never_reused(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.say("m1").await;
    let before = talk.events().await[0].0;
    store.drop_conversation(&talk.key).await.expect("the store answers");
    let after = store.events_after(&talk.key, before, 10).await.expect("the store answers");
    assert_eq!(after, None, "whoever resumes there starts anew");
    talk.say("m1").await;
    assert!(talk.events().await[0].0 > before);
}
