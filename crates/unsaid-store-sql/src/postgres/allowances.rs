//! Counting over all servers. The table is not logged: it is written often, and forgotten after a
//! crash of the database without harm.

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        allowance::{Allowance, AllowanceKey, UsedUp},
        time::Timestamp,
    },
    port::{allowances::Allowances, error::StoreError},
};

use super::PostgresStore;
use crate::{
    db::{Db, values},
    store::Engine,
};

#[async_trait]
impl Allowances for PostgresStore {
    async fn spend(
        &self,
        key: AllowanceKey,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<Result<(), UsedUp>, StoreError> {
        self.engine
            .write((key, allowance, now), |db, (key, allowance, now)| {
                Box::pin(spend(db, key, *allowance, *now))
            })
            .await
    }
}

impl PostgresStore {
    /// Forgets allowances whose while is over.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn forget_allowances(&self, now: Timestamp) -> Result<u64, StoreError> {
        let sql = "DELETE FROM allowance WHERE until <= ?1";
        self.engine.write(now, |db, now| Box::pin(db.run(sql, values![*now]))).await
    }
}

/// As [`Allowance::used`] says, in one statement that nobody can come between.
async fn spend(
    db: &dyn Db,
    key: &AllowanceKey,
    allowance: Allowance,
    now: Timestamp,
) -> Result<Result<(), UsedUp>, StoreError> {
    let sql = "INSERT INTO allowance (key, until, count) VALUES (?1, ?2, 1) \
        ON CONFLICT (key) DO UPDATE SET \
        until = CASE WHEN allowance.until > ?3 THEN allowance.until ELSE ?2 END, \
        count = CASE WHEN allowance.until > ?3 THEN allowance.count + 1 ELSE 1 END \
        WHERE allowance.until <= ?3 OR allowance.count < ?4";
    let until = now.plus_millis(allowance.window_ms);
    let key = &key.as_bytes()[..];
    if db.run(sql, values![key, until, now, allowance.count_max]).await? == 1 {
        return Ok(Ok(()));
    }
    let row = db.first("SELECT until FROM allowance WHERE key = ?1", values![key]).await?;
    let until = row.map_or(Ok(now), |row| row.int(0).map(Timestamp::from_millis))?;
    Ok(Err(UsedUp { until }))
}
