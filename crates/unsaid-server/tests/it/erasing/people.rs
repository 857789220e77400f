//! Who is due and who is not, with everything that can be held of them; and what must hold then.

use std::sync::Arc;

use unsaid_core::domain::audit::{AuditLine, EraseReason, Erased, first_break};
use unsaid_core::domain::consent::Consent;
use unsaid_core::domain::session::{BillingLine, SessionKind};
use unsaid_core::port::Store;
use unsaid_core::port::erasure::Claim;
use unsaid_core::port::media::MediaPlace;
use unsaid_core::port::people::NewSession;
use unsaid_testkit::builder::{
    GRACE_MS, TERMS, agent, at, chat, chat_key, consent_line, consent_move, expert_id, media_key,
    message_id, new_session, person, person_id, picture, session_key, world,
};
use unsaid_testkit::talk::Talk;

use super::base::Base;

const WITHDRAWN: i64 = 2_000;
/// When the history of whoever withdrew is gone.
pub(super) const DUE: i64 = WITHDRAWN + GRACE_MS;

/// What a job at [`DUE`] makes of somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// They withdrew: their history goes.
    Due,
    /// They ended their account: all goes.
    Account,
    /// They withdrew a second later: nothing goes yet.
    NotYet,
    /// They consent: nothing goes.
    Consents,
}

/// Somebody, by the name that all their words have.
#[derive(Debug, Clone)]
pub(super) struct Somebody {
    pub(super) name: String,
    pub(super) fate: Fate,
}

impl Somebody {
    pub(super) fn new(name: impl Into<String>, fate: Fate) -> Self {
        Self { name: name.into(), fate }
    }

    fn chat(&self, store: &Arc<dyn Store>) -> Talk {
        Talk::new(store, chat_key(&format!("c-{}", self.name))).owned_by(&self.name)
    }

    fn session(&self, store: &Arc<dyn Store>) -> Talk {
        Talk::new(store, session_key(&format!("s-{}", self.name))).owned_by(&self.name)
    }

    fn id(&self, rest: &str) -> String {
        format!("{}-{rest}", self.name)
    }

    /// A world with a chat, a session with a log, a picture, and then what they decided.
    pub(super) async fn comes(&self, store: &Arc<dyn Store>) {
        self.talks(store).await;
        self.leaves(store).await;
    }

    /// Has an account, and is answered by turns of the test's own: beside a server that answers, too, one
    /// of the two would be late.
    pub(super) async fn talks(&self, store: &Arc<dyn Store>) {
        let name = self.name.as_str();
        assert!(store.add(person(name, true), consent_line(true, 0)).await.unwrap());
        let first_chat = chat(&format!("c-{name}"), 0);
        store.add_world(world(name, "w"), first_chat, vec![agent("kai")]).await.unwrap().unwrap();
        let talk = self.chat(store);
        for (question, answer) in [("q1", "a1"), ("q2", "a2")] {
            talk.exchange(&self.id(question), &self.id(answer)).await;
        }
        let place =
            MediaPlace { conversation: talk.key.clone(), message: message_id(&self.id("q1")) };
        let bytes = picture(self.picture().as_bytes());
        assert!(store.put(&media_key(&self.id("k")), &place, bytes).await.unwrap());
        let expert = expert_id(&self.expert());
        let session = NewSession { expert, ..new_session(&format!("s-{name}"), name, 50) };
        store.open_session(session, TERMS).await.unwrap().unwrap();
        self.session(store).exchange(&self.id("q3"), &self.id("a3")).await;
    }

    /// Does what is to become of them.
    pub(super) async fn leaves(&self, store: &Arc<dyn Store>) {
        match self.fate {
            Fate::Due => self.withdraws(store, WITHDRAWN).await,
            Fate::NotYet => self.withdraws(store, WITHDRAWN + 1_000).await,
            Fate::Account => {
                let id = person_id(&self.name);
                let claim = store.claim(&id, EraseReason::Account, at(DUE)).await;
                assert_eq!(claim, Ok(Claim::Made));
            }
            Fate::Consents => {}
        }
    }

