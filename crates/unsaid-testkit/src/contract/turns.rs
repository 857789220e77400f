//! Who owes an answer, who gives it, and what may leave the house.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Decision, Outcome, Refusal, SendOutcome},
            log::Sending,
        },
        id::{Fence, Number},
    },
    port::{Store, history::Committed},
};

use crate::{
    builder::{answer, ask, at, chat_key, holder_id, message, message_id, say, unsend, words},
    talk::{LEASE_MS, Talk},
};

fn begin(talk: &Talk) -> Change {
    Change::Begin { holder: holder_id("h2"), until: talk.now.plus_millis(LEASE_MS) }
}

/// A turn takes all questions that wait, once.
pub async fn a_turn_takes_all_that_waits(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    assert_eq!(talk.refusal(begin(&talk)).await, Refusal::NothingWaiting);
    talk.ask("m1").await;
    talk.say("m2").await;
    talk.ask("m3").await;
    let lease = talk.begin().await;
    assert_eq!(lease.fence, Fence::new(1));
    assert_eq!(lease.questions, [Number::new(1), Number::new(3)].into());
    assert_eq!((lease.seen_through, lease.until), (Number::new(3), at(2_000)));
    let whole = talk.whole().await;
    assert_eq!((whole.turn.as_ref(), whole.wanted_at), (Some(&lease), None));
    let asked = talk.find("m1").await.expect("it was said");
    assert_eq!((asked.waiting, asked.asked_in), (false, [lease.fence].into()));
    let until = lease.until;
    assert_eq!(talk.refusal(begin(&talk)).await, Refusal::TurnInProgress { until });
}

/// Of several that begin at once, one gets the turn.
pub async fn of_several_that_begin_one_wins(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.ask("m1").await;
    let mut rivals = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let rival = Talk::chat(&store);
        rivals.spawn(async move { rival.commit(rival.change(begin(&rival))).await });
    }
    let committed = rivals.join_all().await;
    let began = committed.iter().filter(|one| matches!(one, Committed::Applied(..))).count();
    assert_eq!(began, 1, "{committed:?}");
}

/// A wish for later is not granted now.
pub async fn an_answer_wanted_later_is_not_begun_now(store: Arc<dyn Store>) {
    let mut talk = Talk::line(&store);
    talk.make(ask(message("m1"), at(5_000))).await;
    assert_eq!(talk.refusal(begin(&talk)).await, Refusal::NotYet { at: at(5_000) });
    talk.make(ask(message("m2"), at(4_000))).await;
    assert_eq!(talk.overview().await.wanted_at, Some(at(4_000)), "the earliest wish counts");
    talk.now = at(4_000);
    assert_eq!(talk.begin().await.questions.len(), 2);
}

/// Answers get their places, and the last ends the turn.
pub async fn answers_get_their_places_and_the_last_ends_the_turn(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.ask("m1").await;
    let fence = talk.begin().await.fence;
    let messages = vec![answer("r1"), answer("r2")];
    talk.make(Change::Answer { fence, messages, last: false }).await;
    assert!(talk.overview().await.turn.is_some());
    talk.answer(fence, &["r3"]).await;
    assert_eq!(talk.heard().await, ["m1", "r1", "r2", "r3"]);
    let whole = talk.whole().await;
    assert_eq!((whole.turn, whole.wanted_at), (None, None));
    assert_eq!(whole.turns[&fence].ended, Some((Decision::Answered, talk.now)));
    assert_eq!(talk.find("r2").await.expect("it was said").turn, Some(fence));
}

/// All answers of a commit are taken, or none.
pub async fn an_answer_with_a_taken_id_is_refused_whole(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.ask("m1").await;
    talk.make(unsend("m7")).await;
    let fence = talk.begin().await.fence;
    for ids in [["r1", "m1"], ["r1", "r1"], ["r1", "m7"]] {
        let messages = ids.map(answer).to_vec();
        let change = Change::Answer { fence, messages, last: true };
        assert_eq!(talk.refusal(change).await, Refusal::IdTaken);
    }
    assert_eq!(talk.heard().await, ["m1"]);
    assert!(talk.overview().await.turn.is_some());
}

/// H5: whoever shows an old fence writes nothing.
pub async fn h5_an_old_fence_writes_nothing(store: Arc<dyn Store>) {
    let mut talk = Talk::chat(&store);
    talk.ask("m1").await;
    let old = talk.begin().await.fence;
    talk.wait(LEASE_MS);
    let new = talk.begin().await.fence;
    assert_eq!(new, Fence::new(2));
    let until = talk.now.plus_millis(9_000);
    let stale = [
        Change::Answer { fence: old, messages: vec![answer("r1")], last: true },
        Change::Intend { fence: old, message: answer("r1") },
        Change::Renew { fence: old, until },
        Change::Decide { fence: old, decision: Decision::Silent { reason: None } },
        Change::Release { fence: old },
    ];
    let before = talk.whole().await;
    for change in stale {
        assert_eq!(talk.refusal(change).await, Refusal::StaleFence);
    }
    assert_eq!(talk.whole().await, before);
}

