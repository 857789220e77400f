//! Into the house: a world with its agents and chats, and what was said in them, each thing once.
//!
//! First comes what needs no consent. Every thing is made and then remembered, so that an import that is
//! cut off goes on where it was; and what is remembered but not there was removed here, and stays out.
//!
//! - [`begin`]: what is remembered before; [`known`] and [`recognise`]: what was taken in before
//! - [`settings`]: of worlds and agents; [`say`]: what was said
//! - [`stop`]: what somebody deletes meanwhile

mod begin;
mod known;
mod recognise;
mod say;
mod settings;
mod stop;

use std::collections::BTreeMap;

use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::id::{AgentId, ChatId, PersonId, WorldId};
use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::domain::world::Agent;
use unsaid_core::port::Store;
use unsaid_core::port::error::corrupt;
use unsaid_core::port::worlds::{WorldKey, WorldRefusal};

use self::say::Room;
use self::settings::{as_agent, as_chat};
use self::stop::{Stop, made};
use super::cast::Cast;
use super::chats::{Talk, talks};
use super::digest::Keyed;
use super::found::FoundWorld;
use super::ledger::Ledger;
use super::marks::key;
use super::merge::merge;
use super::naming::named;
use super::report::Report;
use crate::refusal::Refusal;

const DELETED: &str = "deleted here meanwhile";

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
    /// Takes in one world, unless something was erased since the import began.
    ///
    /// # Errors
    /// If it cannot be kept; what was kept stays, and the next import goes on from there.
    pub(super) async fn take_in(
        &self,
        (id, found): (&WorldId, &FoundWorld),
        since: Option<Timestamp>,
        report: &mut Report,
    ) -> Result<(), Refusal> {
        let refused = |error| Refusal::new(format!("what was read cannot be kept: {error}"));
        match self.keep((id, found), since, report).await {
            Ok(()) => Ok(()),
            Err(Stop::WorldGone | Stop::ChatGone) => {
                report.gaps.whole(found.id.as_str(), DELETED);
                // It stays out, also if it was not whole yet.
                let done = self.key(&["world", &found.id]);
                self.ledger().remember(&done, id.as_str()).await.map_err(refused)
            }
            Err(Stop::Erased) => Err(Refusal::new(
                "everything that the owner said was erased here meanwhile; no more is taken in",
            )),
            Err(Stop::OwnerGone) => Err(Refusal::new(
                "the account of the owner was deleted here meanwhile; nothing can be taken in",
            )),
            Err(Stop::Broken(error)) => Err(refused(error)),
        }
    }

    async fn keep(
        &self,
        (id, found): (&WorldId, &FoundWorld),
        since: Option<Timestamp>,
        report: &mut Report,
    ) -> Result<(), Stop> {
        let cast = Cast::of(found, &self.known_agents(found).await?, report);
        let talks = talks(found, &cast, &self.keyed, &mut report.gaps);
        let (places, begun) = self.begin((&found.id, id), talks, since).await?;
        let world = WorldKey { owner: self.owner.clone(), id: id.clone() };
        let done = self.key(&["world", &found.id]);
        let was_done = self.ledger().knows(&done).await?;
        let is_there = self.store.world(&world).await?.is_some();
        if !is_there && (was_done || places.iter().any(|place| place.was_known)) {
            report.removed_here += 1;
            return Ok(());
        }
        let before = if is_there { self.chats(&world).await? } else { BTreeMap::new() };
        let is_ours = !is_there || places.iter().any(|place| before.contains_key(&place.id));
        if let (false, Some(first)) = (is_there, places.first()) {
            self.make_world(&world, found, first, report).await?;
            (report.worlds, report.chats) = (report.worlds + 1, report.chats + 1);
        }
        let is_left = is_there && !was_done && begun.is_left;
        self.keep_agents(&world, (&found.id, is_left), &cast, report).await?;
        let places = self.keep_chats(&world, places, report).await?;
        if is_ours && !was_done && !is_left {
            self.finish_settings(&world, found, &cast, &places).await?;
        }
        self.mend_world(&world, found, &cast, &places, report).await?;
        self.ledger().remember(&done, id.as_str()).await?;
        let roster = self.store.world(&world).await?.map(|world| world.roster);
        for place in places {
            let chat = ConversationKey::Chat(place.id.clone());
            let roster = roster.unwrap_or_default();
            let room = Room { chat, roster, begun: begun.clone() };
            match self.keep_messages(&room, &place, report).await {
                Err(Stop::ChatGone) => report.gaps.whole(place.reported_as, DELETED),
                kept => kept?,
            }
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

    /// The chats of a world with their names.
    async fn chats(&self, world: &WorldKey) -> Result<BTreeMap<ChatId, Words>, Stop> {
        let chats = made(self.store.chats(world).await)?;
        Ok(chats.into_iter().map(|chat| (chat.id, chat.name)).collect())
    }

    async fn keep_agents(
        &self,
        world: &WorldKey,
        (source, is_left): (&str, bool),
        cast: &Cast<'_>,
        report: &mut Report,
    ) -> Result<(), Stop> {
        let there = made(self.store.agents(world).await)?;
        let there: BTreeMap<AgentId, Agent> =
            there.into_iter().map(|agent| (agent.id.clone(), agent)).collect();
        for (id, found) in cast.by_age() {
            let entry = self.agent_key(source, &found.id);
            match (there.get(id), self.ledger().knows(&entry).await?) {
                (Some(here), true) => {
                    let is_mended = self.mend_agent(world, source, found, here).await?;
                    report.mended += u64::from(is_mended);
                    continue;
                }
                (None, true) => {
                    report.removed_here += 1;
                    continue;
                }
                (Some(_), false) => {}
                // Nobody can tell any more whether it was removed.
                (None, false) if is_left => report.removed_here += 1,
                (None, false) => {
                    self.note_guess(found.is_guessed, ["agent", source, &found.id]).await?;
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
    ) -> Result<Vec<Place>, Stop> {
        let there = self.chats(world).await?;
        let mut kept = Vec::with_capacity(places.len());
        for place in places {
            let Place { id, talk, .. } = &place;
            let guess = ["chat", id.as_str(), ""];
            match (there.get(id), place.was_known) {
                (Some(name), true) => {
                    let is_misnamed = !talk.is_guessed && *name != talk.name;
                    let is_misnamed = is_misnamed && self.is_guess(guess).await?;
                    report.misnamed += u64::from(is_misnamed);
                }
                (Some(_), false) => self.ledger().remember(&place.key, id.as_str()).await?,
                (None, true) => {
                    report.removed_here += 1;
                    continue;
                }
                (None, false) => {
                    self.note_guess(talk.is_guessed, guess).await?;
                    made(self.store.add_chat(world, as_chat(talk, id.clone())).await)?;
                    self.ledger().remember(&place.key, id.as_str()).await?;
                    report.chats += 1;
                }
            }
            kept.push(place);
        }
        Ok(kept)
    }

    async fn keep_messages(
        &self,
        room: &Room,
        place: &Place,
        report: &mut Report,
    ) -> Result<(), Stop> {
        let messages = merge(&place.talk.memories);
        if place.was_erased {
            report.erased_here += messages.len() as u64;
            return Ok(());
        }
        let met = self.recognise(place, messages, report).await?;
        let new = named(&self.keyed, met).map_err(|error| corrupt("message", error))?;
        self.say_all(room, &new, report).await
    }
}
