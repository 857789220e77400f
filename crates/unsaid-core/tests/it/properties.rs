//! Any order of any changes keeps the rules of the history.

use std::collections::BTreeMap;

use proptest::{prelude::*, test_runner::FileFailurePersistence};
use unsaid_core::domain::{
    conversation::{
        Conversation, DELIVERY_MEMORY_MS,
        change::{Change, Cut, Outcome, Refusal, ReplaceTail, Say},
        log::Sending,
        turn::Lease,
    },
    id::{DeliveryId, Fence, HolderId, Number},
    message::Author,
    time::Timestamp,
};

use crate::{
    given,
    ledger::{Ledger, Made},
    step::{Circumstances, Step, steps},
    whole,
};

const LENGTH_MAX: usize = 60;

/// Failing cases are written down and tried first ever after; `PROPTEST_CASES` asks for more.
fn config(cases_min: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    let persistence = FileFailurePersistence::Direct("tests/it/properties.regressions");
    ProptestConfig {
        cases: usual.cases.max(cases_min),
        failure_persistence: Some(Box::new(persistence)),
        ..usual
    }
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn h2_h4_h6_hold_after_any_changes(steps in steps(LENGTH_MAX)) {
        let mut ledger = Ledger::default();
        run(&steps, |made| ledger.record(made));
    }

    #[test]
    fn h3_a_repeated_change_changes_nothing(steps in steps(LENGTH_MAX)) {
        let mut deliveries = BTreeMap::new();
        run(&steps, |made| {
            check_repeat(made);
            check_deliveries(&mut deliveries, made);
        });
    }

    #[test]
    fn h5_who_read_what_was_taken_back_never_speaks_again(steps in steps(LENGTH_MAX)) {
        run(&steps, |made| {
            check_fence(made);
            check_old_fences(made.after, made.now);
        });
    }

    #[test]
    fn a_way_back_stays_while_an_answer_is_owed(steps in steps(LENGTH_MAX)) {
        run(&steps, check_ways_back);
    }

    #[test]
    fn a_conversation_that_lets_its_oldest_go_stays_whole(
        steps in steps(LENGTH_MAX),
        kept in 0..12_usize,
    ) {
        let mut state = Conversation::default();
        let mut now = given::at(1_000_000_000_000);
        for (index, step) in steps.iter().enumerate() {
            now = now.plus_millis(step.pause_ms);
            let change = step.change(&Circumstances { index, now, state: &state, edits: &[] });
            // Refused or not: what counts is what is left.
            drop(whole::apply(&mut state, change, now));
            let (version, last) = (state.version, state.last_number);
            state.forget_oldest(state.log.len().saturating_sub(kept), now);
            whole::check(&state);
            assert!(state.log.len() <= kept);
            assert_eq!((state.version, state.last_number), (version, last));
        }
    }
}

/// Makes the steps one after the other.
fn run(steps: &[Step], mut each: impl FnMut(&Made<'_>)) {
    let mut state = Conversation::default();
    let mut now = given::at(1_000_000_000_000);
    let mut edits = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        now = now.plus_millis(step.pause_ms);
        let change = step.change(&Circumstances { index, now, state: &state, edits: &edits });
        let before = state.clone();
        let result = whole::apply(&mut state, change.clone(), now);
        edits.extend(state.undo.iter().map(|undo| undo.edit.clone()));
        edits.dedup();
        each(&Made { before: &before, change: &change, now, result: &result, after: &state });
    }
}

/// H3: what a delivery brought once it does not bring again, whatever happened to it since.
fn check_deliveries(known: &mut BTreeMap<DeliveryId, Timestamp>, made: &Made<'_>) {
    known.retain(|_, at| made.now < at.plus_millis(DELIVERY_MEMORY_MS));
    if let (Change::Say(Say { delivery: Some(delivery), .. }), Ok(applied)) =
        (made.change, made.result)
        && applied.outcome.is_effective()
    {
        known.insert(delivery.clone(), made.now);
    }
    let mut state = made.after.clone();
    for delivery in known.keys() {
        let message = given::said("brought-again");
        let again =
            Say { message, delivery: Some(delivery.clone()), wants_answer: None, way_back: None };
        let applied = state.apply(Change::Say(again), made.now);
        assert_eq!(applied.expect("no refusal").outcome, Outcome::Known);
    }
    assert_eq!(state, *made.after);
}

