//! What people change about their own account: name, password, its end.

use unsaid_core::{
    domain::{audit::EraseReason, id::PersonId, password::Password, person::Person, text::Words},
    port::{
        erasure::Erasure,
        error::StoreError,
        passwords::PasswordsError,
        people::{People, PersonChange},
    },
};

use crate::{
    reception::{NotNow, Occasion, Reception},
    sign_in::is_theirs,
};

/// Why an account stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    /// It is gone.
    #[error("no such account")]
    NotFound,
    /// The password that was given is not theirs.
    #[error("wrong password")]
    WrongPassword,
    /// It may come again.
    #[error(transparent)]
    NotNow(#[from] NotNow),
}

impl From<StoreError> for AccountError {
    fn from(error: StoreError) -> Self {
        Self::NotNow(error.into())
    }
}

impl From<PasswordsError> for AccountError {
    fn from(error: PasswordsError) -> Self {
        Self::NotNow(error.into())
    }
}

/// Calls somebody something else; says how the account looks now.
///
/// # Errors
/// See [`AccountError`].
pub async fn rename(
    people: &dyn People,
    id: &PersonId,
    name: Words,
) -> Result<Person, AccountError> {
    changed(people, id, PersonChange::DisplayName(name)).await?;
    people.person(id).await?.ok_or(AccountError::NotFound)
}

/// Takes another password from somebody who knows the current one. All tokens end.
///
/// # Errors
/// See [`AccountError`].
pub async fn change_password(
    reception: &Reception<'_>,
    id: &PersonId,
    current: String,
    new: Password,
) -> Result<(), AccountError> {
    proven(reception, id, current).await?;
    set_password(reception, id, new).await
}

/// Gives somebody another password. All tokens end.
///
/// # Errors
/// See [`AccountError`].
pub async fn set_password(
    reception: &Reception<'_>,
    id: &PersonId,
    new: Password,
) -> Result<(), AccountError> {
    let hash = reception.passwords.hash(new).await?;
    let person = reception.people.person(id).await?.ok_or(AccountError::NotFound)?;
    // Later than any before, whatever the clock does: tokens are told apart by this.
    let at = reception.clock.now().max(person.tokens_since.plus_millis(1));
    changed(reception.people, id, PersonChange::Password { hash, at }).await
}

/// Ends an account, for somebody who knows its password. From here on it is gone and nothing of it
/// can be read; the bytes follow with the erasure job.
///
/// # Errors
/// See [`AccountError`].
pub async fn delete(
    reception: &Reception<'_>,
    erasure: &dyn Erasure,
    id: &PersonId,
    password: String,
) -> Result<(), AccountError> {
    proven(reception, id, password).await?;
    // Whoever came first has claimed it for the same end.
    erasure.claim(id, EraseReason::Account, reception.clock.now()).await?;
    Ok(())
}

/// Changes an account.
///
/// # Errors
/// See [`AccountError`].
pub async fn changed(
    people: &dyn People,
    id: &PersonId,
    change: PersonChange,
) -> Result<(), AccountError> {
    if people.change(id, change).await? { Ok(()) } else { Err(AccountError::NotFound) }
}

async fn proven(
    reception: &Reception<'_>,
    id: &PersonId,
    typed: String,
) -> Result<(), AccountError> {
    reception.count(Occasion::PasswordOf(id)).await?;
    let person = reception.people.person(id).await?.ok_or(AccountError::NotFound)?;
    if is_theirs(reception, Some(&person), typed).await? {
        Ok(())
    } else {
        Err(AccountError::WrongPassword)
    }
}
