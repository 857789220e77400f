//! What places and people on LINE are called.

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        id::{PersonId, SourceId},
        source::SourceCard,
    },
    port::{
        directory::{Directory, NameCard},
        error::StoreError,
    },
};

use crate::MemoryStore;

#[async_trait]
impl Directory for MemoryStore {
    async fn source(&self, id: &SourceId) -> Result<Option<SourceCard>, StoreError> {
        Ok(self.lock()?.sources.get(id).cloned())
    }

    async fn keep_source(&self, card: SourceCard) -> Result<(), StoreError> {
        self.lock()?.sources.insert(card.id.clone(), card);
        Ok(())
    }

    async fn names(&self, people: &[PersonId]) -> Result<Vec<NameCard>, StoreError> {
        let state = self.lock()?;
        Ok(people.iter().filter_map(|id| state.names.get(id)).cloned().collect())
    }

    async fn keep_name(&self, card: NameCard) -> Result<(), StoreError> {
        self.lock()?.names.insert(card.id.clone(), card);
        Ok(())
    }

    async fn forget_name(&self, id: &PersonId) -> Result<(), StoreError> {
        self.lock()?.names.remove(id);
        Ok(())
    }

    async fn forget_source(&self, id: &SourceId) -> Result<(), StoreError> {
        self.lock()?.sources.remove(id);
        Ok(())
    }
}
