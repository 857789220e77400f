//! Forget all: claim, batches, audit.

use std::collections::BTreeSet;

use unsaid_core::{
    domain::{
        audit::{AuditLine, EraseReason, Erased},
        conversation::{
            change::{Change, Outcome},
            key::ConversationKey,
        },
        id::PersonId,
        time::Timestamp,
    },
    port::{
        erasure::{Batch, Claim},
        error::{StoreError, corrupt},
        history::{Commit, Committed},
    },
};

use crate::{
    db::{Db, Lock, Row, values},
    history, media, people, worlds,
};

pub(crate) async fn due(
    db: &dyn Db,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<PersonId>, StoreError> {
    let sql = "SELECT id FROM person WHERE consent_due <= ?1 ORDER BY consent_due LIMIT ?2";
    let mut rows = db.rows(sql, values![now, limit]).await?;
    let sql = "SELECT person FROM erasure ORDER BY person LIMIT ?1";
    rows.extend(db.rows(sql, values![limit]).await?);
    let people = rows.iter().map(|row| row.parse(0)).collect::<Result<BTreeSet<_>, _>>()?;
    Ok(people.into_iter().take(limit).collect())
}

/// The point of no return.
pub(crate) async fn claim(
    db: &dyn Db,
    id: &PersonId,
    reason: EraseReason,
    now: Timestamp,
) -> Result<Claim, StoreError> {
    db.lock(Lock::Person(id)).await?;
    let pending = db.any("SELECT 1 FROM erasure WHERE person = ?1", values![id]).await?;
    let Some(person) = people::person(db, id).await? else {
        return Ok(if pending { Claim::Joined } else { Claim::Unknown });
    };
    let due = reason != EraseReason::Due || person.consent.is_due(now);
    if !due {
        return Ok(if pending { Claim::Joined } else { Claim::NotDue });
    }
    people::set_consent(db, id, person.consent.claimed()).await?;
    let sql = "UPDATE person SET erased_at = ?2 WHERE id = ?1";
    db.send(sql, values![id, now]).await?;
    let erased = hide_everything(db, id, now).await?;
    db.send("DELETE FROM idempotency WHERE person = ?1", values![id]).await?;
    db.send("DELETE FROM failed_edit WHERE owner = ?1", values![id]).await?;
    let sql = "INSERT INTO erasure (person, reason, claimed_at, sessions, messages, media) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (person) DO UPDATE SET \
        sessions = erasure.sessions + ?4, messages = erasure.messages + ?5, \
        media = erasure.media + ?6, \
        reason = CASE WHEN ?2 = 'account' THEN 'account' ELSE erasure.reason END";
    let Erased { sessions, messages, media } = erased;
    let values = values![id, reason.as_str(), now, sessions, messages, media];
    db.send(sql, values).await?;
    Ok(if pending { Claim::Joined } else { Claim::Made })
}

/// Deletes a batch; the last one writes the audit line.
pub(crate) async fn erase_batch(
    db: &dyn Db,
    id: &PersonId,
    limit: usize,
    now: Timestamp,
) -> Result<Batch, StoreError> {
    db.lock(Lock::Person(id)).await?;
    let sql = "SELECT reason, sessions, messages, media FROM erasure WHERE person = ?1";
    let Some(claim) = db.first(sql, values![id]).await? else { return Ok(Batch::Nothing) };
    if purge(db, id, limit).await? {
        return Ok(Batch::More);
    }
    let sql = "UPDATE conversation SET former_owner = NULL WHERE former_owner = ?1";
    db.send(sql, values![id]).await?;
    Ok(Batch::Finished(finish(db, id, &claim, now).await?))
}

pub(crate) async fn audit(
    db: &dyn Db,
    before: Option<u64>,
    limit: usize,
) -> Result<Vec<AuditLine>, StoreError> {
    let before = before.map_or(i64::MAX, |id| i64::try_from(id).unwrap_or(i64::MAX));
    let sql = "SELECT id, at, person, reason, sessions, messages, media, prev_hash, hash \
        FROM audit WHERE id < ?1 ORDER BY id DESC LIMIT ?2";
    let rows = db.rows(sql, values![before, limit]).await?;
    rows.iter().rev().map(line_from_row).collect()
}

/// Deletes up to `limit` rows; whether there may be more.
async fn purge(db: &dyn Db, id: &PersonId, limit: usize) -> Result<bool, StoreError> {
    let sql = "SELECT key FROM conversation WHERE former_owner = ?1 AND purge = 1 ORDER BY key";
    let mut room = limit;
    for row in db.rows(sql, values![id]).await? {
        let key = row.text(0)?;
        let mut gone = history::purge_conversation(db, &history::key_from(key)?, room).await?;
        gone += media::purge(db, Some(key), room).await?;
        room = room.saturating_sub(usize::try_from(gone).unwrap_or(usize::MAX));
        if room == 0 {
            return Ok(true);
        }
    }
    let left = "SELECT 1 FROM conversation c JOIN media f ON f.conversation = c.key \
        WHERE c.former_owner = ?1 AND f.doomed = 1 LIMIT 1";
    db.any(left, values![id]).await
}

async fn hide_everything(db: &dyn Db, id: &PersonId, now: Timestamp) -> Result<Erased, StoreError> {
    let sessions = people::bill_and_forget(db, id).await?;
    let sql = "SELECT count(*) FROM media f JOIN conversation c ON c.key = f.conversation \
        WHERE c.owner = ?1 AND f.doomed = 0";
    let media = db.first(sql, values![id]).await?.map_or(Ok(0), |row| row.count(0))?;
    let mut messages = 0;
    let sql = "SELECT key FROM conversation WHERE owner = ?1 ORDER BY key";
    for row in db.rows(sql, values![id]).await? {
        let key = history::key_from(row.text(0)?)?;
        let erase = Commit::new(Change::EraseAll, now);
        if let Committed::Applied(applied, _) = history::commit(db, &key, erase).await?
            && let Outcome::Erased { count } = applied.outcome
        {
            messages += count;
        }
        let sql = "UPDATE conversation SET former_owner = ?2 WHERE key = ?1";
        db.send(sql, values![row.text(0)?, id]).await?;
        if matches!(key, ConversationKey::Session(_)) {
            history::drop_conversation(db, &key, now).await?;
        }
    }
    Ok(Erased { sessions: sessions.len() as u64, messages, media })
}

async fn finish(
    db: &dyn Db,
    id: &PersonId,
    claim: &Row,
    now: Timestamp,
) -> Result<AuditLine, StoreError> {
    let reason = EraseReason::from_text(claim.text(0)?);
    let reason = reason.ok_or_else(|| corrupt("erasure.reason", "unknown"))?;
    let erased =
        Erased { sessions: claim.count(1)?, messages: claim.count(2)?, media: claim.count(3)? };
    if reason == EraseReason::Account {
        worlds::delete_all_of(db, id, now).await?;
        db.send("DELETE FROM consent_line WHERE person = ?1", values![id]).await?;
        // Those of calls that were on their way when it was claimed.
        db.send("DELETE FROM idempotency WHERE person = ?1", values![id]).await?;
        let sql = "DELETE FROM person WHERE id = ?1 RETURNING words";
        db.run_erasing(id.as_str(), sql, values![id]).await?;
    }
    db.send("DELETE FROM erasure WHERE person = ?1", values![id]).await?;
    db.lock(Lock::Audit).await?;
    let last = audit(db, None, 1).await?;
    let line = AuditLine::after(last.last(), now, id.clone(), reason, erased);
    let sql = "INSERT INTO audit (id, at, person, reason, sessions, messages, media, prev_hash, \
        hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let Erased { sessions, messages, media } = erased;
    let (prev_hash, hash) = (&line.prev_hash, &line.hash);
    let reason = reason.as_str();
    let values = values![line.id, now, id, reason, sessions, messages, media, prev_hash, hash];
    db.send(sql, values).await?;
    Ok(line)
}

fn line_from_row(row: &Row) -> Result<AuditLine, StoreError> {
    let reason = EraseReason::from_text(row.text(3)?);
    Ok(AuditLine {
        id: row.count(0)?,
        at: Timestamp::from_millis(row.int(1)?),
        person: row.parse(2)?,
        reason: reason.ok_or_else(|| corrupt("audit.reason", "unknown"))?,
        erased: Erased { sessions: row.count(4)?, messages: row.count(5)?, media: row.count(6)? },
        prev_hash: row.text(7)?.to_owned(),
        hash: row.text(8)?.to_owned(),
    })
}
