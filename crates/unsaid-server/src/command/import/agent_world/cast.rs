//! Who is who: ids here for the worlds and agents of a source.

use std::collections::{BTreeMap, BTreeSet};

use unsaid_core::domain::id::{AgentId, IdError, WorldId};
use unsaid_core::domain::world::{HUMAN, TEMPLATES};

use super::found::{FoundAgent, FoundWorld};
use super::report::{Renamed, Report};

/// Names here are not longer.
const NAME_CHARS_MAX: usize = 100;
const NAMELESS: &str = "no id can be made from its name, or another one has it";
const ARE_TEMPLATES: &str = "`templates` are the templates";
const IS_THE_PERSON: &str = "`human` is the person";

/// As much of a name as fits.
pub(super) fn fitting(name: &str) -> String {
    name.trim().replace('\0', "\u{fffd}").chars().take(NAME_CHARS_MAX).collect()
}

/// The worlds with their ids here, in the order of the source's ids. Those that were taken in before keep
/// theirs, whatever they are called by now.
pub(super) fn worlds<'a>(
    found: &'a [FoundWorld],
    known: &BTreeMap<String, WorldId>,
    report: &mut Report,
) -> Vec<(WorldId, &'a FoundWorld)> {
    let mut sorted: Vec<&FoundWorld> = found.iter().collect();
    sorted.sort_by(|a, b| a.id.cmp(&b.id));
    let mut ids = Ids::new(WorldId::from_name, WorldId::as_str, TEMPLATES);
    ids.taken.extend(known.values().cloned());
    let mut worlds = Vec::new();
    for world in sorted {
        let names = [&world.name, &world.id];
        let Some(id) = known.get(&world.id).cloned().or_else(|| ids.give(names)) else {
            report.gaps.whole(world.id.as_str(), NAMELESS);
            continue;
        };
        if ids.would_be_reserved(names) {
            let place = world.id.clone();
            report.renamed.push(Renamed { place, id: id.as_str().to_owned(), why: ARE_TEMPLATES });
        }
        worlds.push((id, world));
    }
    worlds
}

/// Gives each id once.
struct Ids<T> {
    make: fn(&str) -> Result<T, IdError>,
    text: fn(&T) -> &str,
    /// What nobody gets.
    reserved: &'static str,
    taken: BTreeSet<T>,
}

impl<T: Ord + Clone> Ids<T> {
    fn new(
        make: fn(&str) -> Result<T, IdError>,
        text: fn(&T) -> &str,
        reserved: &'static str,
    ) -> Self {
        Self { make, text, reserved, taken: BTreeSet::new() }
    }

    /// From the name; if that is taken or gives none, from the source's id. Who could only have what
    /// nobody gets has a number behind it.
    fn give(&mut self, names: [&String; 2]) -> Option<T> {
        let is_free = |id: &T| (self.text)(id) != self.reserved && !self.taken.contains(id);
        let own = names.into_iter().filter_map(|name| self.made(name)).find(&is_free);
        let numbered = || {
            let mut names = (2_u32..).map(|number| format!("{}-{number}", self.reserved));
            names.find_map(|name| self.made(&name).filter(&is_free))
        };
        let own = own.or_else(|| self.would_be_reserved(names).then(numbered).flatten());
        self.taken.extend(own.clone());
        own
    }

    fn would_be_reserved(&self, names: [&String; 2]) -> bool {
        let mut ids = names.into_iter().filter_map(|name| self.made(name));
        ids.any(|id| (self.text)(&id) == self.reserved)
    }

    fn made(&self, name: &str) -> Option<T> {
        (self.make)(&fitting(name)).ok()
    }
}

/// The agents of a world, with their ids here.
#[derive(Debug, Default)]
pub(super) struct Cast<'a> {
    /// In the order of the source's ids.
    pub(super) agents: Vec<(AgentId, &'a FoundAgent)>,
    called: BTreeMap<String, AgentId>,
    sources: BTreeMap<AgentId, String>,
}

impl<'a> Cast<'a> {
    /// Those that were taken in before keep their ids, also if they are gone in the source and only others
    /// remember them.
    pub(super) fn of(
        world: &'a FoundWorld,
        known: &BTreeMap<String, AgentId>,
        report: &mut Report,
    ) -> Self {
        let mut sorted: Vec<&FoundAgent> = world.agents.iter().collect();
        sorted.sort_by(|a, b| a.id.cmp(&b.id));
        let mut ids = Ids::new(AgentId::from_name, AgentId::as_str, HUMAN);
        ids.taken.extend(known.values().cloned());
        let mut cast = Self::default();
        for agent in sorted {
            let place = format!("{}/agents/{}", world.id, agent.id);
            let names = [&agent.name, &agent.id];
            let known = known.get(&agent.id).cloned();
            let Some(id) = known.or_else(|| ids.give(names)) else {
                report.gaps.whole(place, NAMELESS);
                continue;
            };
            if ids.would_be_reserved(names) {
                let id = id.as_str().to_owned();
                report.renamed.push(Renamed { place, id, why: IS_THE_PERSON });
            }
            cast.agents.push((id, agent));
        }
        // An id says more than a name, and who is there more than who was.
        let before = known.iter().map(|(source, id)| (plain(source), id.clone()));
        let named = cast.agents.iter().map(|(id, agent)| (plain(&agent.name), id.clone()));
        let with_id = cast.agents.iter().map(|(id, agent)| (plain(&agent.id), id.clone()));
        let sources = before.clone().chain(with_id.clone()).map(|(source, id)| (id, source));
        cast.sources.extend(sources);
        cast.called.extend(before.chain(named).chain(with_id));
        cast
    }

    /// The agent that a memory means.
    pub(super) fn find(&self, name: &str) -> Option<&AgentId> {
        self.called.get(&plain(name))
    }

    /// What the source calls an agent in the memories of others, whatever its name is.
    pub(super) fn source_of(&self, id: &AgentId) -> String {
        self.sources.get(id).map_or_else(|| id.as_str().to_owned(), Clone::clone)
    }

    /// In the order in which they were made, as far as the source knows.
    pub(super) fn by_age(&self) -> Vec<&(AgentId, &'a FoundAgent)> {
        let mut agents: Vec<_> = self.agents.iter().collect();
        agents.sort_by_key(|(_, agent)| agent.created_at);
        agents
    }
}

/// Whether this would be the person's id.
pub(super) fn is_human(name: &str) -> bool {
    AgentId::from_name(name).is_ok_and(|id| id.as_str() == HUMAN)
}

/// As the source compares names and ids.
pub(super) fn plain(name: &str) -> String {
    name.trim().to_lowercase()
}
