//! The chats of a world.

use unsaid_core::{
    domain::{
        conversation::key::ConversationKey,
        id::ChatId,
        time::Timestamp,
        world::{Chat, World},
    },
    port::{
        error::StoreError,
        worlds::{Asked, WorldKey, WorldRefusal},
    },
};

use super::{save, text, world};
use crate::{
    db::{Db, Lock, Row, values},
    history,
};

pub(crate) async fn add_chat(db: &dyn Db, key: &WorldKey, chat: Chat) -> Asked<Chat> {
    db.lock(Lock::Worlds(&key.owner)).await?;
    if world(db, key).await?.is_none() {
        return Ok(Err(WorldRefusal::WorldNotFound));
    }
    insert(db, key, &chat).await?;
    Ok(Ok(chat))
}

pub(crate) async fn chats(db: &dyn Db, key: &WorldKey) -> Asked<Vec<Chat>> {
    if world(db, key).await?.is_none() {
        return Ok(Err(WorldRefusal::WorldNotFound));
    }
    let sql = "SELECT c.id, w.content, c.created_at FROM chat c \
        JOIN words w ON w.id = c.words /*pg: AND w.place = c.owner */ \
        WHERE c.owner = ?1 AND c.world = ?2 ORDER BY c.place";
    let rows = db.rows(sql, values![&key.owner, &key.id]).await?;
    Ok(Ok(rows.iter().map(from_row).collect::<Result<_, _>>()?))
}

/// The world that a chat belongs to.
pub(crate) async fn home(db: &dyn Db, chat: &ChatId) -> Result<Option<WorldKey>, StoreError> {
    let found = db.first("SELECT owner, world FROM chat WHERE id = ?1", values![chat]).await?;
    found.map(|row| Ok(WorldKey { owner: row.parse(0)?, id: row.parse(1)? })).transpose()
}

pub(crate) async fn delete_chat(
    db: &dyn Db,
    key: &WorldKey,
    id: &ChatId,
    (spare, now): (Chat, Timestamp),
) -> Asked<World> {
    db.lock(Lock::Worlds(&key.owner)).await?;
    let Some(mut world) = world(db, key).await? else {
        return Ok(Err(WorldRefusal::WorldNotFound));
    };
    if !exists(db, key, id).await? {
        return Ok(Err(WorldRefusal::ChatNotFound));
    }
    delete(db, key, id, now).await?;
    let newest = "SELECT id FROM chat WHERE owner = ?1 AND world = ?2 ORDER BY place DESC LIMIT 1";
    let newest = db.first(newest, values![&key.owner, &key.id]).await?;
    let newest = if let Some(row) = newest {
        row.parse(0)?
    } else {
        insert(db, key, &spare).await?;
        spare.id
    };
    if world.current_chat.as_ref() == Some(id) {
        world.current_chat = Some(newest);
        save(db, &world).await?;
    }
    Ok(Ok(world))
}

pub(super) async fn insert(db: &dyn Db, key: &WorldKey, chat: &Chat) -> Result<(), StoreError> {
    let slot = db.keep_words(key.owner.as_str(), chat.name.as_str().as_bytes()).await?;
    let sql = "INSERT INTO chat (id, owner, world, place, words, created_at) \
        SELECT ?1, ?2, ?3, coalesce(max(place), 0) + 1, ?4, ?5 FROM chat \
        WHERE owner = ?2 AND world = ?3";
    let values = values![&chat.id, &key.owner, &key.id, slot, chat.created_at];
    db.send(sql, values).await
}

pub(super) async fn exists(db: &dyn Db, key: &WorldKey, id: &ChatId) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM chat WHERE id = ?1 AND owner = ?2 AND world = ?3";
    db.any(sql, values![id, &key.owner, &key.id]).await
}

/// Deletes a chat and what was said in it.
pub(super) async fn delete(
    db: &dyn Db,
    key: &WorldKey,
    id: &ChatId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "DELETE FROM chat WHERE id = ?1 AND owner = ?2 AND world = ?3 RETURNING words";
    db.run_erasing(key.owner.as_str(), sql, values![id, &key.owner, &key.id]).await?;
    history::drop_conversation(db, &ConversationKey::Chat(id.clone()), now).await
}

fn from_row(row: &Row) -> Result<Chat, StoreError> {
    Ok(Chat {
        id: row.parse(0)?,
        name: text(row.blob(1)?)?,
        created_at: Timestamp::from_millis(row.int(2)?),
    })
}
