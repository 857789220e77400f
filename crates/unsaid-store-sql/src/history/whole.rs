//! The whole of a conversation, read back from its tables.

use std::collections::BTreeMap;

use unsaid_core::{
    domain::{
        conversation::{
            ClosedEdit, Conversation, Revision, Undo,
            change::Decision,
            key::ConversationKey,
            log::{Entry, Log},
            turn::TurnRecord,
        },
        id::{AgentId, Fence, Number},
        text::Words,
        time::Timestamp,
    },
    port::error::{StoreError, corrupt},
};

use super::{
    entry::{from_row, parts_from_words, select_entries, unpadded},
    head::{Head, fences},
    read::live_head,
};
use crate::db::{Db, Row, values};

pub(crate) async fn whole(
    db: &dyn Db,
    key: &ConversationKey,
) -> Result<Option<Conversation>, StoreError> {
    let Some(head) = live_head(db, key).await? else { return Ok(None) };
    // Asked all at once: behind a network that is one way there and back.
    let (log, undo, turns, tombstones, deliveries, revisions, closed_edits, cleared) = tokio::try_join!(
        log(db, &head),
        undo(db, &head),
        turns(db, &head),
        pairs(db, &head.key, TOMBSTONES, |row| Ok((row.parse(0)?, fences(row.opt_text(1)?)?))),
        pairs(db, &head.key, DELIVERIES, |row| Ok((row.parse(0)?, time(row, 1)?))),
        pairs(db, &head.key, REVISIONS, |row| Ok((row.parse(0)?, revision(row)?))),
        pairs(db, &head.key, CLOSED_EDITS, |row| {
            Ok((row.parse(0)?, ClosedEdit { at: time(row, 1)?, expired: row.flag(2)? }))
        }),
        cleared_of(db, &head),
    )?;
    Ok(Some(Conversation {
        version: head.version,
        last_number: head.last_number,
        last_fence: head.last_fence,
        log,
        turns,
        tombstones,
        deliveries,
        revisions,
        closed_edits,
        cleared,
        turn: head.turn,
        wanted_at: head.wanted_at,
        undo,
    }))
}

/// Up to where agents were made to forget.
pub(crate) async fn cleared(
    db: &dyn Db,
    key: &ConversationKey,
) -> Result<BTreeMap<AgentId, Number>, StoreError> {
    let Some(head) = live_head(db, key).await? else { return Ok(BTreeMap::new()) };
    cleared_of(db, &head).await
}

async fn cleared_of(db: &dyn Db, head: &Head) -> Result<BTreeMap<AgentId, Number>, StoreError> {
    pairs(db, &head.key, CLEARED, |row| Ok((row.parse(0)?, Number::new(row.count(1)?)))).await
}

const TOMBSTONES: &str = "SELECT message, turns FROM tombstone WHERE conversation = ?1";
const DELIVERIES: &str = "SELECT id, at FROM delivery WHERE conversation = ?1";
const REVISIONS: &str = "SELECT r.message, r.person, r.at, r.since, w.content FROM revision r \
    JOIN words w ON w.id = r.words /*pg: AND w.place = r.conversation */ WHERE r.conversation = ?1";
const CLOSED_EDITS: &str = "SELECT edit, at, expired FROM closed_edit WHERE conversation = ?1";
const CLEARED: &str = "SELECT agent, through FROM cleared WHERE conversation = ?1";

async fn pairs<K: Ord, V>(
    db: &dyn Db,
    key: &str,
    sql: &'static str,
    pair: impl Fn(&Row) -> Result<(K, V), StoreError>,
) -> Result<BTreeMap<K, V>, StoreError> {
    db.rows(sql, values![key]).await?.iter().map(pair).collect()
}

async fn log(db: &dyn Db, head: &Head) -> Result<Log, StoreError> {
    let sql = select_entries!(
        "FROM message m \
         LEFT JOIN words w ON w.id = m.words /*pg: AND w.place = m.conversation */ \
         WHERE m.conversation = ?1 AND m.number > ?2"
    );
    let rows = db.rows(sql, values![&head.key, head.number_floor]).await?;
    rows.iter().map(from_row).collect()
}

async fn undo(db: &dyn Db, head: &Head) -> Result<Option<Undo>, StoreError> {
    let Some(open) = head.undo.clone() else { return Ok(None) };
    let sql = select_entries!(aside
        "FROM undo_message m \
         LEFT JOIN words w ON w.id = m.words /*pg: AND w.place = m.conversation */ \
         WHERE m.conversation = ?1 AND m.edition = ?2 ORDER BY m.number"
    );
    let rows = db.rows(sql, values![&head.key, open.edition]).await?;
    let entries = rows.iter().map(from_row).collect::<Result<Vec<Entry>, _>>()?;
    Ok(Some(Undo { edit: open.edit, until: open.until, from: open.from, entries }))
}

async fn turns(db: &dyn Db, head: &Head) -> Result<BTreeMap<Fence, TurnRecord>, StoreError> {
    let sql = "SELECT t.fence, t.began_at, t.decision, t.code, w.content, t.ended_at FROM turn t \
        LEFT JOIN words w ON w.id = t.reason /*pg: AND w.place = t.conversation */ \
        WHERE t.conversation = ?1 AND t.fence > ?2";
    let rows = db.rows(sql, values![&head.key, head.fence_floor]).await?;
    rows.iter()
        .map(|row| {
            let record = TurnRecord { began_at: time(row, 1)?, ended: ended(row)? };
            Ok((Fence::new(row.count(0)?), record))
        })
        .collect()
}

fn ended(row: &Row) -> Result<Option<(Decision, Timestamp)>, StoreError> {
    let Some(decision) = row.opt_int(2)? else { return Ok(None) };
    let reason = row.opt_blob(4)?.map(words_from).transpose()?;
    Ok(Some((decision_from(decision, row.opt_text(3)?, reason)?, time(row, 5)?)))
}

/// What `record_end` wrote.
pub(super) fn decision_from(
    decision: i64,
    code: Option<&str>,
    reason: Option<Words>,
) -> Result<Decision, StoreError> {
    Ok(match decision {
        0 => Decision::Answered,
        1 => Decision::Silent { reason },
        2 => {
            let code = code.ok_or_else(|| corrupt("turn.code", "a failure without a name"))?;
            Decision::Failed { code: code.to_owned() }
        }
        3 => Decision::Stopped,
        4 => Decision::Cancelled,
        5 => Decision::Released,
        _ => return Err(corrupt("turn.decision", "unknown code")),
    })
}

fn revision(row: &Row) -> Result<Revision, StoreError> {
    Ok(Revision {
        by: row.opt_parse(1)?,
        at: time(row, 2)?,
        since: time(row, 3)?,
        parts: parts_from_words(row.blob(4)?)?,
    })
}

/// The text that stands in a slot.
pub(crate) fn words_from(content: &[u8]) -> Result<Words, StoreError> {
    let text = String::from_utf8(unpadded(content).to_vec());
    let text = text.map_err(|_| corrupt("words", "not UTF-8"))?;
    Words::new(text).map_err(|error| corrupt("words", error))
}

fn time(row: &Row, column: usize) -> Result<Timestamp, StoreError> {
    Ok(Timestamp::from_millis(row.int(column)?))
}
