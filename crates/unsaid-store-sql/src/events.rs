//! Durable events: ids only. Words are read from the log when an event is told.

use unsaid_core::{
    domain::{
        conversation::{change::Event, key::ConversationKey},
        id::EventNumber,
    },
    port::error::{StoreError, corrupt},
};

use crate::db::{Db, Row, values};

const MESSAGE: i64 = 0;
const REMOVED: i64 = 1;
const UNSENT: i64 = 2;
const RESTORED: i64 = 3;

/// Keeps the events of a change; `last` is the newest number of the conversation.
pub(crate) async fn record(
    db: &dyn Db,
    key: &ConversationKey,
    events: &[Event],
    last: &mut EventNumber,
) -> Result<Vec<EventNumber>, StoreError> {
    let mut numbers = Vec::new();
    if !key.keeps_events() {
        return Ok(numbers);
    }
    let sql = "INSERT INTO event (conversation, number, kind, message, messages, edit) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    for event in events {
        let (kind, message, count, edit) = match event {
            Event::Message { id } => (MESSAGE, id, 1, None),
            Event::Removed { from, count, edit, unsent } => {
                (if *unsent { UNSENT } else { REMOVED }, from, *count, edit.as_ref())
            }
            Event::Restored { edit, from, count } => (RESTORED, from, *count, Some(edit)),
        };
        *last = db.event_number(*last).await?;
        db.send(sql, values![key.to_string(), *last, kind, message, count, edit]).await?;
        numbers.push(*last);
    }
    Ok(numbers)
}

pub(crate) async fn after(
    db: &dyn Db,
    key: &ConversationKey,
    after: EventNumber,
    limit: usize,
) -> Result<Option<Vec<(EventNumber, Event)>>, StoreError> {
    let text = key.to_string();
    let sql = "SELECT 1 FROM conversation WHERE key = ?1 AND dropped = 1";
    if db.any(sql, values![&text]).await? {
        return Ok((after == EventNumber::ZERO).then(Vec::new));
    }
    let own = "SELECT 1 FROM event WHERE conversation = ?1 AND number = ?2";
    if after != EventNumber::ZERO && !db.any(own, values![&text, after]).await? {
        return Ok(None);
    }
    let sql = "SELECT number, kind, message, messages, edit FROM event \
        WHERE conversation = ?1 AND number > ?2 ORDER BY number LIMIT ?3";
    let rows = db.rows(sql, values![&text, after, limit]).await?;
    let events = rows.iter().map(|row| Ok((EventNumber::new(row.count(0)?), from_row(row)?)));
    Ok(Some(events.collect::<Result<_, StoreError>>()?))
}

/// The newest event of a conversation that can be read.
pub(crate) async fn newest(db: &dyn Db, key: &ConversationKey) -> Result<EventNumber, StoreError> {
    let sql = "SELECT e.number FROM event e WHERE e.conversation = ?1 AND NOT EXISTS \
        (SELECT 1 FROM conversation WHERE key = ?1 AND dropped = 1) \
        ORDER BY e.number DESC LIMIT 1";
    let newest = db.first(sql, values![key.to_string()]).await?;
    newest.map_or(Ok(EventNumber::ZERO), |row| Ok(EventNumber::new(row.count(0)?)))
}

fn from_row(row: &Row) -> Result<Event, StoreError> {
    let (id, count) = (row.parse(2)?, row.count(3)?);
    Ok(match row.int(1)? {
        MESSAGE => Event::Message { id },
        REMOVED => Event::Removed { from: id, count, edit: row.opt_parse(4)?, unsent: false },
        UNSENT => Event::Removed { from: id, count, edit: None, unsent: true },
        RESTORED => Event::Restored { edit: row.parse(4)?, from: id, count },
        _ => return Err(corrupt("event.kind", "unknown code")),
    })
}
