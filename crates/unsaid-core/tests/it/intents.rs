//! What leaves the house is written down before and after (H11).

use unsaid_core::domain::conversation::{
    change::{Change, Event, Missing, Outcome, Refusal, Ripple, SendOutcome},
    log::Sending,
};

use crate::given::{LEASE_MS, Talk, edit, id, remove, words_of};

/// Somebody asked, and an answer is about to leave.
fn on_its_way() -> Talk {
    let mut talk = Talk::new();
    talk.says("m1");
    let fence = talk.begins().fence;
    talk.intends(fence, "a1").expect("the intent is taken");
    talk
}

#[test]
fn an_intent_is_seen_by_nobody_until_it_left() {
    let mut talk = on_its_way();
    assert_eq!(talk.heard(), ["m1"]);
    for outcome in [SendOutcome::Sent, SendOutcome::Unknown] {
        let mut talk = talk.clone();
        let applied = talk.settles("a1", outcome).unwrap();
        assert_eq!(applied.events, [Event::Message { id: id("a1") }]);
        assert_eq!(talk.heard(), ["m1", "a1"]);
        assert_eq!(talk.state.turn, None, "an answer ends the turn");
        assert_eq!(talk.try_begin(), Err(Refusal::NothingWaiting));
    }
    let applied = talk.settles("a1", SendOutcome::Failed).unwrap();
    assert_eq!(applied.events, []);
    assert_eq!(talk.heard(), ["m1"]);
    assert!(!talk.holds(&words_of("a1")), "what was never said is not kept");
}

#[test]
fn a_failed_send_leaves_the_turn_to_its_holder_for_another_try() {
    let mut talk = on_its_way();
    let fence = talk.state.last_fence;
    assert_eq!(talk.intends(fence, "a2"), Err(Refusal::AlreadyAnswered));
    talk.settles("a1", SendOutcome::Failed).unwrap();
    assert_eq!(talk.intends(fence, "a1"), Err(Refusal::IdTaken));
    talk.intends(fence, "a2").unwrap();
    talk.settles("a2", SendOutcome::Sent).unwrap();
    assert_eq!(talk.heard(), ["m1", "a2"]);
}

#[test]
fn settling_again_changes_nothing_whatever_is_said() {
    for first in [SendOutcome::Sent, SendOutcome::Failed, SendOutcome::Unknown] {
        let mut talk = on_its_way();
        talk.settles("a1", first).unwrap();
        for again in [SendOutcome::Sent, SendOutcome::Failed, SendOutcome::Unknown] {
            assert_eq!(talk.settles("a1", again).unwrap().outcome, Outcome::Nothing);
        }
    }
}

#[test]
fn what_was_never_intended_cannot_be_settled() {
    let mut talk = Talk::new();
    talk.exchange("m1", "a1");
    assert_eq!(talk.settles("a2", SendOutcome::Sent), Err(Refusal::NotFound));
    for here in ["m1", "a1"] {
        assert_eq!(talk.settles(here, SendOutcome::Sent).unwrap().outcome, Outcome::Nothing);
    }
}

#[test]
fn no_turn_begins_while_an_answer_may_be_on_its_way() {
    let mut talk = on_its_way();
    talk.says("m2");
    talk.later(LEASE_MS);
    let unsettled = Err(Refusal::Unsettled { id: id("a1") });
    assert_eq!(talk.try_begin(), unsettled, "the holder died between intent and outcome");
    talk.settles("a1", SendOutcome::Unknown).unwrap();
    let questions = talk.begins().questions;
    assert_eq!(questions.into_iter().collect::<Vec<_>>(), [talk.entry("m2").number]);
}

