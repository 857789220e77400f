//! Worlds, agents, chats.

use async_trait::async_trait;
use unsaid_core::{
    domain::{
        conversation::key::ConversationKey,
        id::{AgentId, ChatId, PersonId, Roster},
        world::{Agent, Chat, FAILED_EDITS_MAX, FailedEdit, World},
    },
    port::{
        error::StoreError,
        worlds::{AgentPatch, Asked, WorldKey, WorldPatch, WorldRefusal, Worlds},
    },
};

use crate::{MemoryStore, state::State};

/// A world with what is in it, in order of creation.
#[derive(Debug)]
pub(crate) struct HeldWorld {
    pub(crate) world: World,
    agents: Vec<Agent>,
    chats: Vec<Chat>,
    /// Oldest first.
    pub(crate) failed: Vec<FailedEdit>,
}

#[async_trait]
impl Worlds for MemoryStore {
    async fn add_world(&self, mut world: World, chat: Chat, agents: Vec<Agent>) -> Asked<World> {
        let mut state = self.lock()?;
        let key = WorldKey { owner: world.owner.clone(), id: world.id.clone() };
        if !state.people.contains_key(&key.owner) {
            return Ok(Err(WorldRefusal::OwnerNotFound));
        }
        if state.place_of(&key).is_ok() {
            return Ok(Err(WorldRefusal::WorldExists));
        }
        state.check_free(&chat)?;
        world.roster = Roster::ZERO;
        world.current_chat = Some(chat.id.clone());
        let mut held = HeldWorld { world, agents: vec![], chats: vec![chat], failed: vec![] };
        for agent in agents {
            if let Err(refusal) = held.add_agent(agent, usize::MAX) {
                return Ok(Err(refusal));
            }
        }
        let world = held.world.clone();
        state.worlds.push(held);
        Ok(Ok(world))
    }

    async fn worlds(&self, owner: &PersonId) -> Result<Vec<World>, StoreError> {
        let state = self.lock()?;
        let theirs = state.worlds.iter().filter(|held| held.world.owner == *owner);
        Ok(theirs.map(|held| held.world.clone()).collect())
    }

    async fn world(&self, key: &WorldKey) -> Result<Option<World>, StoreError> {
        Ok(self.lock()?.world(key).ok().map(|held| held.world.clone()))
    }

    async fn change_world(&self, key: &WorldKey, patch: WorldPatch) -> Asked<World> {
        Ok(self.lock()?.world(key).and_then(|held| held.change(patch)))
    }

    async fn delete_world(&self, key: &WorldKey) -> Asked<()> {
        let mut state = self.lock()?;
        let place = match state.place_of(key) {
            Ok(place) => place,
            Err(refusal) => return Ok(Err(refusal)),
        };
        for chat in state.worlds.remove(place).chats {
            state.drop_conversation(&ConversationKey::Chat(chat.id));
        }
        Ok(Ok(()))
    }

    async fn add_agent(&self, key: &WorldKey, agent: Agent, max: usize) -> Asked<Agent> {
        Ok(self.lock()?.world(key).and_then(|held| held.add_agent(agent, max)))
    }

    async fn agents(&self, key: &WorldKey) -> Asked<Vec<Agent>> {
        Ok(self.lock()?.world(key).map(|held| held.agents.clone()))
    }

    async fn change_agent(&self, key: &WorldKey, id: &AgentId, patch: AgentPatch) -> Asked<Agent> {
        Ok(self.lock()?.world(key).and_then(|held| held.change_agent(id, patch)))
    }

    async fn delete_agent(&self, key: &WorldKey, id: &AgentId) -> Asked<()> {
        Ok(self.lock()?.world(key).and_then(|held| held.delete_agent(id)))
    }

    async fn add_chat(&self, key: &WorldKey, chat: Chat) -> Asked<Chat> {
        let mut state = self.lock()?;
        state.check_free(&chat)?;
        Ok(state.world(key).map(|held| {
            held.chats.push(chat.clone());
            chat
        }))
    }

    async fn home(&self, chat: &ChatId) -> Result<Option<WorldKey>, StoreError> {
        let state = self.lock()?;
        let home = state.worlds.iter().find(|held| held.chats.iter().any(|it| it.id == *chat));
        Ok(home.map(|held| WorldKey { owner: held.world.owner.clone(), id: held.world.id.clone() }))
    }

    async fn chats(&self, key: &WorldKey) -> Asked<Vec<Chat>> {
        Ok(self.lock()?.world(key).map(|held| held.chats.clone()))
    }

    async fn delete_chat(&self, key: &WorldKey, id: &ChatId, spare: Chat) -> Asked<World> {
        let mut state = self.lock()?;
        state.check_free(&spare)?;
        let deleted = state.world(key).and_then(|held| held.delete_chat(id, spare));
        if deleted.is_ok() {
            state.drop_conversation(&ConversationKey::Chat(id.clone()));
        }
        Ok(deleted)
    }

