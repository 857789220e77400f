//! Forget from here, and take that back.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        conversation::change::{
            Change, Cut, Decision, Interrupt, Missing, Outcome, Refusal, ReplaceTail, Ripple,
        },
        id::Number,
    },
    port::{Store, history::Committed},
};

use crate::{
    builder::{
        answer, at, chat_key, cut, edit, edit_id, message, message_id, remove, restore, revise,
        say, unsend, words, words_of,
    },
    talk::Talk,
};

const UNTIL: i64 = 60_000;

/// An edit removes the message and all after it, and adds the new text, in one commit.
pub async fn h6_an_edit_is_one_commit(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.exchange("m1", "r1").await;
    talk.exchange("m2", "r2").await;
    let outcome = talk.outcome(edit("m2", message("m3"), "e1", at(UNTIL))).await;
    assert_eq!(outcome, Outcome::Replaced { count: 2, number: Some(Number::new(5)) });
    assert_eq!(talk.heard().await, ["m1", "r1", "m3"]);
    for id in ["m2", "r2"] {
        assert_eq!(talk.find(id).await, None, "an undo buffer is not the log");
        let tail = store.tail(&talk.key, &message_id(id), 9).await.expect("the store answers");
        assert_eq!(tail, None);
    }
}

/// The first, a middle and the last message can be edited.
pub async fn h6_first_middle_and_last_can_be_edited(store: Arc<dyn Store>) {
    let cases: [(&str, u64, &[&str]); 3] =
        [("m3", 1, &["m1", "m2", "n"]), ("m2", 2, &["m1", "n"]), ("m1", 3, &["n"])];
    for (from, count, left) in cases {
        let talk = Talk::new(&store, chat_key(from));
        for id in ["m1", "m2", "m3"] {
            talk.say(id).await;
        }
        let outcome = talk.outcome(edit(from, message("n"), "e1", at(UNTIL))).await;
        assert_eq!(outcome, Outcome::Replaced { count, number: Some(Number::new(4)) });
        assert_eq!(talk.heard().await, left);
    }
}

/// Without undo what was removed is gone at once.
pub async fn h6_a_removal_without_undo_keeps_nothing(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.exchange("m1", "r1").await;
    assert_eq!(talk.outcome(cut("m1")).await, Outcome::Replaced { count: 2, number: None });
    talk.assert_wordless("m1").await;
    talk.assert_wordless("r1").await;
    assert_eq!(talk.refusal(restore("e1")).await, Refusal::EditNotFound);
}

/// Of several edits of one message at once exactly one succeeds.
pub async fn h6_of_several_edits_one_succeeds(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.say("m1").await;
    let seen = talk.overview().await.version;
    let mut rivals = tokio::task::JoinSet::new();
    for rival in 0..6 {
        let talk = Talk::chat(&store);
        rivals.spawn(async move {
            let (id, name) = (format!("n{rival}"), format!("e{rival}"));
            let change = talk.change(edit("m1", message(&id), &name, at(UNTIL)));
            talk.commit(change.expecting(seen)).await
        });
    }
    let committed = rivals.join_all().await;
    let made = committed.iter().filter(|one| matches!(one, Committed::Applied(..))).count();
    assert_eq!(made, 1, "{committed:?}");
    assert_eq!(talk.heard().await.len(), 1);
}

/// An edit waits for a running turn, or cancels it.
pub async fn h5_an_edit_waits_for_a_turn_or_cancels_it(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.ask("m1").await;
    let lease = talk.begin().await;
    let replace = |interrupt| {
        Change::ReplaceTail(ReplaceTail {
            from: message_id("m1").into(),
            with: Some((message("m2"), Some(talk.now))),
            undo: Some((edit_id("e1"), at(UNTIL))),
            interrupt,
        })
    };
    let running = Refusal::TurnInProgress { until: lease.until };
    assert_eq!(talk.refusal(replace(Interrupt::No)).await, running);
    talk.make(replace(Interrupt::Yes)).await;
    let whole = talk.whole().await;
    let ended = whole.turns[&lease.fence].ended.clone();
    assert_eq!(ended, Some((Decision::Cancelled, talk.now)));
    assert_eq!(whole.wanted_at, Some(talk.now), "the replacement wants an answer");
    talk.begin().await;
    assert!(matches!(talk.refusal(restore("e1")).await, Refusal::TurnInProgress { .. }));
    let undo =
        Change::Restore { edit: edit_id("e1"), interrupt: Interrupt::Yes, or_nothing: false };
    assert!(matches!(talk.outcome(undo).await, Outcome::Restored { .. }));
    assert_eq!(talk.heard().await, ["m1"]);
    let overview = talk.overview().await;
    assert_eq!((overview.turn, overview.wanted_at), (None, Some(talk.now)), "it waits again");
}

