//! Who is who: ids here for the worlds and agents of a source.

use std::collections::{BTreeMap, BTreeSet};

use unsaid_core::domain::id::{AgentId, IdError, WorldId};

use super::found::{FoundAgent, FoundWorld};
use super::report::Gaps;

/// Names here are not longer.
const NAME_CHARS_MAX: usize = 100;
const NAMELESS: &str = "no id can be made from its name, or another one has it";

/// As much of a name as fits.
pub(super) fn fitting(name: &str) -> String {
    name.trim().replace('\0', "\u{fffd}").chars().take(NAME_CHARS_MAX).collect()
}

/// The worlds with their ids here, in the order of the source's ids.
pub(super) fn worlds<'a>(
    found: &'a [FoundWorld],
    gaps: &mut Gaps,
) -> Vec<(WorldId, &'a FoundWorld)> {
    let mut sorted: Vec<&FoundWorld> = found.iter().collect();
    sorted.sort_by(|a, b| a.id.cmp(&b.id));
    let mut taken = BTreeSet::new();
    let mut worlds = Vec::new();
    for world in sorted {
        match free(&mut taken, [&world.name, &world.id], WorldId::from_name) {
            Some(id) => worlds.push((id, world)),
            None => gaps.whole(world.id.as_str(), NAMELESS),
        }
    }
    worlds
}

/// From the name; if that is taken or gives none, from the source's id.
fn free<T: Ord + Clone>(
    taken: &mut BTreeSet<T>,
    names: [&String; 2],
    make: fn(&str) -> Result<T, IdError>,
) -> Option<T> {
    let mut ids = names.into_iter().filter_map(|name| make(&fitting(name)).ok());
    let id = ids.find(|id| !taken.contains(id))?;
    taken.insert(id.clone());
    Some(id)
}

/// The agents of a world, with their ids here.
#[derive(Debug, Default)]
pub(super) struct Cast<'a> {
    /// In the order of the source's ids.
    pub(super) agents: Vec<(AgentId, &'a FoundAgent)>,
    called: BTreeMap<String, AgentId>,
}

impl<'a> Cast<'a> {
    pub(super) fn of(world: &'a FoundWorld, gaps: &mut Gaps) -> Self {
        let mut sorted: Vec<&FoundAgent> = world.agents.iter().collect();
        sorted.sort_by(|a, b| a.id.cmp(&b.id));
        let (mut taken, mut cast) = (BTreeSet::new(), Self::default());
        for agent in sorted {
            match free(&mut taken, [&agent.name, &agent.id], AgentId::from_name) {
                Some(id) => cast.agents.push((id, agent)),
                None => gaps.whole(format!("{}/agents/{}", world.id, agent.id), NAMELESS),
            }
        }
        let named = cast.agents.iter().map(|(id, agent)| (plain(&agent.name), id.clone()));
        cast.called.extend(named);
        // An id says more than a name.
        let known = cast.agents.iter().map(|(id, agent)| (plain(&agent.id), id.clone()));
        cast.called.extend(known);
        cast
    }

    /// The agent that a memory means.
    pub(super) fn find(&self, name: &str) -> Option<&AgentId> {
        self.called.get(&plain(name))
    }

    /// In the order in which they were made, as far as the source knows.
    pub(super) fn by_age(&self) -> Vec<&(AgentId, &'a FoundAgent)> {
        let mut agents: Vec<_> = self.agents.iter().collect();
        agents.sort_by_key(|(_, agent)| agent.created_at);
        agents
    }
}

fn plain(name: &str) -> String {
    name.trim().to_lowercase()
}
