//! Whether a store can be used right now.

use super::error::StoreError;

/// What `/readyz` and `doctor` ask of every store.
#[async_trait::async_trait]
pub trait Health: Send + Sync {
    /// Proves that the store can be read and written, or says why not.
    async fn check(&self) -> Result<(), StoreError>;
}
