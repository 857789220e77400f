//! What can be read of a world and its chats.
//!
//! What is kept is read first, and consent is looked at afterwards (H8): where it is off, what is in
//! memory is the conversation.

use unsaid_core::{
    domain::{
        conversation::key::ConversationKey,
        hearing::Hearers,
        id::{ChatId, MessageId, PersonId},
        world::{Chat, World},
    },
    port::{error::StoreError, worlds::WorldKey},
};

use super::{Keeper, WorldError};
use crate::{
    browse::PREVIEW_MESSAGES_MAX,
    logs::{
        Log,
        view::{HeardIn, JoinedTail, Placed, Shown},
    },
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
    /// Oldest first.
    pub messages: Vec<Placed>,
    /// Whether there are older ones.
    pub has_more: bool,
    /// Who heard them.
    pub heard_in: HeardIn,
    /// Whether what is said there is kept.
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

    /// A page of a chat. What was said without consent is among it where it was said.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn page(
        &self,
        key: &WorldKey,
        chat: &ChatId,
        wanted: Wanted,
    ) -> Result<ChatPage, WorldError> {
        let place = self.place(key, chat).await?;
        let Wanted { before, limit } = wanted;
        // One more than wanted tells whether there are more.
        let most = limit.saturating_add(1);
        let read = async |shown: Shown| {
            self.logs.page(place.conversation(), shown, before.as_ref(), most).await
        };
        let both = read(Shown::Both).await?;
        // Looked at after reading: what is shown was read while consent was on (H8).
        let stored = self.is_kept(&key.owner).await?;
        let page = if stored { both } else { read(Shown::InMemory).await? };
        let mut messages = page.ok_or(WorldError::MessageNotFound)?;
        let surplus = messages.len().saturating_sub(limit);
        messages.drain(..surplus);
        let heard_in = self.heard_in(key, place.conversation()).await?;
        Ok(ChatPage { messages, has_more: surplus > 0, heard_in, stored })
    }

    /// What an edit of a person's message would remove, from both logs.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn count(
        &self,
        key: &WorldKey,
        chat: &ChatId,
        from: &MessageId,
    ) -> Result<JoinedTail, WorldError> {
        let place = self.place(key, chat).await?;
        let read = async |shown: Shown| {
            self.logs.tail(place.conversation(), shown, from, PREVIEW_MESSAGES_MAX).await
        };
        let both = read(Shown::Both).await?;
        let stored = self.is_kept(&key.owner).await?;
        let tail = if stored { both } else { read(Shown::InMemory).await? };
        let tail = tail.ok_or(WorldError::MessageNotFound)?;
        match tail.preview.first() {
            Some(first) if !first.message.author.is_person() => Err(WorldError::NotAPersons),
            Some(_) | None => Ok(tail),
        }
    }

    /// Who hears what in a chat.
    ///
    /// # Errors
    /// See [`WorldError`].
    pub async fn heard_in(
        &self,
        key: &WorldKey,
        chat: &ConversationKey,
    ) -> Result<HeardIn, WorldError> {
        let agents = self.agents(key).await?;
        let cleared = async |log: Log| self.logs.side(log).history.cleared(chat).await;
        Ok(HeardIn {
            in_memory: Hearers { agents: agents.clone(), cleared: cleared(Log::Volatile).await? },
            kept: Hearers { agents, cleared: cleared(Log::Kept).await? },
        })
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
        ChatOutline { chat, messages: if stored { kept + in_memory } else { in_memory }, stored }
    }
}
