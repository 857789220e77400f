//! Accounts, consent, sessions.

use std::cmp::Reverse;

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        audit::EraseReason,
        consent::Grant,
        conversation::{Conversation, change::Change, key::ConversationKey},
        id::{Number, PersonId, SessionId},
        person::{ConsentLine, Email, Person},
        session::{BillingLine, Session, SessionKind, SessionTerms, next_session},
        time::Timestamp,
    },
    port::{
        error::StoreError,
        people::{ConsentMove, ConsentMoved, HeldSession, NewSession, People, PersonChange, Which},
    },
};

use crate::{MemoryStore, history::heard, state::State};

#[async_trait]
impl People for MemoryStore {
    async fn add(&self, person: Person, line: ConsentLine) -> Result<bool, StoreError> {
        let mut state = self.lock()?;
        let mut known = state.people.values();
        if known.any(|known| known.email == person.email || known.id == person.id) {
            return Ok(false);
        }
        state.ledger.insert(person.id.clone(), vec![line]);
        state.people.insert(person.id.clone(), person);
        Ok(true)
    }

    async fn person(&self, id: &PersonId) -> Result<Option<Person>, StoreError> {
        Ok(self.lock()?.people.get(id).cloned())
    }

    async fn by_email(&self, email: &Email) -> Result<Option<Person>, StoreError> {
        Ok(self.lock()?.people.values().find(|person| person.email == *email).cloned())
    }

    async fn people_after(
        &self,
        after: Option<&PersonId>,
        limit: usize,
    ) -> Result<Vec<Person>, StoreError> {
        let state = self.lock()?;
        let people = state.people.values();
        let later = people.filter(|person| after.is_none_or(|after| person.id > *after));
        Ok(later.take(limit).cloned().collect())
    }

    async fn change(&self, id: &PersonId, change: PersonChange) -> Result<bool, StoreError> {
        let mut state = self.lock()?;
        let Some(person) = state.people.get_mut(id) else { return Ok(false) };
        match change {
            PersonChange::DisplayName(name) => person.display_name = name,
            PersonChange::Password { hash, at } => {
                person.password = hash;
                person.tokens_since = at;
            }
            PersonChange::Admin(admin) => person.admin = admin,
            PersonChange::Grant(credits) => {
                person.paid_credits = person.paid_credits.saturating_add(credits);
            }
        }
        Ok(true)
    }

    async fn move_consent(
        &self,
        id: &PersonId,
        to: ConsentMove,
    ) -> Result<Option<ConsentMoved>, StoreError> {
        let mut state = self.lock()?;
        Ok(if to.grant { state.grant(id, to) } else { state.withdraw(id, to) })
    }

    async fn consents(&self, id: &PersonId) -> Result<Vec<ConsentLine>, StoreError> {
        Ok(self.lock()?.ledger.get(id).cloned().unwrap_or_default())
    }

    async fn open_session(
        &self,
        session: NewSession,
        terms: SessionTerms,
    ) -> Result<Option<Session>, StoreError> {
        self.lock()?.open_session(session, terms)
    }

    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        Ok(self.lock()?.sessions.get(id).cloned())
    }

    async fn end_session(
        &self,
        id: &SessionId,
        now: Timestamp,
    ) -> Result<Option<Session>, StoreError> {
        let mut state = self.lock()?;
        let Some(session) = state.sessions.get_mut(id) else { return Ok(None) };
        if session.ended_at.is_none() {
            session.ended_at = Some(now);
            state.forget_expert_without_consent(id);
        }
        Ok(state.sessions.get(id).cloned())
    }

    async fn forget_expert(&self, id: &SessionId) -> Result<(), StoreError> {
        self.lock()?.forget_expert_without_consent(id);
        Ok(())
    }

    async fn sessions(
        &self,
        owner: &PersonId,
        which: Which,
        offset: usize,
        limit: usize,
    ) -> Result<(Vec<HeldSession>, u64), StoreError> {
        let state = self.lock()?;
        let theirs = state.sessions.values().filter(|session| session.owner == *owner);
        let mut theirs: Vec<&Session> = match which {
            Which::All => theirs.collect(),
            Which::Listed => theirs.filter(|session| state.is_listed(session)).collect(),
        };
        theirs.sort_by_key(|session| Reverse((session.started_at, &session.id)));
        let total = theirs.len() as u64;
        let page = theirs.into_iter().skip(offset).take(limit);
        let held = page.map(|session| HeldSession {
            session: session.clone(),
            messages: state.kept(&session.id).map_or(0, |log| heard(log).count() as u64),
        });
        Ok((held.collect(), total))
    }

    async fn is_listed(&self, id: &SessionId) -> Result<bool, StoreError> {
        let state = self.lock()?;
        Ok(state.sessions.get(id).is_some_and(|session| state.is_listed(session)))
    }

    async fn forget_session(&self, id: &SessionId) -> Result<bool, StoreError> {
        let mut state = self.lock()?;
        let Some(session) = state.sessions.remove(id) else { return Ok(false) };
        state.billing.push(session.bill());
        state.drop_conversation(&ConversationKey::Session(id.clone()));
        Ok(true)
    }

    async fn billing(&self, owner: &PersonId) -> Result<Vec<BillingLine>, StoreError> {
        let state = self.lock()?;
        let theirs = state.billing.iter().filter(|line| line.owner == *owner);
        let mut theirs: Vec<BillingLine> = theirs.cloned().collect();
        theirs.sort_by_key(|line| line.started_at);
        Ok(theirs)
    }
}

