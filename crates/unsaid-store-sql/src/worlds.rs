//! Worlds, agents, chats.

mod agents;
mod chats;
mod failed_edits;

use std::collections::BTreeSet;

use unsaid_core::{
    domain::{
        id::{PersonId, Roster},
        text::Words,
        time::Timestamp,
        world::{Agent, Chat, World},
    },
    port::{
        error::{StoreError, corrupt},
        worlds::{Asked, WorldKey, WorldPatch, WorldRefusal},
    },
};

pub(crate) use self::{
    agents::{add_agent, agents, change_agent, delete_agent},
    chats::{add_chat, chats, delete_chat, home},
    failed_edits::{failed_edits, note_failed_edit},
};
use crate::{
    db::{Db, Lock, Row, values},
    history::unpadded,
    people,
};

/// The columns of a world with a condition on `x`.
macro_rules! select {
    ($condition:literal) => {
        concat!(
            "SELECT x.owner, x.id, w.content, x.turn_limit, x.main_agent, x.current_chat, ",
            "x.roster, x.created_at FROM world x ",
            "JOIN words w ON w.id = x.words /*pg: AND w.place = x.owner */ WHERE ",
            $condition
        )
    };
}

pub(crate) async fn add_world(
    db: &dyn Db,
    mut world: World,
    chat: Chat,
    agents: Vec<Agent>,
) -> Asked<World> {
    let key = WorldKey { owner: world.owner.clone(), id: world.id.clone() };
    db.lock(Lock::Consent(&key.owner)).await?;
    if !people::is_there(db, &key.owner).await? {
        return Ok(Err(WorldRefusal::OwnerNotFound));
    }
    db.lock(Lock::Worlds(&key.owner)).await?;
    if self::world(db, &key).await?.is_some() {
        return Ok(Err(WorldRefusal::WorldExists));
    }
    let mut ids = BTreeSet::new();
    if !agents.iter().all(|agent| ids.insert(&agent.id)) {
        return Ok(Err(WorldRefusal::AgentExists));
    }
    world.roster = Roster::ZERO;
    world.current_chat = Some(chat.id.clone());
    let slot = db.keep_words(world.owner.as_str(), world.name.as_str().as_bytes()).await?;
    let sql = "INSERT INTO world (owner, id, place, words, turn_limit, main_agent, current_chat, \
        roster, created_at) SELECT ?1, ?2, coalesce(max(place), 0) + 1, ?3, ?4, ?5, ?6, ?7, ?8 \
        FROM world WHERE owner = ?1";
    let values = values![
        &world.owner,
        &world.id,
        slot,
        world.turn_limit,
        world.main_agent.as_ref(),
        world.current_chat.as_ref(),
        world.roster,
        world.created_at,
    ];
    db.send(sql, values).await?;
    chats::insert(db, &key, &chat).await?;
    for agent in agents {
        if let Err(refusal) = add_agent(db, &key, agent, usize::MAX).await? {
            return Ok(Err(refusal));
        }
    }
    Ok(self::world(db, &key).await?.ok_or(WorldRefusal::WorldNotFound))
}

pub(crate) async fn worlds(db: &dyn Db, owner: &PersonId) -> Result<Vec<World>, StoreError> {
    let rows = db.rows(select!("x.owner = ?1 ORDER BY x.place"), values![owner]).await?;
    rows.iter().map(from_row).collect()
}

pub(crate) async fn world(db: &dyn Db, key: &WorldKey) -> Result<Option<World>, StoreError> {
    let row = db.first(select!("x.owner = ?1 AND x.id = ?2"), values![&key.owner, &key.id]).await?;
    row.as_ref().map(from_row).transpose()
}

