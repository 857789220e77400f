//! The agents of a world.

use serde::{Deserialize, Serialize};
use unsaid_core::{
    domain::{
        id::{AgentId, Roster},
        text::Words,
        world::Agent,
    },
    port::{
        error::{StoreError, corrupt},
        worlds::{AgentPatch, Asked, WorldKey, WorldRefusal},
    },
};

use super::{save, world};
use crate::{
    db::{Db, Lock, Row, values},
    history::unpadded,
};

/// What stands in the slot of an agent.
#[derive(Serialize, Deserialize)]
struct Card {
    name: Words,
    system_prompt: Words,
    provider: Option<String>,
    model: Option<String>,
}

pub(crate) async fn add_agent(
    db: &dyn Db,
    key: &WorldKey,
    mut agent: Agent,
    max: usize,
) -> Asked<Agent> {
    db.lock(Lock::Worlds(&key.owner)).await?;
    let Some(mut world) = world(db, key).await? else {
        return Ok(Err(WorldRefusal::WorldNotFound));
    };
    if exists(db, key, &agent.id).await? {
        return Ok(Err(WorldRefusal::AgentExists));
    }
    let sql = "SELECT count(*) FROM agent WHERE owner = ?1 AND world = ?2";
    let count = db.first(sql, values![&key.owner, &key.id]).await?;
    if count.map_or(Ok(0), |row| row.count(0))? >= max as u64 {
        return Ok(Err(WorldRefusal::LimitReached));
    }
    world.roster = world.roster.next();
    agent.joined = world.roster;
    save(db, &world).await?;
    let slot = keep_card(db, key, &agent).await?;
    let sql = "INSERT INTO agent (owner, world, id, words, auto_reply, joined) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let values = values![&key.owner, &key.id, &agent.id, slot, agent.auto_reply, agent.joined];
    db.send(sql, values).await?;
    Ok(Ok(agent))
}

pub(crate) async fn agents(db: &dyn Db, key: &WorldKey) -> Asked<Vec<Agent>> {
    if world(db, key).await?.is_none() {
        return Ok(Err(WorldRefusal::WorldNotFound));
    }
    let sql = "SELECT a.id, w.content, a.auto_reply, a.joined FROM agent a \
        JOIN words w ON w.id = a.words /*pg: AND w.place = a.owner */ \
        WHERE a.owner = ?1 AND a.world = ?2 ORDER BY a.joined";
    let rows = db.rows(sql, values![&key.owner, &key.id]).await?;
    Ok(Ok(rows.iter().map(from_row).collect::<Result<_, _>>()?))
}

pub(crate) async fn change_agent(
    db: &dyn Db,
    key: &WorldKey,
    id: &AgentId,
    patch: AgentPatch,
) -> Asked<Agent> {
    db.lock(Lock::Worlds(&key.owner)).await?;
    let agents = match agents(db, key).await? {
        Ok(agents) => agents,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let Some(mut agent) = agents.into_iter().find(|agent| agent.id == *id) else {
        return Ok(Err(WorldRefusal::AgentNotFound));
    };
    let AgentPatch { name, system_prompt, provider, model, auto_reply } = patch;
    agent.name = name.unwrap_or(agent.name);
    agent.system_prompt = system_prompt.unwrap_or(agent.system_prompt);
    agent.provider = provider.unwrap_or(agent.provider);
    agent.model = model.unwrap_or(agent.model);
    agent.auto_reply = auto_reply.unwrap_or(agent.auto_reply);
    erase_card(db, key, id).await?;
    let slot = keep_card(db, key, &agent).await?;
    let sql = "UPDATE agent SET words = ?4, auto_reply = ?5 \
        WHERE owner = ?1 AND world = ?2 AND id = ?3";
    db.send(sql, values![&key.owner, &key.id, id, slot, agent.auto_reply]).await?;
    Ok(Ok(agent))
}

pub(crate) async fn delete_agent(db: &dyn Db, key: &WorldKey, id: &AgentId) -> Asked<()> {
    db.lock(Lock::Worlds(&key.owner)).await?;
    if world(db, key).await?.is_none() {
        return Ok(Err(WorldRefusal::WorldNotFound));
    }
    if !exists(db, key, id).await? {
        return Ok(Err(WorldRefusal::AgentNotFound));
    }
    erase_card(db, key, id).await?;
    let sql = "DELETE FROM agent WHERE owner = ?1 AND world = ?2 AND id = ?3";
    db.send(sql, values![&key.owner, &key.id, id]).await?;
    let sql = "UPDATE world SET main_agent = NULL \
        WHERE owner = ?1 AND id = ?2 AND main_agent = ?3";
    db.send(sql, values![&key.owner, &key.id, id]).await?;
    Ok(Ok(()))
}

pub(super) async fn exists(db: &dyn Db, key: &WorldKey, id: &AgentId) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM agent WHERE owner = ?1 AND world = ?2 AND id = ?3";
    db.any(sql, values![&key.owner, &key.id, id]).await
}

async fn keep_card(db: &dyn Db, key: &WorldKey, agent: &Agent) -> Result<i64, StoreError> {
    let card = Card {
        name: agent.name.clone(),
        system_prompt: agent.system_prompt.clone(),
        provider: agent.provider.clone(),
        model: agent.model.clone(),
    };
    let card = serde_json::to_vec(&card).map_err(|_| corrupt("agent", "not writable"))?;
    db.keep_words(key.owner.as_str(), &card).await
}

async fn erase_card(db: &dyn Db, key: &WorldKey, id: &AgentId) -> Result<(), StoreError> {
    let sql = "SELECT words FROM agent WHERE owner = ?1 AND world = ?2 AND id = ?3";
    let old = db.first(sql, values![&key.owner, &key.id, id]).await?;
    let old = old.map(|row| row.int(0)).transpose()?;
    db.erase_words(key.owner.as_str(), old.as_slice()).await
}

fn from_row(row: &Row) -> Result<Agent, StoreError> {
    let card: Card = serde_json::from_slice(unpadded(row.blob(1)?))
        .map_err(|_| corrupt("words", "not an agent's card"))?;
    Ok(Agent {
        id: row.parse(0)?,
        name: card.name,
        system_prompt: card.system_prompt,
        provider: card.provider,
        model: card.model,
        auto_reply: row.flag(2)?,
        joined: Roster::new(row.count(3)?),
    })
}
