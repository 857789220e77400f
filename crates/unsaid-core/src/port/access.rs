//! What lets people in: the secrets that sign, and the sign-ins that were ended.

use async_trait::async_trait;

use super::error::StoreError;
use crate::domain::{id::SignInId, secret::SecretKey, time::Timestamp};

/// See the module.
#[async_trait]
pub trait Access: Send + Sync {
    /// The secret of the installation under a name. Whoever asks first makes it, from `fresh`;
    /// everybody else, on every server and after every restart, gets the same.
    async fn secret(&self, name: &str, fresh: SecretKey) -> Result<SecretKey, StoreError>;

    /// Ends a sign-in. It is remembered until `until`: by then no token of it is valid any more.
    async fn end_sign_in(&self, id: &SignInId, until: Timestamp) -> Result<(), StoreError>;

    /// Whether a sign-in was ended.
    async fn is_sign_in_ended(&self, id: &SignInId) -> Result<bool, StoreError>;

    /// Forgets ended sign-ins that nobody has to remember any more.
    async fn forget_sign_ins(&self, now: Timestamp) -> Result<u64, StoreError>;
}
