//! What time has closed, and what is logically gone.

use std::collections::BTreeSet;

use unsaid_core::{
    domain::{
        conversation::{DELIVERY_MEMORY_MS, EDIT_MEMORY_MS, change::Change, key::ConversationKey},
        id::{Fence, Version},
        time::Timestamp,
    },
    port::{
        error::StoreError,
        history::{Commit, Committed, Swept},
    },
};

use super::{commit, head::Head, read::key_from};
use crate::{
    db::{Db, Lock, values},
    media,
};

pub(crate) async fn release_turns(db: &dyn Db, now: Timestamp) -> Result<u64, StoreError> {
    let sql = "SELECT key, last_fence FROM conversation WHERE turn_until IS NOT NULL \
        ORDER BY key";
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
    let text = key.to_string();
    // Also if nothing was ever said there: somebody may wait for it.
    db.hint(&text);
    db.send(sql, values![text]).await
}

pub(crate) async fn sweep(db: &dyn Db, now: Timestamp, limit: usize) -> Result<Swept, StoreError> {
    if !db.try_lock(Lock::Sweep).await? {
        return Ok(Swept::default());
    }
    let expired = expire(db, now).await?;
    let purged = purge(db, limit).await?;
    Ok(Swept { expired, purged })
}

/// Lets time close what it has to, in so many conversations at a time.
const CONVERSATIONS_PER_CHANGE_MAX: usize = 1_000;

async fn expire(db: &dyn Db, now: Timestamp) -> Result<u64, StoreError> {
    // Each table is asked by itself, so that its index on time is used.
    let edits = now.plus_millis(-EDIT_MEMORY_MS);
    let deliveries = now.plus_millis(-DELIVERY_MEMORY_MS);
    let due = [
        ("SELECT key FROM conversation WHERE undo_until <= ?1 ORDER BY undo_until LIMIT ?2", now),
        ("SELECT conversation FROM delivery WHERE at <= ?1 ORDER BY at LIMIT ?2", deliveries),
        ("SELECT conversation FROM revision WHERE since <= ?1 ORDER BY since LIMIT ?2", deliveries),
        ("SELECT conversation FROM closed_edit WHERE at <= ?1 ORDER BY at LIMIT ?2", edits),
    ];
    let mut keys = BTreeSet::new();
    for (sql, horizon) in due {
        for row in db.rows(sql, values![horizon, CONVERSATIONS_PER_CHANGE_MAX]).await? {
            keys.insert(row.text(0)?.to_owned());
        }
    }
    let mut expired = 0;
    for text in keys {
        // Whoever is busy there is not held up; the next sweep looks again.
        if !db.try_lock(Lock::Conversation(&text)).await? {
            continue;
        }
        let key = key_from(&text)?;
        let head = Head::load(db, &key).await?;
        // The purge takes all of a dropped conversation anyway.
        if !head.dropped {
            match commit(db, &key, Commit::new(Change::Expire, now)).await? {
                Committed::Applied(applied, _) if applied.outcome.is_effective() => expired += 1,
                Committed::Applied(..) | Committed::Refused(_) | Committed::Repeated(_) => {}
            }
        }
    }
    Ok(expired)
}

/// Deletes rows below the floors of their conversations, and those of closed undo windows.
async fn purge(db: &dyn Db, limit: usize) -> Result<u64, StoreError> {
    if limit == 0 {
        return Ok(0);
    }
    let mut purged = 0;
    let sql = "SELECT key FROM conversation WHERE purge = 1 LIMIT ?1";
    for row in db.rows(sql, values![CONVERSATIONS_PER_CHANGE_MAX]).await? {
        let room = left(limit, purged);
        if room == 0 {
            break;
        }
        if !db.try_lock(Lock::Conversation(row.text(0)?)).await? {
            continue;
        }
        let head = Head::load(db, &key_from(row.text(0)?)?).await?;
        let mut gone = purge_below(db, &head, room).await?;
        if head.dropped {
            gone += purge_bookkeeping(db, &head.key, left(room, gone)).await?;
        }
        purged += gone;
        if gone < room as u64 {
            finish(db, &head.key, head.dropped).await?;
        }
    }
    // Last: what was done before may have left files behind.
    Ok(purged + media::purge(db, None, left(limit, purged)).await?)
}

