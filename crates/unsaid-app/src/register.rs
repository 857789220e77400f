//! Makes an account.

use unsaid_core::{
    domain::{
        consent::Consent,
        id::PersonId,
        password::Password,
        person::{ConsentLine, Email, PasswordHash, Person},
        text::Words,
        time::Timestamp,
    },
    port::{error::StoreError, people::People},
};

use crate::reception::{NotNow, Occasion, Reception};

/// Who wants an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPerson {
    /// The id it is to have.
    pub id: PersonId,
    /// The address that names it.
    pub email: Email,
    /// What they want to be called.
    pub display_name: Words,
    /// Whether they are admin.
    pub admin: bool,
    /// Whether their words may be kept.
    pub consent: bool,
    /// Which notice they had read.
    pub notice_version: String,
    /// Where they came in.
    pub door: &'static str,
}

/// Why there is no new account.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// There is one with this address.
    #[error("the address has an account")]
    EmailTaken,
    /// It may come again.
    #[error(transparent)]
    NotNow(#[from] NotNow),
}

impl From<StoreError> for RegisterError {
    fn from(error: StoreError) -> Self {
        Self::NotNow(error.into())
    }
}

/// Makes an account for somebody at a network address.
///
/// # Errors
/// See [`RegisterError`].
pub async fn register_from(
    reception: &Reception<'_>,
    from: &str,
    new: NewPerson,
    password: Password,
) -> Result<(), RegisterError> {
    reception.count(Occasion::SignUpFrom(from)).await?;
    register(reception, new, password).await
}

/// Makes an account.
///
/// # Errors
/// See [`RegisterError`].
pub async fn register(
    reception: &Reception<'_>,
    new: NewPerson,
    password: Password,
) -> Result<(), RegisterError> {
    // Hashing is dear, and the store looks again.
    if reception.people.by_email(&new.email).await?.is_some() {
        return Err(RegisterError::EmailTaken);
    }
    let hash = reception.passwords.hash(password).await.map_err(NotNow::from)?;
    let added = add(reception.people, new, hash, reception.clock.now()).await?;
    if added { Ok(()) } else { Err(RegisterError::EmailTaken) }
}

/// Makes an account with whatever stands for its password; `false` if the address is taken.
pub(crate) async fn add(
    people: &dyn People,
    new: NewPerson,
    password: PasswordHash,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let NewPerson { id, email, display_name, admin, consent, notice_version, door } = new;
    let line = ConsentLine { at: now, granted: consent, notice_version, door: door.to_owned() };
    let person = Person {
        id,
        email,
        display_name,
        password,
        admin,
        created_at: now,
        tokens_since: now,
        consent: Consent::initial(consent, now),
        erased_at: None,
        paid_credits: 0,
        free_used: 0,
    };
    people.add(person, line).await
}