/// H3: once more is as good as once. Where a change has no memory of itself, at least nothing but
/// the version moves.
fn check_repeat(made: &Made<'_>) {
    // A replacement may carry the id it replaces, and then be replaced itself; so is one that comes
    // after a number.
    if let Change::ReplaceTail(ReplaceTail { from, with: Some((message, _)), .. }) = made.change
        && match from {
            Cut::At(id) => message.id == *id,
            Cut::After(_) => true,
        }
    {
        return;
    }
    let mut state = made.after.clone();
    let again = whole::apply(&mut state, made.change.clone(), made.now);
    if !again.is_ok_and(|applied| applied.outcome.is_effective()) {
        return;
    }
    let forgetful = match made.change {
        Change::Fill { .. } | Change::Renew { .. } | Change::Clear(_) | Change::EraseAll => true,
        Change::Answer { messages, last, .. } => messages.is_empty() && !last,
        Change::Say(_)
        | Change::Begin { .. }
        | Change::Intend { .. }
        | Change::Settle { .. }
        | Change::Decide { .. }
        | Change::Release { .. }
        | Change::Stop
        | Change::Revise(_)
        | Change::Remove(_)
        | Change::ReplaceTail(_)
        | Change::Restore { .. }
        | Change::CloseUndo
        | Change::EraseAuthor { .. }
        | Change::Expire => false,
    };
    assert!(forgetful, "took effect twice: {:?}", made.change);
    assert!(whole::equal_but_for_version(&state, made.after), "more than the version moved");
}

/// H5: the turn that read what is gone is over, and what else it was asked waits again, at once.
fn check_fence(made: &Made<'_>) {
    let Some(lease) = made.before.turn.as_ref().filter(|lease| is_cancelled(made, lease)) else {
        return;
    };
    let state = made.after;
    assert_eq!(state.turn, None, "the turn goes on");
    let waiting = |number: &Number| state.log.get(*number).is_none_or(|entry| entry.waiting);
    assert!(lease.questions.iter().all(waiting), "a question that is left does not wait");
    if state.log.waiting().is_empty() {
        return;
    }
    let unsettled = state.log.iter().any(|entry| entry.sending == Sending::Intended);
    let until = made.now.plus_millis(30_000);
    let holder = HolderId::new("next").unwrap();
    let begun = whole::apply(&mut state.clone(), Change::Begin { holder, until }, made.now);
    match begun.map(|applied| applied.outcome) {
        Ok(Outcome::Began(next)) => {
            assert!(next.fence > lease.fence && !unsettled);
            assert_eq!(next.questions, *state.log.waiting());
        }
        Err(Refusal::Unsettled { .. }) => assert!(unsettled),
        other => panic!("does not begin again: {other:?}"),
    }
}

fn is_cancelled(made: &Made<'_>, lease: &Lease) -> bool {
    let Ok(applied) = made.result else { return false };
    let read = |id| made.before.log.by_id(id).is_some_and(|entry| lease.has_read(entry));
    let effective = applied.outcome.is_effective();
    match made.change {
        Change::Remove(remove) => effective && read(&remove.id),
        Change::Revise(revise) => effective && read(&revise.id),
        Change::ReplaceTail(_) | Change::Restore { .. } | Change::EraseAll => effective,
        Change::EraseAuthor { person, .. } => {
            let theirs = Author::Person(Some(person.clone()));
            let mut log = made.before.log.iter();
            log.any(|entry| entry.message.author == theirs && lease.has_read(entry))
        }
        Change::Say(_)
        | Change::Fill { .. }
        | Change::Begin { .. }
        | Change::Renew { .. }
        | Change::Intend { .. }
        | Change::Settle { .. }
        | Change::Answer { .. }
        | Change::Decide { .. }
        | Change::Release { .. }
        | Change::Stop
        | Change::CloseUndo
        | Change::Clear(_)
        | Change::Expire => false,
    }
}

/// What is told once stays as it is told; that it goes in time is checked of every state.
fn check_ways_back(made: &Made<'_>) {
    let (before, after) = (made.before, made.after);
    for entry in after.log.iter() {
        let asked = after.turn.as_ref().is_some_and(|turn| turn.questions.contains(&entry.number));
        if entry.waiting || asked {
            match (before.log.get(entry.number), made.change) {
                (Some(earlier), _) => assert_eq!(entry.way_back, earlier.way_back),
                (None, Change::Say(say)) => assert_eq!(entry.way_back, say.way_back),
                (None, _) => assert_eq!(entry.way_back, None),
            }
        }
    }
}

/// Whoever does not hold the running turn writes nothing.
fn check_old_fences(state: &Conversation, now: Timestamp) {
    let current = state.turn.as_ref().filter(|lease| now < lease.until).map(|lease| lease.fence);
    let mut tried = state.clone();
    for fence in (0..=state.last_fence.get() + 1).map(Fence::new) {
        if current == Some(fence) {
            continue;
        }
        let answered = || given::answered("too-late");
        for late in [
            Change::Answer { fence, messages: vec![answered()], last: true },
            Change::Intend { fence, message: answered() },
            Change::Renew { fence, until: now.plus_millis(30_000) },
        ] {
            assert_eq!(tried.apply(late, now), Err(Refusal::StaleFence));
        }
    }
    assert_eq!(tried, *state);
}