/// A lease that ran out can no longer write, and its questions wait again.
pub async fn h5_a_lease_that_ran_out_is_taken_over(store: Arc<dyn Store>) {
    let mut talk = Talk::chat(&store);
    talk.ask("m1").await;
    let lease = talk.begin().await;
    talk.now = lease.until;
    let late = Change::Answer { fence: lease.fence, messages: vec![answer("r1")], last: true };
    assert_eq!(talk.refusal(late).await, Refusal::StaleFence);
    let next = talk.begin().await;
    assert_eq!((next.fence, next.questions), (Fence::new(2), lease.questions));
    let whole = talk.whole().await;
    assert_eq!(whole.turns[&lease.fence].ended, Some((Decision::Released, talk.now)));
    let asked = talk.find("m1").await.expect("it was said").asked_in;
    assert_eq!(asked, [Fence::new(1), Fence::new(2)].into());
}

/// A renewed lease lives on.
pub async fn a_renewed_lease_lives_on(store: Arc<dyn Store>) {
    let mut talk = Talk::chat(&store);
    talk.ask("m1").await;
    let lease = talk.begin().await;
    let until = lease.until.plus_millis(LEASE_MS);
    assert_eq!(talk.outcome(Change::Renew { fence: lease.fence, until }).await, Outcome::Done);
    talk.now = lease.until;
    assert_eq!(talk.refusal(begin(&talk)).await, Refusal::TurnInProgress { until });
    talk.answer(lease.fence, &["r1"]).await;
    assert_eq!(talk.heard().await, ["m1", "r1"]);
}

/// Silence and failure are decisions; they end the turn and are kept.
pub async fn silence_and_failure_end_the_turn(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    let decisions = [
        Decision::Silent { reason: Some(words("not meant for me")) },
        Decision::Silent { reason: None },
        Decision::Failed { code: "model_timeout".to_owned() },
    ];
    for (index, decision) in decisions.into_iter().enumerate() {
        talk.ask(&format!("m{index}")).await;
        let fence = talk.begin().await.fence;
        talk.make(Change::Decide { fence, decision: decision.clone() }).await;
        let whole = talk.whole().await;
        assert_eq!((whole.turn, whole.wanted_at), (None, None));
        assert_eq!(whole.turns[&fence].ended, Some((decision, talk.now)));
    }
}

/// A turn that is handed back leaves its questions waiting.
pub async fn a_released_turn_leaves_its_questions_waiting(store: Arc<dyn Store>) {
    let mut talk = Talk::line(&store);
    talk.ask("m1").await;
    let fence = talk.begin().await.fence;
    talk.wait(10);
    assert_eq!(talk.outcome(Change::Release { fence }).await, Outcome::Done);
    assert_eq!(talk.overview().await.wanted_at, Some(talk.now));
    assert_eq!(talk.begin().await.questions, [Number::new(1)].into());
}

/// A stopped turn is over, and nobody owes an answer to its questions.
pub async fn a_stopped_turn_leaves_nothing_waiting(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.ask("m1").await;
    let fence = talk.begin().await.fence;
    assert_eq!(talk.outcome(Change::Stop).await, Outcome::Done);
    assert_eq!(talk.outcome(Change::Stop).await, Outcome::Nothing);
    assert_eq!(talk.whole().await.turns[&fence].ended, Some((Decision::Stopped, talk.now)));
    assert_eq!(talk.refusal(begin(&talk)).await, Refusal::NothingWaiting);
}

/// What was said while a turn ran is answered by the next.
pub async fn what_is_said_during_a_turn_waits_for_the_next(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store);
    talk.ask("m1").await;
    let fence = talk.begin().await.fence;
    talk.ask("m2").await;
    talk.answer(fence, &["r1"]).await;
    assert_eq!(talk.overview().await.wanted_at, Some(talk.now));
    assert_eq!(talk.begin().await.questions, [Number::new(2)].into());
}

/// H11: intent, then outcome; nothing is heard before it left.
pub async fn h11_intent_then_outcome(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    for (outcome, sending) in
        [(SendOutcome::Sent, Sending::Sent), (SendOutcome::Unknown, Sending::Unknown)]
    {
        let (question, reply) = (format!("m-{sending:?}"), format!("r-{sending:?}"));
        talk.ask(&question).await;
        let fence = talk.begin().await.fence;
        let intended = talk.outcome(Change::Intend { fence, message: answer(&reply) }).await;
        assert!(matches!(intended, Outcome::Said(_)));
        assert!(!talk.heard().await.contains(&reply));
        let settle = Change::Settle { id: message_id(&reply), outcome };
        assert_eq!(talk.outcome(settle.clone()).await, Outcome::Done);
        assert_eq!(talk.find(&reply).await.expect("it was said").sending, sending);
        assert_eq!(talk.heard().await.last(), Some(&reply));
        assert_eq!(talk.outcome(settle).await, Outcome::Nothing, "settled once");
        assert_eq!(talk.overview().await.turn, None, "what left the house ends the turn");
    }
    let unknown = Change::Settle { id: message_id("r9"), outcome: SendOutcome::Sent };
    assert_eq!(talk.refusal(unknown).await, Refusal::NotFound);
}

