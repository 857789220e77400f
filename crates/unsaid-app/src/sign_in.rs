//! Somebody says who they are and proves it.

use unsaid_core::domain::{
    password::Password,
    person::{Email, Person},
};

use crate::reception::{NotNow, Occasion, Reception};

/// What was typed. Nothing of it prints.
#[derive(Clone, PartialEq, Eq)]
pub struct Typed {
    /// An address, perhaps.
    pub email: String,
    /// A password, perhaps.
    pub password: String,
}

/// Why nobody was let in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignInError {
    /// No such account, or another password: nobody learns which.
    #[error("unknown address or wrong password")]
    Wrong,
    /// It may come again.
    #[error(transparent)]
    NotNow(#[from] NotNow),
}

/// Finds out who it is. An unknown address takes as long as a wrong password.
///
/// # Errors
/// See [`SignInError`].
pub async fn sign_in(
    reception: &Reception<'_>,
    from: &str,
    typed: Typed,
) -> Result<Person, SignInError> {
    let Typed { email, password } = typed;
    let email = email.trim().to_lowercase();
    reception.count(Occasion::SignInFrom(from)).await?;
    reception.count(Occasion::SignInTo(&email)).await?;
    let person = match Email::new(&email) {
        Ok(email) => reception.people.by_email(&email).await.map_err(NotNow::from)?,
        Err(_) => None,
    };
    if is_theirs(reception, person.as_ref(), password).await? {
        person.ok_or(SignInError::Wrong)
    } else {
        Err(SignInError::Wrong)
    }
}

/// Whether a typed password is somebody's. It takes as long for nobody.
pub(crate) async fn is_theirs(
    reception: &Reception<'_>,
    person: Option<&Person>,
    typed: String,
) -> Result<bool, NotNow> {
    let hash = person.map(|person| person.password.clone());
    let matches = match Password::new(typed) {
        Ok(typed) => reception.passwords.matches(typed, hash).await?,
        // Nobody could choose it, so it is nobody's.
        Err(_) => reception.passwords.matches(Password::placeholder(), None).await?,
    };
    Ok(matches)
}
