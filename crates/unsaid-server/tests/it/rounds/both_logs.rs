//! Whoever watches a chat that shows what is kept and what is only in memory (H7), and comes back.

use serde_json::json;

use super::company::{Company, Frames, short};
use super::switched::alternating;
use crate::accounts::house::House;

/// Durable frames until this one, and what has to be given back to go on after each.
async fn numbered(watching: &mut Frames, wanted: &str) -> Vec<(String, String)> {
    let mut told: Vec<(String, String)> = Vec::new();
    while told.last().is_none_or(|(frame, _)| frame != wanted) {
        let known = watching.last_id.clone();
        let frame = short(&watching.next().await);
        if let Some(id) = watching.last_id.clone().filter(|id| known.as_ref() != Some(id)) {
            told.push((frame, id));
        }
    }
    told
}

/// Whoever comes back after any of them is told the rest, and nothing else.
async fn goes_on_after_each(ana: &Company<'_>, told: &[(String, String)]) {
    let frames: Vec<&str> = told.iter().map(|(frame, _)| frame.as_str()).collect();
    for (place, (_, known)) in told.iter().enumerate() {
        let mut again = ana.watches(Some(known)).await;
        for expected in &frames[place + 1..] {
            assert_eq!(short(&again.next().await), *expected, "after {place}");
        }
        let waiting = again.bytes_now();
        assert!(waiting.is_none(), "after {place} of {frames:?}: {waiting:?}");
    }
}

#[tokio::test]
async fn whoever_comes_back_to_both_logs_misses_nothing_and_hears_nothing_twice() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &[]).await;
    let ids = alternating(&ana, 3).await;
    let mut watching = ana.watches(None).await;
    ana.notes("third").await;
    ana.notes("last").await;
    assert_eq!(ana.cuts(&ids[2]).await.status, 200);
    let told = numbered(&mut watching, "removed 3").await;
    goes_on_after_each(&ana, &told).await;
    let known = &told.last().unwrap().1;
    let mut again = ana.watches(Some(known)).await;
    ana.notes("anew").await;
    assert_eq!(again.until("human: anew").await, ["human: anew"]);
}

#[tokio::test]
async fn whoever_watches_both_logs_hears_what_goes_from_each() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &[]).await;
    let ids = alternating(&ana, 3).await;
    let mut watching = ana.watches(None).await;
    assert_eq!(ana.notes_edit(&ids[0], "other").await.status, 200);
    ana.notes("last").await;
    let told = numbered(&mut watching, "human: last").await;
    let frames: Vec<&str> = told.iter().map(|(frame, _)| frame.as_str()).collect();
    assert_eq!(frames, ["removed 2", "human: other", "removed 1", "human: last"]);
    goes_on_after_each(&ana, &told[2..]).await;
    // Both logs have news since, and nobody can say in which order.
    let mut again = ana.watches(Some(&told[0].1)).await;
    assert_eq!(again.next().await, json!({ "type": "reset", "data": {} }));
}

/// Consent is withdrawn while somebody is away: what they see is not what they would load.
#[tokio::test]
async fn h8_whoever_comes_back_after_a_withdrawal_looks_anew() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &[]).await;
    ana.notes("kept").await;
    ana.switches(false).await;
    let mut watching = ana.watches(None).await;
    ana.notes("in memory").await;
    let in_memory = numbered(&mut watching, "human: in memory").await;
    ana.switches(true).await;
    watching.until("reset").await;
    drop(watching);
    ana.switches(false).await;
    let mut again = ana.watches(Some(&in_memory[0].1)).await;
    assert_eq!(again.next().await, json!({ "type": "reset", "data": {} }));
}

/// Two listeners were told the same event; one of them was shown both logs, the other only one.
#[tokio::test]
async fn whoever_was_shown_less_looks_anew() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &[]).await;
    alternating(&ana, 3).await;
    let mut first = ana.watches(None).await;
    ana.notes("both").await;
    let both = numbered(&mut first, "human: both").await;
    drop(first);
    ana.switches(false).await;
    let mut second = ana.watches(None).await;
    ana.notes("in memory").await;
    let in_memory = numbered(&mut second, "human: in memory").await;
    drop(second);
    ana.switches(true).await;
    let mut first = ana.watches(Some(&both[0].1)).await;
    assert_eq!(first.until("human: in memory").await, ["human: in memory"]);
    let mut second = ana.watches(Some(&in_memory[0].1)).await;
    assert_eq!(second.next().await, json!({ "type": "reset", "data": {} }));
}

/// Numbers that nobody was told while both logs are shown say nothing about the other log.
#[tokio::test]
async fn what_was_told_of_one_log_makes_whoever_sees_both_look_anew() {
    let house = House::new().await;
    let ana = Company::of(&house, "ana", true, &[]).await;
    let mut watching = ana.watches(None).await;
    ana.notes("kept").await;
    let kept = numbered(&mut watching, "human: kept").await;
    ana.switches(false).await;
    ana.notes("in memory").await;
    watching.until("human: in memory").await;
    let in_memory = watching.last_id.clone().unwrap();
    ana.switches(true).await;
    for known in [&kept[0].1, &in_memory] {
        let mut again = ana.watches(Some(known)).await;
        assert_eq!(again.next().await, json!({ "type": "reset", "data": {} }));
        drop(again);
    }
}
