//! Secrets and ended sign-ins.

use unsaid_core::{
    domain::{id::SignInId, secret::SecretKey, time::Timestamp},
    port::error::{StoreError, corrupt},
};

use crate::db::{Db, values};

pub(crate) async fn secret(
    db: &dyn Db,
    name: &str,
    fresh: &SecretKey,
) -> Result<SecretKey, StoreError> {
    let sql = "INSERT INTO secret (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING";
    db.send(sql, values![name, &fresh.expose()[..]]).await?;
    let row = db.first("SELECT value FROM secret WHERE name = ?1", values![name]).await?;
    let row = row.ok_or_else(|| corrupt("secret", "not there"))?;
    let bytes = row.blob(0)?.try_into().map_err(|_| corrupt("secret", "not 32 bytes"))?;
    Ok(SecretKey::new(bytes))
}

pub(crate) async fn end_sign_in(
    db: &dyn Db,
    id: &SignInId,
    until: Timestamp,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO ended_sign_in (id, until) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING";
    db.send(sql, values![id, until]).await
}

pub(crate) async fn is_sign_in_ended(db: &dyn Db, id: &SignInId) -> Result<bool, StoreError> {
    db.any("SELECT 1 FROM ended_sign_in WHERE id = ?1", values![id]).await
}

pub(crate) async fn forget_sign_ins(db: &dyn Db, now: Timestamp) -> Result<u64, StoreError> {
    db.run("DELETE FROM ended_sign_in WHERE until <= ?1", values![now]).await
}
