//! Forget one, forget a person, forget all.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        conversation::{
            DELIVERY_MEMORY_MS, EDIT_MEMORY_MS,
            change::{
                Change, Decision, Interrupt, Missing, Outcome, Refusal, ReplaceTail, Ripple,
                SendOutcome,
            },
        },
        id::Number,
        message::{Author, Message, Part},
    },
    port::Store,
};

use crate::{
    builder::{
        answer, at, chat_key, cut, deliver, delivery_id, edit, edit_id, message, message_by,
        message_id, person_id, remove, restore, revise, say, unsend, words, words_of,
    },
    talk::Talk,
};

/// What was taken back is nowhere; what was said around it stays.
pub async fn h4_what_was_taken_back_is_nowhere(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    for id in ["m1", "m2", "m3"] {
        talk.say(id).await;
    }
    assert_eq!(talk.outcome(unsend("m2")).await, Outcome::Removed { withdrawn: vec![] });
    talk.assert_wordless("m2").await;
    assert_eq!(talk.find("m2").await, None);
    assert_eq!(talk.heard().await, ["m1", "m3"]);
    assert_eq!(talk.overview().await.heard, 2);
    assert_eq!(talk.say("m4").await, Number::new(4));
}

/// An unsend that overtakes its message keeps it out, however often it comes.
pub async fn h4_unsend_before_its_message_keeps_it_out(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    assert_eq!(talk.outcome(unsend("m1")).await, Outcome::Removed { withdrawn: vec![] });
    assert_eq!(talk.outcome(deliver(message("m1"), "d1")).await, Outcome::TakenBack);
    assert_eq!(talk.outcome(deliver(message("m1"), "d2")).await, Outcome::TakenBack);
    assert_eq!(talk.outcome(revise("m1", "new", at(9))).await, Outcome::TakenBack);
    talk.assert_wordless("m1").await;
    talk.assert_unsaid("new").await;
}

/// What was taken back after it came stays out when it comes again.
pub async fn h4_what_was_taken_back_does_not_come_again(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.make(deliver(message("m1"), "d1")).await;
    talk.make(unsend("m1")).await;
    assert_eq!(talk.outcome(deliver(message("m1"), "d1")).await, Outcome::Known);
    assert_eq!(talk.outcome(say(message("m1"))).await, Outcome::TakenBack);
    talk.assert_wordless("m1").await;
}

/// Taking back twice changes nothing, and says the same.
pub async fn h4_taking_back_twice_says_the_same(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.exchange("m1", "r1").await;
    let withdrawn = vec![message_id("r1")];
    let first = talk.make(unsend("m1")).await;
    assert_eq!(first.outcome, Outcome::Removed { withdrawn: withdrawn.clone() });
    let again = talk.make(unsend("m1")).await;
    assert_eq!(
        (again.outcome, again.version),
        (Outcome::RemovedBefore { withdrawn }, first.version)
    );
}

/// At our own doors an unknown id is refused, and an agent's message cannot be taken back.
pub async fn h4_only_a_persons_message_is_taken_back(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.exchange("m1", "r1").await;
    let unknown = remove("m9", Missing::Refuse, Ripple::Withdraw);
    assert_eq!(talk.refusal(unknown).await, Refusal::NotFound);
    assert_eq!(talk.refusal(unsend("r1")).await, Refusal::NotAPersons);
    assert_eq!(talk.refusal(revise("r1", "x", at(1))).await, Refusal::NotAPersons);
    assert_eq!(talk.refusal(cut("r1")).await, Refusal::NotAPersons);
    talk.say("m9").await;
    assert_eq!(talk.heard().await, ["m1", "r1", "m9"], "a refused unsend remembers nothing");
}

/// Answers lose their words with any of their questions; a line without words stays.
pub async fn h4_ripple_takes_the_words_of_answers(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.ask("m1").await;
    talk.ask("m2").await;
    let fence = talk.begin().await.fence;
    talk.answer(fence, &["r1", "r2"]).await;
    talk.exchange("m3", "r3").await;
    let withdrawn = vec![message_id("r1"), message_id("r2")];
    assert_eq!(talk.outcome(unsend("m2")).await, Outcome::Removed { withdrawn });
    for id in ["m2", "r1", "r2"] {
        talk.assert_wordless(id).await;
    }
    assert_eq!(talk.heard().await, ["m1", "m3", "r3"], "answers of later turns stay");
    let line = talk.find("r1").await.expect("its line stays");
    assert_eq!((line.gone, line.turn), (true, Some(fence)));
    assert_eq!(talk.overview().await.heard, 3);
}

/// Without ripple answers stay.
pub async fn h4_without_ripple_answers_stay(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.exchange("m1", "r1").await;
    let change = remove("m1", Missing::Remember, Ripple::Keep);
    assert_eq!(talk.outcome(change).await, Outcome::Removed { withdrawn: vec![] });
    assert_eq!(talk.heard().await, ["r1"]);
}

