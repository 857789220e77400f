//! The consent switch.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        audit::EraseReason,
        consent::Consent,
        conversation::change::{Outcome, Refusal},
        person::ConsentLine,
    },
    port::{
        Store,
        erasure::Claim,
        history::Committed,
        people::{ConsentMove, ConsentMoved},
    },
};

use crate::{
    builder::{
        GRACE_MS, at, chat_key, consent_line, consent_move, edit, message, person, person_id,
        restore, say, unsend,
    },
    talk::Talk,
};

async fn add(store: &Arc<dyn Store>, consent: bool) {
    let line = consent_line(consent, 0);
    assert!(store.add(person("ana", consent), line).await.expect("the store answers"));
}

async fn flip(store: &Arc<dyn Store>, grant: bool, now: i64) -> ConsentMoved {
    let moved = store.move_consent(&person_id("ana"), consent_move(grant, now)).await;
    moved.expect("the store answers").expect("there is such a person")
}

async fn state(store: &Arc<dyn Store>) -> Consent {
    let found = store.person(&person_id("ana")).await.expect("the store answers");
    found.expect("there is such a person").consent
}

/// Consent is read in the commit: words are kept exactly while it is on.
pub async fn h7_consent_is_checked_in_the_commit(store: Arc<dyn Store>) {
    let talk = Talk::chat(&store).owned_by("ana");
    let ana = person_id("ana");
    let with_consent = |id: &str| talk.change(say(message(id))).with_consent_of(ana.clone());
    let no = Committed::Refused(Refusal::NoConsent);
    assert_eq!(talk.commit(with_consent("m1")).await, no, "there is no such person");
    store.add(person("ana", false), consent_line(false, 0)).await.expect("the store answers");
    assert_eq!(talk.commit(with_consent("m1")).await, no, "consent was never given");
    assert_eq!(store.overview(&talk.key).await.expect("the store answers"), None);
    store.move_consent(&ana, consent_move(true, 10)).await.expect("the store answers");
    assert!(matches!(talk.commit(with_consent("m2")).await, Committed::Applied(..)));
    store.move_consent(&ana, consent_move(false, 20)).await.expect("the store answers");
    assert_eq!(talk.commit(with_consent("m3")).await, no, "consent was withdrawn");
    talk.assert_wordless("m1").await;
    talk.assert_wordless("m3").await;
    assert_eq!(talk.heard().await, ["m2"]);
}

/// What was taken back is known as that, also to whoever would remember it where nothing is kept.
pub async fn h4_what_was_taken_back_is_known_without_consent_too(store: Arc<dyn Store>) {
    add(&store, true).await;
    let talk = Talk::chat(&store).owned_by("ana");
    talk.say("m1").await;
    talk.outcome(unsend("m1")).await;
    flip(&store, false, 2_000).await;
    let before = talk.whole().await;
    let late = |id: &str| talk.change(say(message(id))).with_consent_of(person_id("ana"));
    let Committed::Applied(applied, events) = talk.commit(late("m1")).await else {
        panic!("it is not known")
    };
    assert_eq!((applied.outcome, applied.version), (Outcome::TakenBack, before.version));
    assert!(applied.events.is_empty() && events.is_empty());
    assert_eq!(talk.commit(late("m2")).await, Committed::Refused(Refusal::NoConsent));
    assert_eq!(talk.whole().await, before);
    store.drop_conversation(&talk.key).await.expect("the store answers");
    assert_eq!(talk.commit(late("m1")).await, Committed::Refused(Refusal::NoConsent));
}

/// Off and on again before the due moment: the countdown is exact, and nothing was lost.
pub async fn h8_a_grant_before_the_due_moment_keeps_everything(store: Arc<dyn Store>) {
    add(&store, true).await;
    let talk = Talk::chat(&store).owned_by("ana");
    talk.say("m1").await;
    let before = talk.whole().await;
    let off = flip(&store, false, 2_000).await;
    let withdrawn = Consent::Withdrawn { since: at(2_000), due: at(2_000 + GRACE_MS) };
    assert_eq!(off, ConsentMoved { consent: withdrawn, changed: true, erased: false });
    assert_eq!(state(&store).await, withdrawn);
    let on = flip(&store, true, 1_999 + GRACE_MS).await;
    let granted = Consent::Granted { since: at(1_999 + GRACE_MS) };
    assert_eq!(on, ConsentMoved { consent: granted, changed: true, erased: false });
    assert_eq!(state(&store).await, granted);
    assert_eq!(talk.whole().await, before);
}

