//! Accounts, consent, sessions.

use async_trait::async_trait;

use super::error::StoreError;
use crate::domain::{
    consent::Consent,
    id::{ExpertId, PersonId, SessionId},
    person::{ConsentLine, Email, PasswordHash, Person},
    session::{BillingLine, Session, SessionTerms},
    text::Words,
    time::Timestamp,
};

/// A change of an account's own fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonChange {
    /// Another name.
    DisplayName(Words),
    /// Another password; tokens from before `at` count for nothing.
    Password {
        /// The new hash.
        hash: PasswordHash,
        /// When.
        at: Timestamp,
    },
    /// Whether they are admin.
    Admin(bool),
    /// More paid sessions.
    Grant(u32),
}

/// A move of the consent switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentMove {
    /// On or off.
    pub grant: bool,
    /// When.
    pub now: Timestamp,
    /// From withdrawal to erasure.
    pub grace_ms: i64,
    /// Which notice was shown.
    pub notice_version: String,
    /// Where the switch was moved.
    pub door: String,
}

/// What a move of the switch did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConsentMoved {
    /// The state from now on.
    pub consent: Consent,
    /// Whether anything moved.
    pub changed: bool,
    /// Whether history was erased since the withdrawal.
    pub erased: bool,
}

/// A session to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Its id.
    pub id: SessionId,
    /// Whose.
    pub owner: PersonId,
    /// With whom.
    pub expert: ExpertId,
    /// When.
    pub now: Timestamp,
}

/// Which sessions of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// All that there are.
    All,
    /// Those that belong to a history: a message of it was stored and its log is still there, or
    /// consent was on when it began and was not withdrawn while it lasted.
    Listed,
}

/// A session with what is kept of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldSession {
    /// The session.
    pub session: Session,
    /// How many messages can be heard in its stored log.
    pub messages: u64,
}

/// See the module.
#[async_trait]
pub trait People: Send + Sync {
    /// Makes an account with its first line in the consent ledger; `false` if the address is taken.
    async fn add(&self, person: Person, line: ConsentLine) -> Result<bool, StoreError>;

    /// The person with an id.
    async fn person(&self, id: &PersonId) -> Result<Option<Person>, StoreError>;

    /// The person with an address.
    async fn by_email(&self, email: &Email) -> Result<Option<Person>, StoreError>;

    /// Everybody, by id, after one of them.
    async fn people_after(
        &self,
        after: Option<&PersonId>,
        limit: usize,
    ) -> Result<Vec<Person>, StoreError>;

    /// Changes an account; `false` if there is none.
    async fn change(&self, id: &PersonId, change: PersonChange) -> Result<bool, StoreError>;

    /// Moves the switch, with its line in the ledger if it moved. A grant after the due moment
    /// claims the old history for erasure in the same commit; a withdrawal closes undo windows.
    async fn move_consent(
        &self,
        id: &PersonId,
        to: ConsentMove,
    ) -> Result<Option<ConsentMoved>, StoreError>;

    /// The consent ledger, oldest first.
    async fn consents(&self, id: &PersonId) -> Result<Vec<ConsentLine>, StoreError>;

    /// Opens a session and takes its credit, in one commit; `None` if no credit is left.
    async fn open_session(
        &self,
        session: NewSession,
        terms: SessionTerms,
    ) -> Result<Option<Session>, StoreError>;

    /// A session.
    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError>;

    /// Ends a session; again is the same. Without consent the expert is forgotten.
    async fn end_session(
        &self,
        id: &SessionId,
        now: Timestamp,
    ) -> Result<Option<Session>, StoreError>;

    /// Forgets with whom a session was, if consent is off; nothing else of it changes. A session that
    /// ran out is over without having been ended.
    async fn forget_expert(&self, id: &SessionId) -> Result<(), StoreError>;

    /// Somebody's sessions, newest first, and how many there are.
    async fn sessions(
        &self,
        owner: &PersonId,
        which: Which,
        offset: usize,
        limit: usize,
    ) -> Result<(Vec<HeldSession>, u64), StoreError>;

    /// Whether a session is among those that [`Which::Listed`] means.
    async fn is_listed(&self, id: &SessionId) -> Result<bool, StoreError>;

    /// Makes a billing line of a session, and drops what was said in it in the same commit, so that
    /// nobody says anything there between the two; `false` if there is none.
    async fn forget_session(&self, id: &SessionId) -> Result<bool, StoreError>;

    /// What is left of erased and deleted sessions, oldest first.
    async fn billing(&self, owner: &PersonId) -> Result<Vec<BillingLine>, StoreError>;
}
