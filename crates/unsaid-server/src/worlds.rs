//! What worlds need: what thinks for agents, who answers in chats, and what the door holds.

use std::collections::{BTreeSet, HashMap};
use std::iter::once;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use unsaid_app::answer::voices::Voices;
use unsaid_app::answer::{Desk, Minds};
use unsaid_app::logs::Log;
use unsaid_app::worker::Stage;
use unsaid_app::world::WorldStage;
use unsaid_app::world::template::{Persona, Templates};
use unsaid_core::domain::id::AgentId;
use unsaid_core::domain::text::Words;
use unsaid_core::domain::world::Agent;
use unsaid_core::port::Store;
use unsaid_core::port::model::Model;
use unsaid_http::world::Worlds;
use unsaid_http::world::bookmarks::Bookmarks;
use unsaid_model::calls_in_text;

use crate::config::Config;
use crate::model::Chosen;

/// Connections to models that agents want by name; more are made anew each time.
const MINDS_MAX: usize = 64;

/// The worlds of this server.
pub struct Agents {
    store: Arc<dyn Store>,
    minds: Arc<dyn Minds>,
    voices: Voices,
    terms: Terms,
}

/// What the configuration says about them.
#[derive(Debug, Clone)]
pub struct Terms {
    /// Where time is local.
    pub zone: TimeZone,
    /// Model calls for one message.
    pub calls_max: usize,
    /// How long one of them may take.
    pub call_max: Duration,
    /// How long an edit can be undone.
    pub undo: Duration,
    /// Worlds that are ready made.
    pub templates: Templates,
}

impl Terms {
    /// What it says.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        Self {
            zone: config.timezone.time_zone().clone(),
            calls_max: config.limits.calls_per_round,
            call_max: config.model.call_timeout,
            undo: config.edit_undo,
            templates: templates(config),
        }
    }
}

impl Agents {
    /// Makes ready.
    #[must_use]
    pub fn new(store: &Arc<dyn Store>, desk: &Desk, minds: Arc<dyn Minds>, terms: Terms) -> Self {
        let voices = Voices::new(Arc::clone(&desk.watchers));
        Self { store: Arc::clone(store), minds, voices, terms }
    }

    /// Who answers in one of the two logs.
    #[must_use]
    pub fn stage(&self, log: Log, desk: &Desk) -> Arc<dyn Stage> {
        Arc::new(WorldStage {
            log,
            history: Arc::clone(&desk.history),
            worlds: Arc::clone(&self.store) as _,
            people: Arc::clone(&desk.people),
            minds: Arc::clone(&self.minds),
            voices: self.voices.clone(),
            zone: self.terms.zone.clone(),
            calls_max: self.terms.calls_max,
            call_max: self.terms.call_max,
            read_calls: calls_in_text,
        })
    }

    /// What the door needs.
    #[must_use]
    pub fn door(&self) -> Worlds {
        Worlds {
            voices: self.voices.clone(),
            undo_ms: i64::try_from(self.terms.undo.as_millis()).unwrap_or(i64::MAX),
            bookmarks: Bookmarks::default(),
            failed_edits: Arc::default(),
            templates: self.terms.templates.clone(),
        }
    }
}

/// Worlds that are ready made, played by the personas, first of all by the one that answers on LINE.
fn templates(config: &Config) -> Templates {
    let mut personas: Vec<_> = config.personas.iter().collect();
    personas.sort_by_key(|(id, _)| **id != config.line.persona);
    let mut taken = BTreeSet::new();
    let personas = personas.into_iter().filter_map(|(id, persona)| {
        Some(Persona {
            id: free_agent_id(&mut taken, &id.to_string())?,
            name: persona.name.clone(),
            prompt: Words::lossy(persona.prompt.as_str()),
            model: persona.model.clone(),
        })
    });
    Templates::played_by(&personas.collect::<Vec<_>>())
}

/// The id that an agent made of a persona has. What personas are called is finer than what agents
/// are: `a_b` and `a-b` are two, so the second gets a number.
fn free_agent_id(taken: &mut BTreeSet<AgentId>, persona: &str) -> Option<AgentId> {
    let names = once(persona.to_owned()).chain((2..).map(|number| format!("{persona}-{number}")));
    let ids = names.map_while(|name| AgentId::from_name(&name).ok());
    ids.into_iter().find(|id| taken.insert(id.clone()))
}

/// The installation's provider, with whichever of its models an agent wants.
pub struct Installed {
    chosen: Chosen,
    connected: Mutex<HashMap<Option<String>, Arc<dyn Model>>>,
}

impl Installed {
    /// The model that was chosen.
    #[must_use]
    pub fn new(chosen: Chosen) -> Self {
        Self { chosen, connected: Mutex::default() }
    }
}

impl Minds for Installed {
    fn mind(&self, agent: &Agent) -> Option<Arc<dyn Model>> {
        // Words go to the provider that people were told of, and to no other.
        let wanted = agent.provider.as_deref();
        if wanted.is_some_and(|provider| provider != self.chosen.seat().provider) {
            return None;
        }
        let mut connected = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = connected.get(&agent.model) {
            return Some(Arc::clone(model));
        }
        let model = self.chosen.connect(agent.model.as_deref()).ok()?;
        if connected.len() < MINDS_MAX {
            connected.insert(agent.model.clone(), Arc::clone(&model));
        }
        Some(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn personas_do_not_collapse_into_one_agent() {
        let mut taken = BTreeSet::new();
        let ids = ["a_b", "a-b", "A_B", "c", "___"].map(|persona| {
            free_agent_id(&mut taken, persona).map(|id| id.to_string()).unwrap_or_default()
        });
        assert_eq!(ids, ["a-b", "a-b-2", "a-b-3", "c", ""]);
    }
}
