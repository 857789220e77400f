//! Forget all: claim, batches, audit.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        audit::{AuditLine, EraseReason, Erased, first_break},
        consent::Consent,
        conversation::change::{Event, Outcome},
        session::{BillingLine, SessionKind},
    },
    port::{
        Store,
        erasure::{Batch, Claim},
        history::{Commit, Committed},
        media::MediaPlace,
        people::{PersonChange, Which},
    },
};

use crate::{
    builder::{
        GRACE_MS, TERMS, agent, at, chat, chat_key, consent_line, consent_move, edit, email,
        key_use, media_key, message, message_by, message_id, new_session, person, person_id,
        picture, say, session_id, session_key, unsend, world, world_key,
    },
    talk::Talk,
};

/// When the history of [`withdrawn`] people is gone.
const DUE: i64 = 2_000 + GRACE_MS;

async fn add(store: &Arc<dyn Store>, id: &str) {
    let added = store.add(person(id, true), consent_line(true, 0)).await;
    assert!(added.expect("the store answers"));
}

async fn withdrawn(store: &Arc<dyn Store>, id: &str) {
    add(store, id).await;
    withdraw(store, id).await;
}

async fn withdraw(store: &Arc<dyn Store>, id: &str) {
    let moved = store.move_consent(&person_id(id), consent_move(false, 2_000)).await;
    assert!(moved.expect("the store answers").is_some_and(|moved| moved.changed));
}

async fn claim(store: &Arc<dyn Store>, id: &str, reason: EraseReason, now: i64) -> Claim {
    store.claim(&person_id(id), reason, at(now)).await.expect("the store answers")
}

async fn batch(store: &Arc<dyn Store>, id: &str, limit: usize, now: i64) -> Batch {
    store.erase_batch(&person_id(id), limit, at(now)).await.expect("the store answers")
}

async fn finish(store: &Arc<dyn Store>, id: &str, now: i64) -> AuditLine {
    for _ in 0..1_000 {
        match batch(store, id, 1_000, now).await {
            Batch::More => {}
            Batch::Finished(line) => return line,
            Batch::Nothing => panic!("nothing was claimed"),
        }
    }
    panic!("batches come to an end");
}

async fn keep_picture(talk: &Talk, message: &str, key: &str) {
    let place = MediaPlace { conversation: talk.key.clone(), message: message_id(message) };
    let kept = talk.store.put(&media_key(key), &place, picture(b"bytes")).await;
    assert!(kept.expect("the store answers"));
}

/// A chat with an exchange and a picture, a session with a message, of `ana`; a chat of `ben`.
async fn furnish(store: &Arc<dyn Store>) -> [Talk; 3] {
    let chat = Talk::chat(store).owned_by("ana");
    chat.exchange("m1", "r1").await;
    keep_picture(&chat, "m1", "k1").await;
    store.open_session(new_session("s1", "ana", 50), TERMS).await.expect("the store answers");
    let session = Talk::new(store, session_key("s1")).owned_by("ana");
    session.say("m2").await;
    let other = Talk::new(store, chat_key("c2")).owned_by("ben");
    other.make(say(message_by("ben", "m3"))).await;
    keep_picture(&other, "m3", "k3").await;
    [chat, session, other]
}

