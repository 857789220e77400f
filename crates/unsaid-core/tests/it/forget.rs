//! Forget one (H4): before, during, after; repeated; unknown; with and without its answers.

use unsaid_core::domain::{
    conversation::change::{
        Change, Decision, Event, Missing, Outcome, Refusal, Ripple, Say, SendOutcome,
    },
    message::Author,
};

use crate::given::{Talk, answered, by, delivery, id, remove, said, words_of};

fn unsent(name: &str) -> Event {
    Event::Removed { from: id(name), count: 1, edit: None, unsent: true }
}

fn removed(withdrawn: &[&str]) -> Outcome {
    Outcome::Removed { withdrawn: withdrawn.iter().map(|name| id(name)).collect() }
}

#[test]
fn after_its_message() {
    let mut talk = Talk::new();
    talk.says("m1");
    let change = remove("m1", Missing::Remember, Ripple::Withdraw);
    let applied = talk.change(change).unwrap();
    assert_eq!((applied.outcome, applied.events), (removed(&[]), vec![unsent("m1")]));
    assert!(!talk.holds(&words_of("m1")));
    assert_eq!(talk.state.wanted_at, None, "nobody owes an answer to it");
    assert_eq!(talk.try_begin(), Err(Refusal::NothingWaiting));
}

#[test]
fn before_its_message() {
    let mut talk = Talk::new();
    assert_eq!(talk.unsends("m1"), removed(&[]));
    let late = |delivery| Say {
        message: said("m1"),
        delivery,
        wants_answer: Some(talk.now),
        way_back: None,
    };
    for delivery in [None, Some(delivery("d1")), Some(delivery("d1"))] {
        let say = Change::Say(late(delivery));
        assert_eq!(talk.clone().make(say.clone()), Outcome::TakenBack);
    }
    assert_eq!(talk.revises("m1", "edited meanwhile", 9), Outcome::TakenBack);
    assert!(talk.state.log.is_empty() && !talk.holds("edited meanwhile"));
}

#[test]
fn between_an_edit_and_its_message() {
    let mut talk = Talk::new();
    talk.revises("m1", "edited before it came", 9);
    talk.unsends("m1");
    assert!(!talk.holds("edited before it came"));
}

#[test]
fn while_it_is_being_answered() {
    let mut talk = Talk::new();
    talk.says("m1");
    let fence = talk.begins().fence;
    talk.unsends("m1");
    assert_eq!(talk.try_answer(fence, "a1"), Err(Refusal::StaleFence));
    assert_eq!(talk.intends(fence, "a1"), Err(Refusal::StaleFence));
    assert_eq!(talk.try_begin(), Err(Refusal::NothingWaiting), "there was nothing else");
    let (decision, _) = talk.state.turns[&fence].ended.clone().unwrap();
    assert_eq!(decision, Decision::Cancelled);
}

#[test]
fn while_it_is_being_answered_together_with_another() {
    let mut talk = Talk::new();
    talk.says("m1");
    let m2 = talk.says("m2");
    let fence = talk.begins().fence;
    talk.unsends("m1");
    let next = talk.begins();
    assert!(next.fence > fence, "it begins again at once");
    assert_eq!(next.questions.into_iter().collect::<Vec<_>>(), [m2]);
    talk.try_answer(next.fence, "a1").unwrap();
}

#[test]
fn while_another_is_being_answered_that_came_later() {
    let mut talk = Talk::new();
    talk.exchange("m1", "a1");
    talk.says("m2");
    let fence = talk.begins().fence;
    talk.unsends("m1");
    assert_eq!(talk.try_answer(fence, "a2"), Err(Refusal::StaleFence), "its prompt held m1");
    assert_eq!(talk.begins().questions.len(), 1);
}

#[test]
fn while_an_earlier_one_is_being_answered() {
    let mut talk = Talk::new();
    talk.says("m1");
    let fence = talk.begins().fence;
    talk.says("m2");
    talk.unsends("m2");
    talk.try_answer(fence, "a1").expect("its prompt never held m2");
}

