//! Into the house: a world with its agents and chats, and what was said in them, each thing once.
//!
//! First comes what needs no consent. Every thing is made and then remembered, so that an import that is
//! cut off goes on where it was; and what is remembered but not there was removed here, and stays out.

mod known;
mod recognise;
mod say;

use std::collections::BTreeSet;

use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::{AgentId, ChatId, PersonId, Roster, WorldId};
use unsaid_core::domain::text::Words;
use unsaid_core::domain::world::{Agent, Chat, World};
use unsaid_core::port::Store;
use unsaid_core::port::clock::Clock as _;
use unsaid_core::port::error::{StoreError, corrupt};
use unsaid_core::port::worlds::{Asked, WorldKey, WorldPatch, WorldRefusal};

use super::cast::{Cast, fitting};
use super::chats::{Talk, made_at, talks};
use super::digest::Keyed;
use super::found::{FoundAgent, FoundWorld};
use super::ledger::Ledger;
use super::marks::key;
use super::merge::merge;
use super::naming::{chat_id, named};
use super::report::Report;
use crate::refusal::Refusal;
use crate::system::SystemClock;

const TURN_LIMIT: std::ops::RangeInclusive<i64> = 1..=50;
const TURN_LIMIT_DEFAULT: i64 = 5;

/// Where everything goes.
pub(super) struct Target<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) owner: &'a PersonId,
    /// For what is remembered.
    pub(super) keyed: Keyed,
    pub(super) agents_max: usize,
    /// Messages in one commit.
    pub(super) at_once: usize,
}

/// A chat of the source, and its place here.
struct Place {
    id: ChatId,
    key: String,
    talk: Talk,
    /// An earlier import made it.
    was_known: bool,
    /// What was said in it was erased here since.
    was_erased: bool,
    /// What the source calls it, for the report.
    reported_as: String,
}