/// From the claim on nothing of the person's history can be read, anywhere; others keep theirs.
pub async fn h8_from_the_claim_on_nothing_can_be_read(store: Arc<dyn Store>) {
    add(&store, "ana").await;
    let [chat, session, other] = furnish(&store).await;
    withdraw(&store, "ana").await;
    assert_eq!(claim(&store, "ana", EraseReason::Due, DUE).await, Claim::Made);
    for id in ["m1", "r1"] {
        chat.assert_wordless(id).await;
        assert_eq!(chat.find(id).await, None);
    }
    assert_eq!(chat.overview().await.heard, 0);
    let told = chat.events().await.pop().map(|(_, event)| event);
    let (from, count) = (message_id("m1"), 2);
    let removed = Event::Removed { from, count, edit: None, unsent: false };
    assert_eq!(told, Some(removed), "watchers are told");
    assert_eq!(store.whole(&session.key).await.expect("the store answers"), None);
    assert_eq!(session.heard().await, Vec::<String>::new());
    assert_eq!(session.find("m2").await, None);
    assert_eq!(store.get(&chat.key, &media_key("k1")).await.expect("the store answers"), None);
    let found = store.session(&session_id("s1")).await.expect("the store answers");
    assert_eq!(found, None);
    let (listed, total) =
        store.sessions(&person_id("ana"), Which::All, 0, 9).await.expect("the store answers");
    assert_eq!((listed, total), (vec![], 0));
    assert_eq!(store.wanting(at(i64::MAX), 9).await.expect("the store answers"), []);
    assert_eq!(other.heard().await, ["m3"]);
    let kept = store.get(&other.key, &media_key("k3")).await.expect("the store answers");
    assert_eq!(kept, Some(picture(b"bytes")));
}

/// The last batch writes the audit line, with counts and without words; then nothing is left.
pub async fn h8_the_last_batch_writes_the_audit(store: Arc<dyn Store>) {
    add(&store, "ana").await;
    furnish(&store).await;
    withdraw(&store, "ana").await;
    claim(&store, "ana", EraseReason::Due, DUE).await;
    assert_eq!(store.audit(None, 9).await.expect("the store answers"), []);
    let line = finish(&store, "ana", DUE + 5).await;
    let erased = Erased { sessions: 1, messages: 3, media: 1 };
    let expected = AuditLine::after(None, at(DUE + 5), person_id("ana"), EraseReason::Due, erased);
    assert_eq!(line, expected);
    assert_eq!(store.audit(None, 9).await.expect("the store answers"), [line]);
    assert_eq!(batch(&store, "ana", 9, DUE + 6).await, Batch::Nothing, "somebody finished it");
    assert_eq!(store.due(at(DUE + 6), 9).await.expect("the store answers"), []);
    assert_eq!(claim(&store, "ana", EraseReason::Due, DUE + 6).await, Claim::NotDue);
}

/// Batches delete no more than they may, and can be resumed by anybody.
pub async fn h8_batches_are_bounded(store: Arc<dyn Store>) {
    add(&store, "ana").await;
    let talk = Talk::chat(&store).owned_by("ana");
    for index in 0..5 {
        talk.say(&format!("m{index}")).await;
    }
    claim(&store, "ana", EraseReason::Now, 3_000).await;
    assert_eq!(batch(&store, "ana", 2, 3_000).await, Batch::More);
    assert_eq!(claim(&store, "ana", EraseReason::Due, 3_000).await, Claim::Joined);
    assert_eq!(batch(&store, "ana", 2, 3_000).await, Batch::More);
    assert_eq!(finish(&store, "ana", 3_000).await.erased.messages, 5);
}

/// What is not due is not claimed: consent on, or the date still to come.
pub async fn h8_what_is_not_due_is_not_claimed(store: Arc<dyn Store>) {
    assert_eq!(claim(&store, "ana", EraseReason::Due, DUE).await, Claim::Unknown);
    assert_eq!(claim(&store, "ana", EraseReason::Now, DUE).await, Claim::Unknown);
    assert_eq!(batch(&store, "ana", 9, DUE).await, Batch::Nothing);
    withdrawn(&store, "ana").await;
    let talk = Talk::chat(&store).owned_by("ana");
    talk.say("m1").await;
    assert_eq!(claim(&store, "ana", EraseReason::Due, DUE - 1).await, Claim::NotDue);
    store.move_consent(&person_id("ana"), consent_move(true, DUE - 1)).await.expect("it answers");
    assert_eq!(claim(&store, "ana", EraseReason::Due, DUE).await, Claim::NotDue);
    assert_eq!(batch(&store, "ana", 9, DUE).await, Batch::Nothing);
    assert_eq!(talk.heard().await, ["m1"]);
}