/// Deletes what is left of a dropped conversation at once: its name is used again.
pub(super) async fn purge_dropped(db: &dyn Db, head: &Head) -> Result<(), StoreError> {
    let all = usize::MAX;
    purge_below(db, head, all).await?;
    purge_bookkeeping(db, &head.key, all).await?;
    finish(db, &head.key, true).await
}

/// Deletes up to `limit` rows of a conversation, with all their words: entries and turns below its
/// floors, and what was in closed undo windows.
pub(super) async fn purge_below(db: &dyn Db, head: &Head, limit: usize) -> Result<u64, StoreError> {
    let mut gone = purge_messages(db, head, limit).await?;
    gone += purge_undone(db, head, left(limit, gone)).await?;
    gone += purge_turns(db, head, left(limit, gone)).await?;
    Ok(gone)
}

/// The same for a conversation that is named.
pub(crate) async fn purge_conversation(
    db: &dyn Db,
    key: &ConversationKey,
    limit: usize,
) -> Result<u64, StoreError> {
    purge_below(db, &Head::lock(db, key).await?, limit).await
}

async fn purge_messages(db: &dyn Db, head: &Head, limit: usize) -> Result<u64, StoreError> {
    let floor = i64::try_from(head.number_floor.get()).unwrap_or(i64::MAX);
    media::doom_below(db, &head.key, floor).await?;
    let sql = "DELETE FROM message WHERE conversation = ?1 AND number IN (SELECT number \
        FROM message WHERE conversation = ?1 AND number <= ?2 ORDER BY number LIMIT ?3) \
        RETURNING words";
    db.run_erasing(&head.key, sql, values![&head.key, floor, limit]).await
}

async fn purge_undone(db: &dyn Db, head: &Head, limit: usize) -> Result<u64, StoreError> {
    let open = head.undo.as_ref().map_or(Version::ZERO, |undo| undo.edition);
    media::doom_undone(db, &head.key, open, limit).await?;
    let sql = "DELETE FROM undo_message WHERE conversation = ?1 AND (edition, number) IN \
        (SELECT edition, number FROM undo_message WHERE conversation = ?1 AND edition <> ?2 \
        ORDER BY edition, number LIMIT ?3) RETURNING words";
    db.run_erasing(&head.key, sql, values![&head.key, open, limit]).await
}

async fn purge_turns(db: &dyn Db, head: &Head, limit: usize) -> Result<u64, StoreError> {
    let sql = "DELETE FROM turn WHERE conversation = ?1 AND fence IN (SELECT fence FROM turn \
        WHERE conversation = ?1 AND fence <= ?2 ORDER BY fence LIMIT ?3) RETURNING reason";
    db.run_erasing(&head.key, sql, values![&head.key, head.fence_floor, limit]).await
}

/// The ids that a conversation keeps as long as it lives.
async fn purge_bookkeeping(db: &dyn Db, key: &str, limit: usize) -> Result<u64, StoreError> {
    let mut gone = 0;
    for sql in [
        "DELETE FROM event WHERE conversation = ?1 AND number IN (SELECT number FROM event \
            WHERE conversation = ?1 LIMIT ?2)",
        "DELETE FROM tombstone WHERE conversation = ?1 AND message IN (SELECT message \
            FROM tombstone WHERE conversation = ?1 LIMIT ?2)",
        "DELETE FROM delivery WHERE conversation = ?1 AND id IN (SELECT id FROM delivery \
            WHERE conversation = ?1 LIMIT ?2)",
    ] {
        gone += db.run(sql, values![key, left(limit, gone)]).await?;
    }
    Ok(gone)
}

/// How much of a limit is left.
fn left(limit: usize, used: u64) -> usize {
    limit.saturating_sub(usize::try_from(used).unwrap_or(usize::MAX))
}

async fn finish(db: &dyn Db, key: &str, dropped: bool) -> Result<(), StoreError> {
    let sql = if dropped {
        "DELETE FROM conversation WHERE key = ?1"
    } else {
        "UPDATE conversation SET purge = 0 WHERE key = ?1"
    };
    db.send(sql, values![key]).await
}
