//! A chat of the caller, and what they do in it.

use axum::http::StatusCode;
use unsaid_app::logs::Log;
use unsaid_app::world::talk::Talk;
use unsaid_core::domain::conversation::change::{Event, Interrupt};
use unsaid_core::domain::conversation::key::ConversationKey;
use unsaid_core::domain::conversation::log::Entry;
use unsaid_core::domain::hearing::Hearers;
use unsaid_core::domain::id::{ChatId, EventNumber, MessageId};
use unsaid_core::domain::person::Person;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::domain::world::{Agent, World};
use unsaid_core::port::error::StoreError;
use unsaid_core::port::keys::KeyUse;
use unsaid_core::port::worlds::WorldKey;

use crate::chat::open_streams::OpenStream;
use crate::error::{ApiError, Code};
use crate::idempotency::Keyed;
use crate::input::invalid;
use crate::state::AppState;
use crate::world::follow::{Follow, Newest};
use crate::world::shape::MessageShape;

/// Events looked through for what a call did when it was made before.
const EVENTS_AT_ONCE: usize = 100;
/// Where the chat stands in what is remembered of a call.
const CHAT_OF_CALL: usize = 3;

/// Whether session mode must be on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// It must: something is said.
    Session,
    /// It need not.
    Nothing,
}

/// A chat in a world of the caller, with who is there.
pub(crate) struct Room {
    pub(crate) state: AppState,
    pub(crate) person: Person,
    pub(crate) world: World,
    pub(crate) agents: Vec<Agent>,
    pub(crate) chat: ChatId,
    pub(crate) now: Timestamp,
}

/// The newest events before a call, so that a repeat of it can be told what it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Before(Newest);

impl Room {
    /// Looks it up: the chat that is named, or the current one. Somebody else's is not there (H9).
    pub(crate) async fn of(
        state: AppState,
        person: Person,
        (key, chat): (WorldKey, Option<ChatId>),
        needs: Needs,
    ) -> Result<Self, ApiError> {
        let world = state.store.world(&key).await?.ok_or(Code::WORLD_NOT_FOUND)?;
        if needs == Needs::Session && world.current_chat.is_none() {
            return Err(Code::SESSION_OFF.into());
        }
        let chat = chat.or_else(|| world.current_chat.clone());
        let chat = chat.ok_or_else(|| invalid("chatId", "missing"))?;
        if state.store.home(&chat).await?.as_ref() != Some(&key) {
            return Err(Code::CHAT_NOT_FOUND.into());
        }
        let agents = state.store.agents(&key).await?.map_err(|_| Code::WORLD_NOT_FOUND)?;
        let now = state.clock.now();
        Ok(Self { state, person, world, agents, chat, now })
    }

    /// Where a call was made before, whatever is current by now.
    pub(crate) async fn again(
        state: AppState,
        person: Person,
        world: WorldKey,
        used: &KeyUse,
    ) -> Result<Self, ApiError> {
        let chat = used.ids.get(CHAT_OF_CALL).and_then(|id| ChatId::new(id.as_str()).ok());
        Self::of(state, person, (world, chat), Needs::Nothing).await
    }

    pub(crate) fn world_key(&self) -> WorldKey {
        WorldKey { owner: self.world.owner.clone(), id: self.world.id.clone() }
    }

    pub(crate) fn key(&self) -> ConversationKey {
        ConversationKey::Chat(self.chat.clone())
    }

    /// Whether what is said is kept.
    pub(crate) fn is_stored(&self) -> bool {
        self.person.consent.is_on()
    }