/// The reason for a silence is content, and goes with its question, ripple or not.
pub async fn h4_the_reason_for_a_silence_goes_with_its_question(store: Arc<dyn Store>) {
    for (id, ripple) in [("m1", Ripple::Withdraw), ("m2", Ripple::Keep)] {
        let talk = Talk::line(&store);
        talk.ask(id).await;
        let fence = talk.begin().await.fence;
        let decision = Decision::Silent { reason: Some(words("quoting it")) };
        talk.make(Change::Decide { fence, decision }).await;
        talk.make(remove(id, Missing::Remember, ripple)).await;
        talk.assert_unsaid("quoting it").await;
        let ended = talk.whole().await.turns[&fence].ended.clone();
        assert_eq!(ended, Some((Decision::Silent { reason: None }, talk.now)));
    }
}

/// A turn that has read what is taken back is over; it begins again if others wait.
pub async fn h5_a_turn_that_read_it_is_cancelled(store: Arc<dyn Store>) {
    let mut talk = Talk::line(&store);
    talk.say("m1").await;
    talk.ask("m2").await;
    let fence = talk.begin().await.fence;
    talk.say("m3").await;
    talk.make(unsend("m3")).await;
    assert!(talk.overview().await.turn.is_some(), "it had not read that");
    talk.wait(5);
    talk.make(unsend("m1")).await;
    let overview = talk.overview().await;
    assert_eq!((overview.turn, overview.wanted_at), (None, Some(talk.now)));
    let late = Change::Answer { fence, messages: vec![answer("r1")], last: true };
    assert_eq!(talk.refusal(late).await, Refusal::StaleFence);
    assert_eq!(talk.whole().await.turns[&fence].ended, Some((Decision::Cancelled, talk.now)));
    talk.begin().await;
    talk.make(unsend("m2")).await;
    assert_eq!(talk.overview().await.wanted_at, None, "nobody waits any more");
}

/// What LINE accepted stands, but its text goes with a question taken back meanwhile.
pub async fn h5_an_answer_on_its_way_loses_its_words(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.ask("m1").await;
    let fence = talk.begin().await.fence;
    talk.make(Change::Intend { fence, message: answer("r1") }).await;
    let withdrawn = vec![message_id("r1")];
    assert_eq!(talk.outcome(unsend("m1")).await, Outcome::Removed { withdrawn });
    talk.make(Change::Settle { id: message_id("r1"), outcome: SendOutcome::Sent }).await;
    talk.assert_wordless("r1").await;
    assert!(talk.find("r1").await.is_some_and(|entry| entry.gone));
}

/// An edit in place takes the words of before, and answers to them.
pub async fn an_edit_in_place_takes_the_old_words(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.exchange("m1", "r1").await;
    assert_eq!(talk.outcome(revise("m1", "newest", at(20))).await, Outcome::Done);
    talk.assert_unsaid(&words_of("m1")).await;
    talk.assert_wordless("r1").await;
    assert_eq!(talk.heard().await, ["m1"]);
    for late in [20, 19] {
        assert_eq!(talk.outcome(revise("m1", "older", at(late))).await, Outcome::Nothing);
    }
    talk.assert_unsaid("older").await;
    assert_eq!(talk.find("m1").await.expect("it stays").revised_at, Some(at(20)));
}

/// An edit in place that overtakes its message waits for it; the newest wins.
pub async fn an_edit_in_place_may_overtake_its_message(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    assert_eq!(talk.outcome(revise("m1", "second", at(20))).await, Outcome::Deferred);
    assert_eq!(talk.outcome(revise("m1", "first", at(10))).await, Outcome::Nothing);
    assert_eq!(talk.outcome(revise("m1", "third", at(30))).await, Outcome::Deferred);
    talk.assert_unsaid("second").await;
    talk.say("m1").await;
    talk.assert_unsaid(&words_of("m1")).await;
    let entry = talk.find("m1").await.expect("it came");
    assert_eq!(entry.revised_at, Some(at(30)));
    assert_eq!(entry.message.parts, [Part::text(words("third"))]);
    assert!(talk.whole().await.revisions.is_empty());
}

/// An unsend takes an edit that waits for its message too.
pub async fn h4_an_unsend_takes_a_waiting_edit_too(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.make(revise("m1", "waiting words", at(20))).await;
    talk.make(unsend("m1")).await;
    talk.assert_unsaid("waiting words").await;
}

/// Forget everything one person said, with answers, buffers and waiting edits.
pub async fn everything_one_person_said_is_forgotten(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.exchange("m1", "r1").await;
    talk.make(say(message_by("ben", "m2"))).await;
    talk.make(say(Message { author: Author::Person(None), ..message("m3") })).await;
    talk.say("m4").await;
    talk.make(revise("m9", "waiting words", at(20))).await;
    let change = Change::EraseAuthor { person: person_id("ana"), ripple: Ripple::Withdraw };
    assert_eq!(talk.outcome(change.clone()).await, Outcome::Erased { count: 2 });
    for id in ["m1", "r1", "m4"] {
        talk.assert_wordless(id).await;
    }
    talk.assert_unsaid("waiting words").await;
    assert_eq!(talk.heard().await, ["m2", "m3"]);
    assert_eq!(talk.outcome(change).await, Outcome::Nothing);
}

