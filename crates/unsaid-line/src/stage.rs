//! Who answers on LINE, and as whom: looked up when a turn is about to begin.
//!
//! What the model will be shown is made ready here: the names of the speakers, and pictures that were
//! promised and have not come yet.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use jiff::tz::TimeZone;
use tokio::time::timeout;
use unsaid_app::{
    answer::{Cast, Manner, ReadCalls},
    place::Place,
    worker::{Casting, Stage},
};
use unsaid_core::{
    domain::{
        conversation::{key::ConversationKey, log::Entry},
        id::{AgentId, Number, PersonId, SourceId},
        message::{Audience, Author},
        prompt::Room,
        source::{SourceCard, SourceKind},
        text::Words,
        time::Timestamp,
    },
    port::{clock::Clock, error::StoreError, history::History, model::Model},
};

use crate::{
    errand::Where,
    errand_runner::{Places, blank},
    messenger::Outbox,
    names::{Names, alias},
    picture::Pictures,
};

/// Messages whose speakers and pictures are looked up.
const ENTRIES_MAX: usize = 100;
/// How long a turn waits for names and pictures; less than the worker waits for a cast.
const READY_WITHIN: Duration = Duration::from_secs(6);
/// What a speaker is called whom LINE does not name at all.
const SOMEBODY: &str = "somebody";

/// See the module.
pub struct LineStage {
    /// The logs.
    pub history: Arc<dyn History>,
    /// What places are called.
    pub places: Places,
    /// What people are called.
    pub names: Names,
    /// Fetches pictures.
    pub pictures: Arc<Pictures>,
    /// Sends answers.
    pub outbox: Outbox,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// What thinks.
    pub model: Arc<dyn Model>,
    /// Finds calls that the model wrote as text.
    pub read_calls: ReadCalls,
    /// Who answers, and how.
    pub role: Role,
}

/// Who answers, and how; `line.*` of the configuration.
#[derive(Debug, Clone)]
pub struct Role {
    /// The persona's id.
    pub me: AgentId,
    /// What it is told about itself.
    pub persona: Words,
    /// Where its time is local.
    pub zone: TimeZone,
    /// `line.answer_within`: what is older is not answered, however long the server was away.
    pub answer_within: Duration,
    /// `line.turn_timeout`.
    pub turn_timeout: Duration,
}

#[async_trait]
impl Stage for LineStage {
    async fn cast(&self, key: &ConversationKey) -> Result<Casting, StoreError> {
        let ConversationKey::Line(source) = key else { return Ok(Casting::Elsewhere) };
        let newest = self.history.page(key, None, ENTRIES_MAX).await?;
        let through = newest.last().map_or(Number::ZERO, |entry| entry.number);
        if self.is_too_old(&newest) {
            return Ok(Casting::Nobody { through });
        }
        let card = self.card(source).await?;
        if !card.present && !has_spoken_since(&newest, card.at) {
            return Ok(Casting::Nobody { through });
        }
        let kind = card.kind;
        let people = speakers(&newest);
        let (names, ()) = tokio::join!(
            self.names.of((source, kind), &people, READY_WITHIN),
            self.pictures.make_ready(key, &newest, READY_WITHIN),
        );
        let cast = Box::new(Cast {
            place: Place::line(source.clone()),
            me: self.role.me.clone(),
            persona: self.role.persona.clone(),
            room: room(&card),
            zone: self.role.zone.clone(),
            name_of: caller(source.clone(), names),
            audience: Audience::default(),
            model: Arc::clone(&self.model),
            manner: Manner::Tools {
                messenger: Arc::new(self.outbox.messenger(kind)),
                read_calls: self.read_calls,
            },
            time_max: self.role.turn_timeout,
        });
        Ok(Casting::Cast { cast, through: Some(through) })
    }
}

impl LineStage {
    /// What is known of a source. Nobody heard of it before only if an errand was lost; LINE is asked
    /// then, but a turn does not wait for it for long.
    async fn card(&self, source: &SourceId) -> Result<SourceCard, StoreError> {
        let kind = SourceKind::told_by(source).unwrap_or(SourceKind::Person);
        let place = Where { id: source.clone(), kind, at: self.clock.now() };
        match timeout(READY_WITHIN, self.places.card(&place)).await {
            Ok(card) => card,
            Err(_) => Ok(blank(&place)),
        }
    }

    /// By what a person said last. What it said itself does not make a question younger.
    fn is_too_old(&self, newest: &[Entry]) -> bool {
        let asked = newest.iter().rfind(|entry| entry.message.author.is_person());
        let age = asked.map_or(0, |entry| {
            self.clock.now().as_millis().saturating_sub(entry.message.at.as_millis())
        });
        u128::try_from(age).is_ok_and(|age| age > self.role.answer_within.as_millis())
    }
}

/// Whether somebody waits who came after the bot was known to be gone. That it is back may not have
/// been noted yet: a turn can be quicker than an errand.
fn has_spoken_since(newest: &[Entry], gone_at: Timestamp) -> bool {
    let came_later = |entry: &Entry| {
        entry.way_back.as_ref().is_some_and(|way_back| way_back.received_at >= gone_at)
    };
    newest.iter().any(|entry| entry.waiting && came_later(entry))
}

fn speakers(entries: &[Entry]) -> BTreeSet<PersonId> {
    let author = |entry: &Entry| match &entry.message.author {
        Author::Person(person) => person.clone(),
        Author::Agent(_) => None,
    };
    entries.iter().filter_map(author).collect()
}

type NameOf = Arc<dyn Fn(&Author) -> String + Send + Sync>;

fn caller(source: SourceId, names: BTreeMap<PersonId, Words>) -> NameOf {
    Arc::new(move |author| match author {
        Author::Person(Some(person)) => {
            let name = names.get(person).cloned().unwrap_or_else(|| alias(&source, person));
            name.into()
        }
        Author::Person(None) => SOMEBODY.to_owned(),
        Author::Agent(agent) => agent.to_string(),
    })
}

fn room(card: &SourceCard) -> Room {
    match card.kind {
        SourceKind::Person => Room::OneToOne,
        SourceKind::Group | SourceKind::Room => Room::Group { members: card.members },
    }
}
