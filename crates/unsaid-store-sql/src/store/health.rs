//! Whether the database can be read and written right now.

use std::time::Duration;

use async_trait::async_trait;
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};
use unsaid_core::port::{error::StoreError, health::Health};

use super::{Engine, SqlStore};
use crate::db::values;

/// Whoever asks again within this time gets the same answer: asking must not wear out the disk.
const KEPT_FOR: Duration = Duration::from_secs(1);

/// The newest answer. Its lock also keeps probes from running side by side.
#[derive(Default)]
pub(super) struct Kept(Mutex<Option<(Instant, Result<(), StoreError>)>>);

#[async_trait]
impl<E: Engine> Health for SqlStore<E> {
    async fn check(&self) -> Result<(), StoreError> {
        let mut kept = self.health.0.lock().await;
        if let Some((at, answer)) = &*kept
            && at.elapsed() < KEPT_FOR
        {
            return answer.clone();
        }
        let probe = probe(&*self.engine);
        let answer = match E::PROBE_MAX {
            None => probe.await,
            Some(limit) => timeout(limit, probe).await.unwrap_or_else(|_| {
                Err(StoreError::Unavailable("the database does not answer".to_owned()))
            }),
        };
        *kept = Some((Instant::now(), answer.clone()));
        answer
    }
}

/// Reads and writes for real: a full or failing disk shows here, and so does its return.
async fn probe(engine: &impl Engine) -> Result<(), StoreError> {
    engine.read((), |db, ()| Box::pin(db.any("SELECT 1", values![]))).await?;
    let write = "INSERT INTO probe (id, at) VALUES (1, 0) \
        ON CONFLICT (id) DO UPDATE SET at = probe.at + 1";
    engine.write((), |db, ()| Box::pin(db.send(write, values![]))).await
}
