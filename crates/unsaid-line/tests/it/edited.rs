//! Somebody changes what was said: the newest wins, in any order, and nothing after an unsend.

use serde_json::json;
use unsaid_core::domain::conversation::change::{Change, SendOutcome};
use unsaid_line::inbound::Receipt;
use unsaid_testkit::builder::{answer, at, message_id, words_of};

use crate::{
    door::{Door, NOW, taken},
    letter::{HAPPENED, edited, text, unsend, with},
};

#[tokio::test]
async fn the_text_is_replaced_and_no_new_answer_wanted() {
    let door = Door::new();
    let old = json!({"timestamp": 0});
    door.tell(with(&text("Cgroup", "m1", "lunch at noon?"), &old)).await;
    assert_eq!(door.talk("Cgroup").overview().await.wanted_at, None);
    door.tell(edited("Cgroup", "m1", "lunch at one?", HAPPENED)).await;
    assert_eq!(door.words("Cgroup", "m1").await, "lunch at one?");
    assert_eq!(door.talk("Cgroup").overview().await.wanted_at, None);
    door.talk("Cgroup").assert_unsaid("noon").await;
}

#[tokio::test]
async fn the_largest_timestamp_wins_in_whatever_order_things_come() {
    let things = [
        ("said", text("Cgroup", "m1", "at-first")),
        ("one", edited("Cgroup", "m1", "edit-one", HAPPENED + 1_000)),
        ("two", edited("Cgroup", "m1", "edit-two", HAPPENED + 2_000)),
        ("three", edited("Cgroup", "m1", "edit-three", HAPPENED + 3_000)),
    ];
    for order in permutations(things.len()) {
        let door = Door::new();
        for place in &order {
            door.call(&[things[*place].1.clone()]).await.unwrap();
        }
        let order: Vec<&str> = order.iter().map(|place| things[*place].0).collect();
        assert_eq!(door.words("Cgroup", "m1").await, "edit-three", "{order:?}");
        for gone in ["at-first", "edit-one", "edit-two"] {
            door.talk("Cgroup").assert_unsaid(gone).await;
        }
    }
}

#[tokio::test]
async fn an_edit_that_waits_knows_whose_it_is() {
    let door = Door::new();
    door.tell(edited("Cgroup", "m1", "edit-one", HAPPENED + 1_000)).await;
    let state = door.state("Cgroup").await;
    let at = HAPPENED + 1_000;
    assert!(state.contains(&format!("revision of m1: by Uana, at {at}, since {NOW}")), "{state}");
}

#[tokio::test]
async fn nothing_comes_back_after_an_unsend_in_whatever_order() {
    let things = [
        text("Cgroup", "m1", "at-first"),
        edited("Cgroup", "m1", "edit-one", HAPPENED + 1_000),
        unsend("Cgroup", "m1"),
    ];
    for order in permutations(things.len()) {
        let door = Door::new();
        for place in &order {
            door.call(&[things[*place].clone()]).await.unwrap();
        }
        assert!(door.heard("Cgroup").await.is_empty(), "{order:?}");
        door.talk("Cgroup").assert_unsaid("at-first").await;
        door.talk("Cgroup").assert_unsaid("edit-one").await;
    }
}

#[tokio::test]
async fn a_running_turn_begins_again_and_an_answer_loses_its_words() {
    let door = Door::new();
    door.tell(text("Cgroup", "m1", "a")).await;
    door.begin("Cgroup").await;
    door.tell(edited("Cgroup", "m1", "b", HAPPENED + 1_000)).await;
    let overview = door.talk("Cgroup").overview().await;
    assert_eq!((overview.turn, overview.wanted_at), (None, Some(door.now())));

    let lease = door.begin("Cgroup").await;
    let talk = door.talk("Cgroup");
    talk.make(Change::Intend { fence: lease.fence, message: answer("a1") }).await;
    talk.make(Change::Settle { id: message_id("a1"), outcome: SendOutcome::Sent }).await;
    door.tell(edited("Cgroup", "m1", "c", HAPPENED + 2_000)).await;
    assert_eq!(door.heard("Cgroup").await, ["m1"]);
    door.talk("Cgroup").assert_unsaid(&words_of("a1")).await;
    assert_eq!(door.talk("Cgroup").overview().await.wanted_at, None);
}

#[tokio::test]
async fn the_edit_of_a_bots_message_is_refused_and_does_not_stop_the_others() {
    let door = Door::new();
    door.tell(text("Cgroup", "m1", "a")).await;
    let lease = door.begin("Cgroup").await;
    let talk = door.talk("Cgroup");
    talk.make(Change::Intend { fence: lease.fence, message: answer("a1") }).await;
    talk.make(Change::Settle { id: message_id("a1"), outcome: SendOutcome::Sent }).await;
    let events = [edited("Cgroup", "a1", "x", HAPPENED), text("Cgroup", "m2", "b")];
    let receipt = door.call(&events).await.unwrap();
    assert_eq!(receipt, Receipt { taken: 1, refused: 1, ..Receipt::default() });
    assert_eq!(door.heard("Cgroup").await, ["m1", "a1", "m2"]);
}

#[tokio::test]
async fn an_edit_without_a_time_happened_now() {
    let door = Door::new();
    let event = with(&edited("Cgroup", "m1", "b", 0), &json!({"timestamp": null}));
    assert_eq!(door.call(&[text("Cgroup", "m1", "a"), event]).await, Ok(taken(2)));
    let entry = door.talk("Cgroup").find("m1").await.unwrap();
    assert_eq!(entry.revised_at, Some(at(NOW)));
}

/// All orders of so many things.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![vec![]];
    for next in 0..count {
        orders = orders
            .iter()
            .flat_map(|order: &Vec<usize>| {
                (0..=order.len()).map(|place| {
                    let mut longer = order.clone();
                    longer.insert(place, next);
                    longer
                })
            })
            .collect();
    }
    orders
}