pub(crate) async fn change_world(db: &dyn Db, key: &WorldKey, patch: WorldPatch) -> Asked<World> {
    db.lock(Lock::Worlds(&key.owner)).await?;
    let Some(mut world) = world(db, key).await? else {
        return Ok(Err(WorldRefusal::WorldNotFound));
    };
    let WorldPatch { name, turn_limit, main_agent, current_chat } = patch;
    if let Some(Some(agent)) = &main_agent
        && !agents::exists(db, key, agent).await?
    {
        return Ok(Err(WorldRefusal::AgentNotFound));
    }
    if let Some(Some(chat)) = &current_chat
        && !chats::exists(db, key, chat).await?
    {
        return Ok(Err(WorldRefusal::ChatNotFound));
    }
    if let Some(name) = name {
        rename(db, key, &name).await?;
        world.name = name;
    }
    world.turn_limit = turn_limit.unwrap_or(world.turn_limit);
    world.main_agent = main_agent.unwrap_or(world.main_agent);
    world.current_chat = current_chat.unwrap_or(world.current_chat);
    save(db, &world).await?;
    Ok(Ok(world))
}

pub(crate) async fn delete_world(db: &dyn Db, key: &WorldKey, now: Timestamp) -> Asked<()> {
    db.lock(Lock::Worlds(&key.owner)).await?;
    let chats = match chats(db, key).await? {
        Ok(chats) => chats,
        Err(refusal) => return Ok(Err(refusal)),
    };
    for chat in chats {
        chats::delete(db, key, &chat.id, now).await?;
    }
    let sql = "DELETE FROM agent WHERE owner = ?1 AND world = ?2 RETURNING words";
    db.run_erasing(key.owner.as_str(), sql, values![&key.owner, &key.id]).await?;
    let sql = "DELETE FROM failed_edit WHERE owner = ?1 AND world = ?2";
    db.send(sql, values![&key.owner, &key.id]).await?;
    let sql = "DELETE FROM world WHERE owner = ?1 AND id = ?2 RETURNING words";
    db.run_erasing(key.owner.as_str(), sql, values![&key.owner, &key.id]).await?;
    Ok(Ok(()))
}

/// Deletes everything somebody made, with the account.
pub(crate) async fn delete_all_of(
    db: &dyn Db,
    owner: &PersonId,
    now: Timestamp,
) -> Result<(), StoreError> {
    for world in worlds(db, owner).await? {
        let key = WorldKey { owner: owner.clone(), id: world.id };
        if let Err(refusal) = delete_world(db, &key, now).await? {
            return Err(corrupt("world", refusal));
        }
    }
    Ok(())
}

async fn save(db: &dyn Db, world: &World) -> Result<(), StoreError> {
    let sql = "UPDATE world SET turn_limit = ?3, main_agent = ?4, current_chat = ?5, roster = ?6 \
        WHERE owner = ?1 AND id = ?2";
    let values = values![
        &world.owner,
        &world.id,
        world.turn_limit,
        world.main_agent.as_ref(),
        world.current_chat.as_ref(),
        world.roster,
    ];
    db.send(sql, values).await
}

async fn rename(db: &dyn Db, key: &WorldKey, name: &Words) -> Result<(), StoreError> {
    let sql = "SELECT words FROM world WHERE owner = ?1 AND id = ?2";
    let old = db.first(sql, values![&key.owner, &key.id]).await?;
    let old = old.map(|row| row.int(0)).transpose()?;
    db.erase_words(key.owner.as_str(), old.as_slice()).await?;
    let slot = db.keep_words(key.owner.as_str(), name.as_str().as_bytes()).await?;
    let sql = "UPDATE world SET words = ?3 WHERE owner = ?1 AND id = ?2";
    db.send(sql, values![&key.owner, &key.id, slot]).await
}

fn from_row(row: &Row) -> Result<World, StoreError> {
    Ok(World {
        owner: row.parse(0)?,
        id: row.parse(1)?,
        name: text(row.blob(2)?)?,
        turn_limit: u32::try_from(row.int(3)?).map_err(|e| corrupt("world", e))?,
        main_agent: row.opt_parse(4)?,
        current_chat: row.opt_parse(5)?,
        roster: Roster::new(row.count(6)?),
        created_at: Timestamp::from_millis(row.int(7)?),
    })
}

/// A single text out of its slot.
fn text(content: &[u8]) -> Result<Words, StoreError> {
    let text = String::from_utf8(unpadded(content).to_vec());
    let text = text.map_err(|_| corrupt("words", "not UTF-8"))?;
    Words::new(text).map_err(|error| corrupt("words", error))
}
