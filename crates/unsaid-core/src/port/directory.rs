//! What places and people on LINE are called, as LINE said last.
//!
//! It is a memory of answers that could be asked for again: losing it costs time and nothing else.
//! Nothing here is said by anybody, but names belong to people: they go when a person is erased. A
//! name that was replaced or forgotten leaves no copy, like all other words.

use async_trait::async_trait;

use super::error::StoreError;
use crate::domain::{
    id::{PersonId, SourceId},
    source::SourceCard,
    text::Words,
    time::Timestamp,
};

/// What a person is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameCard {
    /// The person.
    pub id: PersonId,
    /// The display name; none if LINE does not tell it.
    pub name: Option<Words>,
    /// When LINE said so.
    pub at: Timestamp,
}

/// See the module.
#[async_trait]
pub trait Directory: Send + Sync {
    /// What is known of a source.
    async fn source(&self, id: &SourceId) -> Result<Option<SourceCard>, StoreError>;

    /// Keeps what is known of a source, in place of what was known before.
    async fn keep_source(&self, card: SourceCard) -> Result<(), StoreError>;

    /// What these people are called, in this order; who is not known is left out.
    async fn names(&self, people: &[PersonId]) -> Result<Vec<NameCard>, StoreError>;

    /// Keeps what a person is called, in place of what was known before.
    async fn keep_name(&self, card: NameCard) -> Result<(), StoreError>;

    /// Forgets what a person is called.
    async fn forget_name(&self, id: &PersonId) -> Result<(), StoreError>;

    /// Forgets what is known of a source.
    async fn forget_source(&self, id: &SourceId) -> Result<(), StoreError>;
}
