//! What can be read of a world and its chats.
//!
//! The kept log is read first, and consent is looked at afterwards (H8): where it is off, what is in
//! memory is the conversation.

use unsaid_core::{
    domain::{
        conversation::{key::ConversationKey, log::Entry},
        hearing::Hearers,
        id::{ChatId, MessageId, PersonId},
        time::Timestamp,
        world::{Chat, World},
    },
    port::{error::StoreError, history::Tail, worlds::WorldKey},
};

use super::{Keeper, WorldError};
use crate::{
    browse::{self, Browse, BrowseError, Count, Page, Seen},
    logs::Log,
    place::Place,
};

/// A world and how much is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// The world.
    pub world: World,
    /// How many agents it has.
    pub agents: usize,
    /// Its chats, oldest first.
    pub chats: Vec<ChatOutline>,
    /// Whether what is said there is kept.
    pub stored: bool,
}

/// A chat and how much was said in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatOutline {
    /// The chat.
    pub chat: Chat,
    /// How many messages can be heard.
    pub messages: u64,
    /// Whether what is said there is kept.
    pub stored: bool,
}

/// A page of a chat, and who heard what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatPage {
    /// The messages.
    pub page: Page,
    /// Who heard them.
    pub hearers: Hearers,
    /// Whether they are kept.
    pub stored: bool,
}

/// Which page of a chat is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The newest messages before this one; `None` is the newest of all.
    pub before: Option<MessageId>,
    /// How many at most; the door has clamped it.
    pub limit: usize,
}

/// What a chat holds in each of the two logs.
struct Counted {
    chat: Chat,
    kept: u64,
    in_memory: u64,
}

impl Keeper<'_> {
    /// Somebody's worlds, oldest first.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn outlines(&self, owner: &PersonId) -> Result<Vec<Outline>, WorldError> {
        let mut outlines = Vec::new();
        for world in self.worlds.worlds(owner).await? {
            match self.outline(world).await {
                Ok(outline) => outlines.push(outline),
                // Deleted meanwhile.
                Err(WorldError::WorldNotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(outlines)
    }

    /// A world and how much is in it.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn outline(&self, world: World) -> Result<Outline, WorldError> {
        let key = WorldKey { owner: world.owner.clone(), id: world.id.clone() };
        let agents = self.agents(&key).await?.len();
        let (chats, stored) = self.chat_outlines(&key).await?;
        Ok(Outline { world, agents, chats, stored })
    }

    /// The chats of a world, oldest first, and whether what is said there is kept.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn chat_outlines(
        &self,
        key: &WorldKey,
    ) -> Result<(Vec<ChatOutline>, bool), WorldError> {
        let mut counted = Vec::new();
        for chat in self.worlds.chats(key).await?? {
            let place = Place::chat(key.owner.clone(), chat.id.clone());
            let kept = self.heard(Log::Kept, &place).await?;
            let in_memory = self.heard(Log::Volatile, &place).await?;
            counted.push(Counted { chat, kept, in_memory });
        }
        let stored = self.is_kept(&key.owner).await?;
        let chats = counted.into_iter().map(|counted| counted.outline(stored)).collect();
        Ok((chats, stored))
    }

    /// One chat of a world.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn chat_outline(
        &self,
        key: &WorldKey,
        id: &ChatId,
    ) -> Result<ChatOutline, WorldError> {
        let (chats, _) = self.chat_outlines(key).await?;
        chats.into_iter().find(|outline| outline.chat.id == *id).ok_or(WorldError::ChatNotFound)
    }

    /// A page of a chat.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn page(
        &self,
        key: &WorldKey,
        chat: &ChatId,
        wanted: Wanted,
        now: Timestamp,
    ) -> Result<ChatPage, WorldError> {
        let place = self.place(key, chat).await?;
        let Wanted { before, limit } = wanted;
        let asked = |log: Log| {
            let place = log.place(place.clone());
            Browse { place, now, before: before.clone(), limit }
        };
        let kept = &*self.logs.kept.history;
        let (log, page) = match browse::page(kept, self.people, asked(Log::Kept)).await? {
            Seen::Shown(page) => (Log::Kept, page),
            Seen::Hidden { .. } => {
                let memory = &*self.logs.volatile.history;
                let page = browse::page(memory, self.people, asked(Log::Volatile)).await?;
                (Log::Volatile, shown(page)?)
            }
        };
        let hearers = self.hearers(key, log, place.conversation()).await?;
        Ok(ChatPage { page, hearers, stored: log.is_kept() })
    }

    /// What an edit of a person's message would remove, and from which log. Like the edit it finds
    /// also what was said without consent before.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn count(
        &self,
        key: &WorldKey,
        chat: &ChatId,
        from: &MessageId,
        now: Timestamp,
    ) -> Result<(Log, Tail), WorldError> {
        let place = self.place(key, chat).await?;
        let asked = |log: Log| Count { place: log.place(place.clone()), now, from: from.clone() };
        let kept = &*self.logs.kept.history;
        let (log, tail) = match browse::tail(kept, self.people, asked(Log::Kept)).await {
            Ok(Seen::Shown(tail)) => (Log::Kept, tail),
            Ok(Seen::Hidden { .. }) | Err(BrowseError::NotFound) => {
                let memory = &*self.logs.volatile.history;
                let tail = browse::tail(memory, self.people, asked(Log::Volatile)).await?;
                (Log::Volatile, shown(tail)?)
            }
            Err(error) => return Err(error.into()),
        };
        let is_persons = |entry: &Entry| entry.message.author.is_person();
        match tail.preview.first() {
            Some(first) if !is_persons(first) => Err(WorldError::NotAPersons),
            Some(_) | None => Ok((log, tail)),
        }
    }

    /// Who hears what in a chat, as one of its logs has it.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn hearers(
        &self,
        key: &WorldKey,
        log: Log,
        chat: &ConversationKey,
    ) -> Result<Hearers, WorldError> {
        let agents = self.agents(key).await?;
        let cleared = self.logs.side(log).history.cleared(chat).await?;
        Ok(Hearers { agents, cleared })
    }

    /// Whether what this person says is kept.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn is_kept(&self, owner: &PersonId) -> Result<bool, StoreError> {
        Ok(self.people.person(owner).await?.is_some_and(|person| person.consent.is_on()))
    }

    async fn heard(&self, log: Log, place: &Place) -> Result<u64, StoreError> {
        let overview = self.logs.side(log).history.overview(place.conversation()).await?;
        Ok(overview.map_or(0, |overview| overview.heard))
    }
}

impl Counted {
    fn outline(self, stored: bool) -> ChatOutline {
        let Self { chat, kept, in_memory } = self;
        ChatOutline { chat, messages: if stored { kept } else { in_memory }, stored }
    }
}

/// What is in memory needs no consent, so it can always be seen.
fn shown<T>(seen: Seen<T>) -> Result<T, WorldError> {
    match seen {
        Seen::Shown(read) => Ok(read),
        Seen::Hidden { .. } => Err(WorldError::MessageNotFound),
    }
}
