//! Somebody takes something back: before it comes, while it is answered, and after (H4, H5).

use serde_json::{Value, json};
use unsaid_app::event::Notice;
use unsaid_core::domain::{
    conversation::change::{Change, Event, Ripple, SendOutcome},
    id::Fence,
};
use unsaid_line::inbound::{Receipt, Settings};
use unsaid_testkit::builder::{answer, line_key, message_id, words_of};

use crate::{
    door::{Door, duplicates, settings, taken},
    letter::{text, unsend, with},
};

/// The bot answers, and LINE accepts it.
async fn reply(door: &Door, chat: &str, id: &str, fence: Fence) {
    let talk = door.talk(chat);
    talk.make(Change::Intend { fence, message: answer(id) }).await;
    talk.make(Change::Settle { id: message_id(id), outcome: SendOutcome::Sent }).await;
}

#[tokio::test]
async fn after_it_came_it_is_gone_and_watchers_are_told() {
    let door = Door::new();
    door.tell(text("Uana", "m1", "secret-words")).await;
    let mut watch = door.watchers.watch(&line_key("Uana"));
    door.tell(unsend("Uana", "m1")).await;
    assert!(door.heard("Uana").await.is_empty());
    door.talk("Uana").assert_unsaid("secret-words").await;
    assert_eq!(door.talk("Uana").overview().await.wanted_at, None);
    let event = Event::Removed { from: message_id("m1"), count: 1, edit: None, unsent: true };
    assert_eq!(watch.next().await, Some(Notice::Log { number: None, event }));
}

#[tokio::test]
async fn before_it_comes_its_id_is_remembered_and_it_stays_out() {
    let door = Door::new();
    door.tell(unsend("Uana", "m1")).await;
    door.tell(text("Uana", "m1", "secret-words")).await;
    assert!(door.heard("Uana").await.is_empty());
    door.talk("Uana").assert_unsaid("secret-words").await;
    // in one call, too
    let events = [unsend("Uana", "m2"), text("Uana", "m2", "more-words")];
    assert_eq!(door.call(&events).await, Ok(taken(2)));
    assert!(door.heard("Uana").await.is_empty());
}

#[tokio::test]
async fn in_the_call_that_brings_it_it_is_gone() {
    let door = Door::new();
    let events = [text("Uana", "m1", "a"), text("Uana", "m2", "b"), unsend("Uana", "m1")];
    assert_eq!(door.call(&events).await, Ok(taken(3)));
    assert_eq!(door.heard("Uana").await, ["m2"]);
}

#[tokio::test]
async fn while_it_is_answered_the_turn_is_over_and_begins_again_for_the_others() {
    let door = Door::new();
    door.call(&[text("Uana", "m1", "a"), text("Uana", "m2", "b")]).await.unwrap();
    let lease = door.begin("Uana").await;
    door.tell(unsend("Uana", "m1")).await;
    let overview = door.talk("Uana").overview().await;
    assert_eq!((overview.turn, overview.wanted_at), (None, Some(door.now())));
    let state = door.state("Uana").await;
    assert!(state.contains(&format!("turn {}: ", lease.fence)) && state.contains("cancelled"));
    // the other question waits, with its way back
    assert!(state.contains("way back event-m2"), "{state}");
    assert_eq!(door.heard("Uana").await, ["m2"]);
}

#[tokio::test]
async fn the_answer_to_it_loses_its_words_unless_the_operator_keeps_them() {
    for (ripple, heard) in [(Ripple::Withdraw, &[][..]), (Ripple::Keep, &["a1"][..])] {
        let door = Door::with(Settings { ripple, ..settings() });
        door.tell(text("Uana", "m1", "a")).await;
        let lease = door.begin("Uana").await;
        reply(&door, "Uana", "a1", lease.fence).await;
        assert_eq!(door.heard("Uana").await, ["m1", "a1"]);
        door.tell(unsend("Uana", "m1")).await;
        assert_eq!(door.heard("Uana").await, heard, "{ripple:?}");
        if ripple == Ripple::Withdraw {
            door.talk("Uana").assert_unsaid(&words_of("a1")).await;
        }
    }
}

#[tokio::test]
async fn again_it_changes_nothing() {
    let door = Door::new();
    door.tell(text("Uana", "m1", "a")).await;
    for id in ["m1", "unknown"] {
        door.tell(unsend("Uana", id)).await;
        let state = door.state("Uana").await;
        assert_eq!(door.call(&[unsend("Uana", id)]).await, Ok(duplicates(1)));
        let renamed = with(&unsend("Uana", id), &json!({"webhookEventId": "another"}));
        assert_eq!(door.call(&[renamed]).await, Ok(duplicates(1)));
        assert_eq!(door.state("Uana").await, state);
    }
}

#[tokio::test]
async fn from_another_source_it_reaches_nothing() {
    let door = Door::new();
    door.tell(text("Uana", "m1", "a")).await;
    door.tell(unsend("Ubob", "m1")).await;
    door.tell(unsend("Cgroup", "m1")).await;
    assert_eq!(door.heard("Uana").await, ["m1"]);
}

#[tokio::test]
async fn without_an_id_it_is_malformed_and_does_not_stop_the_others() {
    let door = Door::new();
    let odd = |fields: Value| with(&unsend("Uana", "m1"), &fields);
    let events = [
        text("Uana", "m1", "a"),
        odd(json!({"unsend": {"messageId": ""}})),
        odd(json!({"unsend": {}})),
        odd(json!({"unsend": {"messageId": null}})),
        odd(json!({"unsend": {"messageId": 1}})),
        odd(json!({"unsend": {"messageId": "a b"}})),
        odd(json!({"unsend": null})),
        odd(json!({"unsend": "m1"})),
        text("Uana", "m2", "b"),
    ];
    let receipt = door.call(&events).await.unwrap();
    assert_eq!(receipt, Receipt { taken: 2, malformed: 7, ..Receipt::default() });
    assert_eq!(door.heard("Uana").await, ["m1", "m2"]);
}

#[tokio::test]
async fn what_the_bot_said_cannot_be_taken_back_by_others_and_does_not_stop_the_call() {
    let door = Door::new();
    door.tell(text("Uana", "m1", "a")).await;
    let lease = door.begin("Uana").await;
    reply(&door, "Uana", "a1", lease.fence).await;
    let receipt = door.call(&[unsend("Uana", "a1"), text("Uana", "m2", "b")]).await.unwrap();
    assert_eq!(receipt, Receipt { taken: 1, refused: 1, ..Receipt::default() });
    assert_eq!(door.heard("Uana").await, ["m1", "a1", "m2"]);
}
