//! What every call about an account needs, and why it may have to come back later.

use unsaid_core::{
    domain::{
        allowance::{Allowance, AllowanceKey},
        id::PersonId,
    },
    limits::Limits,
    port::{
        allowances::Allowances,
        clock::Clock,
        error::StoreError,
        passwords::{Passwords, PasswordsError},
        people::People,
    },
};

const MINUTE_MS: i64 = 60_000;

/// See the module.
#[derive(Clone, Copy)]
pub struct Reception<'a> {
    /// The accounts.
    pub people: &'a dyn People,
    /// The hasher.
    pub passwords: &'a dyn Passwords,
    /// Who did what how often.
    pub allowances: &'a dyn Allowances,
    /// How often they may.
    pub limits: &'a Limits,
    /// The time.
    pub clock: &'a dyn Clock,
}

/// What may be done only so often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion<'a> {
    /// Trying to sign in to an account; its address as it was typed, trimmed and in lower case.
    SignInTo(&'a str),
    /// Trying to sign in from a network address.
    SignInFrom(&'a str),
    /// Signing up from a network address.
    SignUpFrom(&'a str),
    /// Giving one's password while signed in: guessing is no easier there.
    PasswordOf(&'a PersonId),
    /// Changing something.
    WriteOf(&'a PersonId),
    /// Reading something.
    ReadOf(&'a PersonId),
}

/// Why a call was not even looked at. It may come again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotNow {
    /// It came too often.
    #[error("too often; again in {wait_ms} ms")]
    TooOften {
        /// How long to wait.
        wait_ms: i64,
    },
    /// The hasher has too much to do, or failed.
    #[error(transparent)]
    Hasher(#[from] PasswordsError),
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] StoreError),
}

impl Reception<'_> {
    /// Counts that something is done.
    ///
    /// # Errors
    /// If it was done too often already, or cannot be counted.
    pub async fn count(&self, occasion: Occasion<'_>) -> Result<(), NotNow> {
        let now = self.clock.now();
        let (key, allowance) = occasion.allowance(self.limits);
        match self.allowances.spend(key, allowance, now).await? {
            Ok(()) => Ok(()),
            Err(used_up) => {
                let wait_ms = used_up.until.as_millis().saturating_sub(now.as_millis());
                Err(NotNow::TooOften { wait_ms })
            }
        }
    }
}

impl Occasion<'_> {
    fn allowance(self, limits: &Limits) -> (AllowanceKey, Allowance) {
        let (what, whose, count_max, minutes) = match self {
            Self::SignInTo(email) => ("sign in to", email, limits.logins_per_15min_account, 15),
            Self::SignInFrom(from) => ("sign in from", from, limits.logins_per_15min_address, 15),
            Self::SignUpFrom(from) => {
                ("sign up from", from, limits.registrations_per_hour_address, 60)
            }
            Self::PasswordOf(id) => ("password", id.as_str(), limits.logins_per_15min_account, 15),
            Self::WriteOf(id) => ("write", id.as_str(), limits.writes_per_min, 1),
            Self::ReadOf(id) => ("read", id.as_str(), limits.reads_per_min, 1),
        };
        let allowance = Allowance { count_max: count_max as u64, window_ms: minutes * MINUTE_MS };
        (AllowanceKey::new(what, whose), allowance)
    }
}