#[test]
fn an_answer_that_left_after_its_turn_was_given_up_still_answers() {
    let mut talk = on_its_way();
    let fence = talk.state.last_fence;
    talk.make(Change::Release { fence });
    assert_eq!(talk.try_begin(), Err(Refusal::Unsettled { id: id("a1") }));
    talk.settles("a1", SendOutcome::Sent).unwrap();
    assert_eq!(talk.heard(), ["m1", "a1"]);
    assert_eq!(talk.try_begin(), Err(Refusal::NothingWaiting), "nobody is answered twice");
}

#[test]
fn an_answer_that_did_not_leave_after_its_turn_was_given_up_is_given_anew() {
    let mut talk = on_its_way();
    let fence = talk.state.last_fence;
    talk.make(Change::Release { fence });
    talk.settles("a1", SendOutcome::Failed).unwrap();
    assert_eq!(talk.begins().questions.len(), 1);
}

#[test]
fn a_question_taken_back_between_intent_and_outcome_takes_the_words_along() {
    for outcome in [SendOutcome::Sent, SendOutcome::Failed, SendOutcome::Unknown] {
        let mut talk = on_its_way();
        talk.unsends("m1");
        assert!(!talk.holds(&words_of("a1")));
        assert_eq!(talk.settles("a1", outcome).unwrap().outcome, Outcome::Done);
        let entry = talk.entry("a1");
        assert!(entry.gone, "its line says that it was withdrawn");
        assert_ne!(entry.sending, Sending::Intended, "and what became of it");
        assert!(talk.heard().is_empty());
    }
}

#[test]
fn one_of_two_questions_taken_back_leaves_the_other_waiting() {
    let mut talk = Talk::new();
    talk.says("m1");
    talk.says("m2");
    let fence = talk.begins().fence;
    talk.intends(fence, "a1").unwrap();
    talk.unsends("m1");
    talk.settles("a1", SendOutcome::Sent).unwrap();
    let questions = talk.begins().questions;
    assert_eq!(questions.into_iter().collect::<Vec<_>>(), [talk.entry("m2").number]);
}

#[test]
fn without_ripple_what_left_stays_and_answers_the_rest() {
    let mut talk = Talk::new();
    talk.says("m1");
    talk.says("m2");
    let fence = talk.begins().fence;
    talk.intends(fence, "a1").unwrap();
    talk.make(remove("m1", Missing::Remember, Ripple::Keep));
    talk.settles("a1", SendOutcome::Sent).unwrap();
    assert_eq!(talk.heard(), ["m2", "a1"]);
    assert_eq!(talk.try_begin(), Err(Refusal::NothingWaiting));
}

#[test]
fn an_edit_waits_until_it_is_known_what_left() {
    let mut talk = on_its_way();
    talk.later(LEASE_MS);
    let unsettled = Err(Refusal::Unsettled { id: id("a1") });
    assert_eq!(talk.edits("m1", "m2", "e"), unsettled);
    talk.settles("a1", SendOutcome::Sent).unwrap();
    talk.edits("m1", "m2", "e").unwrap();
    talk.undoes("e").unwrap();
    assert_eq!(talk.entry("a1").sending, Sending::Sent);
}

#[test]
fn an_undo_waits_until_it_is_known_what_left() {
    let mut talk = Talk::new();
    talk.says("m1");
    talk.edits("m1", "m2", "e").unwrap();
    let fence = talk.begins().fence;
    talk.intends(fence, "a1").unwrap();
    talk.make(Change::Release { fence });
    assert_eq!(talk.undoes("e"), Err(Refusal::Unsettled { id: id("a1") }));
    talk.settles("a1", SendOutcome::Failed).unwrap();
    talk.undoes("e").unwrap();
    assert_eq!(talk.state.undo, None);
    assert!(talk.state.closed_edits.contains_key(&edit("e")));
}

#[test]
fn erasing_does_not_wait_for_an_outcome() {
    let mut talk = on_its_way();
    talk.make(Change::EraseAll);
    assert_eq!(talk.settles("a1", SendOutcome::Sent), Err(Refusal::NotFound));
    talk.says("m2");
    talk.begins();
}
