//! A place to try the bot without LINE, on the path that LINE takes.
//!
//! It is the LINE door once more, on the history that is only in memory: webhooks are signed and taken
//! in, the worker runs turns, answers go over HTTP to a stand-in of LINE in this process. Nothing of it
//! stands up before somebody tries, and nothing of it reaches a file.
//!
//! - `player`: who speaks, and where

mod player;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::OnceCell;
use unsaid_app::answer::Desk;
use unsaid_app::forget_source::{House, forget_source};
use unsaid_app::worker::{Casting, Stage, Wake};
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::conversation::log::Entry;
use unsaid_core::domain::id::{MessageId, PersonId, SourceId};
use unsaid_core::domain::message::{Author, Message, Part};
use unsaid_core::domain::text::Words;
use unsaid_core::port::directory::Directory as _;
use unsaid_core::port::error::StoreError;
use unsaid_core::port::history::History as _;
use unsaid_http::error::{ApiError, Code};
use unsaid_http::rehearsal::{Heard, Line, Rehearsals, Scene, Speech, Spot};
use unsaid_line::client::{AccessToken, ClientOptions};
use unsaid_line::inbound::{Inbound, Receipt};
use unsaid_line::names::alias;
use unsaid_line::signature::{ChannelSecret, sign};
use unsaid_line::stand_in::StandIn;
use unsaid_store_memory::MemoryStore;

use self::player::{GROUP_NAME, NAME, Player};
use crate::as_line::people::known_id;
use crate::as_line::{Deed, Spoken, body};
use crate::config::Config;
use crate::door::line;
use crate::lifecycle::Lifecycle;
use crate::model::Chosen;
use crate::refusal::{Refusal, said};
use crate::sessions::Room;
use crate::system::random_id;

/// Messages and turns that are shown.
const SHOWN_MAX: usize = 100;
/// People, places and tokens that the stand-in knows.
const KNOWN_MAX: usize = 10_000;

/// See the module.
pub struct Rehearsal {
    config: Config,
    chosen: Chosen,
    store: Arc<MemoryStore>,
    desk: Arc<Desk>,
    life: Lifecycle,
    /// Makes ids that nobody else has, here or on LINE.
    seed: String,
    said: AtomicU64,
    wake: OnceLock<Wake>,
    opened: OnceCell<Opened>,
}

/// The door, and the LINE on its other side.
struct Opened {
    line: StandIn,
    secret: ChannelSecret,
    stage: Arc<dyn Stage>,
    inbound: Inbound,
}

impl Rehearsal {
    /// Makes ready; nothing stands up yet.
    #[must_use]
    pub fn new(config: &Config, chosen: &Chosen, room: &Room, life: &Lifecycle) -> Self {
        Self {
            config: config.clone(),
            chosen: chosen.clone(),
            store: room.volatile(),
            desk: room.desk(),
            life: life.clone(),
            seed: random_id(),
            said: AtomicU64::new(0),
            wake: OnceLock::new(),
            opened: OnceCell::new(),
        }
    }

    /// Who is woken when something was said.
    pub fn wakes(&self, wake: Wake) {
        self.wake.get_or_init(|| wake);
    }

    async fn opened(&self) -> Result<&Opened, ApiError> {
        let opened = self.opened.get_or_try_init(|| self.open()).await;
        opened.map_err(|refusal| ApiError::new(Code::INTERNAL).with_cause(refusal))
    }

    async fn open(&self) -> Result<Opened, Refusal> {
        let token = AccessToken::new(unguessable());
        let here = ([127, 0, 0, 1], 0).into();
        let line = StandIn::start_lasting(here, token.clone(), KNOWN_MAX).await;
        let line = line
            .map_err(|error| Refusal::new(format!("cannot stand in for LINE: {}", said(&error))))?;
        let secret = ChannelSecret::new(&unguessable());
        let client = ClientOptions {
            api_base: line.base(),
            data_api_base: line.base(),
            content_bytes_max: self.config.limits.media_bytes,
            ..ClientOptions::new(token)
        };
        let directory = Arc::clone(&self.store) as _;
        let other_side = line::Line { client, secret: secret.clone(), directory };
        let door = line::furnish(&self.config, other_side, &self.desk, &self.chosen, &self.life)?;
        let stage = door.stage();
        let wake = self.wake.get().cloned().unwrap_or_else(Wake::unheard);
        let inbound = door.inbound(&self.desk, wake);
        Ok(Opened { line, secret, stage, inbound })
    }

    fn player(&self, admin: &PersonId, spot: Spot) -> Player {
        Player::of(&self.seed, admin, spot)
    }

    /// Digits as LINE has them, and no two the same.
    fn next_id(&self) -> MessageId {
        let number = self.said.fetch_add(1, Ordering::Relaxed) % 100_000;
        known_id(MessageId::new(format!("{}{number:05}", self.desk.clock.now().as_millis())))
    }

    /// Lets the other side know who speaks, and how many are there. What it said before is asked again.
    async fn introduce(
        &self,
        line: &StandIn,
        player: &Player,
        person: &PersonId,
        name: &str,
    ) -> Result<(), StoreError> {
        let source = player.source();
        let known = line.name_of(&source.id, person);
        if known.is_some_and(|known| known.as_str() == name) {
            return Ok(());
        }
        match player.spot {
            Spot::Person => line.know_person(person, name),
            Spot::Group => {
                line.know_member(&source.id, person, name);
                let members = line.count_members(&source.id);
                line.know_place(&source.id, source.kind, GROUP_NAME, members);
                self.store.forget_source(&source.id).await?;
            }
        }
        self.store.forget_name(person).await
    }

