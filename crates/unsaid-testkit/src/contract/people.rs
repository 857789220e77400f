//! Accounts and sessions.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        conversation::change::Refusal,
        person::{PasswordHash, Person},
        session::{BillingLine, Session, SessionKind, SessionTerms},
    },
    port::{
        Store,
        history::Committed,
        people::{NewSession, PersonChange, Which},
    },
};

use crate::{
    builder::{
        TERMS, answer, at, consent_line, consent_move, cut, email, expert_id, message, new_session,
        person, person_id, say, session_id, session_key, unsend, words,
    },
    talk::Talk,
};

async fn add(store: &Arc<dyn Store>, id: &str, consent: bool) {
    let line = consent_line(consent, 0);
    assert!(store.add(person(id, consent), line).await.expect("the store answers"));
}

async fn read(store: &Arc<dyn Store>, id: &str) -> Person {
    let found = store.person(&person_id(id)).await.expect("the store answers");
    found.expect("there is such a person")
}

async fn open(store: &Arc<dyn Store>, id: &str, terms: SessionTerms) -> Option<Session> {
    store.open_session(new_session(id, "ana", 1_000), terms).await.expect("the store answers")
}

/// An account comes back field by field, by id and by address.
pub async fn an_account_comes_back_whole(store: Arc<dyn Store>) {
    let ana = Person {
        display_name: words("Ana 東京"),
        admin: true,
        created_at: at(11),
        tokens_since: at(12),
        erased_at: Some(at(13)),
        paid_credits: 14,
        free_used: 15,
        ..person("ana", true)
    };
    assert!(store.add(ana.clone(), consent_line(true, 11)).await.expect("the store answers"));
    assert_eq!(read(&store, "ana").await, ana);
    let found = store.by_email(&email("ana")).await.expect("the store answers");
    assert_eq!(found, Some(ana));
    assert_eq!(store.by_email(&email("ben")).await.expect("the store answers"), None);
    assert_eq!(store.person(&person_id("ben")).await.expect("the store answers"), None);
    let ledger = store.consents(&person_id("ana")).await.expect("the store answers");
    assert_eq!(ledger, [consent_line(true, 11)]);
}

/// An address is one account's.
pub async fn an_address_is_taken_once(store: Arc<dyn Store>) {
    add(&store, "ana", true).await;
    let second = Person { email: email("ana"), ..person("ben", true) };
    let added = store.add(second, consent_line(true, 0)).await.expect("the store answers");
    assert!(!added);
    assert_eq!(store.person(&person_id("ben")).await.expect("the store answers"), None);
    assert_eq!(store.consents(&person_id("ben")).await.expect("the store answers"), []);
}

/// Everybody is listed by id, page by page.
pub async fn people_are_listed_by_id(store: Arc<dyn Store>) {
    for id in ["cem", "ana", "ben"] {
        add(&store, id, false).await;
    }
    let list = async |after: Option<&str>, limit| {
        let after = after.map(person_id);
        let people = store.people_after(after.as_ref(), limit).await.expect("the store answers");
        people.iter().map(|person| person.id.to_string()).collect::<Vec<String>>()
    };
    assert_eq!(list(None, 2).await, ["ana", "ben"]);
    assert_eq!(list(Some("ben"), 2).await, ["cem"]);
    assert_eq!(list(Some("b"), 1).await, ["ben"], "the one after need not exist");
    assert_eq!(list(Some("cem"), 2).await, Vec::<String>::new());
}

/// Changes of an account change what they name, and nothing else.
pub async fn an_account_can_be_changed(store: Arc<dyn Store>) {
    add(&store, "ana", true).await;
    let ana = person_id("ana");
    let hash = PasswordHash::new("$argon2id$other");
    let changes = [
        PersonChange::DisplayName(words("Anna")),
        PersonChange::Password { hash: hash.clone(), at: at(77) },
        PersonChange::Admin(true),
        PersonChange::Grant(3),
        PersonChange::Grant(4),
    ];
    for change in changes {
        assert!(store.change(&ana, change).await.expect("the store answers"));
    }
    let expected = Person {
        display_name: words("Anna"),
        password: hash,
        tokens_since: at(77),
        admin: true,
        paid_credits: 7,
        ..person("ana", true)
    };
    assert_eq!(read(&store, "ana").await, expected);
    let nobody = store.change(&person_id("ben"), PersonChange::Admin(true)).await;
    assert!(!nobody.expect("the store answers"));
}

