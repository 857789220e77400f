//! Reading the log.

use std::str::FromStr;

use unsaid_core::{
    domain::{
        conversation::{key::ConversationKey, log::Entry},
        id::{MessageId, Number},
        time::Timestamp,
    },
    port::{
        error::{StoreError, corrupt},
        history::{Overview, Tail},
    },
};

use super::{
    entry::{from_row, select_entries},
    head::Head,
};
use crate::db::{Db, values};

pub(crate) async fn overview(
    db: &dyn Db,
    key: &ConversationKey,
) -> Result<Option<Overview>, StoreError> {
    let Some(head) = live_head(db, key).await? else { return Ok(None) };
    Ok(Some(Overview {
        owner: head.owner,
        version: head.version,
        last_number: head.last_number,
        heard: head.heard,
        turn: head.turn,
        wanted_at: head.wanted_at,
        has_way_back: head.undo.is_some(),
    }))
}

pub(crate) async fn page(
    db: &dyn Db,
    key: &ConversationKey,
    before: Option<Number>,
    limit: usize,
) -> Result<Vec<Entry>, StoreError> {
    let Some(head) = live_head(db, key).await? else { return Ok(Vec::new()) };
    let before = before.map_or(i64::MAX, |number| number.get().try_into().unwrap_or(i64::MAX));
    let sql = select_entries!(
        "FROM message m \
         JOIN words w ON w.id = m.words /*pg: AND w.place = m.conversation */ \
         WHERE m.conversation = ?1 \
         AND m.number > ?2 AND m.number < ?3 AND m.sending IN (0, 2, 4) \
         ORDER BY m.number DESC LIMIT ?4"
    );
    let rows = db.rows(sql, values![&head.key, head.number_floor, before, limit]).await?;
    rows.iter().rev().map(from_row).collect()
}

pub(crate) async fn entries_after(
    db: &dyn Db,
    key: &ConversationKey,
    after: Number,
    limit: usize,
) -> Result<Vec<Entry>, StoreError> {
    let Some(head) = live_head(db, key).await? else { return Ok(Vec::new()) };
    let sql = select_entries!(
        "FROM message m \
         LEFT JOIN words w ON w.id = m.words /*pg: AND w.place = m.conversation */ \
         WHERE m.conversation = ?1 AND m.number > ?2 ORDER BY m.number LIMIT ?3"
    );
    let after = after.max(head.number_floor);
    let rows = db.rows(sql, values![&head.key, after, limit]).await?;
    rows.iter().map(from_row).collect()
}

pub(crate) async fn find(
    db: &dyn Db,
    key: &ConversationKey,
    id: &MessageId,
) -> Result<Option<Entry>, StoreError> {
    let Some(head) = live_head(db, key).await? else { return Ok(None) };
    let sql = select_entries!(
        "FROM message m \
         LEFT JOIN words w ON w.id = m.words /*pg: AND w.place = m.conversation */ \
         WHERE m.conversation = ?1 AND m.id = ?2 AND m.number > ?3"
    );
    let row = db.first(sql, values![&head.key, id, head.number_floor]).await?;
    row.as_ref().map(from_row).transpose()
}

pub(crate) async fn tail(
    db: &dyn Db,
    key: &ConversationKey,
    from: &MessageId,
    preview: usize,
) -> Result<Option<Tail>, StoreError> {
    let Some(head) = live_head(db, key).await? else { return Ok(None) };
    let Some(entry) = find(db, key, from).await?.filter(Entry::is_heard) else { return Ok(None) };
    let sql = "SELECT count(*) FROM message WHERE conversation = ?1 AND number >= ?2 \
        AND words IS NOT NULL AND sending IN (0, 2, 4)";
    let count = db.first(sql, values![&head.key, entry.number]).await?;
    let count = count.map_or(Ok(0), |row| row.count(0))?;
    let sql = select_entries!(
        "FROM message m \
         JOIN words w ON w.id = m.words /*pg: AND w.place = m.conversation */ \
         WHERE m.conversation = ?1 \
         AND m.number >= ?2 AND m.sending IN (0, 2, 4) ORDER BY m.number LIMIT ?3"
    );
    let rows = db.rows(sql, values![&head.key, entry.number, preview]).await?;
    let preview = rows.iter().map(from_row).collect::<Result<_, _>>()?;
    Ok(Some(Tail { count, is_first: count == head.heard, preview }))
}

pub(crate) async fn wanting(
    db: &dyn Db,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<ConversationKey>, StoreError> {
    let sql = "SELECT key FROM ( \
            SELECT key, wanted_at AS since FROM conversation \
            WHERE wanted_at <= ?1 AND turn_until IS NULL \
            UNION ALL SELECT key, turn_until AS since FROM conversation WHERE turn_until <= ?1 \
        ) AS due ORDER BY since, key LIMIT ?2";
    let rows = db.rows(sql, values![now, limit]).await?;
    rows.iter().map(|row| key_from(row.text(0)?)).collect()
}

pub(crate) fn key_from(text: &str) -> Result<ConversationKey, StoreError> {
    ConversationKey::from_str(text).map_err(|error| corrupt("conversation.key", error))
}

pub(super) async fn live_head(
    db: &dyn Db,
    key: &ConversationKey,
) -> Result<Option<Head>, StoreError> {
    let head = Head::load(db, key).await?;
    Ok(head.is_live().then_some(head))
}
