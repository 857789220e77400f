//! Sessions of a person with an expert: opening, ending, listing, forgetting.
//!
//! - [`talk`]: what is said in one. [`stage`](SessionStage): who answers. [`Speeches`]: who listens.
//! - [`Experts`]: who can be talked to.
//!
//! Somebody else's session does not exist (H9). What was said in one is read only while consent is on;
//! without it sessions are still counted and billed, and within a running one the model remembers
//! from memory.

mod expert;
mod speeches;
mod stage;
pub mod talk;

use unsaid_core::{
    domain::{
        conversation::{key::ConversationKey, log::Entry},
        id::{ExpertId, PersonId, SessionId},
        person::Person,
        session::{Session, SessionStatus, SessionTerms},
        time::Timestamp,
    },
    port::{
        error::StoreError,
        history::History,
        people::{HeldSession, NewSession, People, Which},
        volatile::Volatile,
    },
};

pub use self::{
    expert::{Expert, Experts},
    speeches::{Room, Speeches},
    stage::SessionStage,
};
use crate::{logs::Logs, place::Place};

/// Messages read at a time.
const PAGE_MESSAGES: usize = 500;

/// Why nothing is done in a session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// There is no such session, or nothing of it can be read.
    #[error("no such session")]
    NotFound,
    /// There is no such expert.
    #[error("no such expert")]
    UnknownExpert,
    /// No session is left.
    #[error("no credit left")]
    NoCredits,
    /// It is over.
    #[error("the session is over")]
    NotActive,
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] StoreError),
}

/// What somebody may still open; none where sessions are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credits {
    /// Free ones.
    pub free: u32,
    /// Granted ones.
    pub paid: u32,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The session, and how many messages of it are kept.
    pub held: HeldSession,
    /// Its newest message.
    pub newest: Option<Entry>,
}

/// Opens a session with an expert, and takes its credit in the same commit.
///
/// # Errors
/// See [`SessionError`].
pub async fn open(
    people: &dyn People,
    experts: &Experts,
    new: NewSession,
    terms: SessionTerms,
) -> Result<Session, SessionError> {
    if experts.get(&new.expert).is_none() {
        return Err(SessionError::UnknownExpert);
    }
    people.open_session(new, terms).await?.ok_or(SessionError::NoCredits)
}

/// A session of this person.
///
/// # Errors
/// See [`SessionError`].
pub async fn own(
    people: &dyn People,
    caller: &PersonId,
    id: &SessionId,
) -> Result<Session, SessionError> {
    let found = people.session(id).await?;
    found.filter(|session| session.owner == *caller).ok_or(SessionError::NotFound)
}

/// A session of this person in which they may still talk, with who answers there.
///
/// # Errors
/// See [`SessionError`].
pub async fn own_active(
    people: &dyn People,
    experts: &Experts,
    caller: &PersonId,
    id: &SessionId,
    now: Timestamp,
) -> Result<Session, SessionError> {
    let session = own(people, caller, id).await?;
    match session.status(now) {
        SessionStatus::Active => {}
        SessionStatus::Expired | SessionStatus::Ended => return Err(SessionError::NotActive),
    }
    let expert = session.expert.as_ref().and_then(|expert| experts.get(expert));
    if expert.is_some() { Ok(session) } else { Err(SessionError::UnknownExpert) }
}

/// Ends a session; again is the same. What was only in memory is forgotten with it; if an answer is
/// being given it comes to its end first, as it does where words are kept, and what was in memory goes
/// after it ([`crate::follow`]).
///
/// # Errors
/// See [`SessionError`].
pub async fn end(
    people: &dyn People,
    volatile: &dyn Volatile,
    caller: &PersonId,
    id: &SessionId,
    now: Timestamp,
) -> Result<Session, SessionError> {
    own(people, caller, id).await?;
    let ended = people.end_session(id, now).await?.ok_or(SessionError::NotFound)?;
    volatile.drop_idle(&ConversationKey::Session(id.clone()), now).await?;
    Ok(ended)
}

/// Forgets a session with everything said in it, whatever consent says. A billing line stays.
///
/// # Errors
/// See [`SessionError`].
pub async fn forget(
    people: &dyn People,
    logs: &Logs,
    caller: &PersonId,
    id: &SessionId,
) -> Result<(), SessionError> {
    own(people, caller, id).await?;
    logs.drop_conversation(&ConversationKey::Session(id.clone())).await?;
    people.forget_session(id).await?;
    Ok(())
}

/// What somebody may still open; `None` where sessions are not counted.
#[must_use]
pub fn credits(person: &Person, terms: SessionTerms) -> Option<Credits> {
    (terms.free > 0).then(|| Credits {
        free: terms.free.saturating_sub(person.free_used),
        paid: person.paid_credits,
    })
}

/// Somebody's sessions of which something is kept, newest first, and how many there are; `None` while
/// consent is off.
///
/// # Errors
/// If the store fails.
pub async fn list(
    people: &dyn People,
    kept: &dyn History,
    caller: &PersonId,
    offset: usize,
    limit: usize,
) -> Result<Option<(Vec<Listed>, u64)>, StoreError> {
    let (held, total) = people.sessions(caller, Which::Listed, offset, limit).await?;
    let mut listed = Vec::with_capacity(held.len());
    for held in held {
        let key = ConversationKey::Session(held.session.id.clone());
        let newest = kept.page(&key, None, 1).await?.pop();
        listed.push(Listed { held, newest });
    }
    // Looked at after reading: what is shown was read while consent was on (H8).
    Ok(consent_is_on(people, caller).await?.then_some((listed, total)))
}

/// Everything that is kept of a session, oldest first.
///
/// # Errors
/// See [`SessionError`].
pub async fn messages(
    people: &dyn People,
    kept: &dyn History,
    caller: &PersonId,
    id: &SessionId,
) -> Result<Vec<Entry>, SessionError> {
    own(people, caller, id).await?;
    let key = ConversationKey::Session(id.clone());
    let mut pages = Vec::new();
    let mut before = None;
    loop {
        let page = kept.page(&key, before, PAGE_MESSAGES).await?;
        before = page.first().map(|entry| entry.number);
        let is_last = page.len() < PAGE_MESSAGES;
        pages.push(page);
        if is_last {
            break;
        }
    }
    let readable = consent_is_on(people, caller).await? && people.is_listed(id).await?;
    if !readable {
        return Err(SessionError::NotFound);
    }
    Ok(pages.into_iter().rev().flatten().collect())
}

async fn consent_is_on(people: &dyn People, person: &PersonId) -> Result<bool, StoreError> {
    Ok(people.person(person).await?.is_some_and(|person| person.consent.is_on()))
}

/// A session as a place to talk.
#[must_use]
pub fn place(session: &Session) -> Place {
    Place::session(session.owner.clone(), session.id.clone())
}

/// The expert that is meant, or the usual one.
#[must_use]
pub fn chosen(experts: &Experts, wanted: Option<ExpertId>) -> ExpertId {
    wanted.unwrap_or_else(|| experts.usual().clone())
}
