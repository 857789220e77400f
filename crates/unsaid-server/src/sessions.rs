//! What sessions need: who can be talked to, where words go, and who answers.

use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use unsaid_app::answer::{Desk, Settings};
use unsaid_app::logs::{Log, Logs, Side};
use unsaid_app::session::{Expert, Experts, SessionStage, Speeches};
use unsaid_app::worker::{Stage, Wake, Worker};
use unsaid_core::domain::conversation::change::Ripple;
use unsaid_core::domain::id::{AgentId, EventNumber, ExpertId, IdError};
use unsaid_core::domain::session::SessionTerms;
use unsaid_core::domain::text::Words;
use unsaid_core::port::clock::Clock as _;
use unsaid_http::chat::Sessions;
use unsaid_http::chat::open_streams::OpenStreams;
use unsaid_store_memory::{Bounds, MemoryStore};

use crate::config::{self, Config};
use crate::model::Chosen;
use crate::refusal::Refusal;
use crate::system::SystemClock;
use crate::turns::{Doors, TURNS_AT_ONCE_MAX};
use crate::worlds::Agents;

/// More than can be made.
const EVENTS_PER_MILLISECOND: u64 = 1_024;

/// Sessions, before anybody can talk.
pub struct Room {
    volatile: Arc<MemoryStore>,
    desk: Arc<Desk>,
    experts: Arc<Experts>,
    speeches: Speeches,
    turn_max: Duration,
    zone: TimeZone,
}

/// What the configuration says about them.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// What they cost.
    pub sessions: SessionTerms,
    /// What happens to answers when their question is taken back.
    pub ripple: Ripple,
    /// How many streams somebody may have open.
    pub streams_per_person: usize,
}

impl Terms {
    /// What it says.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let config::Sessions { free, free_minutes, paid_minutes } = config.sessions;
        Self {
            sessions: SessionTerms { free, free_minutes, paid_minutes },
            ripple: if config.unsend_ripple { Ripple::Withdraw } else { Ripple::Keep },
            streams_per_person: config.limits.streams_per_person,
        }
    }
}

impl Room {
    /// Makes ready.
    ///
    /// # Errors
    /// If a persona's model cannot be used as it is configured.
    pub fn furnish(config: &Config, desk: &Desk, model: &Chosen) -> Result<Self, Refusal> {
        let volatile =
            MemoryStore::new(Bounds::from(&config.limits)).numbering_after(events_of_now());
        let zone = config.timezone.time_zone().clone();
        let experts = experts(config, model)?;
        Ok(Self::new(volatile, desk, experts, config.model.call_timeout, zone))
    }

    /// Makes ready, with what the configuration says or a test.
    #[must_use]
    pub fn new(
        volatile: MemoryStore,
        desk: &Desk,
        experts: Experts,
        turn_max: Duration,
        zone: TimeZone,
    ) -> Self {
        let volatile = Arc::new(volatile);
        let (desk, experts) = (Arc::new(in_memory(desk, &volatile)), Arc::new(experts));
        Self { volatile, desk, experts, speeches: Speeches::default(), turn_max, zone }
    }

    /// Who answers what is kept.
    #[must_use]
    pub fn stage(&self, desk: &Desk) -> Arc<dyn Stage> {
        self.stage_of(Log::Kept, desk)
    }

    /// Lets turns run of what is only in memory, in sessions, in worlds, and where this is played.
    #[must_use]
    pub fn worker(&self, agents: &Agents, rehearsed: Arc<dyn Stage>) -> Worker {
        let doors = Doors {
            line: Some(rehearsed),
            sessions: self.stage_of(Log::Volatile, &self.desk),
            worlds: agents.stage(Log::Volatile, &self.desk),
        };
        Worker::new(Arc::clone(&self.desk), Arc::new(doors), TURNS_AT_ONCE_MAX)
    }

    /// What turns in memory work with.
    #[must_use]
    pub fn desk(&self) -> Arc<Desk> {
        Arc::clone(&self.desk)
    }