    /// What can be done in it.
    pub(crate) fn talk(&self, once: Option<KeyUse>) -> Talk<'_> {
        Talk {
            logs: &self.state.sessions.logs,
            voices: &self.state.worlds.voices,
            world: &self.world,
            agents: &self.agents,
            chat: &self.chat,
            now: self.now,
            once,
        }
    }

    /// As it goes on from now.
    pub(crate) async fn follow(&self) -> Result<Follow, StoreError> {
        let (world, chat) = (self.world_key(), self.chat.clone());
        Follow::begin(&self.state, world, chat, self.is_stored()).await
    }

    /// Counts a stream of the caller.
    pub(crate) fn open_stream(&self) -> Result<OpenStream, ApiError> {
        let opened = self.state.sessions.streams.open(&self.person.id);
        opened.ok_or_else(|| ApiError::new(Code::RATE_LIMITED).with_retry(5))
    }

    /// A message that the caller can see, and where it is.
    pub(crate) async fn find(&self, id: &MessageId) -> Result<Option<(Log, Entry)>, StoreError> {
        let place = self.talk(None).place();
        self.state.sessions.logs.find(&place, self.is_stored(), id).await
    }

    /// Messages as they are shown.
    pub(crate) async fn shown(
        &self,
        log: Log,
        entries: &[Entry],
    ) -> Result<Vec<MessageShape>, StoreError> {
        let cleared = self.state.sessions.logs.side(log).history.cleared(&self.key()).await?;
        let hearers = Hearers { agents: self.agents.clone(), cleared };
        let shown = entries.iter().map(|entry| MessageShape::of(&self.chat, entry, &hearers));
        Ok(shown.collect())
    }

    /// What is remembered with a change of a call with its key; nothing for people who want nothing kept.
    pub(crate) fn key_use(&self, keyed: &Keyed, id: &str, before: Before) -> Option<KeyUse> {
        if !self.is_stored() {
            return None;
        }
        let ids = self.remembered(id, before);
        keyed.key_use(&self.person, self.now, StatusCode::OK.as_u16(), ids)
    }

    /// Remembers a call in memory, unless the log has remembered it itself.
    pub(crate) async fn done(
        &self,
        keyed: &Keyed,
        log: Log,
        id: &str,
        before: Before,
    ) -> Result<(), ApiError> {
        if log.is_kept() && self.is_stored() {
            return Ok(());
        }
        let ids = self.remembered(id, before);
        keyed.done(&self.state, &self.person, false, ids).await
    }

    /// The id that a call is about, what was before, and where it was made.
    fn remembered(&self, id: &str, before: Before) -> Vec<String> {
        let Newest { kept, volatile } = before.0;
        vec![id.to_owned(), kept.to_string(), volatile.to_string(), self.chat.to_string()]
    }

    /// What happened after a moment, as far as somebody looks for it, and in which log.
    pub(crate) async fn events_since<T>(
        &self,
        before: Before,
        wanted: impl Fn(&Event) -> Option<T>,
    ) -> Result<Vec<(Log, T)>, StoreError> {
        let (key, mut found) = (self.key(), Vec::new());
        for (log, after) in [(Log::Kept, before.0.kept), (Log::Volatile, before.0.volatile)] {
            let history = &self.state.sessions.logs.side(log).history;
            let mut after = after;
            while let Some(events) = history.events_after(&key, after, EVENTS_AT_ONCE).await?
                && let Some((last, _)) = events.last()
            {
                let told = events.iter().filter_map(|(_, event)| wanted(event));
                found.extend(told.map(|told| (log, told)));
                after = *last;
            }
        }
        Ok(found)
    }
}

impl Before {
    /// Before whatever comes.
    pub(crate) fn of(follow: &Follow) -> Self {
        Self(follow.newest())
    }

    /// As a call was remembered with its key.
    pub(crate) fn remembered(used: &KeyUse) -> Self {
        let number = |place: usize| {
            let text = used.ids.get(place).map(String::as_str).unwrap_or_default();
            text.parse().map_or(EventNumber::ZERO, EventNumber::new)
        };
        Self(Newest { kept: number(1), volatile: number(2) })
    }

    /// The same stream again.
    pub(crate) fn again(self, follow: Follow) -> Follow {
        let Newest { kept, volatile } = self.0;
        follow.since(Log::Kept, kept).since(Log::Volatile, volatile)
    }
}

/// What a query says about a running round.
pub(crate) fn interrupt(wanted: Option<bool>) -> Interrupt {
    if wanted == Some(true) { Interrupt::Yes } else { Interrupt::No }
}