/// From the due moment on a grant erases in the same commit, whether or not the job has run.
pub async fn h8_a_grant_after_the_due_moment_brings_nothing_back(store: Arc<dyn Store>) {
    add(&store, true).await;
    let talk = Talk::chat(&store).owned_by("ana");
    talk.exchange("m1", "r1").await;
    flip(&store, false, 2_000).await;
    let due = 2_000 + GRACE_MS;
    let on = flip(&store, true, due).await;
    let granted = Consent::Granted { since: at(due) };
    assert_eq!(on, ConsentMoved { consent: granted, changed: true, erased: true });
    for id in ["m1", "r1"] {
        talk.assert_wordless(id).await;
        assert_eq!(talk.find(id).await, None);
    }
    let ana = store.person(&person_id("ana")).await.expect("the store answers");
    let ana = ana.expect("there is such a person");
    assert_eq!((ana.consent, ana.erased_at), (granted, Some(at(due))));
    let claimed = store.due(at(due), 10).await.expect("the store answers");
    assert_eq!(claimed, [person_id("ana")], "the batches follow");
    let new = talk.change(say(message("m2"))).with_consent_of(person_id("ana"));
    assert!(matches!(talk.commit(new).await, Committed::Applied(..)));
    assert_eq!(talk.heard().await, ["m2"], "a new history starts empty");
}

/// The same value moves nothing, not even a date or a line.
pub async fn the_same_value_moves_nothing(store: Arc<dyn Store>) {
    add(&store, true).await;
    let granted = Consent::Granted { since: at(0) };
    let unmoved = |consent| ConsentMoved { consent, changed: false, erased: false };
    assert_eq!(flip(&store, true, 100).await, unmoved(granted));
    let off = flip(&store, false, 200).await.consent;
    assert_eq!(flip(&store, false, 300).await, unmoved(off));
    assert_eq!(state(&store).await, off);
    let ledger = store.consents(&person_id("ana")).await.expect("the store answers");
    assert_eq!(ledger.len(), 2);
}

/// Whoever never consented has no countdown.
pub async fn who_never_consented_has_no_countdown(store: Arc<dyn Store>) {
    add(&store, false).await;
    let withheld = Consent::Withheld { since: at(0) };
    assert_eq!(flip(&store, false, 100).await.consent, withheld);
    assert_eq!(store.due(at(i64::MAX), 10).await.expect("the store answers"), []);
    let on = flip(&store, true, 200).await;
    let granted = Consent::Granted { since: at(200) };
    assert_eq!(on, ConsentMoved { consent: granted, changed: true, erased: false });
}

/// The ledger holds every move, oldest first, as it was made.
pub async fn the_ledger_holds_every_move(store: Arc<dyn Store>) {
    add(&store, false).await;
    let moves = [(true, 100, "2", "web"), (false, 200, "2", "api"), (true, 150, "3", "web")];
    for (grant, now, notice, door) in moves {
        let (notice_version, door) = (notice.to_owned(), door.to_owned());
        let to = ConsentMove { notice_version, door, ..consent_move(grant, now) };
        store.move_consent(&person_id("ana"), to).await.expect("the store answers");
    }
    let mut expected = vec![consent_line(false, 0)];
    expected.extend(moves.map(|(granted, when, notice, door)| ConsentLine {
        at: at(when),
        granted,
        notice_version: notice.to_owned(),
        door: door.to_owned(),
    }));
    let ledger = store.consents(&person_id("ana")).await.expect("the store answers");
    assert_eq!(ledger, expected);
}

/// Nobody's switch cannot be moved.
pub async fn nobodys_switch_is_absent(store: Arc<dyn Store>) {
    let moved = store.move_consent(&person_id("ana"), consent_move(true, 100)).await;
    assert_eq!(moved.expect("the store answers"), None);
    let ledger = store.consents(&person_id("ana")).await.expect("the store answers");
    assert_eq!(ledger, []);
}

