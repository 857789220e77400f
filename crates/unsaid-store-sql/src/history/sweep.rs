//! What time has closed, and what is logically gone.

use unsaid_core::{
    domain::{
        conversation::{DELIVERY_MEMORY_MS, EDIT_MEMORY_MS, change::Change, key::ConversationKey},
        id::Fence,
        time::Timestamp,
    },
    port::{
        error::StoreError,
        history::{Commit, Committed, Swept},
    },
};

use super::{commit, head::Head, read::key_from};
use crate::{
    db::{Db, values},
    media,
};

pub(crate) async fn release_turns(db: &dyn Db, now: Timestamp) -> Result<u64, StoreError> {
    let sql = "SELECT key, last_fence FROM conversation WHERE turn_until IS NOT NULL";
    let rows = db.rows(sql, values![]).await?;
    for row in &rows {
        let change = Change::Release { fence: Fence::new(row.count(1)?) };
        commit(db, &key_from(row.text(0)?)?, Commit::new(change, now)).await?;
    }
    Ok(rows.len() as u64)
}

/// Marks a conversation: nobody sees it any more, and the sweep takes its rows.
pub(crate) async fn drop_conversation(
    db: &dyn Db,
    key: &ConversationKey,
    now: Timestamp,
) -> Result<(), StoreError> {
    commit(db, key, Commit::new(Change::EraseAll, now)).await?;
    let sql = "UPDATE conversation SET dropped = 1, purge = 1, owner = NULL WHERE key = ?1";
    db.run(sql, values![key.to_string()]).await.map(|_| ())
}

pub(crate) async fn sweep(db: &dyn Db, now: Timestamp, limit: usize) -> Result<Swept, StoreError> {
    let expired = expire(db, now, limit).await?;
    let purged = purge(db, limit).await?;
    Ok(Swept { expired, purged })
}

async fn expire(db: &dyn Db, now: Timestamp, limit: usize) -> Result<u64, StoreError> {
    let sql = "SELECT key FROM conversation WHERE undo_until <= ?1 \
        UNION SELECT conversation FROM delivery WHERE at <= ?2 \
        UNION SELECT conversation FROM revision WHERE since <= ?2 \
        UNION SELECT conversation FROM closed_edit WHERE at <= ?3 LIMIT ?4";
    let deliveries = now.plus_millis(-DELIVERY_MEMORY_MS);
    let edits = now.plus_millis(-EDIT_MEMORY_MS);
    let mut expired = 0;
    for row in db.rows(sql, values![now, deliveries, edits, limit]).await? {
        let key = key_from(row.text(0)?)?;
        match commit(db, &key, Commit::new(Change::Expire, now)).await? {
            Committed::Applied(applied, _) if applied.outcome.is_effective() => expired += 1,
            Committed::Applied(..) | Committed::Refused(_) | Committed::Repeated(_) => {}
        }
    }
    Ok(expired)
}

/// Deletes rows below the floors of their conversations.
async fn purge(db: &dyn Db, limit: usize) -> Result<u64, StoreError> {
    let mut purged = media::purge(db, limit).await?;
    let sql = "SELECT key, number_floor, fence_floor, dropped FROM conversation WHERE purge = 1";
    for row in db.rows(sql, values![]).await? {
        let room = limit.saturating_sub(usize::try_from(purged).unwrap_or(usize::MAX));
        if room == 0 {
            break;
        }
        let key = row.text(0)?;
        let mut gone = purge_below(db, key, (row.int(1)?, row.int(2)?), room).await?;
        if row.flag(3)? {
            gone += purge_bookkeeping(db, key, room).await?;
        }
        purged += gone;
        if gone < room as u64 {
            finish(db, key, row.flag(3)?).await?;
        }
    }
    Ok(purged)
}

/// Deletes what is left of a dropped conversation at once: its name is used again.
pub(super) async fn purge_dropped(db: &dyn Db, head: &Head) -> Result<(), StoreError> {
    let all = usize::MAX;
    let floors = (i64::MAX, i64::MAX);
    purge_below(db, &head.key, floors, all).await?;
    purge_bookkeeping(db, &head.key, all).await?;
    finish(db, &head.key, true).await
}

/// Deletes up to `limit` entries (and as many turns) at or below the floors, with all their words.
pub(crate) async fn purge_below(
    db: &dyn Db,
    key: &str,
    (number_floor, fence_floor): (i64, i64),
    limit: usize,
) -> Result<u64, StoreError> {
    let messages = purge_messages(db, key, number_floor, limit).await?;
    Ok(messages + purge_turns(db, key, fence_floor, limit).await?)
}

async fn purge_messages(
    db: &dyn Db,
    key: &str,
    floor: i64,
    limit: usize,
) -> Result<u64, StoreError> {
    media::doom_below(db, key, floor, limit).await?;
    let sql = "DELETE FROM message WHERE conversation = ?1 AND number IN (SELECT number \
        FROM message WHERE conversation = ?1 AND number <= ?2 ORDER BY number LIMIT ?3) \
        RETURNING words";
    db.run_erasing(sql, values![key, floor, limit]).await
}

async fn purge_turns(db: &dyn Db, key: &str, floor: i64, limit: usize) -> Result<u64, StoreError> {
    let sql = "DELETE FROM turn WHERE conversation = ?1 AND fence IN (SELECT fence FROM turn \
        WHERE conversation = ?1 AND fence <= ?2 ORDER BY fence LIMIT ?3) RETURNING reason";
    db.run_erasing(sql, values![key, floor, limit]).await
}

/// The ids that a conversation keeps as long as it lives.
async fn purge_bookkeeping(db: &dyn Db, key: &str, limit: usize) -> Result<u64, StoreError> {
    let mut gone = 0;
    for sql in [
        "DELETE FROM event WHERE number IN (SELECT number FROM event WHERE conversation = ?1 \
            LIMIT ?2)",
        "DELETE FROM tombstone WHERE conversation = ?1 AND message IN (SELECT message \
            FROM tombstone WHERE conversation = ?1 LIMIT ?2)",
        "DELETE FROM delivery WHERE conversation = ?1 AND id IN (SELECT id FROM delivery \
            WHERE conversation = ?1 LIMIT ?2)",
    ] {
        gone += db.run(sql, values![key, limit]).await?;
    }
    Ok(gone)
}

async fn finish(db: &dyn Db, key: &str, dropped: bool) -> Result<(), StoreError> {
    let sql = if dropped {
        "DELETE FROM conversation WHERE key = ?1"
    } else {
        "UPDATE conversation SET purge = 0 WHERE key = ?1"
    };
    db.run(sql, values![key]).await.map(|_| ())
}
