//! The settings of worlds and agents.
//!
//! Settings are taken in once, and then they are the owner's. If they could not be read then, what
//! stands for them is replaced when they can be, unless the owner changed it.

use unsaid_core::domain::id::{AgentId, ChatId, Roster};
use unsaid_core::domain::text::Words;
use unsaid_core::domain::world::{Agent, Chat, World};
use unsaid_core::port::clock::Clock as _;
use unsaid_core::port::error::StoreError;
use unsaid_core::port::worlds::{AgentPatch, WorldKey, WorldPatch, WorldRefusal};

use super::super::cast::{Cast, fitting};
use super::super::chats::{Talk, made_at};
use super::super::found::{FoundAgent, FoundWorld};
use super::super::report::{Limited, Report};
use super::stop::{Stop, made};
use super::{Place, Target};
use crate::system::SystemClock;

const TURN_LIMIT: std::ops::RangeInclusive<i64> = 1..=50;
const TURN_LIMIT_DEFAULT: i64 = 5;

/// What stands for settings until they can be read: of what, and whose.
pub(super) type Guess<'a> = [&'a str; 3];

impl Target<'_> {
    pub(super) async fn make_world(
        &self,
        key: &WorldKey,
        found: &FoundWorld,
        first: &Place,
        report: &mut Report,
    ) -> Result<(), Stop> {
        self.note_guess(found.is_guessed, ["world", &found.id, ""]).await?;
        self.note_guess(first.talk.is_guessed, ["chat", first.id.as_str(), ""]).await?;
        let created_at = made_at(found).or(first.talk.created_at);
        let world = World {
            owner: key.owner.clone(),
            id: key.id.clone(),
            name: Words::lossy(fitting(&found.name)),
            turn_limit: turn_limit(found, report),
            main_agent: None,
            current_chat: None,
            roster: Roster::ZERO,
            created_at: created_at.unwrap_or_else(|| SystemClock.now()),
        };
        let chat = as_chat(&first.talk, first.id.clone());
        made(self.store.add_world(world, chat, Vec::new()).await).map(|_| ())
    }

    /// What can only be said once agents and chats are there.
    pub(super) async fn finish_settings(
        &self,
        world: &WorldKey,
        found: &FoundWorld,
        cast: &Cast<'_>,
        places: &[Place],
    ) -> Result<(), Stop> {
        let agents = made(self.store.agents(world).await)?;
        let current = current_chat(found, places);
        if let (true, Some(chat)) = (found.is_guessed, &current) {
            self.ledger().remember(&self.current_key(found), chat.as_str()).await?;
        }
        let patch = WorldPatch {
            main_agent: main_agent(found, cast, &agents).map(Some),
            current_chat: current.map(Some),
            ..WorldPatch::default()
        };
        self.patch_world(world, patch).await
    }

    async fn patch_world(&self, world: &WorldKey, patch: WorldPatch) -> Result<(), Stop> {
        match self.store.change_world(world, patch).await? {
            // Deleted since we looked: it need not be named any more.
            Err(WorldRefusal::AgentNotFound | WorldRefusal::ChatNotFound) => Ok(()),
            patched => made(Ok(patched)).map(|_| ()),
        }
    }

    /// Replaces what stands for the settings of a world.
    pub(super) async fn mend_world(
        &self,
        key: &WorldKey,
        found: &FoundWorld,
        cast: &Cast<'_>,
        places: &[Place],
        report: &mut Report,
    ) -> Result<(), Stop> {
        let guess = ["world", found.id.as_str(), ""];
        if found.is_guessed || !self.is_guess(guess).await? {
            return Ok(());
        }
        let Some(here) = self.store.world(key).await? else { return Err(Stop::WorldGone) };
        let agents = made(self.store.agents(key).await)?;
        let name = Words::lossy(fitting(&found.name));
        let current = self.ledger().find(&self.current_key(found)).await?;
        let is_current = here.current_chat.as_ref().map(ChatId::as_str) == current.as_deref();
        let is_default = i64::from(here.turn_limit) == TURN_LIMIT_DEFAULT;
        let patch = WorldPatch {
            name: (here.name.as_str() == fitting(&found.id)).then_some(name),
            turn_limit: is_default.then(|| turn_limit(found, report)),
            main_agent: match here.main_agent {
                None => main_agent(found, cast, &agents).map(Some),
                Some(_) => None,
            },
            current_chat: if is_current { current_chat(found, places).map(Some) } else { None },
        };
        self.patch_world(key, patch).await?;
        self.note_mended(guess).await?;
        report.mended += 1;
        Ok(())
    }

    /// Replaces what stands for the settings of an agent.
    pub(super) async fn mend_agent(
        &self,
        key: &WorldKey,
        source: &str,
        found: &FoundAgent,
        here: &Agent,
    ) -> Result<bool, Stop> {
        let guess = ["agent", source, found.id.as_str()];
        if found.is_guessed || !self.is_guess(guess).await? {
            return Ok(false);
        }
        let wanted = as_agent(&here.id, found);
        let is_nameless = here.name.as_str() == fitting(&found.id);
        let patch = AgentPatch {
            name: is_nameless.then_some(wanted.name),
            system_prompt: here.system_prompt.as_str().is_empty().then_some(wanted.system_prompt),
            provider: here.provider.is_none().then_some(wanted.provider),
            model: here.model.is_none().then_some(wanted.model),
            auto_reply: here.auto_reply.then_some(wanted.auto_reply),
        };
        match self.store.change_agent(key, &here.id, patch).await? {
            Err(WorldRefusal::AgentNotFound) => return Ok(false),
            patched => made(Ok(patched)).map(|_| ())?,
        }
        self.note_mended(guess).await?;
        Ok(true)
    }

    /// Remembers that something stands for settings; before it is made.
    pub(super) async fn note_guess(
        &self,
        is_guessed: bool,
        of: Guess<'_>,
    ) -> Result<(), StoreError> {
        if is_guessed {
            self.ledger().remember(&self.guess_key("guessed", of), "").await?;
        }
        Ok(())
    }

    /// Whether something still stands for settings.
    pub(super) async fn is_guess(&self, of: Guess<'_>) -> Result<bool, StoreError> {
        Ok(self.ledger().knows(&self.guess_key("guessed", of)).await?
            && !self.ledger().knows(&self.guess_key("mended", of)).await?)
    }

    async fn note_mended(&self, of: Guess<'_>) -> Result<(), StoreError> {
        self.ledger().remember(&self.guess_key("mended", of), "").await
    }

    /// Under which it is remembered which chat stands for the current one.
    fn current_key(&self, found: &FoundWorld) -> String {
        self.guess_key("guessed", ["current", &found.id, ""])
    }

    fn guess_key(&self, what: &str, [kind, one, other]: Guess<'_>) -> String {
        self.key(&[what, kind, one, other])
    }
}

