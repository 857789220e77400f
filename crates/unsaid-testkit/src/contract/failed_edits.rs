//! Edits and removals that failed, as a world is reminded of them.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        audit::EraseReason,
        world::{FAILED_EDITS_MAX, FailedEdit, World},
    },
    port::{Store, erasure::Batch},
};

use crate::builder::{
    GRACE_MS, at, chat, chat_id, consent_line, consent_move, error_code, failed_edit, message_id,
    person, person_id, world, world_key,
};

/// `ana`, who consents or not, with the worlds `w` and `v`.
async fn furnish(store: &Arc<dyn Store>, consent: bool) {
    let added = store.add(person("ana", consent), consent_line(consent, 0)).await;
    assert!(added.expect("the store answers"));
    add(store, world("ana", "w"), "c1").await;
    add(store, world("ana", "v"), "c2").await;
}

async fn add(store: &Arc<dyn Store>, world: World, first: &str) {
    let made = store.add_world(world, chat(first, 0), vec![]).await;
    made.expect("the store answers").expect("it is not refused");
}

async fn note(store: &Arc<dyn Store>, failed: FailedEdit) -> bool {
    store.note_failed_edit(&world_key("ana", "w"), failed).await.expect("the store answers")
}

async fn kept(store: &Arc<dyn Store>) -> Vec<FailedEdit> {
    store.failed_edits(&world_key("ana", "w")).await.expect("the store answers")
}

async fn ids(store: &Arc<dyn Store>) -> Vec<String> {
    kept(store).await.iter().map(|failed| failed.id.to_string()).collect()
}

async fn switch(store: &Arc<dyn Store>, grant: bool, now: i64) {
    let moved = store.move_consent(&person_id("ana"), consent_move(grant, now)).await;
    assert!(moved.expect("the store answers").is_some_and(|moved| moved.changed));
}

async fn claim(store: &Arc<dyn Store>, reason: EraseReason, now: i64) {
    let claimed = store.claim(&person_id("ana"), reason, at(now)).await;
    claimed.expect("the store answers");
}

async fn finish(store: &Arc<dyn Store>, now: i64) {
    let batch = store.erase_batch(&person_id("ana"), 1_000, at(now)).await;
    assert!(matches!(batch.expect("the store answers"), Batch::Finished(_)), "it is little");
}

/// A failure comes back as it was noted, in its own world only, oldest first, however often it is noted.
pub async fn a_failed_edit_comes_back_whole_and_once(store: Arc<dyn Store>) {
    furnish(&store, true).await;
    assert_eq!(kept(&store).await, []);
    let later = FailedEdit {
        chat: chat_id("c9"),
        message: message_id("m9"),
        code: error_code("STORAGE_UNAVAILABLE"),
        ..failed_edit("f2", 20)
    };
    let all = [failed_edit("f1", 10), later, failed_edit("f0", 20)];
    for failed in [&all[1], &all[2], &all[0], &all[1]] {
        assert!(note(&store, failed.clone()).await);
    }
    assert_eq!(kept(&store).await, all, "of one moment in the order in which they were noted");
    for elsewhere in [world_key("ana", "v"), world_key("ben", "w")] {
        let none = store.failed_edits(&elsewhere).await.expect("the store answers");
        assert_eq!(none, [], "{elsewhere:?}");
    }
    let nowhere = store.note_failed_edit(&world_key("ana", "x"), failed_edit("f1", 10)).await;
    assert!(!nowhere.expect("the store answers"), "there is no such world");
}

