//! Whether the file can be read and written right now.

use std::time::Duration;

use async_trait::async_trait;
use tokio::{sync::Mutex, time::Instant};
use unsaid_core::port::{error::StoreError, health::Health};

use super::SqliteStore;
use crate::db::values;

/// Whoever asks again within this time gets the same answer: asking must not wear out the disk.
const KEPT_FOR: Duration = Duration::from_secs(1);

/// The newest answer. Its lock also keeps probes from running side by side.
#[derive(Default)]
pub(super) struct Kept(Mutex<Option<(Instant, Result<(), StoreError>)>>);

#[async_trait]
impl Health for SqliteStore {
    async fn check(&self) -> Result<(), StoreError> {
        let mut kept = self.health.0.lock().await;
        if let Some((at, answer)) = &*kept
            && at.elapsed() < KEPT_FOR
        {
            return answer.clone();
        }
        let answer = self.probe().await;
        *kept = Some((Instant::now(), answer.clone()));
        answer
    }
}

impl SqliteStore {
    /// Reads and writes for real: a full or failing disk shows here, and so does its return.
    async fn probe(&self) -> Result<(), StoreError> {
        self.read(async |db| db.any("SELECT 1", values![]).await).await?;
        let write = "INSERT INTO probe (id, at) VALUES (1, 0) \
            ON CONFLICT (id) DO UPDATE SET at = probe.at + 1";
        self.write(async |db| db.run(write, values![]).await).await?;
        Ok(())
    }
}