/// Everybody who is due, or claimed and not finished, is found.
pub async fn h8_everybody_due_is_found(store: Arc<dyn Store>) {
    for id in ["ana", "ben"] {
        withdrawn(&store, id).await;
    }
    for id in ["cem", "dan"] {
        add(&store, id).await;
    }
    let due = async |now, limit| {
        let mut due = store.due(at(now), limit).await.expect("the store answers");
        due.sort();
        due
    };
    assert_eq!(due(DUE - 1, 9).await, []);
    claim(&store, "cem", EraseReason::Now, 2_500).await;
    assert_eq!(due(DUE - 1, 9).await, [person_id("cem")]);
    assert_eq!(due(DUE, 9).await, ["ana", "ben", "cem"].map(person_id));
    assert_eq!(due(DUE, 2).await.len(), 2);
    claim(&store, "ana", EraseReason::Due, DUE).await;
    finish(&store, "ana", DUE).await;
    assert_eq!(due(DUE, 9).await, ["ben", "cem"].map(person_id));
}

/// The claim ends the countdown; consent stays as it is.
pub async fn h8_a_claim_leaves_consent_as_it_is(store: Arc<dyn Store>) {
    withdrawn(&store, "ana").await;
    add(&store, "ben").await;
    claim(&store, "ana", EraseReason::Due, DUE).await;
    claim(&store, "ben", EraseReason::Now, 3_000).await;
    let read = async |id: &str| {
        let found = store.person(&person_id(id)).await.expect("the store answers");
        let found = found.expect("there is such a person");
        (found.consent, found.erased_at)
    };
    assert_eq!(read("ana").await, (Consent::Withheld { since: at(2_000) }, Some(at(DUE))));
    assert_eq!(read("ben").await, (Consent::Granted { since: at(0) }, Some(at(3_000))));
}

/// Erase now works in any state, also during the countdown, and again later.
pub async fn h8_erase_now_works_in_any_state(store: Arc<dyn Store>) {
    add(&store, "ana").await;
    let talk = Talk::chat(&store).owned_by("ana");
    talk.say("m1").await;
    assert_eq!(claim(&store, "ana", EraseReason::Now, 1_500).await, Claim::Made);
    talk.assert_wordless("m1").await;
    assert_eq!(finish(&store, "ana", 1_500).await.reason, EraseReason::Now);
    talk.say("m2").await;
    withdraw(&store, "ana").await;
    assert_eq!(claim(&store, "ana", EraseReason::Now, 2_500).await, Claim::Made);
    talk.assert_wordless("m2").await;
    assert_eq!(finish(&store, "ana", 2_500).await.erased.messages, 1);
    assert_eq!(store.due(at(DUE), 9).await.expect("the store answers"), []);
}

/// A claim that joins an unfinished one takes what was said since, into the same audit line.
pub async fn h8_a_claim_that_joins_takes_what_was_said_since(store: Arc<dyn Store>) {
    add(&store, "ana").await;
    let talk = Talk::chat(&store).owned_by("ana");
    talk.say("m1").await;
    claim(&store, "ana", EraseReason::Now, 3_000).await;
    talk.say("m2").await;
    assert_eq!(claim(&store, "ana", EraseReason::Due, 3_000).await, Claim::Joined);
    assert_eq!(talk.heard().await, ["m2"], "what is not due stays");
    assert_eq!(claim(&store, "ana", EraseReason::Now, 3_000).await, Claim::Joined);
    talk.assert_wordless("m2").await;
    assert_eq!(finish(&store, "ana", 3_000).await.erased.messages, 2);
    assert_eq!(store.audit(None, 9).await.expect("the store answers").len(), 1);
}

/// What is said after the claim belongs to a new history: batches leave it alone.
pub async fn h8_batches_leave_the_new_history_alone(store: Arc<dyn Store>) {
    add(&store, "ana").await;
    let talk = Talk::chat(&store).owned_by("ana");
    for id in ["m1", "m2", "m3"] {
        talk.say(id).await;
    }
    claim(&store, "ana", EraseReason::Now, 3_000).await;
    talk.say("m4").await;
    keep_picture(&talk, "m4", "k4").await;
    assert_eq!(batch(&store, "ana", 2, 3_000).await, Batch::More);
    talk.say("m5").await;
    assert_eq!(finish(&store, "ana", 3_000).await.erased.messages, 3);
    assert_eq!(talk.heard().await, ["m4", "m5"]);
    let kept = store.get(&talk.key, &media_key("k4")).await.expect("the store answers");
    assert_eq!(kept, Some(picture(b"bytes")));
}

