//! Sessions and what they cost.

use unsaid_core::{
    domain::{
        conversation::key::ConversationKey,
        id::{ExpertId, PersonId, SessionId},
        session::{BillingLine, Session, SessionKind, SessionTerms, next_session},
        time::Timestamp,
    },
    port::{
        error::{StoreError, corrupt},
        people::{HeldSession, NewSession, Which},
    },
};

use super::{consent_is_on, person};
use crate::{
    db::{Db, Lock, Row, values},
    history::{self, unpadded},
};

/// The columns of a session and the number of its messages, with a condition on `s`, and on `c`,
/// the log that is kept of it.
macro_rules! select {
    ($($condition:expr),*) => {
        concat!(
            "SELECT s.id, s.owner, w.content, s.paid, s.started_at, s.minutes, s.ended_at, ",
            "COALESCE(c.heard, 0) FROM session s ",
            "LEFT JOIN words w ON w.id = s.expert /*pg: AND w.place = s.owner */ ",
            kept!(),
            " WHERE ",
            $($condition),*
        )
    };
}

macro_rules! kept {
    () => {
        "LEFT JOIN conversation c ON c.key = 'session:' || s.id AND c.dropped = 0"
    };
}

/// What [`Which::Listed`] means.
macro_rules! listed {
    () => {
        "(c.last_number > 0 OR (1 = (SELECT l.granted FROM consent_line l \
            WHERE l.person = s.owner AND l.at <= s.started_at ORDER BY l.id DESC LIMIT 1) \
            AND NOT EXISTS (SELECT 1 FROM consent_line o \
                WHERE o.person = s.owner AND o.granted = 0 AND o.at > s.started_at \
                AND (s.ended_at IS NULL OR o.at < s.ended_at) \
                AND (s.minutes IS NULL OR o.at < s.started_at + s.minutes * 60000))))"
    };
}

pub(crate) async fn open_session(
    db: &dyn Db,
    new: NewSession,
    terms: SessionTerms,
) -> Result<Option<Session>, StoreError> {
    db.lock(Lock::Person(&new.owner)).await?;
    let Some(owner) = person(db, &new.owner).await? else { return Ok(None) };
    let next = next_session(terms, owner.free_used, owner.paid_credits);
    let Some((kind, minutes)) = next else { return Ok(None) };
    let sql = match kind {
        SessionKind::Free => "UPDATE person SET free_used = free_used + 1 WHERE id = ?1",
        SessionKind::Paid => "UPDATE person SET paid_credits = paid_credits - 1 WHERE id = ?1",
    };
    db.send(sql, values![&new.owner]).await?;
    let expert = db.keep_words(new.owner.as_str(), new.expert.as_str().as_bytes()).await?;
    let sql = "INSERT INTO session (id, owner, expert, paid, started_at, minutes) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let paid = kind == SessionKind::Paid;
    db.send(sql, values![&new.id, &new.owner, expert, paid, new.now, minutes]).await?;
    Ok(Some(Session {
        id: new.id,
        owner: new.owner,
        expert: Some(new.expert),
        kind,
        started_at: new.now,
        minutes,
        ended_at: None,
    }))
}

pub(crate) async fn session(db: &dyn Db, id: &SessionId) -> Result<Option<Session>, StoreError> {
    let row = db.first(select!("s.id = ?1"), values![id]).await?;
    row.as_ref().map(from_row).transpose()
}

pub(crate) async fn has_session(db: &dyn Db, id: &SessionId) -> Result<bool, StoreError> {
    db.any("SELECT 1 FROM session WHERE id = ?1", values![id]).await
}

pub(crate) async fn end_session(
    db: &dyn Db,
    id: &SessionId,
    now: Timestamp,
) -> Result<Option<Session>, StoreError> {
    let Some(found) = session(db, id).await? else { return Ok(None) };
    // Its owner never changes; the rest may have, until the lock was there.
    db.lock(Lock::Person(&found.owner)).await?;
    let Some(mut session) = session(db, id).await? else { return Ok(None) };
    if session.ended_at.is_some() {
        return Ok(Some(session));
    }
    session.ended_at = Some(now);
    db.send("UPDATE session SET ended_at = ?2 WHERE id = ?1", values![id, now]).await?;
    if forget_expert_without_consent(db, &session).await? {
        session.expert = None;
    }
    Ok(Some(session))
}

pub(crate) async fn forget_expert(db: &dyn Db, id: &SessionId) -> Result<(), StoreError> {
    let Some(session) = session(db, id).await? else { return Ok(()) };
    db.lock(Lock::Person(&session.owner)).await?;
    forget_expert_without_consent(db, &session).await?;
    Ok(())
}

/// Under the lock of its owner; says whether it is forgotten.
async fn forget_expert_without_consent(db: &dyn Db, session: &Session) -> Result<bool, StoreError> {
    if consent_is_on(db, &session.owner).await? {
        return Ok(false);
    }
    let id = &session.id;
    let old = db.first("SELECT expert FROM session WHERE id = ?1", values![id]).await?;
    let old = old.map_or(Ok(None), |row| row.opt_int(0))?;
    db.send("UPDATE session SET expert = NULL WHERE id = ?1", values![id]).await?;
    db.erase_words(session.owner.as_str(), old.as_slice()).await?;
    Ok(true)
}