/// A replacement may carry the id of what it replaces, but none that stays or was taken back.
pub async fn a_replacement_needs_a_free_id(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    for id in ["m1", "m2", "m3"] {
        talk.say(id).await;
    }
    talk.make(unsend("m3")).await;
    for taken in ["m1", "m3"] {
        let change = edit("m2", message(taken), "e1", at(UNTIL));
        assert_eq!(talk.refusal(change).await, Refusal::IdTaken);
    }
    talk.make(edit("m2", message("m2"), "e1", at(UNTIL))).await;
    assert_eq!(talk.find("m2").await.map(|entry| entry.number), Some(Number::new(4)));
    talk.make(restore("e1")).await;
    assert_eq!(talk.find("m2").await.map(|entry| entry.number), Some(Number::new(2)));
}

/// An undo brings back ids, order and bookkeeping, and removes the replacement and its answers.
pub async fn an_undo_brings_all_of_it_back(store: Arc<dyn Store>) {
    let mut talk = Talk::chat(&store);
    talk.exchange("m1", "r1").await;
    talk.exchange("m2", "r2").await;
    let before = talk.whole().await.log;
    talk.make(edit("m1", message("m3"), "e1", at(UNTIL))).await;
    talk.wait(UNTIL - 1_001);
    let outcome = talk.outcome(restore("e1")).await;
    assert_eq!(outcome, Outcome::Restored { from: Some(message_id("m1")), count: 4 });
    assert_eq!(talk.whole().await.log, before);
    assert_eq!(talk.heard().await, ["m1", "r1", "m2", "r2"]);
    talk.assert_wordless("m3").await;
    assert_eq!(talk.refusal(restore("e1")).await, Refusal::UndoBlocked, "the second time");
    assert_eq!(talk.say("m4").await, Number::new(6));
}

/// The end of the window belongs to closed.
pub async fn an_undo_after_its_time_is_refused(store: Arc<dyn Store>) {
    let mut talk = Talk::chat(&store);
    talk.say("m1").await;
    talk.make(edit("m1", message("m2"), "e1", at(UNTIL))).await;
    assert_eq!(talk.refusal(restore("e9")).await, Refusal::EditNotFound);
    talk.now = at(UNTIL);
    assert_eq!(talk.refusal(restore("e1")).await, Refusal::UndoExpired);
    talk.make(Change::Expire).await;
    talk.assert_wordless("m1").await;
    assert_eq!(talk.refusal(restore("e1")).await, Refusal::UndoExpired);
}

/// When a person goes on, the undo window closes and its words are gone; agents do not count.
pub async fn when_a_person_goes_on_the_window_closes(store: Arc<dyn Store>) {
    let goes_on = [
        say(message("n1")),
        unsend("m2"),
        revise("m2", "new", at(9)),
        edit("m2", message("n1"), "e2", at(UNTIL)),
        Change::CloseUndo,
    ];
    for (index, change) in goes_on.into_iter().enumerate() {
        let talk = Talk::new(&store, chat_key(&format!("c{index}")));
        talk.say("m1").await;
        talk.make(edit("m1", message("m2"), "e1", at(UNTIL))).await;
        talk.make(say(answer("r1"))).await;
        assert!(talk.whole().await.undo.is_some(), "an agent spoke");
        talk.make(change).await;
        talk.assert_wordless("m1").await;
        assert_eq!(talk.refusal(restore("e1")).await, Refusal::UndoBlocked);
    }
}

