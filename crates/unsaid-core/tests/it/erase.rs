//! Forget all: of one person, of everybody. No word is left anywhere.

use unsaid_core::domain::{
    conversation::{
        Conversation,
        change::{
            Change, Event, Interrupt, Outcome, Refusal, ReplaceTail, Revise, Ripple, Say,
            SendOutcome,
        },
    },
    message::{Author, Message},
};

use crate::{
    given::{Talk, at, by, delivery, edit, id, parts, person, words_of},
    words,
};

const CANARY: &str = "canary";

fn by_person(name: &str, who: &str) -> Message {
    by(Author::Person(Some(person(who))), name)
}

/// A conversation with a canary in every place that can hold words.
fn full_of_words() -> Talk {
    let mut talk = Talk::new();
    let canary = |name: &str| format!("canary-{name}");
    talk.hears(by_person(&canary("said"), "ana"));
    let fence = talk.begins().fence;
    talk.try_answer(fence, &canary("answer")).unwrap();
    talk.hears(by_person(&canary("met-with-silence"), "ana"));
    let fence = talk.begins().fence;
    talk.is_silent(fence, "canary reason");
    talk.hears(by_person(&canary("edited-away"), "ana"));
    let fence = talk.begins().fence;
    talk.intends(fence, &canary("sent")).unwrap();
    talk.settles(&canary("sent"), SendOutcome::Sent).unwrap();
    talk.make(Change::Revise(Revise {
        id: id("not-here-yet"),
        by: Some(person("ana")),
        parts: parts("canary revision"),
        at: at(5),
        ripple: Ripple::Withdraw,
    }));
    talk.edits(&canary("edited-away"), &canary("instead"), "e").unwrap();
    let fence = talk.begins().fence;
    talk.intends(fence, &canary("on-its-way")).unwrap();
    talk
}

fn places(state: &Conversation) -> usize {
    words::all(state).iter().filter(|text| text.contains(CANARY)).count()
}

#[test]
fn the_walker_finds_every_canary() {
    // said, answer, met-with-silence, reason, edited-away, sent, revision, instead, on-its-way
    assert_eq!(places(&full_of_words().state), 9);
}

#[test]
fn erasing_all_leaves_nothing_but_numbers_and_ids_that_stay_out() {
    let mut talk = full_of_words();
    talk.unsends("taken-back");
    let before = talk.state.clone();
    let outcome = talk.make(Change::EraseAll);
    assert_eq!(outcome, Outcome::Erased { count: before.log.len() as u64 });
    assert_eq!(places(&talk.state), 0);
    let expected = Conversation {
        version: before.version.next(),
        last_number: before.last_number,
        last_fence: before.last_fence,
        tombstones: before.tombstones,
        deliveries: before.deliveries,
        ..Conversation::default()
    };
    assert_eq!(talk.state, expected);
}

#[test]
fn erasing_all_is_told_once_with_what_could_be_heard() {
    let mut talk = full_of_words();
    let (first, count) = (talk.heard()[0].to_owned(), talk.heard().len() as u64);
    let applied = talk.change(Change::EraseAll).unwrap();
    let removed = Event::Removed { from: id(&first), count, edit: None, unsent: false };
    assert_eq!(applied.events, [removed]);
    assert_eq!(talk.change(Change::EraseAll).unwrap().events, []);
}

#[test]
fn erasing_all_ends_a_running_turn() {
    let mut talk = Talk::new();
    talk.says("m1");
    let fence = talk.begins().fence;
    talk.make(Change::EraseAll);
    assert_eq!(talk.try_answer(fence, "a1"), Err(Refusal::StaleFence));
    assert_eq!(talk.try_begin(), Err(Refusal::NothingWaiting));
}

#[test]
fn erasing_a_person_leaves_none_of_their_words_nor_answers_to_them() {
    let mut talk = full_of_words();
    talk.make(Change::EraseAuthor { person: person("ana"), ripple: Ripple::Withdraw });
    assert_eq!(places(&talk.state), 0);
    assert!(talk.heard().is_empty());
}

#[test]
fn erasing_a_person_leaves_the_others() {
    let mut talk = Talk::new();
    talk.hears(by_person("m1", "ana"));
    talk.hears(by_person("m2", "bob"));
    let fence = talk.begins().fence;
    talk.try_answer(fence, "a1").unwrap();
    talk.hears(by_person("m3", "bob"));
    let fence = talk.begins().fence;
    talk.try_answer(fence, "a2").unwrap();
    talk.hears(by(Author::Person(None), "m4"));
    let erase = |ripple| Change::EraseAuthor { person: person("ana"), ripple };
    let mut keeping = talk.clone();
    assert_eq!(keeping.make(erase(Ripple::Keep)), Outcome::Erased { count: 1 });
    assert_eq!(keeping.heard(), ["m2", "a1", "m3", "a2", "m4"]);
    assert_eq!(talk.make(erase(Ripple::Withdraw)), Outcome::Erased { count: 1 });
    assert_eq!(talk.heard(), ["m2", "m3", "a2", "m4"], "a1 answered her too");
    assert_eq!(talk.make(erase(Ripple::Withdraw)), Outcome::Nothing, "again is nothing");
}

#[test]
fn erasing_a_person_cancels_a_turn_that_read_them_and_others_are_answered_at_once() {
    let mut talk = Talk::new();
    talk.hears(by_person("m1", "ana"));
    talk.hears(by_person("m2", "bob"));
    let fence = talk.begins().fence;
    talk.make(Change::EraseAuthor { person: person("ana"), ripple: Ripple::Withdraw });
    assert_eq!(talk.try_answer(fence, "a1"), Err(Refusal::StaleFence));
    let questions = talk.begins().questions;
    assert_eq!(questions.into_iter().collect::<Vec<_>>(), [talk.entry("m2").number]);
}

#[test]
fn erasing_a_person_who_is_only_in_the_undo_empties_it() {
    let mut talk = Talk::new();
    talk.hears(by_person("m1", "ana"));
    let replace = ReplaceTail {
        from: id("m1").into(),
        with: None,
        undo: Some((edit("e"), talk.now.plus_millis(1_000))),
        interrupt: Interrupt::No,
    };
    talk.make(Change::ReplaceTail(replace));
    assert!(talk.holds(&words_of("m1")));
    let erase = Change::EraseAuthor { person: person("ana"), ripple: Ripple::Withdraw };
    assert_eq!(talk.make(erase), Outcome::Erased { count: 0 });
    assert!(!talk.holds(&words_of("m1")));
}

#[test]
fn what_was_delivered_before_is_not_brought_back_by_a_redelivery() {
    for erase in
        [Change::EraseAll, Change::EraseAuthor { person: person("ana"), ripple: Ripple::Withdraw }]
    {
        let mut talk = Talk::new();
        let message = by_person("m1", "ana");
        let say = Change::Say(Say {
            message,
            delivery: Some(delivery("d1")),
            wants_answer: None,
            way_back: None,
        });
        talk.make(say.clone());
        talk.make(erase);
        assert_eq!(talk.make(say), Outcome::Known);
    }
}
