//! How an answer gets back is kept while one is owed, and not a change longer.

use unsaid_core::domain::{
    conversation::change::{
        Change, Decision, Interrupt, Missing, ReplaceTail, Ripple, Say, SendOutcome,
    },
    message::{Author, WayBack},
};

use crate::{
    given::{LEASE_MS, Talk, UNDO_MS, by, edit, id, person, remove, said, way_back},
    whole,
};

/// The way back that [`Talk::says`] tells.
fn told(name: &str) -> WayBack {
    way_back(name, true)
}

fn kept(talk: &Talk, name: &str) -> Option<WayBack> {
    talk.entry(name).way_back.clone()
}

#[test]
fn nobody_needs_a_way_back_where_no_answer_is_wanted() {
    let mut talk = Talk::new();
    let say = Say {
        message: said("m1"),
        delivery: None,
        wants_answer: None,
        way_back: Some(way_back("m1", true)),
    };
    talk.make(Change::Say(say));
    assert_eq!(kept(&talk, "m1"), None);
}

#[test]
fn it_is_kept_from_turn_to_turn_until_the_answer_has_left() {
    let mut talk = Talk::new();
    talk.says("m1");
    assert_eq!(kept(&talk, "m1"), Some(told("m1")));
    let fence = talk.begins().fence;
    let until = talk.now.plus_millis(LEASE_MS);
    talk.make(Change::Renew { fence, until });
    assert_eq!(kept(&talk, "m1"), Some(told("m1")));
    talk.make(Change::Release { fence });
    assert_eq!(kept(&talk, "m1"), Some(told("m1")));
    talk.begins();
    talk.later(2 * LEASE_MS);
    let fence = talk.begins().fence;
    assert_eq!(kept(&talk, "m1"), Some(told("m1")), "also over a lease that ran out");
    talk.intends(fence, "a1").unwrap();
    talk.settles("a1", SendOutcome::Failed).unwrap();
    assert_eq!(kept(&talk, "m1"), Some(told("m1")), "it did not leave, and another may");
    talk.intends(fence, "a2").unwrap();
    assert_eq!(kept(&talk, "m1"), Some(told("m1")));
    talk.settles("a2", SendOutcome::Sent).unwrap();
    assert_eq!(kept(&talk, "m1"), None);
}

#[test]
fn every_end_for_good_takes_it_and_leaves_what_waits_alone() {
    let silent = Decision::Silent { reason: None };
    let failed = Decision::Failed { code: "model".to_owned() };
    let ends: [fn(&mut Talk, _, _); 3] = [
        |talk, fence, decision| {
            talk.make(Change::Decide { fence, decision });
        },
        |talk, fence, _| {
            talk.try_answer(fence, "a1").unwrap();
        },
        |talk, _, _| {
            talk.make(Change::Stop);
        },
    ];
    for end in ends {
        for decision in [silent.clone(), failed.clone()] {
            let mut talk = Talk::new();
            talk.says("m1");
            let fence = talk.begins().fence;
            talk.says("m2");
            end(&mut talk, fence, decision);
            assert_eq!((kept(&talk, "m1"), kept(&talk, "m2")), (None, Some(told("m2"))));
        }
    }
}

#[test]
fn an_answer_that_left_although_its_turn_was_given_up_takes_it() {
    for outcome in [SendOutcome::Sent, SendOutcome::Unknown] {
        let mut talk = Talk::new();
        talk.says("m1");
        let fence = talk.begins().fence;
        talk.intends(fence, "a1").unwrap();
        talk.says("m2");
        talk.make(Change::Release { fence });
        assert_eq!(kept(&talk, "m1"), Some(told("m1")));
        talk.settles("a1", outcome).unwrap();
        assert_eq!((kept(&talk, "m1"), kept(&talk, "m2")), (None, Some(told("m2"))));
    }
}

#[test]
fn who_is_asked_again_because_another_took_theirs_back_keeps_it() {
    let erase = Change::EraseAuthor { person: person("ana"), ripple: Ripple::Keep };
    let unsend = remove("m1", Missing::Remember, Ripple::Withdraw);
    for taken_back in [unsend, erase] {
        let mut talk = Talk::new();
        talk.says("m1");
        talk.hears(by(Author::Person(Some(person("ben"))), "m2"));
        talk.begins();
        talk.make(taken_back);
        assert!(talk.entry("m2").waiting);
        assert_eq!(kept(&talk, "m2"), Some(told("m2")));
        talk.begins();
        assert_eq!(kept(&talk, "m2"), Some(told("m2")));
    }
}

#[test]
fn an_edit_in_place_keeps_it() {
    let mut talk = Talk::new();
    talk.says("m1");
    talk.begins();
    talk.revises("m1", "other words", 5);
    assert!(talk.entry("m1").waiting);
    assert_eq!(kept(&talk, "m1"), Some(told("m1")));
}

#[test]
fn what_is_put_aside_keeps_none_and_comes_back_without() {
    let mut talk = Talk::new();
    talk.says("m0");
    talk.says("m1");
    talk.begins();
    let until = talk.now.plus_millis(UNDO_MS);
    talk.make(Change::ReplaceTail(ReplaceTail {
        from: id("m1").into(),
        with: Some((said("m2"), Some(talk.now))),
        undo: Some((edit("e1"), until)),
        interrupt: Interrupt::Yes,
    }));
    let aside = talk.state.undo.as_ref().expect("it can be undone");
    assert!(aside.entries.iter().all(|entry| entry.waiting && entry.way_back.is_none()));
    assert_eq!(kept(&talk, "m0"), Some(told("m0")), "what stays waits as before");
    talk.undoes("e1").unwrap();
    assert!(talk.entry("m1").waiting);
    assert_eq!((kept(&talk, "m0"), kept(&talk, "m1")), (Some(told("m0")), None));
}

#[test]
fn it_goes_with_its_message() {
    for change in [
        Change::EraseAll,
        remove("m1", Missing::Remember, Ripple::Withdraw),
        Change::EraseAuthor { person: person("ana"), ripple: Ripple::Withdraw },
    ] {
        let mut talk = Talk::new();
        talk.says("m1");
        talk.begins();
        talk.make(change);
        assert!(talk.state.log.is_empty());
    }
    let mut talk = Talk::new();
    talk.says("m1");
    talk.says("m2");
    talk.begins();
    talk.state.forget_oldest(1, talk.now);
    whole::check(&talk.state);
    assert_eq!(kept(&talk, "m2"), Some(told("m2")), "the turn goes on for the other");
}