/// Forgetting a person empties an undo buffer that holds their words.
pub async fn forgetting_a_person_empties_the_undo_buffer(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.make(say(message_by("ben", "m1"))).await;
    talk.make(edit("m1", message("m2"), "e1", at(9_000))).await;
    let change = Change::EraseAuthor { person: person_id("ben"), ripple: Ripple::Withdraw };
    assert_eq!(talk.outcome(change).await, Outcome::Erased { count: 0 });
    talk.assert_wordless("m1").await;
    assert_eq!(talk.refusal(restore("e1")).await, Refusal::UndoBlocked);
}

/// Forget all: nothing is left but counters and the ids that stay out.
pub async fn h8_forget_all_leaves_counters_only(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.make(deliver(message("m1"), "d1")).await;
    talk.exchange("m2", "r2").await;
    talk.make(unsend("m3")).await;
    talk.make(revise("m9", "waiting words", at(20))).await;
    let replace = ReplaceTail {
        from: message_id("m2").into(),
        with: Some((message("m4"), Some(talk.now))),
        undo: Some((edit_id("e1"), at(9_000))),
        interrupt: Interrupt::Yes,
    };
    talk.make(Change::ReplaceTail(replace)).await;
    talk.begin().await;
    assert_eq!(talk.outcome(Change::EraseAll).await, Outcome::Erased { count: 2 });
    for id in ["m1", "m2", "r2", "m4"] {
        talk.assert_wordless(id).await;
        assert_eq!(talk.find(id).await, None);
    }
    talk.assert_unsaid("waiting words").await;
    let whole = talk.whole().await;
    assert!(whole.log.is_empty() && whole.undo.is_none() && whole.turns.is_empty());
    assert_eq!((whole.turn, whole.wanted_at, whole.last_number), (None, None, Number::new(4)));
    assert_eq!(talk.outcome(say(message("m3"))).await, Outcome::TakenBack);
    assert_eq!(talk.outcome(deliver(message("m5"), "d1")).await, Outcome::Known);
    assert_eq!(talk.say("m6").await, Number::new(5));
}

/// Time closes undo windows and lets deliveries, waiting edits and closed edits go, exactly then.
pub async fn time_lets_go_of_what_it_has_closed(store: Arc<dyn Store>) {
    let mut talk = Talk::chat(&store);
    talk.make(deliver(message("m1"), "d1")).await;
    talk.make(revise("m9", "waiting words", at(20))).await;
    talk.make(edit("m1", message("m2"), "e1", at(1_000 + EDIT_MEMORY_MS))).await;
    assert_eq!(talk.outcome(Change::Expire).await, Outcome::Nothing);
    talk.wait(EDIT_MEMORY_MS);
    assert_eq!(talk.outcome(Change::Expire).await, Outcome::Done);
    talk.assert_unsaid(&words_of("m1")).await;
    assert_eq!(talk.refusal(restore("e1")).await, Refusal::UndoExpired);
    talk.now = at(999 + DELIVERY_MEMORY_MS);
    assert_eq!(talk.outcome(Change::Expire).await, Outcome::Done, "the closed edit went");
    assert_eq!(talk.refusal(restore("e1")).await, Refusal::EditNotFound);
    assert!(talk.whole().await.deliveries.contains_key(&delivery_id("d1")));
    talk.wait(1);
    assert_eq!(talk.outcome(Change::Expire).await, Outcome::Done);
    let whole = talk.whole().await;
    assert!(whole.deliveries.is_empty() && whole.revisions.is_empty());
    assert_eq!(talk.outcome(Change::Expire).await, Outcome::Nothing);
}

/// A sweep lets go in every conversation, and says so; then there is nothing left to do.
pub async fn h13_a_sweep_lets_go_everywhere(store: Arc<dyn Store>) {
    for name in ["x", "y"] {
        let talk = Talk::new(&store, chat_key(name));
        talk.say("m1").await;
        talk.make(edit("m1", message("m2"), "e1", at(2_000))).await;
    }
    let sweep = async |now| {
        let mut all = store.sweep(at(now), 1).await.expect("the store answers");
        for _ in 0..100 {
            let more = store.sweep(at(now), 1).await.expect("the store answers");
            all.expired += more.expired;
            all.purged += more.purged;
            if more.purged == 0 && more.expired == 0 {
                return all;
            }
        }
        panic!("a sweep comes to an end");
    };
    assert_eq!(sweep(1_999).await.expired, 0);
    assert!(sweep(2_000).await.expired >= 2);
    for name in ["x", "y"] {
        let talk = Talk::new(&store, chat_key(name));
        talk.assert_wordless("m1").await;
        assert_eq!(talk.whole().await.undo, None);
        assert_eq!(talk.heard().await, ["m2"]);
    }
}