/// A session and its credit are one commit: free ones first, then paid ones, then none.
pub async fn a_session_takes_its_credit(store: Arc<dyn Store>) {
    assert_eq!(open(&store, "s0", TERMS).await, None, "nobody pays for nobody");
    add(&store, "ana", true).await;
    let first = open(&store, "s1", TERMS).await.expect("one is free");
    let expected = Session {
        id: session_id("s1"),
        owner: person_id("ana"),
        expert: Some(expert_id("kai")),
        kind: SessionKind::Free,
        started_at: at(1_000),
        minutes: Some(TERMS.free_minutes),
        ended_at: None,
    };
    assert_eq!(first, expected);
    assert_eq!(open(&store, "s2", TERMS).await, None, "no credit is left");
    assert_eq!(store.session(&session_id("s2")).await.expect("the store answers"), None);
    store.change(&person_id("ana"), PersonChange::Grant(1)).await.expect("the store answers");
    let second = open(&store, "s2", TERMS).await.expect("one is paid");
    assert_eq!((second.kind, second.minutes), (SessionKind::Paid, Some(TERMS.paid_minutes)));
    assert_eq!(open(&store, "s3", TERMS).await, None);
    let ana = read(&store, "ana").await;
    assert_eq!((ana.free_used, ana.paid_credits), (1, 0));
    let found = store.session(&session_id("s1")).await.expect("the store answers");
    assert_eq!(found, Some(expected));
}

/// A credit is not spent twice by calls at once.
pub async fn a_credit_is_spent_once(store: Arc<dyn Store>) {
    add(&store, "ana", true).await;
    let mut calls = tokio::task::JoinSet::new();
    for call in 0..8 {
        let store = Arc::clone(&store);
        calls.spawn(async move { open(&store, &format!("s{call}"), TERMS).await });
    }
    assert_eq!(calls.join_all().await.into_iter().flatten().count(), 1);
    let (_, total) =
        store.sessions(&person_id("ana"), Which::All, 0, 9).await.expect("the store answers");
    assert_eq!(total, 1);
}

/// Where sessions are free without end, they are untimed.
pub async fn free_sessions_without_end_are_untimed(store: Arc<dyn Store>) {
    add(&store, "ana", true).await;
    let terms = SessionTerms { free: 0, ..TERMS };
    for id in ["s1", "s2"] {
        let session = open(&store, id, terms).await.expect("they are free");
        assert_eq!((session.kind, session.minutes), (SessionKind::Free, None));
    }
}

/// A session ends once; again is the same. With consent its expert stays.
pub async fn a_session_ends_once(store: Arc<dyn Store>) {
    add(&store, "ana", true).await;
    open(&store, "s1", TERMS).await;
    let end = async |id: &str, now| {
        store.end_session(&session_id(id), at(now)).await.expect("the store answers")
    };
    let ended = end("s1", 2_000).await.expect("there is such a session");
    assert_eq!((ended.ended_at, ended.expert.clone()), (Some(at(2_000)), Some(expert_id("kai"))));
    store
        .move_consent(&person_id("ana"), consent_move(false, 2_500))
        .await
        .expect("the store answers");
    assert_eq!(end("s1", 3_000).await, Some(ended));
    assert_eq!(end("s9", 3_000).await, None);
}

/// Without consent the expert is forgotten at the end, not before.
pub async fn h7_without_consent_the_expert_is_forgotten_at_the_end(store: Arc<dyn Store>) {
    add(&store, "ana", false).await;
    let open = open(&store, "s1", TERMS).await.expect("one is free");
    assert_eq!(open.expert, Some(expert_id("kai")));
    let ended = store.end_session(&session_id("s1"), at(2_000)).await.expect("the store answers");
    let expected = Session { expert: None, ended_at: Some(at(2_000)), ..open };
    assert_eq!(ended.as_ref(), Some(&expected));
    let found = store.session(&session_id("s1")).await.expect("the store answers");
    assert_eq!(found, Some(expected));
}

/// An expert is called what the configuration calls it, to the letter.
pub async fn an_expert_keeps_its_name(store: Arc<dyn Store>) {
    add(&store, "ana", true).await;
    let terms = SessionTerms { free: 0, ..TERMS };
    for (number, name) in ["my_Expert", "my-expert", "A__b-", "_"].into_iter().enumerate() {
        let id = format!("s{number}");
        let new = NewSession { expert: expert_id(name), ..new_session(&id, "ana", 100) };
        store.open_session(new, terms).await.expect("the store answers");
        let found = store.session(&session_id(&id)).await.expect("the store answers");
        assert_eq!(found.and_then(|session| session.expert), Some(expert_id(name)));
    }
}