#[test]
fn again_is_the_same_and_changes_nothing() {
    let mut talk = Talk::new();
    talk.exchange("m1", "a1");
    assert_eq!(talk.unsends("m1"), removed(&["a1"]));
    for missing in [Missing::Remember, Missing::Refuse] {
        for ripple in [Ripple::Withdraw, Ripple::Keep] {
            let withdrawn = vec![id("a1")];
            let again = talk.make(remove("m1", missing, ripple));
            assert_eq!(again, Outcome::RemovedBefore { withdrawn });
        }
    }
}

#[test]
fn of_an_unknown_id_is_refused_where_it_cannot_arrive() {
    let mut talk = Talk::new();
    let change = remove("m1", Missing::Refuse, Ripple::Withdraw);
    assert_eq!(talk.change(change), Err(Refusal::NotFound));
    assert!(talk.state.tombstones.is_empty());
    talk.says("m1");
}

#[test]
fn of_an_agents_message_is_refused() {
    let mut talk = Talk::new();
    talk.exchange("m1", "a1");
    for missing in [Missing::Remember, Missing::Refuse] {
        let change = remove("a1", missing, Ripple::Withdraw);
        assert_eq!(talk.change(change), Err(Refusal::NotAPersons));
    }
}

#[test]
fn of_an_unknown_speakers_message_works_like_any_other() {
    let mut talk = Talk::new();
    talk.hears(by(Author::Person(None), "m1"));
    assert_eq!(talk.unsends("m1"), removed(&[]));
}

#[test]
fn ripple_takes_the_words_of_every_answer_to_it_and_leaves_their_lines() {
    let mut talk = Talk::new();
    talk.says("m1");
    let fence = talk.begins().fence;
    let messages = vec![answered("a1"), answered("a2")];
    talk.make(Change::Answer { fence, messages, last: true });
    talk.exchange("m2", "a3");
    let change = remove("m1", Missing::Refuse, Ripple::Withdraw);
    let applied = talk.change(change).unwrap();
    assert_eq!(applied.outcome, removed(&["a1", "a2"]));
    assert_eq!(applied.events, [unsent("m1"), unsent("a1"), unsent("a2")]);
    assert!(!talk.holds(&words_of("a1")) && !talk.holds(&words_of("a2")));
    assert!(talk.entry("a1").gone, "its line stays");
    assert_eq!(talk.heard(), ["m2", "a3"], "answers of later turns stay");
}

#[test]
fn ripple_reaches_an_answer_through_any_of_its_questions() {
    for taken_back in ["m1", "m2"] {
        let mut talk = Talk::new();
        talk.says("m1");
        talk.says("m2");
        let fence = talk.begins().fence;
        talk.try_answer(fence, "a1").unwrap();
        assert_eq!(talk.unsends(taken_back), removed(&["a1"]));
    }
}

#[test]
fn without_ripple_answers_keep_their_words() {
    let mut talk = Talk::new();
    talk.exchange("m1", "a1");
    let outcome = talk.make(remove("m1", Missing::Refuse, Ripple::Keep));
    assert_eq!(outcome, removed(&[]));
    assert_eq!(talk.heard(), ["a1"]);
}

#[test]
fn ripple_withdraws_an_answer_that_is_on_its_way() {
    let mut talk = Talk::new();
    talk.says("m1");
    let fence = talk.begins().fence;
    talk.intends(fence, "a1").unwrap();
    let applied = talk.change(remove("m1", Missing::Remember, Ripple::Withdraw)).unwrap();
    assert_eq!(applied.events, [unsent("m1")], "nobody has seen the answer");
    let applied = talk.settles("a1", SendOutcome::Sent).unwrap();
    assert_eq!(applied.events, [], "and nobody is shown it now");
    assert!(talk.heard().is_empty() && !talk.holds(&words_of("a1")));
}

#[test]
fn the_reason_for_silence_goes_with_any_of_its_questions() {
    for ripple in [Ripple::Withdraw, Ripple::Keep] {
        let mut talk = Talk::new();
        talk.says("m1");
        talk.says("m2");
        let fence = talk.begins().fence;
        talk.is_silent(fence, "they talk about the secret");
        assert!(talk.holds("secret"));
        talk.make(remove("m1", Missing::Remember, ripple));
        assert!(!talk.holds("secret"));
    }
}
