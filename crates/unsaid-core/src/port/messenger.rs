//! What leaves the house.
//!
//! **Guarantees.** `Sent` means that the other side has accepted it, `Failed` that it certainly has
//! not and that nothing more can be tried; everything else is `Unknown`. A letter is handed over
//! once. Trying again, by another way or after a lost answer, is the messenger's own business, and it
//! delivers one letter at most once however often it tries.
//!
//! Where a letter goes follows from the conversation and the question alone: tokens and addresses are
//! the door's, never the model's.

use async_trait::async_trait;

use crate::domain::{
    conversation::{change::SendOutcome, key::ConversationKey},
    id::{Fence, MessageId},
    message::WayBack,
    text::Words,
};

/// One answer on its way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// Where it is said.
    pub conversation: ConversationKey,
    /// The turn that says it.
    pub turn: Fence,
    /// The answer's id in the log.
    pub id: MessageId,
    /// The newest message that it answers.
    pub question: Option<MessageId>,
    /// How it gets there, as that message's door said.
    pub way_back: Option<WayBack>,
    /// What is said.
    pub text: Words,
}

/// See the module.
#[async_trait]
pub trait Messenger: Send + Sync {
    /// Hands a letter over, and says what became of it. Whoever stops waiting does not know.
    async fn send(&self, letter: &Letter) -> SendOutcome;

    /// Runs beside a turn from its beginning and is dropped at its end: shows people that an answer
    /// is on its way, where the door can. Nothing is shown once a letter was handed over.
    async fn at_work(&self, _conversation: &ConversationKey) {}
}
