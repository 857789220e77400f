//! Undo: until its time has passed or a person went on; agents' answers do not count.

use unsaid_core::domain::{
    conversation::{
        EDIT_MEMORY_MS,
        change::{Change, Event, Interrupt, Missing, Outcome, Refusal, ReplaceTail, Ripple, Say},
        log::Entry,
    },
    message::{Audience, Author},
};

use crate::given::{
    Talk, UNDO_MS, agent, answered, by, edit, id, parts, person, remove, said, words_of,
};

/// m1 a1 m2 a2, of which m2 and all after it was replaced by m3 under the edit `e`.
fn edited() -> Talk {
    let mut talk = Talk::new();
    talk.exchange("m1", "a1");
    talk.exchange("m2", "a2");
    talk.edits("m2", "m3", "e").expect("the edit is made");
    talk
}

#[test]
fn it_brings_back_ids_order_numbers_and_hearers() {
    let mut talk = Talk::new();
    talk.exchange("m1", "a1");
    let mut heard_by_two = said("m2");
    heard_by_two.audience =
        Audience { only: Some(vec![agent("o1"), agent("a1")]), ..Audience::default() };
    talk.hears(heard_by_two);
    let fence = talk.begins().fence;
    talk.try_answer(fence, "a2").unwrap();
    let before: Vec<Entry> = talk.state.log.iter().cloned().collect();
    talk.edits("m2", "m3", "e").unwrap();
    assert_eq!(talk.heard(), ["m1", "a1", "m3"]);
    let applied = talk.undoes("e").unwrap();
    assert_eq!(applied.outcome, Outcome::Restored { from: Some(id("m2")), count: 2 });
    assert_eq!(talk.state.log.iter().cloned().collect::<Vec<_>>(), before);
    assert!(!talk.holds(&words_of("m3")), "the replacement is gone");
}

#[test]
fn it_removes_the_answers_to_the_replacement_and_says_so() {
    let mut talk = edited();
    let fence = talk.begins().fence;
    talk.try_answer(fence, "a3").unwrap();
    let applied = talk.undoes("e").expect("agents' answers do not block it");
    let removed = Event::Removed { from: id("m3"), count: 2, edit: None, unsent: false };
    let restored = Event::Restored { edit: edit("e"), from: id("m2"), count: 2 };
    assert_eq!(applied.events, [removed, restored]);
    assert_eq!(talk.heard(), ["m1", "a1", "m2", "a2"]);
    assert!(!talk.holds(&words_of("a3")));
}

#[test]
fn the_reason_for_silence_about_the_replacement_goes_with_it() {
    let mut talk = edited();
    let fence = talk.begins().fence;
    talk.is_silent(fence, "because of the secret");
    talk.undoes("e").unwrap();
    assert!(!talk.holds("secret"));
}

#[test]
fn a_deletion_can_be_undone_too() {
    let mut talk = Talk::new();
    talk.exchange("m1", "a1");
    let undo = Some((edit("e"), talk.now.plus_millis(UNDO_MS)));
    let from = id("m1").into();
    let replace = ReplaceTail { from, with: None, undo, interrupt: Interrupt::No };
    talk.make(Change::ReplaceTail(replace));
    assert!(talk.heard().is_empty());
    let applied = talk.undoes("e").unwrap();
    let restored = Event::Restored { edit: edit("e"), from: id("m1"), count: 2 };
    assert_eq!(applied.events, [restored], "there was no replacement to remove");
    assert_eq!(talk.heard(), ["m1", "a1"]);
}

#[test]
fn its_window_ends_by_the_clock() {
    let mut talk = edited();
    talk.later(UNDO_MS - 1);
    talk.clone().undoes("e").expect("the last moment counts");
    talk.later(1);
    assert_eq!(talk.undoes("e"), Err(Refusal::UndoExpired));
    assert_eq!(talk.make(Change::Expire), Outcome::Done);
    assert!(!talk.holds(&words_of("m2")), "and the words with it");
    assert_eq!(talk.undoes("e"), Err(Refusal::UndoExpired));
    talk.later(EDIT_MEMORY_MS);
    talk.make(Change::Expire);
    assert_eq!(talk.undoes("e"), Err(Refusal::EditNotFound), "long ago is never");
}

#[test]
fn a_window_that_ended_before_a_person_went_on_ended_by_the_clock() {
    let mut talk = edited();
    talk.later(UNDO_MS);
    talk.says("m4");
    assert_eq!(talk.undoes("e"), Err(Refusal::UndoExpired));
}

