//! Whether somebody's words may be kept: the switch, what it shows, and its ledger.

use unsaid_core::{
    domain::{consent::Consent, id::PersonId, person::ConsentLine, time::Timestamp},
    port::{
        error::StoreError,
        people::{ConsentMove, People},
    },
};

/// A move of the switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// Whose.
    pub person: PersonId,
    /// How and where it is moved.
    pub to: ConsentMove,
}

/// What the switch shows. All three are read off one state, so that they cannot disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preferences {
    /// Whether words are kept.
    pub store_history: bool,
    /// When the switch was last moved.
    pub changed_at: Timestamp,
    /// When what is held will be gone; none from that moment on.
    pub deletion_scheduled_at: Option<Timestamp>,
}

/// What a move did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switched {
    /// What the switch shows now.
    pub preferences: Preferences,
    /// Whether it moved.
    pub changed: bool,
    /// Whether history was erased since the withdrawal.
    pub erased: bool,
}

/// Why nothing can be said of the switch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConsentError {
    /// There is no such person.
    #[error("no such person")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] StoreError),
}

impl Preferences {
    /// What a state shows at a moment.
    #[must_use]
    pub fn of(consent: Consent, now: Timestamp) -> Self {
        Self {
            store_history: consent.is_on(),
            changed_at: consent.changed_at(),
            deletion_scheduled_at: consent.deletion_scheduled_at(now),
        }
    }
}

/// Moves the switch, with its line in the ledger. The same value moves nothing. A grant after the
/// due moment starts an empty history; what was before is claimed in the same commit, and erased by
/// the job.
///
/// # Errors
/// See [`ConsentError`].
pub async fn switch(people: &dyn People, switch: Switch) -> Result<Switched, ConsentError> {
    let Switch { person, to } = switch;
    let now = to.now;
    let moved = people.move_consent(&person, to).await?.ok_or(ConsentError::NotFound)?;
    let preferences = Preferences::of(moved.consent, now);
    Ok(Switched { preferences, changed: moved.changed, erased: moved.erased })
}

/// What the switch shows.
///
/// # Errors
/// See [`ConsentError`].
pub async fn preferences(
    people: &dyn People,
    person: &PersonId,
    now: Timestamp,
) -> Result<Preferences, ConsentError> {
    let person = people.person(person).await?.ok_or(ConsentError::NotFound)?;
    Ok(Preferences::of(person.consent, now))
}

/// Every move of the switch, oldest first.
///
/// # Errors
/// See [`ConsentError`].
pub async fn ledger(
    people: &dyn People,
    person: &PersonId,
) -> Result<Vec<ConsentLine>, ConsentError> {
    Ok(people.consents(person).await?)
}
