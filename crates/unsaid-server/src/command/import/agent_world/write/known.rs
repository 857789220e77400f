//! Who was taken in before, by the ids of the source: names change.

use std::collections::{BTreeMap, BTreeSet};

use unsaid_core::domain::id::{AgentId, WorldId};
use unsaid_core::port::error::{StoreError, corrupt};

use super::super::cast::plain;
use super::super::found::FoundWorld;
use super::super::naming::chat_id;
use super::Target;
use crate::refusal::Refusal;

impl Target<'_> {
    /// The ids here of the worlds that were taken in before.
    ///
    /// # Errors
    /// If nobody can tell.
    pub(in super::super) async fn known_worlds(
        &self,
        found: &[FoundWorld],
    ) -> Result<BTreeMap<String, WorldId>, Refusal> {
        let mut known = BTreeMap::new();
        for world in found {
            let id = self.known_world(world).await.map_err(|error| {
                Refusal::new(format!("what was taken in before cannot be read: {error}"))
            })?;
            known.extend(id.map(|id| (world.id.clone(), id)));
        }
        Ok(known)
    }

    async fn known_world(&self, found: &FoundWorld) -> Result<Option<WorldId>, StoreError> {
        if let Some(id) = self.ledger().find(&self.key(&["world", &found.id])).await? {
            return WorldId::new(id).map(Some).map_err(|error| corrupt("ledger", error));
        }
        // Not finished, or forgotten with all that was said: it is where its chats are.
        let said = found.agents.iter().flat_map(|agent| &agent.memory);
        let said = said.map(|copy| copy.chat.as_deref());
        let named = found.chats.iter().map(|chat| Some(chat.id.as_str()));
        let chats: BTreeSet<Option<&str>> = said.chain(named).chain([None]).collect();
        for chat in chats {
            let id = chat_id(self.owner, &found.id, chat);
            let home = self.store.home(&id.map_err(|error| corrupt("chat", error))?).await?;
            if let Some(home) = home.filter(|home| home.owner == *self.owner) {
                return Ok(Some(home.id));
            }
        }
        Ok(None)
    }

    /// The ids here of the agents that were taken in before, also of those that only others remember.
    pub(super) async fn known_agents(
        &self,
        found: &FoundWorld,
    ) -> Result<BTreeMap<String, AgentId>, StoreError> {
        let said = found.agents.iter().flat_map(|agent| &agent.memory);
        let senders = said.filter_map(|copy| copy.sender.as_deref());
        let agents = found.agents.iter().map(|agent| agent.id.as_str());
        let gone = senders.flat_map(|sender| [sender.to_owned(), plain(sender)]);
        let sources: BTreeSet<String> = agents.map(str::to_owned).chain(gone).collect();
        let mut known = BTreeMap::new();
        for source in sources {
            let Some(id) = self.ledger().find(&self.agent_key(&found.id, &source)).await? else {
                continue;
            };
            let id = AgentId::new(id).map_err(|error| corrupt("ledger", error))?;
            known.insert(source, id);
        }
        Ok(known)
    }

    /// Under which an agent of the source is remembered.
    pub(super) fn agent_key(&self, world: &str, agent: &str) -> String {
        self.key(&["agent", world, agent])
    }
}