    fn line(&self, line: &StandIn, source: &SourceId, entry: Entry) -> Line {
        let Message { id, author, at, parts, .. } = entry.message;
        let persona = || self.config.personas.get(&self.config.line.persona);
        let (by_bot, name) = match author {
            Author::Agent(agent) => {
                let name = persona().map_or_else(|| agent.to_string(), |known| known.name.clone());
                (true, Words::lossy(name))
            }
            Author::Person(Some(person)) => {
                let known = line.name_of(source, &person);
                (false, known.unwrap_or_else(|| alias(source, &person)))
            }
            Author::Person(None) => (false, Words::lossy(NAME)),
        };
        let text: String = parts.iter().filter_map(words).map(Words::as_str).collect();
        Line { heard: Heard { id, at }, by_bot, name, text: Words::lossy(text) }
    }
}

fn words(part: &Part) -> Option<&Words> {
    match part {
        Part::Text { text } => Some(text),
        Part::Media { .. } | Part::Original { .. } => None,
    }
}

/// Long enough that nobody guesses it.
fn unguessable() -> String {
    [random_id(), random_id(), random_id()].concat()
}

impl Opened {
    /// Takes in one event, signed as LINE does it.
    async fn deliver(&self, body: &Value) -> Result<(), ApiError> {
        let body = body.to_string();
        let signature = sign(&self.secret, body.as_bytes());
        let received = self.inbound.receive(&[signature.as_bytes()], body.as_bytes()).await;
        let Receipt { taken, duplicates, ignored, malformed, refused } =
            received.map_err(line::refused)?;
        if taken + duplicates == 1 {
            return Ok(());
        }
        let why = format!("{ignored} ignored, {malformed} malformed, {refused} refused");
        Err(ApiError::new(Code::INTERNAL).with_cause(why))
    }
}

#[async_trait]
impl Stage for Rehearsal {
    async fn cast(&self, key: &ConversationKey) -> Result<Casting, StoreError> {
        match self.opened.get() {
            Some(opened) => opened.stage.cast(key).await,
            // Nobody has tried anything.
            None => Ok(Casting::Elsewhere),
        }
    }
}

#[async_trait]
impl Rehearsals for Rehearsal {
    async fn show(&self, admin: &PersonId, spot: Spot) -> Result<Scene, ApiError> {
        let Some(opened) = self.opened.get() else { return Ok(Scene::default()) };
        let player = self.player(admin, spot);
        let (key, source) = (player.key(), player.source().id);
        // First, so that whoever is told that nothing is to come is shown all that came.
        let overview = self.store.overview(&key).await?;
        let answering =
            overview.is_some_and(|known| known.turn.is_some() || known.wanted_at.is_some());
        let entries = self.store.page(&key, None, SHOWN_MAX).await?.into_iter();
        let lines = entries.map(|entry| self.line(&opened.line, &source, entry)).collect();
        let turns = self.store.turns(&key, None, SHOWN_MAX).await?;
        Ok(Scene { answering, lines, turns })
    }

    async fn say(&self, admin: &PersonId, spot: Spot, speech: Speech) -> Result<Heard, ApiError> {
        let (opened, player) = (self.opened().await?, self.player(admin, spot));
        let name = speech.name.as_ref().map_or(NAME, Words::as_str);
        let person = player.person(name);
        self.introduce(&opened.line, &player, &person, name).await?;
        let source = player.source();
        let token = opened.line.issue_reply_token(&source.id);
        let (id, at) = (self.next_id(), self.desk.clock.now());
        let text = Spoken::marked(speech.text.as_str(), speech.mentions);
        let deed = Deed::Text { id: &id, text: &text };
        opened.deliver(&body(deed, &source, Some(&person), Some(&token), at)).await?;
        Ok(Heard { id, at })
    }

    async fn unsend(
        &self,
        admin: &PersonId,
        spot: Spot,
        message: &MessageId,
    ) -> Result<bool, ApiError> {
        let Some(opened) = self.opened.get() else { return Ok(false) };
        let player = self.player(admin, spot);
        let found = self.store.find(&player.key(), message).await?;
        let Some(Author::Person(person)) = found.map(|entry| entry.message.author) else {
            return Ok(false);
        };
        let deed = Deed::Unsend { id: message };
        let now = self.desk.clock.now();
        opened.deliver(&body(deed, &player.source(), person.as_ref(), None, now)).await?;
        Ok(true)
    }

    async fn forget(&self, admin: &PersonId, spot: Spot) -> Result<(), ApiError> {
        let Some(opened) = self.opened.get() else { return Ok(()) };
        let source = self.player(admin, spot).source().id;
        let (watchers, clock) = (&*self.desk.watchers, &*self.desk.clock);
        // Not dropped: a turn that still runs there must not be taken for one that begins later.
        forget_source(House { store: &*self.store, watchers, clock }, &source).await?;
        for person in opened.line.forget_place(&source) {
            self.store.forget_name(&person).await?;
        }
        Ok(())
    }
}
