use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use unsaid_core::limits::Limits;
use unsaid_testkit::model::text;

use super::heard::Guest;
use crate::accounts::house::{House, Plan};

/// Messages said beside the switch.
const MESSAGES: usize = 60;

#[tokio::test]
async fn exactly_what_was_committed_while_on_is_stored() {
    // A quick machine moves the switch more often than a minute of its standing clock would allow.
    let limits = Limits { writes_per_min: usize::MAX, ..Plan::default().limits };
    let house = House::planned(Plan { limits, ..Plan::default() }).await;
    let ana = Guest::new(&house, "ana", true).await;
    let done = AtomicBool::new(false);
    let toggle = async {
        let mut on = true;
        let mut moves = 0_u32;
        while !done.load(Ordering::Relaxed) {
            on = !on;
            // Without its time the ledger would hold two moves of one moment.
            house.clock.advance(1);
            ana.switches(on).await;
            moves += 1;
        }
        ana.switches(true).await;
        moves
    };
    let answer = async {
        while !done.load(Ordering::Relaxed) {
            let asked = { house.asks.lock().await.next().await };
            asked.answer([text("noted")]);
        }
    };
    let talk = async {
        let (mut kept, mut untold) = (BTreeSet::new(), 0);
        for number in 0..MESSAGES {
            let mut stream = ana.asks(&format!("message {number}")).await;
            assert_eq!(stream.status, 200);
            let frames = stream.rest().await;
            let told = frames.iter().find(|frame| frame["type"] == "data-stored");
            let ids = |field: &str| told.and_then(|told| told["data"][field].as_str());
            let (user, assistant) = (ids("user_message_id"), ids("assistant_message_id"));
            if told.is_none() {
                // It was switched off before the model could be asked: only the question may be there.
                untold += 1;
            }
            if let Some(told) = told {
                assert_eq!(told["data"]["stored"], assistant.is_some());
                assert!(user.is_some() || assistant.is_none(), "an answer without its question");
            }
            kept.extend(user.into_iter().chain(assistant).map(str::to_owned));
        }
        done.store(true, Ordering::Relaxed);
        (kept, untold)
    };
    let (moves, (kept, untold)) = tokio::select! {
        both = async { tokio::join!(toggle, talk) } => both,
        () = async { answer.await; std::future::pending().await } => unreachable!(),
    };
    assert!(moves > 10, "{moves}");
    let path = format!("/api/sessions/{}/messages", ana.session);
    let stored = house.get(&path, &ana.token).await;
    assert_eq!(stored.status, 200, "{stored:?}");
    let stored: BTreeSet<String> = stored.body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["id"].as_str().unwrap().to_owned())
        .collect();
    let missing: Vec<_> = kept.difference(&stored).collect();
    assert!(missing.is_empty(), "told as stored, and not there: {missing:?}");
    let surplus = stored.difference(&kept).count();
    assert!(surplus <= untold, "{surplus} there, and told as not stored; {untold} untold");
}
