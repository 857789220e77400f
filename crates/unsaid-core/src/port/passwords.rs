//! Hashing passwords: slow on purpose, so only a few at a time.

use async_trait::async_trait;

use crate::domain::{password::Password, person::PasswordHash};

/// Why a password was not looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasswordsError {
    /// Too many wait already.
    #[error("too many passwords wait to be hashed")]
    Busy,
    /// The hasher failed.
    #[error("a password could not be hashed: {0}")]
    Broken(String),
}

/// See the module.
#[async_trait]
pub trait Passwords: Send + Sync {
    /// Hashes a chosen password.
    async fn hash(&self, password: Password) -> Result<PasswordHash, PasswordsError>;

    /// Whether a typed password is the one that was hashed. Without a hash it is not, and finding
    /// that out takes as long.
    async fn matches(
        &self,
        typed: Password,
        hash: Option<PasswordHash>,
    ) -> Result<bool, PasswordsError>;
}