/// A withdrawal empties undo buffers of that person at once, and of nobody else.
pub async fn h8_a_withdrawal_closes_undo_windows(store: Arc<dyn Store>) {
    add(&store, true).await;
    let mine = Talk::chat(&store).owned_by("ana");
    let other = Talk::new(&store, chat_key("c2")).owned_by("ben");
    for talk in [&mine, &other] {
        talk.say("m1").await;
        talk.make(edit("m1", message("m2"), "e1", at(i64::MAX))).await;
    }
    flip(&store, false, 2_000).await;
    mine.assert_wordless("m1").await;
    assert_eq!(mine.refusal(restore("e1")).await, Refusal::UndoBlocked);
    assert_eq!(mine.heard().await, ["m2"], "what is held is held until the due moment");
    assert!(matches!(other.outcome(restore("e1")).await, Outcome::Restored { .. }));
}

/// A grant says whether anything was erased since the withdrawal.
pub async fn a_grant_tells_whether_anything_was_erased(store: Arc<dyn Store>) {
    add(&store, true).await;
    let ana = person_id("ana");
    store.claim(&ana, EraseReason::Now, at(100)).await.expect("the store answers");
    flip(&store, false, 200).await;
    assert!(!flip(&store, true, 300).await.erased, "that was before the withdrawal");
    flip(&store, false, 400).await;
    store.claim(&ana, EraseReason::Now, at(500)).await.expect("the store answers");
    assert_eq!(state(&store).await, Consent::Withheld { since: at(400) });
    assert!(flip(&store, true, 600).await.erased);
    store.claim(&ana, EraseReason::Now, at(650)).await.expect("the store answers");
    assert!(!flip(&store, true, 700).await.erased, "nothing moved");
}

/// A grant at the last moment and a claim at the first: whichever comes first, either everything is
/// there and the grant says so, or everything is gone for good and the grant says that.
pub async fn h8_a_grant_beside_the_claim_tells_the_truth(store: Arc<dyn Store>) {
    let due = 2_000 + GRACE_MS;
    let (mut kept, mut erased) = (0, 0);
    for round in 0..40 {
        let (name, ana) = (format!("p{round}"), person_id(&format!("p{round}")));
        let added = store.add(person(&name, true), consent_line(true, 0)).await;
        assert!(added.expect("the store answers"));
        let talk = Talk::new(&store, chat_key(&format!("c{round}"))).owned_by(&name);
        talk.say("m1").await;
        store.move_consent(&ana, consent_move(false, 2_000)).await.expect("the store answers");
        let grant = store.move_consent(&ana, consent_move(true, due - 1));
        let claim = store.claim(&ana, EraseReason::Due, at(due));
        // First in order, so that each outcome is seen; then at once, each asked first every other
        // time, and who is served first is the store's affair.
        let (moved, claimed) = match round {
            0 => (grant.await, claim.await),
            1 => reversed((claim.await, grant.await)),
            _ if round % 2 == 0 => tokio::join!(grant, claim),
            _ => reversed(tokio::join!(claim, grant)),
        };
        let moved = moved.expect("the store answers").expect("there is such a person");
        assert!(moved.consent.is_on() && moved.changed);
        if moved.erased {
            assert_eq!(claimed, Ok(Claim::Made), "round {round}");
            talk.assert_wordless("m1").await;
            erased += 1;
        } else {
            assert_eq!(claimed, Ok(Claim::NotDue), "round {round}");
            assert_eq!(talk.heard().await, ["m1"], "round {round}");
            kept += 1;
        }
        // Whichever it was, it stays so.
        let again = store.claim(&ana, EraseReason::Due, at(due)).await;
        let left = if moved.erased { Claim::Joined } else { Claim::NotDue };
        assert_eq!(again, Ok(left), "round {round}");
        assert_eq!(talk.heard().await.is_empty(), moved.erased, "round {round}");
    }
    assert!(kept > 0 && erased > 0, "{kept} kept, {erased} erased");
}

fn reversed<A, B>((a, b): (A, B)) -> (B, A) {
    (b, a)
}
