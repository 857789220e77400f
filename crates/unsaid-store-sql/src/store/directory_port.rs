//! The port for what places and people on LINE are called.

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

use super::{Engine, SqlStore};
use crate::directory;

#[async_trait]
impl<E: Engine> Directory for SqlStore<E> {
    async fn source(&self, id: &SourceId) -> Result<Option<SourceCard>, StoreError> {
        self.engine.read(id.clone(), |db, id| Box::pin(directory::source(db, id))).await
    }

    async fn keep_source(&self, card: SourceCard) -> Result<(), StoreError> {
        self.engine.write(card, |db, card| Box::pin(directory::keep_source(db, card))).await
    }

    async fn names(&self, people: &[PersonId]) -> Result<Vec<NameCard>, StoreError> {
        self.engine.read(people.to_vec(), |db, people| Box::pin(directory::names(db, people))).await
    }

    async fn keep_name(&self, card: NameCard) -> Result<(), StoreError> {
        self.engine.write(card, |db, card| Box::pin(directory::keep_name(db, card))).await
    }

    async fn forget_name(&self, id: &PersonId) -> Result<(), StoreError> {
        self.engine.write(id.clone(), |db, id| Box::pin(directory::forget_name(db, id))).await
    }

    async fn forget_source(&self, id: &SourceId) -> Result<(), StoreError> {
        self.engine.write(id.clone(), |db, id| Box::pin(directory::forget_source(db, id))).await
    }
}