/// Chats are settings and stay, empty: numbers go on, and what was taken back stays out.
pub async fn h8_chats_stay_and_numbers_go_on(store: Arc<dyn Store>) {
    add(&store, "ana").await;
    let talk = Talk::chat(&store).owned_by("ana");
    talk.say("m1").await;
    talk.say("m2").await;
    talk.make(unsend("m2")).await;
    talk.make(edit("m1", message("m3"), "e1", at(i64::MAX))).await;
    claim(&store, "ana", EraseReason::Now, 3_000).await;
    finish(&store, "ana", 3_000).await;
    let overview = talk.overview().await;
    assert_eq!((overview.heard, overview.owner), (0, Some(person_id("ana"))));
    assert_eq!(talk.outcome(say(message("m2"))).await, Outcome::TakenBack);
    assert_eq!(talk.say("m4").await.get(), 4);
    for id in ["m1", "m3"] {
        talk.assert_wordless(id).await;
    }
}

/// What stays of sessions is a bill, oldest first, without the expert.
pub async fn sessions_leave_a_bill(store: Arc<dyn Store>) {
    add(&store, "ana").await;
    store.change(&person_id("ana"), PersonChange::Grant(1)).await.expect("the store answers");
    for (id, now) in [("s2", 100), ("s1", 200)] {
        let opened = store.open_session(new_session(id, "ana", now), TERMS).await;
        assert!(opened.expect("the store answers").is_some());
    }
    claim(&store, "ana", EraseReason::Now, 3_000).await;
    assert_eq!(finish(&store, "ana", 3_000).await.erased.sessions, 2);
    let bill = |started_at, minutes, kind| BillingLine {
        owner: person_id("ana"),
        started_at: at(started_at),
        minutes: Some(minutes),
        kind,
    };
    let bills = store.billing(&person_id("ana")).await.expect("the store answers");
    let free = bill(100, TERMS.free_minutes, SessionKind::Free);
    assert_eq!(bills, [free, bill(200, TERMS.paid_minutes, SessionKind::Paid)]);
    let ended = store.end_session(&session_id("s1"), at(4_000)).await.expect("the store answers");
    assert_eq!(ended, None);
}

/// Idempotency keys of the person are forgotten with the history; those of others stay.
pub async fn h13_keys_are_forgotten_with_the_history(store: Arc<dyn Store>) {
    for id in ["ana", "ben"] {
        add(&store, id).await;
        store.remember(key_use(id, "k1", 1_000)).await.expect("the store answers");
    }
    claim(&store, "ana", EraseReason::Now, 3_000).await;
    finish(&store, "ana", 3_000).await;
    let mine = store.remember(key_use("ana", "k1", 4_000)).await.expect("the store answers");
    assert_eq!(mine, None);
    let others = store.remember(key_use("ben", "k1", 4_000)).await.expect("the store answers");
    assert_eq!(others, Some(key_use("ben", "k1", 1_000)));
}