/// An unsend of what an edit removed empties the undo buffer at once.
pub async fn h4_an_unsend_reaches_the_undo_buffer(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.exchange("m1", "r1").await;
    talk.make(edit("m1", message("m2"), "e1", at(UNTIL))).await;
    let change = remove("m1", Missing::Refuse, Ripple::Withdraw);
    assert_eq!(talk.outcome(change).await, Outcome::Removed { withdrawn: vec![] });
    talk.assert_wordless("m1").await;
    talk.assert_unsaid(&words_of("r1")).await;
    assert_eq!(talk.refusal(restore("e1")).await, Refusal::UndoBlocked);
    assert_eq!(talk.outcome(say(message("m1"))).await, Outcome::TakenBack);
}

/// The reasons for silence about removed questions are gone for good.
pub async fn reasons_for_silence_go_with_the_tail(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.ask("m1").await;
    let fence = talk.begin().await.fence;
    let reason = Some(words("quoting it"));
    talk.make(Change::Decide { fence, decision: Decision::Silent { reason } }).await;
    talk.make(edit("m1", message("m2"), "e1", at(UNTIL))).await;
    talk.assert_unsaid("quoting it").await;
}

/// A cut after a number takes whatever came after it, an agent's words too, and comes back whole.
pub async fn h6_a_cut_after_a_number_takes_what_came_later(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.exchange("m1", "r1").await;
    talk.exchange("m2", "r2").await;
    let cut = |after: u64, with: Option<&str>, edit: &str| {
        Change::ReplaceTail(ReplaceTail {
            from: Cut::After(Number::new(after)),
            with: with.map(|id| (message(id), None)),
            undo: Some((edit_id(edit), at(UNTIL))),
            interrupt: Interrupt::No,
        })
    };
    assert_eq!(talk.outcome(cut(4, None, "e0")).await, Outcome::Nothing, "nothing came later");
    let replaced = Outcome::Replaced { count: 3, number: Some(Number::new(5)) };
    assert_eq!(talk.outcome(cut(1, Some("m3"), "e1")).await, replaced);
    assert_eq!(talk.heard().await, ["m1", "m3"]);
    let restored = Outcome::Restored { from: Some(message_id("r1")), count: 3 };
    assert_eq!(talk.outcome(restore("e1")).await, restored);
    assert_eq!(talk.heard().await, ["m1", "r1", "m2", "r2"]);
    let said = Outcome::Replaced { count: 0, number: Some(Number::new(6)) };
    assert_eq!(talk.outcome(cut(4, Some("m4"), "e2")).await, said);
    // What it removed is in another log: without that nothing would come back, and m4 would be gone.
    assert_eq!(talk.refusal(restore("e2")).await, Refusal::EditNotFound);
    let with_another =
        Change::Restore { edit: edit_id("e2"), interrupt: Interrupt::No, or_nothing: true };
    let nothing = Outcome::Restored { from: None, count: 0 };
    assert_eq!(talk.outcome(with_another).await, nothing);
    assert_eq!(talk.heard().await, ["m1", "r1", "m2", "r2"]);
    talk.assert_wordless("m4").await;
}

/// What is erased already is not counted or kept for an undo, though its rows may still be there.
pub async fn h8_a_cut_after_a_number_leaves_alone_what_is_erased(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.exchange("m1", "r1").await;
    talk.make(Change::EraseAll).await;
    talk.say("m2").await;
    let all = Change::ReplaceTail(ReplaceTail {
        from: Cut::After(Number::ZERO),
        with: None,
        undo: Some((edit_id("e1"), at(UNTIL))),
        interrupt: Interrupt::No,
    });
    assert_eq!(talk.outcome(all).await, Outcome::Replaced { count: 1, number: None });
    let restored = Outcome::Restored { from: Some(message_id("m2")), count: 1 };
    assert_eq!(talk.outcome(restore("e1")).await, restored);
    assert_eq!(talk.heard().await, ["m2"]);
}
