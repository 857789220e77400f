//! Idempotency keys.

use unsaid_core::{
    domain::time::Timestamp,
    port::{
        error::{StoreError, corrupt},
        keys::KeyUse,
    },
};

use crate::{
    db::{Db, Lock, values},
    people,
};

/// An earlier use of the same key for the same call.
pub(crate) async fn find(db: &dyn Db, key: &KeyUse) -> Result<Option<KeyUse>, StoreError> {
    let sql = "SELECT body_digest, status, ids, at FROM idempotency \
        WHERE person = ?1 AND scope = ?2 AND key = ?3";
    let values = values![&key.person, &key.scope, &key.key];
    let Some(row) = db.first(sql, values).await? else { return Ok(None) };
    Ok(Some(KeyUse {
        person: key.person.clone(),
        scope: key.scope.clone(),
        key: key.key.clone(),
        body_digest: row.blob(0)?.try_into().map_err(|e| corrupt("idempotency", e))?,
        status: row.int(1)?.try_into().map_err(|e| corrupt("idempotency", e))?,
        ids: serde_json::from_str(row.text(2)?).map_err(|e| corrupt("idempotency", e))?,
        at: Timestamp::from_millis(row.int(3)?),
    }))
}

pub(crate) async fn insert(db: &dyn Db, key: &KeyUse) -> Result<(), StoreError> {
    let KeyUse { person, scope, key, body_digest, status, ids, at } = key;
    let sql = "INSERT INTO idempotency (person, scope, key, body_digest, status, ids, at) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let ids = serde_json::json!(ids).to_string();
    let values = values![person, scope, key, &body_digest[..], u32::from(*status), ids, *at];
    db.send(sql, values).await
}

pub(crate) async fn remember(db: &dyn Db, key: &KeyUse) -> Result<Option<KeyUse>, StoreError> {
    db.lock(Lock::Consent(&key.person)).await?;
    let used = find(db, key).await?;
    if used.is_none() && people::is_there(db, &key.person).await? {
        insert(db, key).await?;
    }
    Ok(used)
}

pub(crate) async fn forget_before(db: &dyn Db, horizon: Timestamp) -> Result<u64, StoreError> {
    db.run("DELETE FROM idempotency WHERE at < ?1", values![horizon]).await
}
