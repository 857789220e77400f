//! Who in a world heard what: an agent's memory is a view of the one log. Pure functions.

use std::collections::BTreeMap;

use super::{
    conversation::log::Entry,
    id::{AgentId, Number},
    message::{Audience, Author},
    routing,
    world::{Agent, World},
};

/// The agents of a world, and up to where each was made to forget, in one chat.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hearers {
    /// In order of creation.
    pub agents: Vec<Agent>,
    /// Up to where they were made to forget.
    pub cleared: BTreeMap<AgentId, Number>,
}

impl Hearers {
    /// Whether an entry is in the memory of an agent: it was there and was spoken to, or said it
    /// itself, and was not made to forget it.
    #[must_use]
    pub fn remembers(&self, agent: &Agent, entry: &Entry) -> bool {
        let forgot = self.cleared.get(&agent.id).is_some_and(|through| entry.number <= *through);
        let audience = &entry.message.audience;
        let spoken_to = match (&entry.message.author, &audience.only) {
            (Author::Agent(speaker), _) if *speaker == agent.id => true,
            (Author::Agent(_) | Author::Person(_), Some(only)) => only.contains(&agent.id),
            (Author::Agent(_) | Author::Person(_), None) => true,
        };
        !forgot && spoken_to && agent.joined <= audience.roster
    }

    /// The agents in whose memory an entry is, in order of creation.
    #[must_use]
    pub fn of(&self, entry: &Entry) -> Vec<AgentId> {
        let hearing = self.agents.iter().filter(|agent| self.remembers(agent, entry));
        hearing.map(|agent| agent.id.clone()).collect()
    }
}

/// Who hears a person: everybody who is there.
#[must_use]
pub fn audience_of_person(world: &World) -> Audience {
    Audience { roster: world.roster, only: None }
}

/// Who hears an agent: itself and whom it mentions.
#[must_use]
pub fn audience_of_agent(
    world: &World,
    agents: &[Agent],
    speaker: &AgentId,
    text: &str,
) -> Audience {
    let mut only = vec![speaker.clone()];
    only.extend(routing::mentions(agents, text).into_iter().filter(|id| id != speaker));
    Audience { roster: world.roster, only: Some(only) }
}
