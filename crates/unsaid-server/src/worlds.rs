//! What worlds need: what thinks for agents, who answers in chats, and what the door holds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use unsaid_app::answer::voices::Voices;
use unsaid_app::answer::{Desk, Minds};
use unsaid_app::logs::Log;
use unsaid_app::worker::Stage;
use unsaid_app::world::WorldStage;
use unsaid_core::domain::world::Agent;
use unsaid_core::port::Store;
use unsaid_core::port::model::Model;
use unsaid_http::world::Worlds;
use unsaid_http::world::edit_errors::EditErrors;
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
            edit_errors: EditErrors::default(),
        }
    }
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
