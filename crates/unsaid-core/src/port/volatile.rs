//! Conversations that are only in memory, of people who want nothing kept (H7).
//!
//! Such a store is gone with the process. What happens to its people elsewhere (an erasure, a deleted
//! account) must reach it, so it can say whom it holds.

use async_trait::async_trait;

use super::{error::StoreError, history::History};
use crate::domain::{conversation::key::ConversationKey, id::PersonId, time::Timestamp};

/// A conversation of somebody that is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldConversation {
    /// Which.
    pub key: ConversationKey,
    /// Whose.
    pub owner: PersonId,
    /// When its first words came.
    pub since: Timestamp,
}

/// See the module.
#[async_trait]
pub trait Volatile: History {
    /// Every conversation that belongs to somebody.
    async fn held(&self) -> Result<Vec<HeldConversation>, StoreError>;

    /// Forgets a conversation, unless somebody answers there or is about to: looking and forgetting
    /// are one step, so no answer is cut off. Says whether it is gone.
    async fn drop_idle(&self, key: &ConversationKey, now: Timestamp) -> Result<bool, StoreError>;

    /// Forgets everything of a person, at once.
    async fn forget_person(&self, person: &PersonId) -> Result<(), StoreError>;
}
