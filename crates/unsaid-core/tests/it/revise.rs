//! An edit in place, as LINE has it: the largest timestamp wins, in any order.

use proptest::prelude::*;
use unsaid_core::domain::{
    conversation::{
        DELIVERY_MEMORY_MS,
        change::{Change, Outcome, Refusal, Revise, Ripple, Say},
    },
    message::{Author, Part},
};

use crate::given::{Talk, answered, at, by, id, parts, person, said, words_of};

fn revise(name: &str, text: &str, millis: i64, ripple: Ripple) -> Change {
    let by = Some(person("ana"));
    Change::Revise(Revise { id: id(name), by, parts: parts(text), at: at(millis), ripple })
}

fn text_of(talk: &Talk, name: &str) -> Vec<Part> {
    talk.entry(name).message.parts.clone()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// 0 is the message itself, the others are edits with that timestamp.
    #[test]
    fn the_newest_edit_wins_in_any_order(order in Just((0..6_i64).collect::<Vec<_>>()).prop_shuffle()) {
        let mut talk = Talk::new();
        for millis in order {
            let change = if millis == 0 {
                Change::Say(Say { message: said("m1"), delivery: None, wants_answer: None, way_back: None })
            } else {
                revise("m1", &format!("edit {millis}"), millis, Ripple::Withdraw)
            };
            talk.make(change);
        }
        prop_assert_eq!(text_of(&talk, "m1"), parts("edit 5"));
        prop_assert!(talk.state.revisions.is_empty());
        prop_assert!(!talk.holds(&words_of("m1")) && !talk.holds("edit 4"));
    }

    /// 6 takes it back.
    #[test]
    fn nothing_is_left_after_an_unsend_in_any_order(
        order in Just((0..=6_i64).collect::<Vec<_>>()).prop_shuffle()
    ) {
        let mut talk = Talk::new();
        for millis in order {
            match millis {
                0 => {
                    let message = said("m1");
                    talk.make(Change::Say(Say { message, delivery: None, wants_answer: None, way_back: None }));
                }
                6 => {
                    talk.unsends("m1");
                }
                _ => {
                    talk.make(revise("m1", &format!("edit {millis}"), millis, Ripple::Withdraw));
                }
            }
        }
        prop_assert!(talk.state.log.is_empty() && talk.state.revisions.is_empty());
    }
}

#[test]
fn the_same_moment_again_changes_nothing() {
    let mut talk = Talk::new();
    talk.says("m1");
    assert_eq!(talk.revises("m1", "edited", 5), Outcome::Done);
    assert_eq!(talk.revises("m1", "edited", 5), Outcome::Nothing);
    assert_eq!(talk.revises("m1", "an older edit", 4), Outcome::Nothing);
    assert_eq!(text_of(&talk, "m1"), parts("edited"));
}

#[test]
fn one_that_comes_before_its_message_waits_for_it_a_week() {
    let mut talk = Talk::new();
    assert_eq!(talk.revises("m1", "edited", 5), Outcome::Deferred);
    assert_eq!(talk.revises("m1", "edited", 5), Outcome::Nothing);
    talk.later(DELIVERY_MEMORY_MS);
    assert_eq!(talk.make(Change::Expire), Outcome::Done);
    assert!(!talk.holds("edited"), "words that nobody asks for do not stay");
    talk.says("m1");
    assert_eq!(text_of(&talk, "m1"), parts(&words_of("m1")));
}

#[test]
fn it_wants_no_new_turn() {
    let mut talk = Talk::new();
    talk.exchange("m1", "a1");
    talk.revises("m1", "edited", 5);
    assert_eq!(talk.try_begin(), Err(Refusal::NothingWaiting));
}

#[test]
fn a_running_turn_that_read_it_begins_again_with_the_new_words() {
    let mut talk = Talk::new();
    talk.says("m1");
    let fence = talk.begins().fence;
    talk.revises("m1", "edited", 5);
    assert_eq!(talk.try_answer(fence, "a1"), Err(Refusal::StaleFence));
    let next = talk.begins();
    assert_eq!(next.questions.len(), 1);
    talk.try_answer(next.fence, "a2").unwrap();
}

#[test]
fn a_running_turn_that_did_not_read_it_goes_on() {
    let mut talk = Talk::new();
    talk.says("m1");
    let fence = talk.begins().fence;
    talk.says("m2");
    talk.revises("m2", "edited", 5);
    talk.try_answer(fence, "a1").unwrap();
}

#[test]
fn answers_to_the_old_words_go_with_them() {
    for (ripple, heard) in [(Ripple::Withdraw, vec!["m1"]), (Ripple::Keep, vec!["m1", "a1"])] {
        let mut talk = Talk::new();
        talk.exchange("m1", "a1");
        talk.make(revise("m1", "edited", 5, ripple));
        assert_eq!(talk.heard(), heard);
    }
}

#[test]
fn the_reason_for_silence_goes_with_the_old_words() {
    let mut talk = Talk::new();
    talk.says("m1");
    let fence = talk.begins().fence;
    talk.is_silent(fence, "because of the secret");
    talk.make(revise("m1", "edited", 5, Ripple::Keep));
    assert!(!talk.holds("secret"));
}

#[test]
fn an_agents_words_are_not_edited_in_place_in_any_order() {
    let mut talk = Talk::new();
    talk.exchange("m1", "a1");
    let late = revise("a1", "put into its mouth", 5, Ripple::Keep);
    assert_eq!(talk.change(late), Err(Refusal::NotAPersons));
    talk.revises("a2", "put into its mouth", 5);
    let message = by(answered("a2").author, "a2");
    talk.make(Change::Say(Say { message, delivery: None, wants_answer: None, way_back: None }));
    assert!(!talk.holds("put into its mouth"));
}

#[test]
fn an_unknown_speaker_can_edit_too() {
    let mut talk = Talk::new();
    talk.hears(by(Author::Person(None), "m1"));
    assert_eq!(talk.revises("m1", "edited", 5), Outcome::Done);
}
