//! What places and people on LINE are called. Names stand in slots, like all words.

use std::collections::HashMap;

use unsaid_core::{
    domain::{
        conversation::key::ConversationKey,
        id::{PersonId, SourceId},
        source::{SourceCard, SourceKind},
        text::Words,
        time::Timestamp,
    },
    port::{
        directory::NameCard,
        error::{StoreError, corrupt},
    },
};

use crate::{
    db::{Db, Lock, Row, Value, values},
    history::words_from,
};

/// How many names are looked up with one statement.
const NAMES_AT_ONCE: usize = 8;

pub(crate) async fn source(db: &dyn Db, id: &SourceId) -> Result<Option<SourceCard>, StoreError> {
    let sql = "SELECT c.kind, w.content, c.members, c.present, c.at FROM source_card c \
        LEFT JOIN words w ON w.id = c.words /*pg: AND w.place = 'line:' || c.source */ \
        WHERE c.source = ?1";
    let Some(row) = db.first(sql, values![id]).await? else { return Ok(None) };
    let members = row.opt_int(2)?.map(u32::try_from).transpose();
    Ok(Some(SourceCard {
        id: id.clone(),
        kind: kind_from(row.int(0)?)?,
        name: name_from(&row, 1)?,
        members: members.map_err(|error| corrupt("source_card.members", error))?,
        present: row.flag(3)?,
        at: Timestamp::from_millis(row.int(4)?),
    }))
}

pub(crate) async fn keep_source(db: &dyn Db, card: &SourceCard) -> Result<(), StoreError> {
    let SourceCard { id, kind, name, members, present, at } = card;
    forget_source(db, id).await?;
    let slot = keep_words(db, &place_of(id), name.as_ref()).await?;
    let sql = "INSERT INTO source_card (source, kind, words, members, present, at) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    db.send(sql, values![id, kind_code(*kind), slot, *members, *present, *at]).await
}

/// Of several servers that keep or forget the same card, one does after the other: otherwise the
/// words of one of them would stay without a card.
pub(crate) async fn forget_source(db: &dyn Db, id: &SourceId) -> Result<(), StoreError> {
    db.lock(Lock::Card(&place_of(id))).await?;
    let sql = "DELETE FROM source_card WHERE source = ?1 RETURNING words";
    db.run_erasing(&place_of(id), sql, values![id]).await.map(|_| ())
}

/// In the order in which they were asked for.
pub(crate) async fn names(db: &dyn Db, people: &[PersonId]) -> Result<Vec<NameCard>, StoreError> {
    let sql = "SELECT c.person, w.content, c.at FROM name_card c \
        LEFT JOIN words w ON w.id = c.words /*pg: AND w.place = c.person */ \
        WHERE c.person IN (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut known = HashMap::new();
    for some in people.chunks(NAMES_AT_ONCE) {
        // The last chunk is filled up with one of its own.
        let asked = some.iter().chain(std::iter::repeat(&some[0])).take(NAMES_AT_ONCE);
        for row in db.rows(sql, asked.map(Value::from).collect()).await? {
            let id: PersonId = row.parse(0)?;
            let (name, at) = (name_from(&row, 1)?, Timestamp::from_millis(row.int(2)?));
            known.insert(id.clone(), NameCard { id, name, at });
        }
    }
    Ok(people.iter().filter_map(|id| known.get(id)).cloned().collect())
}

pub(crate) async fn keep_name(db: &dyn Db, card: &NameCard) -> Result<(), StoreError> {
    let NameCard { id, name, at } = card;
    forget_name(db, id).await?;
    let slot = keep_words(db, id.as_str(), name.as_ref()).await?;
    let sql = "INSERT INTO name_card (person, words, at) VALUES (?1, ?2, ?3)";
    db.send(sql, values![id, slot, *at]).await
}

pub(crate) async fn forget_name(db: &dyn Db, id: &PersonId) -> Result<(), StoreError> {
    db.lock(Lock::Card(id.as_str())).await?;
    let sql = "DELETE FROM name_card WHERE person = ?1 RETURNING words";
    db.run_erasing(id.as_str(), sql, values![id]).await.map(|_| ())
}

/// The name of a source belongs to its conversation.
fn place_of(id: &SourceId) -> String {
    ConversationKey::Line(id.clone()).to_string()
}

async fn keep_words(db: &dyn Db, place: &str, name: Option<&Words>) -> Result<Value, StoreError> {
    match name {
        Some(name) => Ok(Value::Int(db.keep_words(place, name.as_str().as_bytes()).await?)),
        None => Ok(Value::Null),
    }
}

fn name_from(row: &Row, column: usize) -> Result<Option<Words>, StoreError> {
    row.opt_blob(column)?.map(words_from).transpose()
}

fn kind_code(kind: SourceKind) -> i64 {
    match kind {
        SourceKind::Person => 0,
        SourceKind::Group => 1,
        SourceKind::Room => 2,
    }
}

fn kind_from(code: i64) -> Result<SourceKind, StoreError> {
    Ok(match code {
        0 => SourceKind::Person,
        1 => SourceKind::Group,
        2 => SourceKind::Room,
        _ => return Err(corrupt("source_card.kind", "unknown code")),
    })
}
