//! Counting how often something was done, over all servers that share a store.

use async_trait::async_trait;

use super::error::StoreError;
use crate::domain::{
    allowance::{Allowance, AllowanceKey, UsedUp},
    time::Timestamp,
};

/// See the module. It may forget when a server or database ends, and it must not grow without end.
#[async_trait]
pub trait Allowances: Send + Sync {
    /// Uses an allowance once, or says that it is used up.
    async fn spend(
        &self,
        key: AllowanceKey,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<Result<(), UsedUp>, StoreError>;
}