impl State {
    /// What is kept of a session.
    fn kept(&self, id: &SessionId) -> Option<&Conversation> {
        let held = self.conversations.get(&ConversationKey::Session(id.clone()));
        held.map(|held| &held.conversation)
    }

    fn forget_expert_without_consent(&mut self, id: &SessionId) {
        let Self { sessions, people, .. } = self;
        let Some(session) = sessions.get_mut(id) else { return };
        if !people.get(&session.owner).is_some_and(|owner| owner.consent.is_on()) {
            session.expert = None;
        }
    }

    fn is_listed(&self, session: &Session) -> bool {
        let ledger = self.ledger.get(&session.owner).map_or(&[][..], Vec::as_slice);
        let line = ledger.iter().rev().find(|line| line.at <= session.started_at);
        let was_on = line.is_some_and(|line| line.granted);
        let lasted_beyond = |at: Timestamp| {
            session.ended_at.is_none_or(|end| at < end)
                && session.expires_at().is_none_or(|end| at < end)
        };
        let was_off = ledger
            .iter()
            .any(|line| !line.granted && line.at > session.started_at && lasted_beyond(line.at));
        let stored = self.kept(&session.id).is_some_and(|log| log.last_number > Number::ZERO);
        stored || (was_on && !was_off)
    }

    fn grant(&mut self, id: &PersonId, to: ConsentMove) -> Option<ConsentMoved> {
        let person = self.people.get(id)?;
        let before = person.consent;
        let (consent, grant) = before.grant(to.now);
        let erased = match grant {
            Grant::Unchanged => false,
            Grant::Kept => person.erased_at.is_some_and(|at| at >= before.changed_at()),
            Grant::TooLate => true,
        };
        if grant == Grant::TooLate {
            self.erase_history(id, EraseReason::Due, to.now);
        }
        self.people.get_mut(id)?.consent = consent;
        let changed = consent != before;
        if changed {
            self.write_ledger(id, to);
        }
        Some(ConsentMoved { consent, changed, erased })
    }

    fn withdraw(&mut self, id: &PersonId, to: ConsentMove) -> Option<ConsentMoved> {
        let person = self.people.get_mut(id)?;
        let before = person.consent;
        person.consent = before.withdraw(to.now, to.grace_ms);
        let consent = person.consent;
        let changed = consent != before;
        if changed {
            for key in self.owned_by(id) {
                // Closing is never refused.
                self.apply(&key, Change::CloseUndo, to.now).ok();
            }
            self.write_ledger(id, to);
        }
        Some(ConsentMoved { consent, changed, erased: false })
    }

    fn write_ledger(&mut self, id: &PersonId, to: ConsentMove) {
        let ConsentMove { grant: granted, now: at, grace_ms: _, notice_version, door } = to;
        let line = ConsentLine { at, granted, notice_version, door };
        self.ledger.entry(id.clone()).or_default().push(line);
    }

    fn open_session(
        &mut self,
        session: NewSession,
        terms: SessionTerms,
    ) -> Result<Option<Session>, StoreError> {
        let NewSession { id, owner, expert, now } = session;
        if self.sessions.contains_key(&id) {
            return Err(StoreError::Conflict);
        }
        let Some(person) = self.people.get_mut(&owner) else { return Ok(None) };
        let next = next_session(terms, person.free_used, person.paid_credits);
        let Some((kind, minutes)) = next else { return Ok(None) };
        match kind {
            SessionKind::Free => person.free_used = person.free_used.saturating_add(1),
            SessionKind::Paid => person.paid_credits -= 1,
        }
        let session = Session {
            id: id.clone(),
            owner,
            expert: Some(expert),
            kind,
            started_at: now,
            minutes,
            ended_at: None,
        };
        self.sessions.insert(id, session.clone());
        Ok(Some(session))
    }
}
