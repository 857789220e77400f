//! Whether the file can be read and written right now.

use async_trait::async_trait;
use unsaid_core::port::{error::StoreError, health::Health};

use super::SqliteStore;
use crate::db::values;

#[async_trait]
impl Health for SqliteStore {
    async fn check(&self) -> Result<(), StoreError> {
        self.read(async |db| db.any("SELECT 1", values![]).await).await?;
        // Written for real: a full or failing disk shows here, and so does its return.
        self.write(async |db| {
            db.run(
                "INSERT INTO probe (id, at) VALUES (1, 0) ON CONFLICT (id) DO UPDATE SET at = probe.at + 1",
                values![],
            )
            .await
        })
        .await?;
        Ok(())
    }
}
