//! Forget all (H8): claim, delete in batches, audit.
//!
//! A claim is the point of no return: from its commit on nothing of the person's history can be
//! read. Batches follow, between other writers, and can be repeated and resumed by anybody. The last
//! one writes the audit line.

use async_trait::async_trait;

use super::error::StoreError;
use crate::domain::{
    audit::{AuditLine, EraseReason},
    id::PersonId,
    time::Timestamp,
};

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Claimed; nothing of before can be read any more.
    Made,
    /// An earlier claim is not finished yet; this one joins it.
    Joined,
    /// Consent or date say no: nothing to erase.
    NotDue,
    /// There is no such person.
    Unknown,
}

/// What a batch did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Batch {
    /// There is more to delete.
    More,
    /// That was the last; its audit line was written in the same commit.
    Finished(AuditLine),
    /// Nothing was claimed, or somebody else has finished it.
    Nothing,
}

/// See the module.
#[async_trait]
pub trait Erasure: Send + Sync {
    /// People whose history is due, or claimed and not finished.
    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<PersonId>, StoreError>;

    /// Claims a person's history, re-checking consent and date in the same commit.
    async fn claim(
        &self,
        person: &PersonId,
        reason: EraseReason,
        now: Timestamp,
    ) -> Result<Claim, StoreError>;

    /// Deletes up to `limit` messages of a claimed person.
    async fn erase_batch(
        &self,
        person: &PersonId,
        limit: usize,
        now: Timestamp,
    ) -> Result<Batch, StoreError>;

    /// The newest audit lines before an id, oldest first.
    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditLine>, StoreError>;
}
