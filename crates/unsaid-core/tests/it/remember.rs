//! Remember: numbers, deliveries, wishes for an answer.

use unsaid_core::domain::{
    conversation::{
        DELIVERY_MEMORY_MS,
        change::{Change, Event, Outcome, Refusal, Say},
    },
    id::Number,
    message::{Author, Part},
    time::Timestamp,
};

use crate::given::{Talk, agent, answered, by, delivery, id, parts, said, words_of};

fn brought(name: &str, by: &str, wants_answer: Option<Timestamp>) -> Change {
    Change::Say(Say {
        message: said(name),
        delivery: Some(delivery(by)),
        wants_answer,
        way_back: None,
    })
}

#[test]
fn h2_numbers_rise_by_one_and_are_not_reused() {
    let mut talk = Talk::new();
    assert_eq!(talk.says("m1"), Number::new(1));
    assert_eq!(talk.says("m2"), Number::new(2));
    talk.unsends("m2");
    assert_eq!(talk.says("m3"), Number::new(3), "a removed number stays empty");
    talk.edits("m1", "m4", "e").unwrap();
    assert_eq!(talk.entry("m4").number, Number::new(4));
    talk.undoes("e").unwrap();
    assert_eq!(talk.says("m5"), Number::new(5), "an undone edit gives nothing back");
    talk.make(Change::EraseAll);
    assert_eq!(talk.says("m6"), Number::new(6), "erasing gives nothing back");
}

#[test]
fn h2_order_is_arrival_whatever_the_clocks_say() {
    let mut talk = Talk::new();
    for (name, millis) in [("m1", 5), ("m2", 5), ("m3", 1)] {
        let mut message = said(name);
        message.at = Timestamp::from_millis(millis);
        talk.hears(message);
        talk.later(-3);
    }
    assert_eq!(talk.heard(), ["m1", "m2", "m3"]);
}

#[test]
fn h3_the_same_delivery_counts_once_even_with_another_id() {
    let mut talk = Talk::new();
    assert_eq!(talk.make(brought("m1", "d1", None)), Outcome::Said(Number::new(1)));
    assert_eq!(talk.make(brought("m1", "d1", None)), Outcome::Known);
    assert_eq!(talk.make(brought("m2", "d1", None)), Outcome::Known);
    assert_eq!(talk.make(brought("m1", "d2", None)), Outcome::Known, "the same message id");
    assert_eq!(talk.heard(), ["m1"]);
}

#[test]
fn h3_a_delivery_is_remembered_for_seven_days_even_beyond_its_message() {
    let mut talk = Talk::new();
    talk.make(brought("m1", "d1", None));
    talk.make(Change::EraseAll);
    talk.later(DELIVERY_MEMORY_MS - 1);
    assert_eq!(talk.make(Change::Expire), Outcome::Nothing);
    assert_eq!(talk.make(brought("m1", "d1", None)), Outcome::Known);
    talk.later(1);
    assert_eq!(talk.make(Change::Expire), Outcome::Done);
    assert_eq!(talk.make(brought("m1", "d1", None)), Outcome::Said(Number::new(2)));
}

#[test]
fn the_earliest_wish_for_an_answer_counts() {
    let mut talk = Talk::new();
    let soon = talk.now.plus_millis(1_500);
    talk.make(brought("m1", "d1", Some(soon)));
    talk.later(1_000);
    talk.make(brought("m2", "d2", Some(talk.now.plus_millis(1_500))));
    assert_eq!(talk.state.wanted_at, Some(soon), "what follows is answered together with it");
    assert_eq!(talk.try_begin(), Err(Refusal::NotYet { at: soon }));
    talk.later(500);
    assert_eq!(talk.begins().questions.len(), 2);
}

#[test]
fn who_wants_no_answer_makes_nobody_owe_one() {
    let mut talk = Talk::new();
    talk.make(brought("m1", "d1", None));
    assert_eq!(talk.try_begin(), Err(Refusal::NothingWaiting));
}

#[test]
fn what_was_promised_can_be_filled_in_until_newer_words_come() {
    let mut talk = Talk::new();
    talk.says("m1");
    let fill = |text: &str| Change::Fill { id: id("m1"), parts: parts(text) };
    assert_eq!(talk.make(fill("the picture")), Outcome::Done);
    assert!(talk.holds("the picture") && !talk.holds(&words_of("m1")));
    talk.revises("m1", "something else", 7);
    assert_eq!(talk.make(fill("the picture, late")), Outcome::Nothing);
    talk.unsends("m1");
    assert_eq!(talk.change(fill("the picture, too late")), Err(Refusal::NotFound));
    assert!(!talk.holds("picture"));
}

#[test]
fn an_answer_without_words_cannot_be_filled_in() {
    let mut talk = Talk::new();
    talk.exchange("m1", "a1");
    talk.unsends("m1");
    let fill = Change::Fill { id: id("a1"), parts: vec![] as Vec<Part> };
    assert_eq!(talk.change(fill), Err(Refusal::NotFound));
}

#[test]
fn clearing_an_agent_notes_how_far_and_changes_no_message() {
    let mut talk = Talk::new();
    talk.exchange("m1", "a1");
    assert_eq!(talk.make(Change::Clear(agent("bot"))), Outcome::Done);
    assert_eq!(talk.state.cleared[&agent("bot")], Number::new(2));
    assert_eq!(talk.heard(), ["m1", "a1"]);
}

#[test]
fn an_agents_word_from_outside_is_told_like_any_other() {
    let mut talk = Talk::new();
    let message = by(Author::Agent(agent("bot")), "a1");
    let say = Say { message, delivery: None, wants_answer: None, way_back: None };
    let applied = talk.change(Change::Say(say)).unwrap();
    assert_eq!(applied.events, [Event::Message { id: answered("a1").id }]);
}
