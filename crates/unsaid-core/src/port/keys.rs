//! Idempotency keys: the same call takes effect once (H3).

use async_trait::async_trait;

use super::error::StoreError;
use crate::domain::{
    id::{IdempotencyKey, PersonId},
    time::Timestamp,
};

/// A key, what it was used for, and what came of it. Ids and digests, never words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyUse {
    /// Whose key.
    pub person: PersonId,
    /// Method and path of the call.
    pub scope: String,
    /// The key.
    pub key: IdempotencyKey,
    /// A keyed digest of the body; another body under the same key is an error of the caller.
    pub body_digest: [u8; 32],
    /// The status that was answered.
    pub status: u16,
    /// The ids from which the answer can be given again.
    pub ids: Vec<String>,
    /// When.
    pub at: Timestamp,
}

/// Keys on their own, for calls that change no conversation.
#[async_trait]
pub trait Keys: Send + Sync {
    /// An earlier use of the same key for the same call. Nothing is remembered.
    async fn used(&self, key: &KeyUse) -> Result<Option<KeyUse>, StoreError>;

    /// Remembers a use, unless the key was used before: then that use comes back. Of somebody whose
    /// account is gone nothing is remembered.
    async fn remember(&self, key: KeyUse) -> Result<Option<KeyUse>, StoreError>;

    /// Forgets uses from before a moment.
    async fn forget_before(&self, horizon: Timestamp) -> Result<u64, StoreError>;
}