/// H11: what did not leave has no words, and the turn may try again.
pub async fn h11_what_did_not_leave_is_not_heard(store: Arc<dyn Store>) {
    let talk = Talk::line(&store);
    talk.ask("m1").await;
    let fence = talk.begin().await.fence;
    let intend = |id: &str| Change::Intend { fence, message: answer(id) };
    talk.make(intend("r1")).await;
    assert_eq!(talk.refusal(intend("r2")).await, Refusal::AlreadyAnswered);
    let outcome = SendOutcome::Failed;
    talk.make(Change::Settle { id: message_id("r1"), outcome }).await;
    talk.assert_wordless("r1").await;
    assert_eq!(talk.find("r1").await.map(|entry| entry.sending), Some(Sending::Failed));
    assert!(talk.overview().await.turn.is_some());
    assert_eq!(talk.refusal(intend("m1")).await, Refusal::IdTaken);
    talk.make(intend("r2")).await;
}

/// H11: an answer that may have left is settled before anybody answers again.
pub async fn h11_what_may_have_left_is_settled_first(store: Arc<dyn Store>) {
    let mut talk = Talk::line(&store);
    talk.ask("m1").await;
    let fence = talk.begin().await.fence;
    talk.make(Change::Intend { fence, message: answer("r1") }).await;
    talk.wait(LEASE_MS);
    let id = message_id("r1");
    assert_eq!(talk.refusal(begin(&talk)).await, Refusal::Unsettled { id: id.clone() });
    talk.make(Change::Release { fence }).await;
    assert_eq!(talk.refusal(begin(&talk)).await, Refusal::Unsettled { id: id.clone() });
    talk.make(Change::Settle { id, outcome: SendOutcome::Unknown }).await;
    assert_eq!(talk.overview().await.wanted_at, None, "its questions were answered");
    assert_eq!(talk.heard().await, ["m1", "r1"]);
}

/// Conversations in which a turn can begin are found, the longest wish first.
pub async fn who_wants_an_answer_is_found(store: Arc<dyn Store>) {
    let mut named = ["a", "b", "c", "d", "e"].map(|id| Talk::new(&store, chat_key(id)));
    named[0].make(ask(message("m1"), at(3_000))).await;
    named[1].make(ask(message("m1"), at(2_000))).await;
    named[2].make(ask(message("m1"), at(2_000))).await;
    named[3].make(say(message("m1"))).await;
    named[4].ask("m1").await;
    named[4].begin().await;
    let wanting = async |now, limit| {
        let keys = store.wanting(at(now), limit).await.expect("the store answers");
        keys.iter().map(ToString::to_string).collect::<Vec<String>>()
    };
    assert_eq!(wanting(1_999, 10).await, Vec::<String>::new());
    assert_eq!(wanting(2_000, 10).await, ["chat:b", "chat:c", "chat:e"], "a lease ran out too");
    assert_eq!(wanting(3_000, 10).await, ["chat:b", "chat:c", "chat:e", "chat:a"]);
    assert_eq!(wanting(3_000, 1).await, ["chat:b"]);
    named[1].now = at(2_000);
    named[1].begin().await;
    assert_eq!(wanting(2_500, 10).await, ["chat:c", "chat:e"], "a turn runs");
}

/// After a restart every turn is handed back: its holder is dead.
pub async fn a_restart_hands_all_turns_back(store: Arc<dyn Store>) {
    let (one, two) = (Talk::chat(&store), Talk::line(&store));
    one.ask("m1").await;
    let fence = one.begin().await.fence;
    two.ask("m1").await;
    two.begin().await;
    Talk::new(&store, chat_key("idle")).ask("m1").await;
    assert_eq!(store.release_turns(at(1_500)).await.expect("the store answers"), 2);
    assert_eq!(store.release_turns(at(1_500)).await.expect("the store answers"), 0);
    for talk in [&one, &two] {
        let overview = talk.overview().await;
        assert_eq!((overview.turn, overview.wanted_at), (None, Some(at(1_500))));
    }
    let ended = one.whole().await.turns[&fence].ended.clone();
    assert_eq!(ended, Some((Decision::Released, at(1_500))));
    let late = Change::Answer { fence, messages: vec![answer("r1")], last: true };
    assert_eq!(one.refusal(late).await, Refusal::StaleFence);
}
