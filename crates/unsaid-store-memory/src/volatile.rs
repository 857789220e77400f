//! Whom it holds, for those who follow what happens to them elsewhere.

use async_trait::async_trait;
use unsaid_core::{
    domain::{conversation::key::ConversationKey, id::PersonId, time::Timestamp},
    port::{
        error::StoreError,
        volatile::{HeldConversation, Volatile},
    },
};

use crate::MemoryStore;

#[async_trait]
impl Volatile for MemoryStore {
    async fn held(&self) -> Result<Vec<HeldConversation>, StoreError> {
        let state = self.lock()?;
        let all = state.conversations.iter();
        let owned = all.filter_map(|(key, held)| {
            let (key, since) = (key.clone(), held.since);
            Some(HeldConversation { key, owner: held.owner.clone()?, since })
        });
        Ok(owned.collect())
    }

    async fn drop_idle(&self, key: &ConversationKey, now: Timestamp) -> Result<bool, StoreError> {
        let mut state = self.lock()?;
        let is_idle = state.conversations.get(key).is_none_or(|held| {
            let log = &held.conversation;
            // A turn whose holder is gone does not count: its lease ends.
            log.wanted_at.is_none() && log.turn.as_ref().is_none_or(|lease| lease.until <= now)
        });
        if is_idle {
            state.drop_conversation(key);
        }
        Ok(is_idle)
    }

    async fn forget_person(&self, person: &PersonId) -> Result<(), StoreError> {
        let mut state = self.lock()?;
        for key in state.owned_by(person) {
            state.drop_conversation(&key);
        }
        Ok(())
    }
}
