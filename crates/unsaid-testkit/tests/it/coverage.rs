//! Random changes that never reach a rule do not test it.

use std::collections::BTreeMap;

use unsaid_core::domain::conversation::{
    Conversation,
    change::{Change, Cut, Outcome, Refusal, ReplaceTail},
};
use unsaid_testkit::random::universe::Universe;

/// Changes and what they do: each pair comes at least this often in the run below.
const OFTEN: u64 = 5;

#[test]
fn random_changes_reach_every_outcome_and_every_refusal() {
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for seed in 0..4_000 {
        let (mut universe, mut model) = (Universe::new(seed), Conversation::default());
        for _ in 0..40 {
            let commit = universe.next(&model);
            let change = change_name(&commit.change);
            let result = model.apply(commit.change, commit.now);
            let result = match &result {
                Ok(applied) => outcome_name(&applied.outcome),
                Err(refusal) => refusal_name(refusal),
            };
            *seen.entry(format!("{change} {result}")).or_default() += 1;
        }
    }
    let rare: Vec<&&str> =
        REACHED.iter().filter(|pair| seen.get(**pair).is_none_or(|n| *n < OFTEN)).collect();
    assert!(rare.is_empty(), "hardly ever reached: {rare:?}\nseen: {seen:#?}");
    let new: Vec<&String> = seen.keys().filter(|pair| !REACHED.contains(&pair.as_str())).collect();
    assert!(new.is_empty(), "not listed: {new:?}");
}

/// Every pair there is.
const REACHED: &[&str] = &[
    "answer IdTaken",
    "answer StaleFence",
    "answer done",
    "begin NotYet",
    "begin NothingWaiting",
    "begin TurnInProgress",
    "begin Unsettled",
    "begin began",
    "clear done",
    "close done",
    "close nothing",
    "decide StaleFence",
    "decide done",
    "erase-all erased",
    "erase-author erased",
    "erase-author nothing",
    "expire done",
    "expire nothing",
    "fill NotFound",
    "fill done",
    "fill nothing",
    "intend AlreadyAnswered",
    "intend IdTaken",
    "intend StaleFence",
    "intend said",
    "release StaleFence",
    "release done",
    "remove NotAPersons",
    "remove NotFound",
    "remove removed",
    "remove removed-before",
    "renew StaleFence",
    "renew done",
    "replace IdTaken",
    "replace NotAPersons",
    "replace NotFound",
    "replace TurnInProgress",
    "replace Unsettled",
    "replace replaced",
    "replace-after IdTaken",
    "replace-after TurnInProgress",
    "replace-after Unsettled",
    "replace-after nothing",
    "replace-after replaced",
    "restore EditNotFound",
    "restore TurnInProgress",
    "restore UndoBlocked",
    "restore UndoExpired",
    "restore Unsettled",
    "restore restored",
    "revise NotAPersons",
    "revise deferred",
    "revise done",
    "revise nothing",
    "revise taken-back",
    "say known",
    "say said",
    "say taken-back",
    "settle NotFound",
    "settle done",
    "settle nothing",
    "stop done",
    "stop nothing",
];

fn change_name(change: &Change) -> &'static str {
    match change {
        Change::Say(_) => "say",
        Change::Fill { .. } => "fill",
        Change::Begin { .. } => "begin",
        Change::Renew { .. } => "renew",
        Change::Intend { .. } => "intend",
        Change::Settle { .. } => "settle",
        Change::Answer { .. } => "answer",
        Change::Decide { .. } => "decide",
        Change::Release { .. } => "release",
        Change::Stop => "stop",
        Change::Revise(_) => "revise",
        Change::Remove(_) => "remove",
        Change::ReplaceTail(ReplaceTail { from: Cut::At(_), .. }) => "replace",
        Change::ReplaceTail(ReplaceTail { from: Cut::After(_), .. }) => "replace-after",
        Change::Restore { .. } => "restore",
        Change::CloseUndo => "close",
        Change::Clear(_) => "clear",
        Change::EraseAuthor { .. } => "erase-author",
        Change::EraseAll => "erase-all",
        Change::Expire => "expire",
    }
}

fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Said(_) => "said",
        Outcome::Known => "known",
        Outcome::TakenBack => "taken-back",
        Outcome::Began(_) => "began",
        Outcome::Done => "done",
        Outcome::Nothing => "nothing",
        Outcome::Deferred => "deferred",
        Outcome::Removed { .. } => "removed",
        Outcome::RemovedBefore { .. } => "removed-before",
        Outcome::Replaced { .. } => "replaced",
        Outcome::Restored { .. } => "restored",
        Outcome::Erased { .. } => "erased",
    }
}

fn refusal_name(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::NotFound => "NotFound",
        Refusal::NotAPersons => "NotAPersons",
        Refusal::TurnInProgress { .. } => "TurnInProgress",
        Refusal::NothingWaiting => "NothingWaiting",
        Refusal::NotYet { .. } => "NotYet",
        Refusal::Unsettled { .. } => "Unsettled",
        Refusal::StaleFence => "StaleFence",
        Refusal::AlreadyAnswered => "AlreadyAnswered",
        Refusal::IdTaken => "IdTaken",
        Refusal::EditNotFound => "EditNotFound",
        Refusal::UndoBlocked => "UndoBlocked",
        Refusal::UndoExpired => "UndoExpired",
        Refusal::VersionConflict => "VersionConflict",
        Refusal::NoConsent => "NoConsent",
    }
}
