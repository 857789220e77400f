//! Who answers in a session, and as whom: looked up when a turn is about to begin.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use jiff::tz::TimeZone;
use unsaid_core::{
    domain::{
        conversation::key::ConversationKey,
        id::{Number, SessionId},
        message::{Audience, Author},
        prompt::Room,
        session::Session,
    },
    port::{error::StoreError, history::History, people::People},
};

use super::{Expert, Experts, Speeches};
use crate::{
    answer::{Cast, Manner},
    logs::Log,
    place::Place,
    worker::{Casting, Stage},
};

/// See the module.
pub struct SessionStage {
    /// Which of the two logs it answers in.
    pub log: Log,
    /// That log.
    pub history: Arc<dyn History>,
    /// Sessions, and what people are called.
    pub people: Arc<dyn People>,
    /// Who can answer.
    pub experts: Arc<Experts>,
    /// Who listens.
    pub speeches: Speeches,
    /// Where time is local.
    pub zone: TimeZone,
    /// How long a turn may take.
    pub turn_max: Duration,
}

#[async_trait]
impl Stage for SessionStage {
    async fn cast(&self, key: &ConversationKey) -> Result<Casting, StoreError> {
        let ConversationKey::Session(id) = key else { return Ok(Casting::Elsewhere) };
        let overview = self.history.overview(key).await?;
        let through = overview.as_ref().map_or(Number::ZERO, |overview| overview.last_number);
        let owed = overview.is_some_and(|it| it.wanted_at.is_some() || it.turn.is_some());
        let session = if owed { self.session(id).await? } else { None };
        let Some((session, expert)) = session else {
            self.speeches.give_up(id);
            return Ok(Casting::Nobody { through });
        };
        // Only now: whoever speaks takes the room, and gives it back also if no turn begins.
        let speaker = self.speeches.speaker(id);
        let person = self.people.person(&session.owner).await?;
        let person =
            person.map_or_else(String::new, |person| person.display_name.as_str().to_owned());
        let name = expert.name.clone();
        let name_of = move |author: &Author| match author {
            Author::Person(_) => person.clone(),
            Author::Agent(_) => name.clone(),
        };
        let place = Place::session(session.owner, session.id);
        let cast = Box::new(Cast {
            place: self.log.place(place),
            me: expert.author.clone(),
            persona: expert.prompt.clone(),
            room: Room::OneToOne,
            zone: self.zone.clone(),
            name_of: Arc::new(name_of),
            audience: Audience::default(),
            model: Arc::clone(&expert.model),
            manner: Manner::Text { listener: Arc::new(speaker) },
            time_max: self.turn_max,
        });
        Ok(Casting::Cast { cast, through: None })
    }
}

impl SessionStage {
    /// A session and who answers there; `None` if there is no such session, or nobody answers.
    async fn session(&self, id: &SessionId) -> Result<Option<(Session, &Expert)>, StoreError> {
        let Some(session) = self.people.session(id).await? else { return Ok(None) };
        let asked = session.expert.clone().or_else(|| self.speeches.expert(id));
        let expert = asked.as_ref().and_then(|expert| self.experts.get(expert));
        Ok(expert.map(|expert| (session, expert)))
    }
}