/// As near as a world here may come to it.
fn turn_limit(found: &FoundWorld, report: &mut Report) -> u32 {
    let from = found.turn_limit.unwrap_or(TURN_LIMIT_DEFAULT);
    let to = from.clamp(*TURN_LIMIT.start(), *TURN_LIMIT.end());
    let to = u32::try_from(to).unwrap_or(1);
    if i64::from(to) != from {
        report.limited.push(Limited { place: found.id.clone(), from, to });
    }
    to
}

fn main_agent(found: &FoundWorld, cast: &Cast<'_>, agents: &[Agent]) -> Option<AgentId> {
    let main = found.main_agent.as_deref().and_then(|name| cast.find(name));
    main.filter(|id| agents.iter().any(|agent| agent.id == **id)).cloned()
}

fn current_chat(found: &FoundWorld, places: &[Place]) -> Option<ChatId> {
    let current = places
        .iter()
        .find(|place| found.current_chat.is_some() && place.talk.source == found.current_chat);
    current.or(places.last()).map(|place| place.id.clone())
}

pub(super) fn as_chat(talk: &Talk, id: ChatId) -> Chat {
    let created_at = talk.created_at.unwrap_or_else(|| SystemClock.now());
    Chat { id, name: talk.name.clone(), created_at }
}

pub(super) fn as_agent(id: &AgentId, found: &FoundAgent) -> Agent {
    Agent {
        id: id.clone(),
        name: Words::lossy(fitting(&found.name)),
        system_prompt: found.system_prompt.clone(),
        provider: found.provider.clone(),
        model: found.model.clone(),
        auto_reply: found.auto_reply,
        joined: Roster::ZERO,
    }
}