impl Target<'_> {
    /// Takes in one world.
    ///
    /// # Errors
    /// If it cannot be kept; what was kept stays, and the next import goes on from there.
    pub(super) async fn take_in(
        &self,
        id: &WorldId,
        found: &FoundWorld,
        report: &mut Report,
    ) -> Result<(), Refusal> {
        let kept = self.keep(id, found, report).await;
        kept.map_err(|error| Refusal::new(format!("what was read cannot be kept: {error}")))
    }

    async fn keep(
        &self,
        id: &WorldId,
        found: &FoundWorld,
        report: &mut Report,
    ) -> Result<(), StoreError> {
        let cast = Cast::of(found, &self.known_agents(found).await?, report);
        let places =
            self.places(&found.id, talks(found, &cast, &self.keyed, &mut report.gaps)).await?;
        let world = WorldKey { owner: self.owner.clone(), id: id.clone() };
        let done = self.key(&["world", &found.id]);
        let was_done = self.ledger().knows(&done).await?;
        let is_there = self.store.world(&world).await?.is_some();
        if !is_there && (was_done || places.iter().any(|place| place.was_known)) {
            report.removed_here += 1;
            return Ok(());
        }
        let before = if is_there { self.chats(&world).await? } else { BTreeSet::new() };
        let is_ours = !is_there || places.iter().any(|place| before.contains(&place.id));
        if let (false, Some(first)) = (is_there, places.first()) {
            self.make_world(&world, found, &first.talk, first.id.clone()).await?;
            (report.worlds, report.chats) = (report.worlds + 1, report.chats + 1);
        }
        self.keep_agents(&world, &found.id, &cast, report).await?;
        let places = self.keep_chats(&world, places, report).await?;
        if is_ours && !was_done {
            self.finish_settings(&world, found, &cast, &places).await?;
        }
        self.ledger().remember(&done, id.as_str()).await?;
        let roster = self.store.world(&world).await?.map(|world| world.roster);
        for place in places {
            self.keep_messages(place, roster.unwrap_or_default(), report).await?;
        }
        Ok(())
    }

    /// A key for something that is taken in once.
    fn key(&self, parts: &[&str]) -> String {
        key(&self.keyed, parts)
    }

    fn ledger(&self) -> Ledger<'_> {
        Ledger { store: self.store, owner: self.owner }
    }

    async fn places(&self, world: &str, talks: Vec<Talk>) -> Result<Vec<Place>, StoreError> {
        let mut places = Vec::with_capacity(talks.len());
        for talk in talks {
            let id = chat_id(self.owner, world, talk.source.as_deref());
            let id = id.map_err(|error| corrupt("chat", error))?;
            let key = self.key(&["chat", id.as_str()]);
            let was_known = self.ledger().knows(&key).await?;
            let source = talk.source.as_deref().unwrap_or("none");
            let reported_as = format!("{world}, chat {source}");
            places.push(Place { id, key, talk, was_known, was_erased: false, reported_as });
        }
        Ok(places)
    }

    async fn chats(&self, world: &WorldKey) -> Result<BTreeSet<ChatId>, StoreError> {
        let chats = made(self.store.chats(world).await)?;
        Ok(chats.into_iter().map(|chat| chat.id).collect())
    }

    async fn make_world(
        &self,
        key: &WorldKey,
        found: &FoundWorld,
        first: &Talk,
        chat: ChatId,
    ) -> Result<(), StoreError> {
        let limit = found.turn_limit.unwrap_or(TURN_LIMIT_DEFAULT);
        let limit = limit.clamp(*TURN_LIMIT.start(), *TURN_LIMIT.end());
        let world = World {
            owner: key.owner.clone(),
            id: key.id.clone(),
            name: Words::lossy(fitting(&found.name)),
            turn_limit: u32::try_from(limit).unwrap_or(1),
            main_agent: None,
            current_chat: None,
            roster: Roster::ZERO,
            created_at: made_at(found).or(first.created_at).unwrap_or_else(|| SystemClock.now()),
        };
        made(self.store.add_world(world, as_chat(first, chat), Vec::new()).await).map(|_| ())
    }

    async fn keep_agents(
        &self,
        world: &WorldKey,
        source: &str,
        cast: &Cast<'_>,
        report: &mut Report,
    ) -> Result<(), StoreError> {
        let there = made(self.store.agents(world).await)?;
        let there: BTreeSet<AgentId> = there.into_iter().map(|agent| agent.id).collect();
        for (id, found) in cast.by_age() {
            let entry = self.agent_key(source, &found.id);
            match (there.contains(id), self.ledger().knows(&entry).await?) {
                (true, true) => continue,
                (false, true) => {
                    report.removed_here += 1;
                    continue;
                }
                (true, false) => {}
                (false, false) => {
                    let agent = as_agent(id, found);
                    match self.store.add_agent(world, agent, self.agents_max).await? {
                        Err(WorldRefusal::LimitReached) => {
                            let place = format!("agent {id} of {}", world.id);
                            report.gaps.whole(place, "a world here does not hold so many");
                            continue;
                        }
                        added => made(Ok(added)).map(|_| report.agents += 1)?,
                    }
                }
            }
            self.ledger().remember(&entry, id.as_str()).await?;
        }
        Ok(())
    }

    /// The chats that are there afterwards.
    async fn keep_chats(
        &self,
        world: &WorldKey,
        places: Vec<Place>,
        report: &mut Report,
    ) -> Result<Vec<Place>, StoreError> {
        let there = self.chats(world).await?;
        let mut kept = Vec::with_capacity(places.len());
        for mut place in places {
            match (there.contains(&place.id), place.was_known) {
                (true, true) => {}
                // Nothing is said before the chat is remembered: that memory went with the words.
                (true, false) if self.was_spoken_in(&place.id).await? => place.was_erased = true,
                (true, false) => self.ledger().remember(&place.key, place.id.as_str()).await?,
                (false, true) => {
                    report.removed_here += 1;
                    continue;
                }
                (false, false) => {
                    let chat = as_chat(&place.talk, place.id.clone());
                    made(self.store.add_chat(world, chat).await)?;
                    self.ledger().remember(&place.key, place.id.as_str()).await?;
                    report.chats += 1;
                }
            }
            kept.push(place);
        }
        Ok(kept)
    }

    async fn was_spoken_in(&self, chat: &ChatId) -> Result<bool, StoreError> {
        let overview = self.store.overview(&ConversationKey::Chat(chat.clone())).await?;
        Ok(overview.is_some_and(|overview| overview.last_number.get() > 0))
    }

    /// What can only be said once agents and chats are there.
    async fn finish_settings(
        &self,
        world: &WorldKey,
        found: &FoundWorld,
        cast: &Cast<'_>,
        places: &[Place],
    ) -> Result<(), StoreError> {
        let agents = made(self.store.agents(world).await)?;
        let main = found.main_agent.as_deref().and_then(|name| cast.find(name));
        let main = main.filter(|id| agents.iter().any(|agent| agent.id == **id)).cloned();
        let current = places
            .iter()
            .find(|place| found.current_chat.is_some() && place.talk.source == found.current_chat);
        let current = current.or(places.last()).map(|place| place.id.clone());
        let patch = WorldPatch {
            main_agent: main.map(Some),
            current_chat: current.map(Some),
            ..WorldPatch::default()
        };
        made(self.store.change_world(world, patch).await).map(|_| ())
    }

    async fn keep_messages(
        &self,
        place: Place,
        roster: Roster,
        report: &mut Report,
    ) -> Result<(), StoreError> {
        let messages = merge(&place.talk.memories);
        if place.was_erased {
            report.erased_here += messages.len() as u64;
            return Ok(());
        }
        let met = self.recognise(&place, messages, report).await?;
        let new = named(&self.keyed, met).map_err(|error| corrupt("message", error))?;
        let chat = ConversationKey::Chat(place.id);
        self.say_all(&chat, &new, roster, report).await
    }
}

/// A refusal is somebody who changes the same world at the same time.
fn made<T>(asked: Asked<T>) -> Result<T, StoreError> {
    asked?.map_err(|refusal| StoreError::Unavailable(refusal.to_string()))
}

fn as_chat(talk: &Talk, id: ChatId) -> Chat {
    let created_at = talk.created_at.unwrap_or_else(|| SystemClock.now());
    Chat { id, name: talk.name.clone(), created_at }
}

fn as_agent(id: &AgentId, found: &FoundAgent) -> Agent {
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
