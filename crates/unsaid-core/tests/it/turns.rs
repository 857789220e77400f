//! Who owes an answer, and who may give it (H5).

use unsaid_core::domain::{
    conversation::change::{Change, Decision, Outcome, Refusal},
    id::Fence,
    time::Timestamp,
};

use crate::given::{LEASE_MS, Talk, answered, words_of};

fn ended(talk: &Talk, fence: Fence) -> Decision {
    talk.state.turns[&fence].ended.clone().expect("it is over").0
}

#[test]
fn one_turn_at_a_time() {
    let mut talk = Talk::new();
    talk.says("m1");
    let lease = talk.begins();
    assert_eq!(talk.try_begin(), Err(Refusal::TurnInProgress { until: lease.until }));
    talk.says("m2");
    assert_eq!(talk.try_begin(), Err(Refusal::TurnInProgress { until: lease.until }));
    talk.try_answer(lease.fence, "a1").unwrap();
    let next = talk.begins();
    assert_eq!(next.questions.len(), 1, "what came meanwhile is answered by the next");
}

#[test]
fn a_lease_that_ran_out_is_taken_over_and_its_holder_refused() {
    let mut talk = Talk::new();
    talk.says("m1");
    let dead = talk.begins();
    talk.later(LEASE_MS);
    assert_eq!(talk.try_answer(dead.fence, "a1"), Err(Refusal::StaleFence), "its end is its end");
    let next = talk.begins();
    assert_eq!(next.questions, dead.questions);
    assert_eq!(ended(&talk, dead.fence), Decision::Released);
    assert_eq!(talk.try_answer(dead.fence, "a1"), Err(Refusal::StaleFence));
    talk.try_answer(next.fence, "a2").unwrap();
    assert_eq!(talk.heard(), ["m1", "a2"]);
}

#[test]
fn a_lease_that_ran_out_takes_in_what_came_meanwhile() {
    let mut talk = Talk::new();
    talk.says("m1");
    talk.begins();
    talk.says("m2");
    talk.later(LEASE_MS);
    assert_eq!(talk.begins().questions.len(), 2);
}

#[test]
fn a_renewed_lease_lives_on() {
    let mut talk = Talk::new();
    talk.says("m1");
    let fence = talk.begins().fence;
    talk.later(LEASE_MS - 1);
    let until = talk.now.plus_millis(LEASE_MS);
    talk.make(Change::Renew { fence, until });
    talk.later(LEASE_MS - 1);
    talk.try_answer(fence, "a1").unwrap();
    let renew = Change::Renew { fence, until };
    assert_eq!(talk.change(renew), Err(Refusal::StaleFence), "over is over");
}

#[test]
fn several_answers_in_one_turn_and_the_last_ends_it() {
    let mut talk = Talk::new();
    talk.says("m1");
    let fence = talk.begins().fence;
    talk.make(Change::Answer { fence, messages: vec![answered("a1")], last: false });
    let both = vec![answered("a2"), answered("a3")];
    talk.make(Change::Answer { fence, messages: both, last: true });
    assert_eq!(talk.heard(), ["m1", "a1", "a2", "a3"]);
    assert_eq!(ended(&talk, fence), Decision::Answered);
    assert_eq!(talk.try_answer(fence, "a4"), Err(Refusal::StaleFence));
}

#[test]
fn answers_with_a_taken_id_are_refused_together() {
    let mut talk = Talk::new();
    talk.unsends("gone");
    talk.says("m1");
    let fence = talk.begins().fence;
    for taken in [["a1", "m1"], ["a1", "gone"], ["a1", "a1"]] {
        let messages = taken.iter().map(|name| answered(name)).collect();
        let change = Change::Answer { fence, messages, last: true };
        assert_eq!(talk.change(change), Err(Refusal::IdTaken));
    }
    assert!(!talk.holds(&words_of("a1")));
}

#[test]
fn silence_and_failure_end_the_turn_and_its_questions_wait_no_more() {
    for decision in
        [Decision::Silent { reason: None }, Decision::Failed { code: "model".to_owned() }]
    {
        let mut talk = Talk::new();
        talk.says("m1");
        let fence = talk.begins().fence;
        talk.make(Change::Decide { fence, decision: decision.clone() });
        assert_eq!(ended(&talk, fence), decision);
        assert_eq!(talk.try_begin(), Err(Refusal::NothingWaiting));
        talk.says("m2");
        assert_eq!(talk.begins().questions.len(), 1);
    }
}

#[test]
fn a_turn_handed_back_waits_again_at_once() {
    let mut talk = Talk::new();
    talk.says("m1");
    let lease = talk.begins();
    talk.make(Change::Release { fence: lease.fence });
    assert_eq!(talk.change(Change::Release { fence: lease.fence }), Err(Refusal::StaleFence));
    assert_eq!(talk.begins().questions, lease.questions);
}

#[test]
fn even_a_dead_holder_may_hand_back() {
    let mut talk = Talk::new();
    talk.says("m1");
    let fence = talk.begins().fence;
    talk.later(2 * LEASE_MS);
    assert_eq!(talk.make(Change::Release { fence }), Outcome::Done);
}

#[test]
fn a_person_may_stop_a_turn_but_not_what_came_meanwhile() {
    let mut talk = Talk::new();
    assert_eq!(talk.make(Change::Stop), Outcome::Nothing);
    talk.says("m1");
    let fence = talk.begins().fence;
    talk.says("m2");
    assert_eq!(talk.make(Change::Stop), Outcome::Done);
    assert_eq!(ended(&talk, fence), Decision::Stopped);
    assert_eq!(talk.try_answer(fence, "a1"), Err(Refusal::StaleFence));
    let next = talk.begins();
    assert_eq!(next.questions.into_iter().collect::<Vec<_>>(), [talk.entry("m2").number]);
}

#[test]
fn fences_rise_and_are_not_reused() {
    let mut talk = Talk::new();
    for n in 1..=3_u64 {
        talk.says(&format!("m{n}"));
        let fence = talk.begins().fence;
        assert_eq!(fence, Fence::new(n));
        talk.make(Change::EraseAll);
        assert_eq!(talk.try_answer(fence, "a"), Err(Refusal::StaleFence));
    }
}

#[test]
fn a_question_knows_every_turn_that_was_asked_about_it() {
    let mut talk = Talk::new();
    talk.says("m1");
    let first = talk.begins().fence;
    talk.make(Change::Release { fence: first });
    let second = talk.begins().fence;
    assert_eq!(talk.entry("m1").asked_in.iter().copied().collect::<Vec<_>>(), [first, second]);
}

#[test]
fn a_clock_that_stands_still_keeps_nobody_waiting() {
    let mut talk = Talk::new();
    talk.now = Timestamp::ZERO;
    talk.exchange("m1", "a1");
    talk.exchange("m2", "a2");
    assert_eq!(talk.heard(), ["m1", "a1", "m2", "a2"]);
}
