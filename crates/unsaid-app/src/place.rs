//! Where somebody acts: a conversation and whose it is.

use unsaid_core::domain::{
    conversation::key::ConversationKey,
    id::{ChatId, Number, PersonId, SessionId, SourceId},
};

/// A conversation that the caller may act in. Whoever makes one has looked: somebody else's chat or
/// session is no place (H9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    conversation: ConversationKey,
    owner: Option<PersonId>,
    in_memory: bool,
    beside: Option<Number>,
}

impl Place {
    /// A source on LINE. It belongs to nobody, and the operator's setting stands for consent (H7).
    #[must_use]
    pub fn line(source: SourceId) -> Self {
        Self::of(ConversationKey::Line(source), None)
    }

    /// A chat in a world of this person.
    #[must_use]
    pub fn chat(owner: PersonId, chat: ChatId) -> Self {
        Self::of(ConversationKey::Chat(chat), Some(owner))
    }

    /// A session of this person.
    #[must_use]
    pub fn session(owner: PersonId, session: SessionId) -> Self {
        Self::of(ConversationKey::Session(session), Some(owner))
    }

    /// The terminal of this machine. Whoever types there can read the files: there is no account
    /// to belong to, and typing is consent.
    #[must_use]
    pub fn terminal(chat: ChatId) -> Self {
        Self::of(ConversationKey::Chat(chat), None)
    }

    /// The same conversation as it is remembered for who wants nothing kept: in memory only, where
    /// no consent is needed.
    #[must_use]
    pub fn in_memory(self) -> Self {
        Self { in_memory: true, ..self }
    }

    /// The same in memory, when so much of the conversation was kept.
    #[must_use]
    pub(crate) fn beside(self, kept: Number) -> Self {
        Self { beside: Some(kept), ..self }
    }

    /// How much was kept when something comes in memory.
    pub(crate) fn kept_before(&self) -> Option<Number> {
        self.beside
    }

    fn of(conversation: ConversationKey, owner: Option<PersonId>) -> Self {
        Self { conversation, owner, in_memory: false, beside: None }
    }

    /// The conversation.
    #[must_use]
    pub fn conversation(&self) -> &ConversationKey {
        &self.conversation
    }

    /// Whose it is.
    #[must_use]
    pub fn owner(&self) -> Option<&PersonId> {
        self.owner.as_ref()
    }

    /// Whose consent decides what is kept and shown there (H7).
    #[must_use]
    pub fn consent_of(&self) -> Option<&PersonId> {
        self.owner().filter(|_| !self.in_memory)
    }
}