#[test]
fn a_person_who_goes_on_blocks_it_and_empties_it_at_once() {
    let say = |name| {
        Change::Say(Say { message: said(name), delivery: None, wants_answer: None, way_back: None })
    };
    let delete = |from| ReplaceTail {
        from: id(from).into(),
        with: None,
        undo: None,
        interrupt: Interrupt::Yes,
    };
    for went_on in [
        say("m4"),
        remove("m1", Missing::Refuse, Ripple::Keep),
        remove("m3", Missing::Refuse, Ripple::Keep),
        remove("m2", Missing::Refuse, Ripple::Keep),
        remove("not-here-yet", Missing::Remember, Ripple::Keep),
        remove("a2", Missing::Remember, Ripple::Keep),
        Change::ReplaceTail(delete("m1")),
        Change::ReplaceTail(delete("m3")),
        Change::EraseAuthor { person: person("ana"), ripple: Ripple::Keep },
        Change::CloseUndo,
    ] {
        let mut talk = edited();
        talk.make(went_on.clone());
        assert_eq!(talk.undoes("e"), Err(Refusal::UndoBlocked), "{went_on:?}");
        assert!(!talk.holds(&words_of("m2")) && !talk.holds(&words_of("a2")), "{went_on:?}");
    }
}

#[test]
fn an_edit_in_place_blocks_it_wherever_its_message_is() {
    for name in ["m1", "m2", "m3", "not-here-yet"] {
        let mut talk = edited();
        talk.revises(name, "edited in place", 5);
        assert_eq!(talk.undoes("e"), Err(Refusal::UndoBlocked), "{name}");
    }
}

#[test]
fn what_changes_nothing_does_not_block_it() {
    let mut talk = edited();
    talk.make(Change::Say(Say {
        message: said("m1"),
        delivery: None,
        wants_answer: None,
        way_back: None,
    }));
    let stranger = Change::EraseAuthor { person: person("nobody"), ripple: Ripple::Withdraw };
    assert_eq!(talk.make(stranger), Outcome::Nothing);
    let unknown = remove("m9", Missing::Refuse, Ripple::Withdraw);
    assert_eq!(talk.change(unknown), Err(Refusal::NotFound));
    talk.undoes("e").unwrap();
}

#[test]
fn an_agents_words_from_outside_do_not_block_it() {
    let mut talk = edited();
    talk.hears(by(Author::Agent(agent("bot")), "a9"));
    talk.undoes("e").unwrap();
    assert_eq!(talk.heard(), ["m1", "a1", "m2", "a2"]);
}

#[test]
fn the_second_time_is_blocked() {
    let mut talk = edited();
    talk.undoes("e").unwrap();
    assert_eq!(talk.undoes("e"), Err(Refusal::UndoBlocked));
}

#[test]
fn only_the_newest_edit_can_be_undone() {
    let mut talk = edited();
    talk.edits("m3", "m4", "e2").unwrap();
    assert_eq!(talk.undoes("e"), Err(Refusal::UndoBlocked));
    talk.undoes("e2").unwrap();
    assert_eq!(talk.heard(), ["m1", "a1", "m3"]);
    assert_eq!(talk.undoes("unknown"), Err(Refusal::EditNotFound));
}

#[test]
fn a_running_turn_is_waited_for_unless_interrupted() {
    let mut talk = edited();
    let lease = talk.begins();
    assert_eq!(talk.undoes("e"), Err(Refusal::TurnInProgress { until: lease.until }));
    talk.make(Change::Restore { edit: edit("e"), interrupt: Interrupt::Yes, or_nothing: false });
    assert_eq!(talk.try_answer(lease.fence, "a3"), Err(Refusal::StaleFence));
    assert_eq!(talk.heard(), ["m1", "a1", "m2", "a2"]);
    assert_eq!(talk.try_begin(), Err(Refusal::NothingWaiting), "all of it was answered");
}

#[test]
fn what_waited_when_it_was_edited_away_waits_again() {
    let mut talk = Talk::new();
    talk.says("m1");
    talk.edits("m1", "m2", "e").unwrap();
    talk.undoes("e").unwrap();
    let questions = talk.begins().questions;
    assert_eq!(questions.into_iter().collect::<Vec<_>>(), [talk.entry("m1").number]);
}

#[test]
fn an_edit_that_keeps_the_id_can_be_undone() {
    let mut talk = Talk::new();
    talk.exchange("m1", "a1");
    let mut again = said("m1");
    again.parts = parts("other words");
    let until = talk.now.plus_millis(UNDO_MS);
    let with = Some((again, None));
    let undo = Some((edit("e"), until));
    let replace = ReplaceTail { from: id("m1").into(), with, undo, interrupt: Interrupt::No };
    talk.make(Change::ReplaceTail(replace));
    assert!(talk.holds("other words"));
    talk.undoes("e").unwrap();
    assert_eq!(talk.heard(), ["m1", "a1"]);
    assert!(!talk.holds("other words") && talk.holds(&words_of("m1")));
}

#[test]
fn an_answer_may_take_an_id_that_only_the_undo_still_knows() {
    let mut talk = edited();
    let fence = talk.begins().fence;
    talk.make(Change::Answer { fence, messages: vec![answered("a2")], last: true });
    talk.undoes("e").unwrap();
    assert_eq!(talk.heard(), ["m1", "a1", "m2", "a2"]);
}