/// Of a world the newest hundred are kept, whenever they are noted.
pub async fn the_newest_failed_edits_of_a_world_are_kept(store: Arc<dyn Store>) {
    furnish(&store, true).await;
    let v = world_key("ana", "v");
    let stays = store.note_failed_edit(&v, failed_edit("stays", 1)).await;
    assert!(stays.expect("the store answers"));
    let number = |index: usize| i64::try_from(index).expect("it is small");
    for index in 0..=FAILED_EDITS_MAX {
        assert!(note(&store, failed_edit(&format!("f{index}"), 10 + number(index))).await);
    }
    let expected: Vec<String> = (1..=FAILED_EDITS_MAX).map(|index| format!("f{index}")).collect();
    assert_eq!(ids(&store).await, expected);
    note(&store, failed_edit("late", 5)).await;
    assert_eq!(ids(&store).await, expected, "it is older than all of them");
    assert!(note(&store, failed_edit("last", 1_000)).await);
    let listed = ids(&store).await;
    assert_eq!((listed.len(), listed[0].as_str()), (FAILED_EDITS_MAX, "f2"));
    assert_eq!(listed.last().map(String::as_str), Some("last"));
    assert_eq!(store.failed_edits(&v).await.expect("the store answers").len(), 1);
}

/// A failure tells of a message: it is kept if consent has been on since it failed, and not else.
pub async fn h7_a_failed_edit_is_kept_only_with_consent(store: Arc<dyn Store>) {
    furnish(&store, false).await;
    assert!(!note(&store, failed_edit("never", 10)).await);
    switch(&store, true, 20).await;
    assert!(!note(&store, failed_edit("before", 19)).await, "it failed without consent");
    assert!(note(&store, failed_edit("with", 20)).await);
    switch(&store, false, 30).await;
    assert!(!note(&store, failed_edit("late", 25)).await, "nobody consents now");
    assert!(!note(&store, failed_edit("after", 35)).await);
    switch(&store, true, 40).await;
    assert_eq!(ids(&store).await, ["with"]);
}

/// A deleted world takes them with it, also those that come late; one that gets its name has none.
pub async fn failed_edits_go_with_their_world(store: Arc<dyn Store>) {
    furnish(&store, true).await;
    let (w, v) = (world_key("ana", "w"), world_key("ana", "v"));
    assert!(note(&store, failed_edit("f1", 10)).await);
    let stays = store.note_failed_edit(&v, failed_edit("f1", 10)).await;
    assert!(stays.expect("the store answers"));
    store.delete_world(&w).await.expect("the store answers").expect("there is such a world");
    assert_eq!(kept(&store).await, []);
    assert!(!note(&store, failed_edit("late", 15)).await);
    add(&store, World { created_at: at(20), ..world("ana", "w") }, "c3").await;
    assert_eq!(kept(&store).await, []);
    assert!(!note(&store, failed_edit("late", 15)).await, "the older world is meant");
    assert!(note(&store, failed_edit("f2", 20)).await);
    assert_eq!(ids(&store).await, ["f2"]);
    assert_eq!(store.failed_edits(&v).await.expect("the store answers").len(), 1);
}

/// The claim takes them with everything else that tells of messages, also those that come late.
pub async fn h8_failed_edits_are_erased_with_the_history(store: Arc<dyn Store>) {
    furnish(&store, true).await;
    assert!(note(&store, failed_edit("f1", 10)).await);
    claim(&store, EraseReason::Now, 100).await;
    assert_eq!(kept(&store).await, [], "at once");
    assert!(!note(&store, failed_edit("late", 100)).await);
    assert!(note(&store, failed_edit("f2", 101)).await, "consent stays as it is");
    finish(&store, 102).await;
    assert_eq!(ids(&store).await, ["f2"], "that is the new history");

    switch(&store, false, 200).await;
    let due = 200 + GRACE_MS;
    claim(&store, EraseReason::Due, due).await;
    assert_eq!(kept(&store).await, []);
    finish(&store, due).await;
    switch(&store, true, due + 1).await;
    assert_eq!(kept(&store).await, [], "nothing comes back");
}

/// They go with the account, and from its claim on nothing is noted.
pub async fn h8_failed_edits_go_with_the_account(store: Arc<dyn Store>) {
    furnish(&store, true).await;
    assert!(note(&store, failed_edit("f1", 10)).await);
    claim(&store, EraseReason::Account, 100).await;
    for _ in 0..2 {
        assert_eq!(kept(&store).await, []);
        assert!(!note(&store, failed_edit("late", 101)).await);
        store.erase_batch(&person_id("ana"), 9, at(100)).await.expect("the store answers");
    }
}
