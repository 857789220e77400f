//! Edits and removals that failed, the newest of each world.

use unsaid_core::{
    domain::{
        time::Timestamp,
        world::{FAILED_EDITS_MAX, FailedEdit},
    },
    port::{error::StoreError, worlds::WorldKey},
};

use super::world;
use crate::{
    db::{Db, Lock, Row, values},
    people,
};

/// Keeps one, if that may be; whether it does.
pub(crate) async fn note_failed_edit(
    db: &dyn Db,
    key: &WorldKey,
    failed: &FailedEdit,
) -> Result<bool, StoreError> {
    db.lock(Lock::Consent(&key.owner)).await?;
    db.lock(Lock::Worlds(&key.owner)).await?;
    let Some(owner) = people::person(db, &key.owner).await? else { return Ok(false) };
    let Some(world) = world(db, key).await? else { return Ok(false) };
    if !failed.may_be_kept(&owner, &world) {
        return Ok(false);
    }
    let known = "SELECT 1 FROM failed_edit WHERE owner = ?1 AND world = ?2 AND id = ?3";
    if !db.any(known, values![&key.owner, &key.id, &failed.id]).await? {
        insert(db, key, failed).await?;
        forget_oldest(db, key).await?;
    }
    Ok(true)
}

pub(crate) async fn failed_edits(
    db: &dyn Db,
    key: &WorldKey,
) -> Result<Vec<FailedEdit>, StoreError> {
    let sql = "SELECT id, at, chat, message, code FROM failed_edit \
        WHERE owner = ?1 AND world = ?2 ORDER BY at, place";
    let rows = db.rows(sql, values![&key.owner, &key.id]).await?;
    rows.iter().map(from_row).collect()
}

async fn insert(db: &dyn Db, key: &WorldKey, failed: &FailedEdit) -> Result<(), StoreError> {
    let sql = "INSERT INTO failed_edit (owner, world, place, id, at, chat, message, code) \
        SELECT ?1, ?2, coalesce(max(place), 0) + 1, ?3, ?4, ?5, ?6, ?7 FROM failed_edit \
        WHERE owner = ?1 AND world = ?2";
    let FailedEdit { id, at, chat, message, code } = failed;
    db.send(sql, values![&key.owner, &key.id, id, *at, chat, message, code]).await
}

async fn forget_oldest(db: &dyn Db, key: &WorldKey) -> Result<(), StoreError> {
    let sql = "DELETE FROM failed_edit WHERE owner = ?1 AND world = ?2 AND (at, place) <= \
        (SELECT at, place FROM failed_edit WHERE owner = ?1 AND world = ?2 \
        ORDER BY at DESC, place DESC LIMIT 1 OFFSET ?3)";
    db.send(sql, values![&key.owner, &key.id, FAILED_EDITS_MAX]).await
}

fn from_row(row: &Row) -> Result<FailedEdit, StoreError> {
    Ok(FailedEdit {
        id: row.parse(0)?,
        at: Timestamp::from_millis(row.int(1)?),
        chat: row.parse(2)?,
        message: row.parse(3)?,
        code: row.parse(4)?,
    })
}
