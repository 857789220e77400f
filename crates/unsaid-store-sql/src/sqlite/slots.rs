//! Words in slots.
//!
//! `secure_delete` zeroes what is deleted, but SQLite copies rows between pages when it balances a
//! tree, and the old copies stay in the unused part of pages. So words stand in a table whose rows
//! are only appended and never deleted or resized: their bytes never move. Erasing overwrites a slot
//! in place with zeros of the same length, and the next words of that size use it again.

use rusqlite::{Connection, OptionalExtension, params};

/// Bytes of a slot that can hold so many bytes: few sizes, so that slots fit again.
fn size_for(bytes: usize) -> usize {
    let step = if bytes <= 1_024 { 64 } else { 1_024 };
    bytes.max(1).next_multiple_of(step)
}

/// Whether any slot is free.
pub(super) fn any_free(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT EXISTS (SELECT 1 FROM words_free)", [], |row| row.get(0))
}

/// Keeps words in a free slot of their size (unless there is none, which the caller may know), or
/// in a new one.
pub(super) fn keep(connection: &Connection, words: &[u8], any_free: bool) -> rusqlite::Result<i64> {
    let bytes = size_for(words.len());
    let mut padded = Vec::with_capacity(bytes);
    padded.extend_from_slice(words);
    padded.resize(bytes, 0);
    let size = i64::try_from(bytes).unwrap_or(i64::MAX);
    let free = if any_free { free_slot(connection, size)? } else { None };
    let Some(id) = free else {
        connection
            .prepare_cached("INSERT INTO words (content) VALUES (?1)")?
            .execute(params![padded])?;
        return Ok(connection.last_insert_rowid());
    };
    connection
        .prepare_cached("DELETE FROM words_free WHERE size = ?1 AND id = ?2")?
        .execute(params![size, id])?;
    connection
        .prepare_cached("UPDATE words SET content = ?2 WHERE id = ?1")?
        .execute(params![id, padded])?;
    Ok(id)
}

fn free_slot(connection: &Connection, size: i64) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM words_free WHERE size = ?1 LIMIT 1")?
        .query_row(params![size], |row| row.get(0))
        .optional()
}

pub(super) fn erase(connection: &Connection, ids: &[i64]) -> rusqlite::Result<()> {
    let mut size = connection.prepare_cached("SELECT length(content) FROM words WHERE id = ?1")?;
    let mut zero =
        connection.prepare_cached("UPDATE words SET content = zeroblob(?2) WHERE id = ?1")?;
    let mut free =
        connection.prepare_cached("INSERT INTO words_free (size, id) VALUES (?1, ?2)")?;
    for id in ids {
        let bytes: i64 = size.query_row(params![id], |row| row.get(0))?;
        zero.execute(params![id, bytes])?;
        free.execute(params![bytes, id])?;
    }
    Ok(())
}