/// The expert of a session that ran out is forgotten without ending it, and only without consent.
pub async fn h7_an_expert_is_forgotten_without_an_end(store: Arc<dyn Store>) {
    add(&store, "ana", true).await;
    let opened = open(&store, "s1", TERMS).await.expect("one is free");
    let forget = async |id: &str| {
        store.forget_expert(&session_id(id)).await.expect("the store answers");
        store.session(&session_id(id)).await.expect("the store answers")
    };
    assert_eq!(forget("s1").await.as_ref(), Some(&opened), "consent is on");
    let withdrawn = store.move_consent(&person_id("ana"), consent_move(false, 2_000)).await;
    withdrawn.expect("the store answers");
    let expected = Session { expert: None, ..opened };
    for _ in 0..2 {
        assert_eq!(forget("s1").await.as_ref(), Some(&expected));
    }
    assert_eq!(forget("s9").await, None);
}

/// Sessions are listed newest first, page by page, with their number.
pub async fn sessions_are_listed_newest_first(store: Arc<dyn Store>) {
    let terms = SessionTerms { free: 0, ..TERMS };
    for id in ["ana", "ben"] {
        add(&store, id, true).await;
    }
    let opened = [("s1", "ana", 100), ("s3", "ana", 300), ("s2", "ana", 300), ("s4", "ben", 400)];
    for (id, owner, now) in opened {
        store.open_session(new_session(id, owner, now), terms).await.expect("the store answers");
    }
    let list = async |owner: &str, offset, limit| {
        let owner = person_id(owner);
        let page = store.sessions(&owner, Which::All, offset, limit).await;
        let (page, total) = page.expect("the store answers");
        let ids: Vec<String> = page.iter().map(|held| held.session.id.to_string()).collect();
        (ids.join(" "), total)
    };
    assert_eq!(list("ana", 0, 10).await, ("s3 s2 s1".to_owned(), 3));
    assert_eq!(list("ana", 1, 1).await, ("s2".to_owned(), 3));
    assert_eq!(list("ana", 3, 10).await, (String::new(), 3));
    assert_eq!(list("cem", 0, 10).await, (String::new(), 0));
    let bills = store.billing(&person_id("ana")).await.expect("the store answers");
    assert_eq!(bills, [], "a session that is there needs no bill");
}

/// Untimed sessions at these moments, each named after its own.
async fn open_at(store: &Arc<dyn Store>, owner: &str, moments: &[i64]) {
    let terms = SessionTerms { free: 0, ..TERMS };
    for now in moments {
        let session = new_session(&format!("s{now}"), owner, *now);
        store.open_session(session, terms).await.expect("the store answers");
    }
}

/// A page of a person's sessions with the number of their messages, and how many there are.
async fn page(
    store: &Arc<dyn Store>,
    owner: &str,
    which: Which,
    (offset, limit): (usize, usize),
) -> (String, u64) {
    let page = store.sessions(&person_id(owner), which, offset, limit).await;
    let (page, total) = page.expect("the store answers");
    let shown = page.iter().map(|held| format!("{}:{}", held.session.id, held.messages));
    (shown.collect::<Vec<_>>().join(" "), total)
}

async fn listed(store: &Arc<dyn Store>, id: &str) -> bool {
    store.is_listed(&session_id(id)).await.expect("the store answers")
}

/// A session is counted with what can be heard in it.
pub async fn sessions_are_counted_with_their_messages(store: Arc<dyn Store>) {
    add(&store, "ana", true).await;
    open_at(&store, "ana", &[100, 200, 300]).await;
    let talk = Talk::new(&store, session_key("s100")).owned_by("ana");
    talk.make(say(message("m1"))).await;
    talk.make(say(message("m2"))).await;
    talk.make(say(answer("a1"))).await;
    let emptied = Talk::new(&store, session_key("s200")).owned_by("ana");
    emptied.make(say(message("m1"))).await;
    emptied.make(cut("m1")).await;
    for which in [Which::All, Which::Listed] {
        let expected = ("s300:0 s200:0 s100:3".to_owned(), 3);
        assert_eq!(page(&store, "ana", which, (0, 9)).await, expected);
        assert_eq!(page(&store, "ana", which, (2, 9)).await, ("s100:3".to_owned(), 3));
        assert_eq!(page(&store, "ana", which, (3, 9)).await, (String::new(), 3));
    }
    talk.make(unsend("m1")).await;
    assert_eq!(page(&store, "ana", Which::All, (2, 1)).await, ("s100:2".to_owned(), 3));
}

