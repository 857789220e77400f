//! Files in chunks, so that a large one does not hold up the other writers. Their bytes stand in
//! slots like all words, and go with their message.

use unsaid_core::{
    domain::{
        conversation::key::ConversationKey,
        id::{MediaKey, Number, Version},
        message::Part,
    },
    port::{
        error::StoreError,
        media::{MediaFile, MediaPlace},
    },
};

use crate::db::{Db, Lock, values};

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
    db.lock(Lock::Conversation(&conversation)).await?;
    let live = "SELECT m.number FROM message m JOIN conversation c ON c.key = m.conversation \
        WHERE m.conversation = ?1 AND m.id = ?2 AND m.words IS NOT NULL \
        AND m.number > c.number_floor AND c.dropped = 0";
    let Some(row) = db.first(live, values![&conversation, &place.message]).await? else {
        return Ok(false);
    };
    forget_broken_off(db, key, &conversation, row.int(0)?).await?;
    let sql = "INSERT INTO media (key, conversation, number, mime, size) \
        VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (conversation, key) DO NOTHING";
    let made = db.run(sql, values![key, conversation, row.int(0)?, mime, size]).await?;
    Ok(made == 1)
}

/// An upload that broke off may be made again.
async fn forget_broken_off(
    db: &dyn Db,
    key: &MediaKey,
    conversation: &str,
    number: i64,
) -> Result<(), StoreError> {
    let sql =
        "DELETE FROM media WHERE conversation = ?1 AND key = ?2 AND number = ?3 AND whole = 0";
    if db.run(sql, values![conversation, key, number]).await? > 0 {
        let sql = "DELETE FROM media_chunk WHERE conversation = ?1 AND media = ?2 RETURNING words";
        db.run_erasing(conversation, sql, values![conversation, key]).await?;
    }
    Ok(())
}

/// Adds a chunk; `false` if the file is not wanted any more.
pub(crate) async fn add_chunk(
    db: &dyn Db,
    conversation: &ConversationKey,
    key: &MediaKey,
    (part, bytes): (usize, &[u8]),
) -> Result<bool, StoreError> {
    let conversation = conversation.to_string();
    // Nobody may take the message back between the look and the bytes.
    db.lock(Lock::Conversation(&conversation)).await?;
    let wanted = "SELECT 1 FROM media WHERE conversation = ?1 AND key = ?2 AND doomed = 0";
    if !db.any(wanted, values![&conversation, key]).await? {
        return Ok(false);
    }
    let slot = db.keep_words(&conversation, bytes).await?;
    let sql = "INSERT INTO media_chunk (conversation, media, part, words) VALUES (?1, ?2, ?3, ?4)";
    db.send(sql, values![conversation, key, part, slot]).await?;
    Ok(true)
}

/// All chunks are there.
pub(crate) async fn finish(
    db: &dyn Db,
    conversation: &ConversationKey,
    key: &MediaKey,
) -> Result<bool, StoreError> {
    let sql = "UPDATE media SET whole = 1 WHERE conversation = ?1 AND key = ?2 AND doomed = 0";
    Ok(db.run(sql, values![conversation.to_string(), key]).await? == 1)
}