    async fn withdraws(&self, store: &Arc<dyn Store>, now: i64) {
        let moved = store.move_consent(&person_id(&self.name), consent_move(false, now)).await;
        assert!(moved.unwrap().unwrap().changed);
    }

    fn picture(&self) -> String {
        format!("<picture of {}>", self.name)
    }

    fn expert(&self) -> String {
        format!("expert-of-{}-x", self.name)
    }

    /// What is in the store, when the job has come to its end.
    pub(super) async fn check(&self, store: &Arc<dyn Store>, audit: &[AuditLine], told: &str) {
        let told = format!("{self:?} after {told}");
        let id = person_id(&self.name);
        let lines: Vec<_> = audit.iter().filter(|line| line.person == id).collect();
        let lines: Vec<_> = lines.iter().map(|line| (line.reason, line.erased)).collect();
        let bills = store.billing(&id).await.unwrap();
        let found = store.person(&id).await.unwrap().map(|person| person.consent);
        let worlds = store.worlds(&id).await.unwrap().len();
        let chat = self.chat(store);
        let file = store.get(&chat.key, &media_key(&self.id("k"))).await.unwrap().is_some();
        let heard = [chat.heard().await, self.session(store).heard().await].concat();
        let (consent, reason) = match self.fate {
            Fate::Due => (Some(Consent::Withheld { since: at(WITHDRAWN) }), Some(EraseReason::Due)),
            Fate::Account => (None, Some(EraseReason::Account)),
            Fate::NotYet => {
                let (since, due) = (at(WITHDRAWN + 1_000), at(DUE + 1_000));
                (Some(Consent::Withdrawn { since, due }), None)
            }
            Fate::Consents => (Some(Consent::Granted { since: at(0) }), None),
        };
        assert_eq!(found, consent, "{told}");
        assert_eq!(worlds, usize::from(self.fate != Fate::Account), "{told}");
        let Some(reason) = reason else {
            let said = ["q1", "a1", "q2", "a2", "q3", "a3"].map(|rest| self.id(rest));
            assert_eq!((heard, file), (said.to_vec(), true), "{told}");
            assert_eq!((lines, bills), (vec![], vec![]), "{told}");
            return;
        };
        assert_eq!((heard, file), (vec![], false), "{told}");
        let erased = Erased { sessions: 1, messages: 6, media: 1 };
        assert_eq!(lines, [(reason, erased)], "{told}");
        let minutes = Some(TERMS.free_minutes);
        let bill = BillingLine { owner: id, started_at: at(50), minutes, kind: SessionKind::Free };
        assert_eq!(bills, [bill], "{told}");
    }

    /// Where words, pictures and experts are found, when nobody has it open any more.
    pub(super) async fn search(&self, base: &Base, told: &str) {
        let words = format!("<words of {}-", self.name);
        let address = format!("{}@example.org", self.name);
        let (history, person) = match self.fate {
            Fate::Due => (false, true),
            Fate::Account => (false, false),
            Fate::NotYet | Fate::Consents => (true, true),
        };
        let wanted = [(words, history), (self.picture(), history), (self.expert(), history)];
        for (text, is_there) in wanted.into_iter().chain([(address, person)]) {
            let places = base.places_of(&text).await;
            assert_eq!(!places.is_empty(), is_there, "{text} in {places:?}: {self:?} after {told}");
        }
    }
}

/// Everybody's state, and the chain.
pub(super) async fn check_all(people: &[Somebody], base: &Base, told: &str) {
    let store = base.open().await;
    let audit = store.audit(None, 10_000).await.unwrap();
    assert_eq!(first_break(&audit), None, "{told}");
    for somebody in people {
        somebody.check(&store, &audit, told).await;
    }
    let due = store.due(at(DUE), 10_000).await.unwrap();
    assert_eq!(due, [], "{told}");
}