    async fn note_failed_edit(
        &self,
        key: &WorldKey,
        failed: FailedEdit,
    ) -> Result<bool, StoreError> {
        let mut state = self.lock()?;
        let Some(owner) = state.people.get(&key.owner).cloned() else { return Ok(false) };
        let Ok(held) = state.world(key) else { return Ok(false) };
        let may_be_kept = failed.may_be_kept(&owner, &held.world);
        if may_be_kept {
            held.note_failed_edit(failed);
        }
        Ok(may_be_kept)
    }

    async fn failed_edits(&self, key: &WorldKey) -> Result<Vec<FailedEdit>, StoreError> {
        Ok(self.lock()?.world(key).map(|held| held.failed.clone()).unwrap_or_default())
    }
}

impl State {
    fn place_of(&self, key: &WorldKey) -> Result<usize, WorldRefusal> {
        let WorldKey { owner, id } = key;
        let mut worlds = self.worlds.iter();
        worlds
            .position(|held| held.world.owner == *owner && held.world.id == *id)
            .ok_or(WorldRefusal::WorldNotFound)
    }

    fn world(&mut self, key: &WorldKey) -> Result<&mut HeldWorld, WorldRefusal> {
        let place = self.place_of(key)?;
        Ok(&mut self.worlds[place])
    }

    pub(crate) fn has_chat(&self, id: &ChatId) -> bool {
        let mut chats = self.worlds.iter().flat_map(|held| &held.chats);
        chats.any(|known| known.id == *id)
    }

    /// Chats are unique in the installation; whoever makes their ids sees to that.
    fn check_free(&self, chat: &Chat) -> Result<(), StoreError> {
        if self.has_chat(&chat.id) { Err(StoreError::Conflict) } else { Ok(()) }
    }
}

impl HeldWorld {
    fn change(&mut self, patch: WorldPatch) -> Result<World, WorldRefusal> {
        let WorldPatch { name, turn_limit, main_agent, current_chat } = patch;
        if let Some(Some(id)) = &current_chat
            && !self.chats.iter().any(|chat| chat.id == *id)
        {
            return Err(WorldRefusal::ChatNotFound);
        }
        if let Some(Some(id)) = &main_agent
            && !self.agents.iter().any(|agent| agent.id == *id)
        {
            return Err(WorldRefusal::AgentNotFound);
        }
        let world = &mut self.world;
        world.name = name.unwrap_or_else(|| world.name.clone());
        world.turn_limit = turn_limit.unwrap_or(world.turn_limit);
        world.main_agent = main_agent.unwrap_or_else(|| world.main_agent.clone());
        world.current_chat = current_chat.unwrap_or_else(|| world.current_chat.clone());
        Ok(world.clone())
    }

    fn add_agent(&mut self, agent: Agent, max: usize) -> Result<Agent, WorldRefusal> {
        if self.agents.iter().any(|known| known.id == agent.id) {
            return Err(WorldRefusal::AgentExists);
        }
        if self.agents.len() >= max {
            return Err(WorldRefusal::LimitReached);
        }
        self.world.roster = self.world.roster.next();
        let agent = Agent { joined: self.world.roster, ..agent };
        self.agents.push(agent.clone());
        Ok(agent)
    }

    fn change_agent(&mut self, id: &AgentId, patch: AgentPatch) -> Result<Agent, WorldRefusal> {
        let AgentPatch { name, system_prompt, provider, model, auto_reply } = patch;
        let mut agents = self.agents.iter_mut();
        let agent = agents.find(|agent| agent.id == *id).ok_or(WorldRefusal::AgentNotFound)?;
        agent.name = name.unwrap_or_else(|| agent.name.clone());
        agent.system_prompt = system_prompt.unwrap_or_else(|| agent.system_prompt.clone());
        agent.provider = provider.unwrap_or_else(|| agent.provider.clone());
        agent.model = model.unwrap_or_else(|| agent.model.clone());
        agent.auto_reply = auto_reply.unwrap_or(agent.auto_reply);
        Ok(agent.clone())
    }

    fn delete_agent(&mut self, id: &AgentId) -> Result<(), WorldRefusal> {
        let place = self.agents.iter().position(|agent| agent.id == *id);
        self.agents.remove(place.ok_or(WorldRefusal::AgentNotFound)?);
        if self.world.main_agent.as_ref() == Some(id) {
            self.world.main_agent = None;
        }
        Ok(())
    }

    fn delete_chat(&mut self, id: &ChatId, spare: Chat) -> Result<World, WorldRefusal> {
        let place = self.chats.iter().position(|chat| chat.id == *id);
        self.chats.remove(place.ok_or(WorldRefusal::ChatNotFound)?);
        if self.chats.is_empty() {
            self.chats.push(spare);
        }
        if self.world.current_chat.as_ref() == Some(id) {
            self.world.current_chat = self.chats.last().map(|chat| chat.id.clone());
        }
        Ok(self.world.clone())
    }

    fn note_failed_edit(&mut self, failed: FailedEdit) {
        if self.failed.iter().any(|known| known.id == failed.id) {
            return;
        }
        self.failed.push(failed);
        self.failed.sort_by_key(|known| known.at);
        if self.failed.len() > FAILED_EDITS_MAX {
            self.failed.remove(0);
        }
    }
}
