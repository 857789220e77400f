//! Files in chunks, so that a large one does not hold up the other writers. Their bytes stand in
//! slots like all words, and go with their message.

use unsaid_core::{
    domain::id::{MediaKey, Number},
    port::{
        error::StoreError,
        media::{MediaFile, MediaPlace},
    },
};

use crate::db::{Db, values};

/// Bytes written in one change.
pub(crate) const CHUNK_BYTES: usize = 256 * 1_024;

/// Announces a file; `false` if its message is not there or the key is taken.
pub(crate) async fn begin(
    db: &dyn Db,
    key: &MediaKey,
    place: &MediaPlace,
    (mime, size): (&str, usize),
) -> Result<bool, StoreError> {
    let conversation = place.conversation.to_string();
    let live = "SELECT m.number FROM message m JOIN conversation c ON c.key = m.conversation \
        WHERE m.conversation = ?1 AND m.id = ?2 AND m.words IS NOT NULL \
        AND m.number > c.number_floor AND c.dropped = 0";
    let Some(row) = db.first(live, values![&conversation, &place.message]).await? else {
        return Ok(false);
    };
    let sql = "INSERT INTO media (key, conversation, number, mime, size) \
        VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (key) DO NOTHING";
    let made = db.run(sql, values![key, conversation, row.int(0)?, mime, size]).await?;
    Ok(made == 1)
}

/// Adds a chunk; `false` if the file is not wanted any more.
pub(crate) async fn add_chunk(
    db: &dyn Db,
    key: &MediaKey,
    part: usize,
    bytes: &[u8],
) -> Result<bool, StoreError> {
    let wanted = "SELECT 1 FROM media WHERE key = ?1 AND doomed = 0";
    if !db.any(wanted, values![key]).await? {
        return Ok(false);
    }
    let slot = db.keep_words(bytes).await?;
    let sql = "INSERT INTO media_chunk (media, part, words) VALUES (?1, ?2, ?3)";
    db.run(sql, values![key, part, slot]).await?;
    Ok(true)
}

/// All chunks are there.
pub(crate) async fn finish(db: &dyn Db, key: &MediaKey) -> Result<bool, StoreError> {
    let sql = "UPDATE media SET whole = 1 WHERE key = ?1 AND doomed = 0";
    Ok(db.run(sql, values![key]).await? == 1)
}

pub(crate) async fn get(db: &dyn Db, key: &MediaKey) -> Result<Option<MediaFile>, StoreError> {
    let sql = "SELECT f.mime, f.size FROM media f \
        JOIN message m ON m.conversation = f.conversation AND m.number = f.number \
        JOIN conversation c ON c.key = f.conversation \
        WHERE f.key = ?1 AND f.whole = 1 AND f.doomed = 0 AND m.words IS NOT NULL \
        AND m.sending IN (0, 2, 4) AND m.number > c.number_floor AND c.dropped = 0";
    let Some(file) = db.first(sql, values![key]).await? else { return Ok(None) };
    let sql = "SELECT w.content FROM media_chunk k JOIN words w ON w.id = k.words \
        WHERE k.media = ?1 ORDER BY k.part";
    let size = usize::try_from(file.count(1)?).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    for row in db.rows(sql, values![key]).await? {
        let left = size - bytes.len();
        let chunk = row.blob(0)?;
        bytes.extend_from_slice(&chunk[..left.min(CHUNK_BYTES).min(chunk.len())]);
    }
    Ok(Some(MediaFile { mime: file.text(0)?.to_owned(), bytes }))
}

/// The files of one message are no longer wanted.
pub(crate) async fn doom(
    db: &dyn Db,
    conversation: &str,
    number: Number,
) -> Result<(), StoreError> {
    let sql = "UPDATE media SET doomed = 1 WHERE conversation = ?1 AND number = ?2";
    db.run(sql, values![conversation, number]).await.map(|_| ())
}

/// The files of a tail are no longer wanted.
pub(crate) async fn doom_from(
    db: &dyn Db,
    conversation: &str,
    number: Number,
) -> Result<(), StoreError> {
    let sql = "UPDATE media SET doomed = 1 WHERE conversation = ?1 AND number IN \
        (SELECT number FROM message WHERE conversation = ?1 AND number >= ?2)";
    db.run(sql, values![conversation, number]).await.map(|_| ())
}

/// The files of a closed undo window are no longer wanted.
pub(crate) async fn doom_undone(db: &dyn Db, conversation: &str) -> Result<(), StoreError> {
    let sql = "UPDATE media SET doomed = 1 WHERE conversation = ?1 AND number IN \
        (SELECT number FROM undo_message WHERE conversation = ?1)";
    db.run(sql, values![conversation]).await.map(|_| ())
}

/// The files of the oldest entries below a floor are no longer wanted.
pub(crate) async fn doom_below(
    db: &dyn Db,
    conversation: &str,
    floor: i64,
    limit: usize,
) -> Result<(), StoreError> {
    let sql = "UPDATE media SET doomed = 1 WHERE conversation = ?1 AND number IN \
        (SELECT number FROM message WHERE conversation = ?1 AND number <= ?2 ORDER BY number LIMIT ?3)";
    db.run(sql, values![conversation, floor, limit]).await.map(|_| ())
}

/// Deletes up to `limit` chunks of files that are no longer wanted.
pub(crate) async fn purge(db: &dyn Db, limit: usize) -> Result<u64, StoreError> {
    // A chunk is much larger than a message: few in one change.
    let limit = limit.min(4);
    let sql = "DELETE FROM media_chunk WHERE (media, part) IN (SELECT k.media, k.part \
        FROM media_chunk k JOIN media f ON f.key = k.media WHERE f.doomed = 1 LIMIT ?1) \
        RETURNING words";
    let purged = db.run_erasing(sql, values![limit]).await?;
    let sql = "DELETE FROM media WHERE doomed = 1 AND NOT EXISTS \
        (SELECT 1 FROM media_chunk k WHERE k.media = media.key)";
    Ok(purged + db.run(sql, values![]).await?)
}
