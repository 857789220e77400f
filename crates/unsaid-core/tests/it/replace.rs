//! Forget from here (H6): first, middle, last; with and without new words; all or nothing.

use unsaid_core::domain::{
    conversation::change::{Change, Decision, Event, Interrupt, Outcome, Refusal, ReplaceTail},
    id::Number,
    message::Message,
};

use crate::given::{Talk, answered, edit, id, said, words_of};

/// Three exchanges: m1 a1 m2 a2 m3 a3.
fn long_talk() -> Talk {
    let mut talk = Talk::new();
    for n in 1..=3 {
        talk.exchange(&format!("m{n}"), &format!("a{n}"));
    }
    talk
}

fn replace(from: &str, with: Option<Message>, interrupt: Interrupt) -> Change {
    let with = with.map(|message| (message, None));
    Change::ReplaceTail(ReplaceTail { from: id(from).into(), with, undo: None, interrupt })
}

#[test]
fn first_middle_and_last() {
    for (from, count, left) in [
        ("m1", 6, vec!["new"]),
        ("m2", 4, vec!["m1", "a1", "new"]),
        ("m3", 2, vec!["m1", "a1", "m2", "a2", "new"]),
    ] {
        let mut talk = long_talk();
        let applied = talk.change(replace(from, Some(said("new")), Interrupt::No)).unwrap();
        let number = Some(Number::new(7));
        assert_eq!(applied.outcome, Outcome::Replaced { count, number });
        let removed = Event::Removed { from: id(from), count, edit: None, unsent: false };
        assert_eq!(applied.events, [removed, Event::Message { id: id("new") }]);
        assert_eq!(talk.heard(), left);
        assert!(!talk.holds(&words_of("m3")) && !talk.holds(&words_of("a3")));
    }
}

#[test]
fn without_new_words_the_tail_is_just_gone() {
    let mut talk = long_talk();
    let outcome = talk.make(replace("m2", None, Interrupt::No));
    assert_eq!(outcome, Outcome::Replaced { count: 4, number: None });
    assert_eq!(talk.heard(), ["m1", "a1"]);
    assert_eq!(talk.state.undo, None, "nothing is kept that nobody asked to keep");
}

#[test]
fn the_edge_is_the_number_not_the_clock() {
    let mut talk = Talk::new();
    for name in ["m1", "m2", "m3"] {
        talk.says(name);
    }
    assert!(talk.state.log.iter().all(|entry| entry.message.at == said("m1").at));
    talk.make(replace("m2", None, Interrupt::No));
    assert_eq!(talk.heard(), ["m1"]);
}

#[test]
fn new_words_want_an_answer_of_their_own() {
    let mut talk = long_talk();
    talk.edits("m2", "new", "e").unwrap();
    let questions = talk.begins().questions;
    assert_eq!(questions.into_iter().collect::<Vec<_>>(), [talk.entry("new").number]);
}

#[test]
fn nobody_owes_an_answer_to_what_is_gone() {
    let mut talk = Talk::new();
    talk.says("m1");
    talk.make(replace("m1", None, Interrupt::No));
    assert_eq!(talk.try_begin(), Err(Refusal::NothingWaiting));
}

#[test]
fn what_waits_before_the_edge_still_waits() {
    let mut talk = Talk::new();
    talk.says("m1");
    talk.says("m2");
    talk.make(replace("m2", None, Interrupt::No));
    assert_eq!(talk.begins().questions.len(), 1);
}

#[test]
fn an_agents_message_or_an_unknown_one_is_refused() {
    let mut talk = long_talk();
    let agents = replace("a1", Some(said("new")), Interrupt::Yes);
    assert_eq!(talk.change(agents), Err(Refusal::NotAPersons));
    let unknown = replace("m9", Some(said("new")), Interrupt::Yes);
    assert_eq!(talk.change(unknown), Err(Refusal::NotFound));
    talk.unsends("m1");
    let taken_back = replace("m1", Some(said("new")), Interrupt::Yes);
    assert_eq!(talk.change(taken_back), Err(Refusal::NotFound));
}

#[test]
fn a_replacement_may_carry_the_id_it_replaces_and_no_other() {
    let mut talk = long_talk();
    for taken in ["m1", "a1"] {
        let change = replace("m2", Some(said(taken)), Interrupt::Yes);
        assert_eq!(talk.change(change), Err(Refusal::IdTaken));
    }
    talk.unsends("gone");
    let change = replace("m2", Some(said("gone")), Interrupt::Yes);
    assert_eq!(talk.change(change), Err(Refusal::IdTaken));
    talk.make(replace("m2", Some(said("m2")), Interrupt::Yes));
    assert_eq!(talk.heard(), ["m1", "a1", "m2"]);
    assert_eq!(talk.entry("m2").number, Number::new(7));
}

#[test]
fn a_running_turn_is_waited_for_unless_interrupted() {
    let mut talk = long_talk();
    talk.says("m4");
    let lease = talk.begins();
    let refused = talk.change(replace("m2", Some(said("new")), Interrupt::No));
    assert_eq!(refused, Err(Refusal::TurnInProgress { until: lease.until }));
    talk.make(replace("m2", Some(said("new")), Interrupt::Yes));
    assert_eq!(talk.try_answer(lease.fence, "a4"), Err(Refusal::StaleFence));
    let (decision, _) = talk.state.turns[&lease.fence].ended.clone().unwrap();
    assert_eq!(decision, Decision::Cancelled);
}

#[test]
fn a_lease_that_ran_out_is_not_waited_for() {
    let mut talk = long_talk();
    talk.says("m4");
    let lease = talk.begins();
    talk.now = lease.until;
    talk.make(replace("m4", Some(said("new")), Interrupt::No));
    assert_eq!(talk.state.turn, None);
}

#[test]
fn an_interrupted_turn_answers_what_is_left_of_its_questions() {
    let mut talk = Talk::new();
    talk.says("m1");
    talk.says("m2");
    talk.begins();
    talk.make(replace("m2", None, Interrupt::Yes));
    let questions = talk.begins().questions;
    assert_eq!(questions.into_iter().collect::<Vec<_>>(), [talk.entry("m1").number]);
}

#[test]
fn of_several_edits_of_one_message_one_wins() {
    let mut talk = long_talk();
    talk.edits("m2", "new1", "e1").unwrap();
    assert_eq!(talk.edits("m2", "new2", "e2"), Err(Refusal::NotFound));
    assert_eq!(talk.heard(), ["m1", "a1", "new1"]);
}

#[test]
fn reasons_for_silence_about_the_tail_go_with_it() {
    let mut talk = Talk::new();
    talk.says("m1");
    let fence = talk.begins().fence;
    talk.is_silent(fence, "because of the secret");
    talk.edits("m1", "new", "e").unwrap();
    assert!(!talk.holds("secret"));
}

#[test]
fn answers_without_words_are_not_counted() {
    let mut talk = long_talk();
    talk.unsends("m3");
    assert!(talk.entry("a3").gone);
    let outcome = talk.make(replace("m2", None, Interrupt::No));
    assert_eq!(outcome, Outcome::Replaced { count: 2, number: None });
}

#[test]
fn an_edit_is_told_under_its_own_id() {
    let mut talk = long_talk();
    let applied = talk.edits("m3", "new", "e").unwrap();
    let removed = Event::Removed { from: id("m3"), count: 2, edit: Some(edit("e")), unsent: false };
    assert_eq!(applied.events[0], removed);
    assert_ne!(answered("a3").id, id("new"));
}
