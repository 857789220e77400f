//! The local owner: whoever sits at the terminal of a new installation.

use unsaid_core::{
    domain::{
        id::PersonId,
        person::{Email, PasswordHash, Person},
        text::Words,
        time::Timestamp,
    },
    port::{
        error::{StoreError, corrupt},
        people::People,
    },
};

use crate::register::{NewPerson, add};

/// The address of the owner's account; it receives nothing.
pub const OWNER_EMAIL: &str = "owner@localhost";
/// No password hashes to this, so nobody signs in with one before it is set.
const NO_PASSWORD: &str = "!";

/// The owner's account, made if there is none yet. It has no password and no consent: both are
/// asked for later.
///
/// # Errors
/// If the store fails.
pub async fn owner(
    people: &dyn People,
    id: PersonId,
    notice_version: &str,
    now: Timestamp,
) -> Result<Person, StoreError> {
    let email = Email::new(OWNER_EMAIL).map_err(|error| corrupt("owner", error))?;
    let new = NewPerson {
        id,
        email: email.clone(),
        display_name: Words::lossy("Owner"),
        admin: true,
        consent: false,
        notice_version: notice_version.to_owned(),
        door: "setup",
    };
    // Somebody else may have made it: then that one is meant.
    add(people, new, PasswordHash::new(NO_PASSWORD), now).await?;
    people.by_email(&email).await?.ok_or_else(|| corrupt("owner", "not there"))
}

/// Whether nobody has an account yet.
///
/// # Errors
/// If the store fails.
pub async fn is_nobody_here(people: &dyn People) -> Result<bool, StoreError> {
    Ok(people.people_after(None, 1).await?.is_empty())
}