/// What was held while consent was off is not listed later, unless a message of it was stored.
pub async fn h7_sessions_without_consent_are_not_listed(store: Arc<dyn Store>) {
    add(&store, "ana", false).await;
    add(&store, "ben", true).await;
    let turn = async |grant, now| {
        let moved = store.move_consent(&person_id("ana"), consent_move(grant, now)).await;
        moved.expect("the store answers");
    };
    open_at(&store, "ana", &[100, 150]).await;
    turn(true, 200).await;
    // The switch is moved at 200: a session of that moment has consent already.
    open_at(&store, "ana", &[200, 250]).await;
    let over = store.end_session(&session_id("s250"), at(300)).await;
    assert!(over.expect("the store answers").is_some());
    turn(false, 300).await;
    open_at(&store, "ana", &[300, 350]).await;
    turn(true, 400).await;
    open_at(&store, "ben", &[101]).await;
    // Begun without consent, and then somebody agreed and went on.
    let talk = Talk::new(&store, session_key("s350")).owned_by("ana");
    talk.make(say(message("m1"))).await;
    talk.make(unsend("m1")).await;
    // Begun with consent, and held on without: s200 is not over when the switch is moved at 300.
    let all = ("s350:0 s300:0 s250:0 s200:0 s150:0 s100:0".to_owned(), 6);
    assert_eq!(page(&store, "ana", Which::All, (0, 9)).await, all);
    let some = page(&store, "ana", Which::Listed, (0, 9)).await;
    assert_eq!(some, ("s350:0 s250:0".to_owned(), 2));
    assert_eq!(page(&store, "ana", Which::Listed, (1, 1)).await, ("s250:0".to_owned(), 2));
    assert_eq!(page(&store, "ben", Which::Listed, (0, 9)).await, ("s101:0".to_owned(), 1));
    let expected = [("s350", true), ("s300", false), ("s250", true), ("s200", false)];
    for (id, expected) in expected.into_iter().chain([("s100", false)]) {
        assert_eq!(listed(&store, id).await, expected, "{id}");
    }
    assert!(!listed(&store, "s999").await, "nobody knows it");
    store.drop_conversation(&talk.key).await.expect("the store answers");
    assert!(!listed(&store, "s350").await, "what was stored is gone");
}

/// A session that ran out before consent was withdrawn was not held without it.
pub async fn h7_a_session_that_ran_out_before_a_withdrawal_is_listed(store: Arc<dyn Store>) {
    add(&store, "ana", true).await;
    open(&store, "s1", TERMS).await.expect("one is free");
    let started = store.session(&session_id("s1")).await.expect("the store answers");
    let end = started.and_then(|session| session.expires_at()).expect("it is timed");
    for (moment, expected) in [(end, true), (end.plus_millis(-1), false)] {
        for grant in [false, true] {
            let to = consent_move(grant, moment.as_millis());
            store.move_consent(&person_id("ana"), to).await.expect("the store answers");
        }
        assert_eq!(listed(&store, "s1").await, expected, "{moment:?}");
    }
}

/// A session that is deleted leaves a bill, once, and nothing of its subject.
pub async fn a_forgotten_session_leaves_a_bill(store: Arc<dyn Store>) {
    add(&store, "ana", true).await;
    open_at(&store, "ana", &[100, 200, 300]).await;
    let forget =
        async |id: &str| store.forget_session(&session_id(id)).await.expect("the store answers");
    assert!(forget("s200").await);
    assert!(!forget("s200").await, "again there is none");
    assert!(!forget("s999").await);
    assert!(forget("s100").await);
    assert_eq!(store.session(&session_id("s200")).await.expect("the store answers"), None);
    assert_eq!(page(&store, "ana", Which::All, (0, 9)).await, ("s300:0".to_owned(), 1));
    let line = |started_at| BillingLine {
        owner: person_id("ana"),
        started_at: at(started_at),
        minutes: None,
        kind: SessionKind::Free,
    };
    let bills = store.billing(&person_id("ana")).await.expect("the store answers");
    assert_eq!(bills, [line(100), line(200)], "in the order in which they began");
}

/// A session that is deleted takes along what was said there, and what is on its way there.
pub async fn words_for_a_forgotten_session_are_refused(store: Arc<dyn Store>) {
    add(&store, "ana", true).await;
    open_at(&store, "ana", &[100, 200]).await;
    let talks = ["s100", "s200"].map(|id| Talk::new(&store, session_key(id)).owned_by("ana"));
    let first = talks[0].change(say(message("m1"))).at_home();
    assert!(matches!(talks[0].commit(first).await, Committed::Applied(..)), "it is there");
    for id in ["s100", "s200"] {
        assert!(store.forget_session(&session_id(id)).await.expect("the store answers"));
    }
    for _ in 0..2 {
        for talk in &talks {
            let kept = store.whole(&talk.key).await.expect("the store answers");
            assert_eq!(kept, None, "{} is no session", talk.key);
            let late = talk.change(say(message("m2"))).at_home();
            assert_eq!(talk.commit(late).await, Committed::Refused(Refusal::NotFound));
        }
        store.sweep(at(9_000), 1_000).await.expect("the store answers");
    }
}
