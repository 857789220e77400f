//! Streams that have much to tell: everything that was missed, and much at the same moment.

use futures_util::future::join_all;
use serde_json::json;

use super::resuming::{Listener, company_of, house, newest, says};
use crate::rounds::company::Company;
use crate::worlds_proof::sse::{Frame, lasting};

/// More than is read at once, three times over.
const MISSED: usize = 340;
const WRITERS: usize = 6;
const SAID: usize = 12;
const END: &str = "the end of all";

async fn on_both_sides(check: impl AsyncFn(&Company<'_>)) {
    let house = house().await;
    for (name, consent) in [("ana", true), ("bob", false)] {
        check(&company_of(&house, name, consent).await).await;
    }
}

fn messages(told: &[Frame]) -> Vec<&str> {
    told.iter().filter_map(Frame::message).collect()
}

#[tokio::test]
async fn whoever_missed_hundreds_of_events_hears_all_of_them_once_and_then_what_comes() {
    on_both_sides(async |ana| {
        says(ana, "the beginning").await;
        let begun = newest(ana).await;
        let (mut said, mut unsent) = (Vec::new(), 0);
        for nth in 0..MISSED {
            let id = says(ana, &format!("number {nth}")).await;
            if nth % 100 == 50 {
                let path = format!("messages/{id}/unsend");
                ana.calls("POST", &path, json!({ "chatId": ana.chat })).await;
                unsent += 1;
            } else {
                said.push(id);
            }
        }
        let mut again = Listener::new(ana, Some(&begun.to_string())).await;
        // Somebody goes on while it is still being told.
        said.push(says(ana, "and on").await);
        let told = again.until_event(newest(ana).await).await;
        assert_eq!(messages(&told), said);
        assert_eq!(told.len(), said.len() + unsent, "and what was taken back");
        assert!(told.windows(2).all(|pair| pair[0].id < pair[1].id), "in one order");
        for gone in ["number 50\"", "number 150\"", "number 250\""] {
            assert!(!again.text.contains(gone), "{gone}");
        }
        assert!(again.text.contains("number 51\""));
        said.push(says(ana, "the end").await);
        let told = again.until_event(newest(ana).await).await;
        assert_eq!(messages(&told), said, "live from there on");
    })
    .await;
}

/// Follows the chat with one connection after the other, each until it has told something new; what
/// all of them told.
async fn follows(ana: &Company<'_>, begun: u64) -> Vec<Frame> {
    let (mut told, mut known) = (Vec::<Frame>::new(), begun);
    while told.last().is_none_or(|frame| frame.content() != END) {
        let mut listener = Listener::new(ana, Some(&known.to_string())).await;
        listener.until_event(known + 1).await;
        let heard = lasting(&listener.text);
        known = heard.last().and_then(|frame| frame.id).unwrap();
        told.extend(heard);
    }
    told
}

#[tokio::test]
async fn while_several_write_at_once_whoever_follows_hears_each_once_in_one_order() {
    on_both_sides(async |ana| {
        says(ana, "the beginning").await;
        let begun = newest(ana).await;
        let mut live = Listener::new(ana, None).await;
        let write = async |writer: usize| {
            let mut said = Vec::new();
            for nth in 0..SAID {
                said.push(says(ana, &format!("number {nth} of {writer}")).await);
            }
            said
        };
        let writes = async {
            let said = join_all((0..WRITERS).map(write)).await;
            says(ana, END).await;
            said
        };
        // Heard as it comes, by one who stays and by one who goes and comes back.
        let stays = async {
            live.until(|heard| heard.iter().any(|frame| frame.content() == END)).await;
            lasting(&live.text)
        };
        let (said, told, again) = tokio::join!(writes, stays, follows(ana, begun));
        assert!(told.windows(2).all(|pair| pair[0].id < pair[1].id), "{told:#?}");
        for said in &said {
            let of_one = messages(&told).into_iter();
            let of_one: Vec<&str> =
                of_one.filter(|id| said.iter().any(|said| said == id)).collect();
            assert_eq!(of_one, *said, "in the order in which each spoke");
        }
        assert_eq!(told.len(), WRITERS * SAID + 1);
        assert_eq!(again, told, "nothing is missed and nothing comes twice");
    })
    .await;
}