pub(crate) async fn sessions(
    db: &dyn Db,
    owner: &PersonId,
    which: Which,
    (offset, limit): (usize, usize),
) -> Result<(Vec<HeldSession>, u64), StoreError> {
    let (page, total) = match which {
        Which::All => (
            select!("s.owner = ?1 ORDER BY s.started_at DESC, s.id DESC LIMIT ?2 OFFSET ?3"),
            "SELECT count(*) FROM session WHERE owner = ?1",
        ),
        Which::Listed => (
            select!(
                "s.owner = ?1 AND ",
                listed!(),
                " ORDER BY s.started_at DESC, s.id DESC LIMIT ?2 OFFSET ?3"
            ),
            concat!(
                "SELECT count(*) FROM session s ",
                kept!(),
                " WHERE s.owner = ?1 AND ",
                listed!()
            ),
        ),
    };
    let rows = db.rows(page, values![owner, limit, offset]).await?;
    let held = |row: &Row| Ok(HeldSession { session: from_row(row)?, messages: row.count(7)? });
    let sessions = rows.iter().map(held).collect::<Result<_, StoreError>>()?;
    let total = db.first(total, values![owner]).await?;
    Ok((sessions, total.map_or(Ok(0), |row| row.count(0))?))
}

pub(crate) async fn is_listed(db: &dyn Db, id: &SessionId) -> Result<bool, StoreError> {
    db.any(select!("s.id = ?1 AND ", listed!()), values![id]).await
}

/// Turns one session into a billing line, and drops what was said there. Both under the person's lock,
/// which whoever says something there has to share.
pub(crate) async fn forget_session(db: &dyn Db, id: &SessionId) -> Result<bool, StoreError> {
    let Some(session) = session(db, id).await? else { return Ok(false) };
    // Somebody else may be faster: then neither statement finds it.
    db.lock(Lock::Person(&session.owner)).await?;
    let sql = "INSERT INTO billing (owner, started_at, minutes, paid) \
        SELECT owner, started_at, minutes, paid FROM session WHERE id = ?1";
    db.send(sql, values![id]).await?;
    let sql = "DELETE FROM session WHERE id = ?1 RETURNING expert";
    if db.run_erasing(session.owner.as_str(), sql, values![id]).await? == 0 {
        return Ok(false);
    }
    let said = ConversationKey::Session(id.clone());
    history::drop_conversation(db, &said, Timestamp::ZERO).await?;
    Ok(true)
}

/// Turns somebody's sessions into billing lines; gives their ids.
pub(crate) async fn bill_and_forget(
    db: &dyn Db,
    owner: &PersonId,
) -> Result<Vec<SessionId>, StoreError> {
    let sql = "INSERT INTO billing (owner, started_at, minutes, paid) \
        SELECT owner, started_at, minutes, paid FROM session WHERE owner = ?1 \
        ORDER BY started_at, id";
    db.send(sql, values![owner]).await?;
    let sql = "DELETE FROM session WHERE owner = ?1 RETURNING id, expert";
    let rows = db.rows(sql, values![owner]).await?;
    let experts = rows.iter().filter_map(|row| row.opt_int(1).transpose());
    db.erase_words(owner.as_str(), &experts.collect::<Result<Vec<_>, _>>()?).await?;
    rows.iter().map(|row| row.parse(0)).collect()
}

pub(crate) async fn billing(db: &dyn Db, owner: &PersonId) -> Result<Vec<BillingLine>, StoreError> {
    let sql = "SELECT owner, started_at, minutes, paid FROM billing WHERE owner = ?1 \
        ORDER BY started_at, id";
    let rows = db.rows(sql, values![owner]).await?;
    rows.iter()
        .map(|row| {
            Ok(BillingLine {
                owner: row.parse(0)?,
                started_at: Timestamp::from_millis(row.int(1)?),
                minutes: minutes(row, 2)?,
                kind: kind(row.flag(3)?),
            })
        })
        .collect()
}

fn from_row(row: &Row) -> Result<Session, StoreError> {
    Ok(Session {
        id: row.parse(0)?,
        owner: row.parse(1)?,
        expert: row.opt_blob(2)?.map(expert).transpose()?,
        kind: kind(row.flag(3)?),
        started_at: Timestamp::from_millis(row.int(4)?),
        minutes: minutes(row, 5)?,
        ended_at: row.opt_int(6)?.map(Timestamp::from_millis),
    })
}

fn expert(content: &[u8]) -> Result<ExpertId, StoreError> {
    let text = String::from_utf8_lossy(unpadded(content)).into_owned();
    ExpertId::new(text).map_err(|error| corrupt("session.expert", error))
}

fn kind(paid: bool) -> SessionKind {
    if paid { SessionKind::Paid } else { SessionKind::Free }
}

fn minutes(row: &Row, column: usize) -> Result<Option<u32>, StoreError> {
    let minutes = row.opt_int(column)?.map(u32::try_from).transpose();
    minutes.map_err(|error| corrupt("minutes", error))
}
