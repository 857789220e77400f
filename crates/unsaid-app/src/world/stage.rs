//! Who answers in a chat: looked up when a turn is about to begin.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use jiff::tz::TimeZone;
use unsaid_core::{
    domain::{conversation::key::ConversationKey, id::Number},
    port::{error::StoreError, history::History, people::People, worlds::Worlds},
};

use crate::{
    answer::{Minds, ReadCalls, Round, voices::Voices},
    logs::Log,
    place::Place,
    worker::{Casting, Stage},
};

/// See the module.
pub struct WorldStage {
    /// Which of the two logs it answers in.
    pub log: Log,
    /// That log.
    pub history: Arc<dyn History>,
    /// The worlds.
    pub worlds: Arc<dyn Worlds>,
    /// What people are called.
    pub people: Arc<dyn People>,
    /// What thinks.
    pub minds: Arc<dyn Minds>,
    /// Who listens.
    pub voices: Voices,
    /// Where time is local.
    pub zone: TimeZone,
    /// `limits.calls_per_round`.
    pub calls_max: usize,
    /// How long one call may take.
    pub call_max: Duration,
    /// Finds a call that a model wrote as text.
    pub read_calls: ReadCalls,
}

#[async_trait]
impl Stage for WorldStage {
    async fn cast(&self, key: &ConversationKey) -> Result<Casting, StoreError> {
        let ConversationKey::Chat(chat) = key else { return Ok(Casting::Elsewhere) };
        let Some(world) = self.worlds.home(chat).await? else {
            let overview = self.history.overview(key).await?;
            return Ok(match overview.filter(|overview| overview.owner.is_some()) {
                // The chat is gone, and with it whoever would answer.
                Some(overview) => Casting::Nobody { through: overview.last_number },
                // Terminals answer for themselves.
                None => Casting::Elsewhere,
            });
        };
        let Some(person) = self.people.person(&world.owner).await? else {
            return Ok(Casting::Nobody { through: Number::ZERO });
        };
        let place = Place::chat(world.owner.clone(), chat.clone());
        Ok(Casting::Round(Box::new(Round {
            place: self.log.place(place),
            world,
            worlds: Arc::clone(&self.worlds),
            minds: Arc::clone(&self.minds),
            person: person.display_name.as_str().to_owned(),
            zone: self.zone.clone(),
            calls_max: self.calls_max,
            call_max: self.call_max,
            read_calls: self.read_calls,
            voices: self.voices.clone(),
        })))
    }
}