/// With the account go the person, the ledger, worlds, agents and chats; the address is free.
pub async fn h8_an_account_goes_with_everything(store: Arc<dyn Store>) {
    add(&store, "ana").await;
    let made = store.add_world(world("ana", "w"), chat("c1", 0), vec![agent("kai")]).await;
    assert!(made.expect("the store answers").is_ok());
    let [talk, session, other] = furnish(&store).await;
    assert_eq!(claim(&store, "ana", EraseReason::Account, 3_000).await, Claim::Made);
    let ana = person_id("ana");
    assert_eq!(store.person(&ana).await.expect("the store answers"), None);
    assert_eq!(store.by_email(&email("ana")).await.expect("the store answers"), None);
    assert_eq!(store.people_after(None, 9).await.expect("the store answers"), []);
    let late = Commit::new(say(message("m9")), at(3_000)).with_consent_of(ana.clone());
    assert!(matches!(talk.commit(late).await, Committed::Refused(_)));
    assert_eq!(finish(&store, "ana", 3_000).await.reason, EraseReason::Account);
    assert_eq!(store.consents(&ana).await.expect("the store answers"), []);
    assert_eq!(store.worlds(&ana).await.expect("the store answers"), []);
    let agents = store.agents(&world_key("ana", "w")).await.expect("the store answers");
    assert!(agents.is_err());
    for key in [&talk.key, &session.key] {
        assert_eq!(store.whole(key).await.expect("the store answers"), None);
    }
    assert_eq!(talk.events().await, []);
    assert_eq!(other.heard().await, ["m3"]);
    let again = Commit::new(say(message("m1")), at(4_000)).with_consent_of(ana);
    assert!(matches!(talk.commit(again).await, Committed::Refused(_)));
    add(&store, "ana").await;
}

/// From the claim on an account can do nothing, whether or not its batches have run.
pub async fn h8_a_claimed_account_can_do_nothing(store: Arc<dyn Store>) {
    add(&store, "ana").await;
    claim(&store, "ana", EraseReason::Account, 3_000).await;
    for _ in 0..2 {
        let ana = person_id("ana");
        let changed = store.change(&ana, PersonChange::Grant(1)).await;
        assert!(!changed.expect("the store answers"));
        let moved = store.move_consent(&ana, consent_move(false, 3_000)).await;
        assert_eq!(moved.expect("the store answers"), None);
        let opened = store.open_session(new_session("s1", "ana", 3_000), TERMS).await;
        assert_eq!(opened.expect("the store answers"), None);
        store.erase_batch(&ana, 9, at(3_000)).await.expect("the store answers");
    }
}

/// Deleting the account joins an unfinished erasure, and takes the account too.
pub async fn h8_an_account_claim_that_joins_takes_the_account(store: Arc<dyn Store>) {
    add(&store, "ana").await;
    let talk = Talk::chat(&store).owned_by("ana");
    talk.say("m1").await;
    claim(&store, "ana", EraseReason::Now, 3_000).await;
    assert_eq!(claim(&store, "ana", EraseReason::Account, 3_000).await, Claim::Joined);
    let ana = person_id("ana");
    assert_eq!(store.person(&ana).await.expect("the store answers"), None);
    assert_eq!(claim(&store, "ana", EraseReason::Account, 3_000).await, Claim::Joined);
    let line = finish(&store, "ana", 3_000).await;
    assert_eq!((line.reason, line.erased.messages), (EraseReason::Account, 1));
    assert_eq!(claim(&store, "ana", EraseReason::Account, 3_000).await, Claim::Unknown);
    assert_eq!(store.consents(&ana).await.expect("the store answers"), []);
}

/// Audit lines hold the hash of the one before, and are listed newest last, page by page.
pub async fn the_audit_is_a_chain(store: Arc<dyn Store>) {
    for (index, id) in ["ana", "ben", "cem", "dan"].into_iter().enumerate() {
        add(&store, id).await;
        let now = 3_000 + i64::try_from(index).expect("it is small");
        claim(&store, id, EraseReason::Now, now).await;
        finish(&store, id, now).await;
    }
    let lines = async |before, limit| {
        let lines = store.audit(before, limit).await.expect("the store answers");
        lines.iter().map(|line| line.id).collect::<Vec<u64>>()
    };
    assert_eq!(lines(None, 9).await, [1, 2, 3, 4]);
    assert_eq!(lines(None, 2).await, [3, 4]);
    assert_eq!(lines(Some(3), 1).await, [2]);
    assert_eq!(lines(Some(1), 9).await, Vec::<u64>::new());
    let all = store.audit(None, 9).await.expect("the store answers");
    assert_eq!(first_break(&all), None);
}