    /// What is only in memory.
    #[must_use]
    pub fn volatile(&self) -> Arc<MemoryStore> {
        Arc::clone(&self.volatile)
    }

    /// What the door needs, once it is known whom to wake.
    #[must_use]
    pub fn sessions(self, terms: Terms, desk: &Desk, kept: Wake, volatile: Wake) -> Sessions {
        let Terms { sessions, ripple, streams_per_person } = terms;
        Sessions {
            logs: Logs {
                kept: Side { history: Arc::clone(&desk.history), wake: kept },
                volatile: Side { history: Arc::clone(&self.volatile) as _, wake: volatile },
                watchers: Arc::clone(&desk.watchers),
                crossing: Arc::default(),
            },
            volatile: self.volatile,
            speeches: self.speeches,
            experts: self.experts,
            terms: sessions,
            ripple,
            streams: OpenStreams::new(streams_per_person),
            turn_max: self.turn_max,
        }
    }

    fn stage_of(&self, log: Log, desk: &Desk) -> Arc<dyn Stage> {
        Arc::new(SessionStage {
            log,
            history: Arc::clone(&desk.history),
            people: Arc::clone(&desk.people),
            experts: Arc::clone(&self.experts),
            speeches: self.speeches.clone(),
            zone: self.zone.clone(),
            turn_max: self.turn_max,
        })
    }
}

/// The same desk for words that are not kept. Nobody else works there, so nothing of it waits for
/// another.
fn in_memory(desk: &Desk, volatile: &Arc<MemoryStore>) -> Desk {
    Desk {
        history: Arc::clone(volatile) as _,
        media: Arc::clone(volatile) as _,
        people: Arc::clone(&desk.people),
        clock: Arc::clone(&desk.clock),
        chance: Arc::clone(&desk.chance),
        watchers: Arc::clone(&desk.watchers),
        tools: Arc::clone(&desk.tools),
        holder: desk.holder.clone(),
        settings: Settings { unsettled_ms: 0, ..desk.settings },
    }
}

/// Numbers of events that no other life of this server gave, and no table gives.
fn events_of_now() -> EventNumber {
    let now = u64::try_from(SystemClock.now().as_millis()).unwrap_or_default();
    EventNumber::new(now.saturating_mul(EVENTS_PER_MILLISECOND))
}

fn experts(config: &Config, model: &Chosen) -> Result<Experts, Refusal> {
    let refusal = |error: IdError| Refusal::new(error.to_string());
    let mut experts = Vec::with_capacity(config.personas.len());
    for (persona_id, persona) in &config.personas {
        let id = ExpertId::new(persona_id.to_string()).map_err(refusal)?;
        experts.push(Expert {
            author: AgentId::from_name(id.as_str()).map_err(refusal)?,
            id,
            name: persona.name.clone(),
            description: persona.description.clone(),
            prompt: Words::lossy(persona.prompt.as_str()),
            model: model.connect(persona.model.as_deref())?,
        });
    }
    let usual = ExpertId::new(config.line.persona.to_string()).map_err(refusal)?;
    Ok(Experts::new(experts, usual))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Sources, load};
    use crate::model::chosen;

    #[tokio::test]
    async fn experts_are_the_personas_as_they_are_configured() {
        let own = ["my_expert", "CALMA", "a_b", "a-b"];
        let keys = own.iter().flat_map(|id| ["name", "prompt"].map(|key| (id, key)));
        let flags = keys.map(|(id, key)| (format!("personas.{id}.{key}"), (*id).to_owned()));
        let sources = Sources { flags: flags.collect(), ..Sources::default() };
        let config = load(&sources).unwrap().config;
        let experts = experts(&config, &chosen(&config).await.unwrap()).unwrap();
        for id in own {
            let expert = experts.get(&ExpertId::new(id).unwrap()).unwrap();
            assert_eq!((expert.id.as_str(), expert.name.as_str()), (id, id));
        }
        assert_eq!(experts.iter().count(), config.personas.len());
    }
}