pub(crate) async fn get(
    db: &dyn Db,
    conversation: &ConversationKey,
    key: &MediaKey,
) -> Result<Option<MediaFile>, StoreError> {
    let sql = "SELECT f.mime, f.size FROM media f \
        JOIN message m ON m.conversation = f.conversation AND m.number = f.number \
        JOIN conversation c ON c.key = f.conversation \
        WHERE f.conversation = ?1 AND f.key = ?2 AND f.whole = 1 AND f.doomed = 0 \
        AND m.words IS NOT NULL AND m.sending IN (0, 2, 4) AND m.number > c.number_floor AND c.dropped = 0";
    let conversation = conversation.to_string();
    let file = db.first(sql, values![&conversation, key]).await?;
    let Some(file) = file else { return Ok(None) };
    let sql = "SELECT w.content FROM media_chunk k \
        JOIN words w ON w.id = k.words /*pg: AND w.place = k.conversation */ \
        WHERE k.conversation = ?1 AND k.media = ?2 ORDER BY k.part";
    let size = usize::try_from(file.count(1)?).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    for row in db.rows(sql, values![conversation, key]).await? {
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
    db.send(sql, values![conversation, number]).await
}

/// The files of a tail are no longer wanted.
pub(crate) async fn doom_from(
    db: &dyn Db,
    conversation: &str,
    number: Number,
) -> Result<(), StoreError> {
    let sql = "UPDATE media SET doomed = 1 WHERE conversation = ?1 AND number IN \
        (SELECT number FROM message WHERE conversation = ?1 AND number >= ?2)";
    db.send(sql, values![conversation, number]).await
}

/// The files of messages that were in a closed undo window are no longer wanted.
pub(crate) async fn doom_undone(
    db: &dyn Db,
    conversation: &str,
    open: Version,
    limit: usize,
) -> Result<(), StoreError> {
    let sql = "UPDATE media SET doomed = 1 WHERE conversation = ?1 AND number IN \
        (SELECT number FROM undo_message WHERE conversation = ?1 AND edition <> ?2 \
        ORDER BY edition, number LIMIT ?3)";
    db.send(sql, values![conversation, open, limit]).await
}

/// The files of everything at or below a floor are no longer wanted.
pub(crate) async fn doom_below(
    db: &dyn Db,
    conversation: &str,
    floor: i64,
) -> Result<(), StoreError> {
    let sql = "UPDATE media SET doomed = 1 WHERE conversation = ?1 AND number <= ?2 \
        AND doomed = 0";
    db.send(sql, values![conversation, floor]).await
}

/// Of the files of a message only those are wanted that its parts name.
pub(crate) async fn doom_unnamed(
    db: &dyn Db,
    conversation: &str,
    number: Number,
    parts: &[Part],
) -> Result<(), StoreError> {
    let sql = "SELECT key FROM media WHERE conversation = ?1 AND number = ?2 AND doomed = 0";
    for row in db.rows(sql, values![conversation, number]).await? {
        let key: MediaKey = row.parse(0)?;
        if parts.iter().filter_map(Part::media).all(|named| *named != key) {
            let sql = "UPDATE media SET doomed = 1 WHERE conversation = ?1 AND key = ?2";
            db.send(sql, values![conversation, &key]).await?;
        }
    }
    Ok(())
}

/// Chunks deleted in one change: each is much larger than a message.
const CHUNKS_PER_CHANGE_MAX: usize = 4;

/// Deletes up to `limit` chunks of files that are no longer wanted, of one conversation or of all.
pub(crate) async fn purge(
    db: &dyn Db,
    conversation: Option<&str>,
    limit: usize,
) -> Result<u64, StoreError> {
    let limit = limit.min(CHUNKS_PER_CHANGE_MAX);
    let sql = "DELETE FROM media_chunk WHERE (conversation, media, part) IN \
        (SELECT k.conversation, k.media, k.part FROM media f \
        JOIN media_chunk k ON k.conversation = f.conversation AND k.media = f.key \
        WHERE f.doomed = 1 AND f.conversation = coalesce(?1, f.conversation) LIMIT ?2) \
        RETURNING words, conversation";
    let chunks = db.rows(sql, values![conversation, limit]).await?;
    for chunk in &chunks {
        db.erase_words(chunk.text(1)?, &[chunk.int(0)?]).await?;
    }
    let sql = "DELETE FROM media WHERE doomed = 1 AND conversation = coalesce(?1, conversation) \
        AND NOT EXISTS (SELECT 1 FROM media_chunk k \
        WHERE k.conversation = media.conversation AND k.media = media.key)";
    Ok(chunks.len() as u64 + db.run(sql, values![conversation]).await?)
}
