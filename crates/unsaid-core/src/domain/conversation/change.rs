//! What may be asked of a conversation, what comes back, and what is refused.

pub use super::decision::{Decided, Decision, EndedTurn};
use super::{log::Sending, turn::Lease};
use crate::domain::{
    id::{AgentId, DeliveryId, EditId, Fence, HolderId, MessageId, Number, PersonId, Version},
    message::{Message, Part, WayBack},
    time::Timestamp,
};

/// One change. Most need no precondition: they commute, or decide under the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Somebody said something; a known id or delivery changes nothing.
    Say(Say),
    /// What was promised (a picture still on its way) is here, or will never be.
    Fill {
        /// The message.
        id: MessageId,
        /// Its parts from now on.
        parts: Vec<Part>,
    },
    /// Takes the turn, as a lease with a fencing number.
    Begin {
        /// Who takes it.
        holder: HolderId,
        /// When the lease ends unless renewed.
        until: Timestamp,
    },
    /// Keeps the turn.
    Renew {
        /// The turn.
        fence: Fence,
        /// The new end of its lease.
        until: Timestamp,
    },
    /// Records what is about to leave the house.
    Intend {
        /// The turn.
        fence: Fence,
        /// The answer.
        message: Message,
    },
    /// Records what became of it.
    Settle {
        /// The answer.
        id: MessageId,
        /// Its outcome.
        outcome: SendOutcome,
    },
    /// Answers that are read here.
    Answer {
        /// The turn.
        fence: Fence,
        /// The answers, in order.
        messages: Vec<Message>,
        /// Whether they end the turn.
        last: bool,
    },
    /// Ends the turn without words.
    Decide {
        /// The turn.
        fence: Fence,
        /// Silence or failure.
        decision: Decision,
    },
    /// Hands the turn back; its questions wait again.
    Release {
        /// The turn.
        fence: Fence,
    },
    /// A person stops whatever turn is running; its questions wait no more.
    Stop,
    /// An edit in place; the newest timestamp wins.
    Revise(Revise),
    /// Forget one; the id stays out from now on.
    Remove(Remove),
    /// Forget from here; with a message it is the edit.
    ReplaceTail(ReplaceTail),
    /// Undoes an edit inside its window.
    Restore {
        /// The edit.
        edit: EditId,
        /// What to do with a running turn.
        interrupt: Interrupt,
        /// Whether it is done also if nobody would hear anything again here, because another log brings
        /// back the rest.
        or_nothing: bool,
    },
    /// Closes the undo window at once: consent was withdrawn.
    CloseUndo,
    /// One agent forgets what it heard so far.
    Clear(AgentId),
    /// Forget everything one person said.
    EraseAuthor {
        /// The person.
        person: PersonId,
        /// What happens to answers.
        ripple: Ripple,
    },
    /// Forget all.
    EraseAll,
    /// Drops what only time makes superfluous: closed windows, old deliveries.
    Expire,
}

/// See [`Change::Say`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Say {
    /// What was said.
    pub message: Message,
    /// The delivery that brought it.
    pub delivery: Option<DeliveryId>,
    /// From when on an answer is wanted, if one is.
    pub wants_answer: Option<Timestamp>,
    /// How that answer gets back; kept while one is owed.
    pub way_back: Option<WayBack>,
}

/// See [`Change::Revise`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revise {
    /// The message.
    pub id: MessageId,
    /// Who edited, if known.
    pub by: Option<PersonId>,
    /// The new parts.
    pub parts: Vec<Part>,
    /// The door's time of the edit.
    pub at: Timestamp,
    /// What happens to answers.
    pub ripple: Ripple,
}

/// See [`Change::Remove`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remove {
    /// The message.
    pub id: MessageId,
    /// What to do if it is not there.
    pub missing: Missing,
    /// What happens to answers.
    pub ripple: Ripple,
}

/// See [`Change::ReplaceTail`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaceTail {
    /// Where what is forgotten begins.
    pub from: Cut,
    /// What is said instead, and from when on it wants an answer.
    pub with: Option<(Message, Option<Timestamp>)>,
    /// Under which id it can be undone, and until when; `None` keeps nothing.
    pub undo: Option<(EditId, Timestamp)>,
    /// What to do with a running turn.
    pub interrupt: Interrupt,
}

/// Where a tail begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// With this message; a person's.
    At(MessageId),
    /// With whatever came after this number, if anything did: what it belongs to is not in this log.
    After(Number),
}

impl From<MessageId> for Cut {
    fn from(id: MessageId) -> Self {
        Self::At(id)
    }
}

/// What a removal of an unknown message does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Remember the id: the message may still arrive.
    Remember,
    /// Refuse: it cannot arrive any more.
    Refuse,
}

/// Whether answers lose their words together with their question (H4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ripple {
    /// They do.
    Withdraw,
    /// They stay.
    Keep,
}

/// What an edit does about a running turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupt {
    /// Wait: refuse.
    No,
    /// Cancel it first.
    Yes,
}

/// What became of a message that was to leave the house.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendOutcome {
    /// Accepted.
    Sent,
    /// Certainly not.
    Failed,
    /// Perhaps.
    Unknown,
}

impl SendOutcome {
    pub(super) fn sending(self) -> Sending {
        match self {
            Self::Sent => Sending::Sent,
            Self::Failed => Sending::Failed,
            Self::Unknown => Sending::Unknown,
        }
    }
}

/// A change that was made (or needed not be made).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// What happened.
    pub outcome: Outcome,
    /// The version afterwards.
    pub version: Version,
    /// What watchers are told.
    pub events: Vec<Event>,
}

/// What a change did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It has its place in the log now.
    Said(Number),
    /// The same delivery or message id was here before; nothing changed.
    Known,
    /// Taken back before it came (or in between); nothing changed.
    TakenBack,
    /// The turn is yours.
    Began(Lease),
    /// Done.
    Done,
    /// There was nothing to do; nothing changed.
    Nothing,
    /// Waits for its message.
    Deferred,
    /// The message is gone, with the words of these answers.
    Removed {
        /// Answers without words, in order of their numbers.
        withdrawn: Vec<MessageId>,
    },
    /// Removed before; nothing changed. The same answers as then.
    RemovedBefore {
        /// Answers without words, in order of their numbers.
        withdrawn: Vec<MessageId>,
    },
    /// The tail is gone, and what replaces it has its place.
    Replaced {
        /// How many heard messages were removed.
        count: u64,
        /// The place of the replacement.
        number: Option<Number>,
    },
    /// The tail is back.
    Restored {
        /// The first message that came back, if any did.
        from: Option<MessageId>,
        /// How many heard messages came back.
        count: u64,
    },
    /// So many entries were erased.
    Erased {
        /// How many.
        count: u64,
    },
}

impl Outcome {
    /// Whether anything changed.
    #[must_use]
    pub fn is_effective(&self) -> bool {
        match self {
            Self::Said(_)
            | Self::Began(_)
            | Self::Done
            | Self::Deferred
            | Self::Removed { .. }
            | Self::Replaced { .. }
            | Self::Restored { .. }
            | Self::Erased { .. } => true,
            Self::Known | Self::TakenBack | Self::Nothing | Self::RemovedBefore { .. } => false,
        }
    }
}

/// Why a change was not made. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No such message, or no chat or session in which something could be said.
    #[error("no such message")]
    NotFound,
    /// The message is not a person's.
    #[error("not a person's message")]
    NotAPersons,
    /// A turn is running.
    #[error("a turn is running")]
    TurnInProgress {
        /// The end of its lease.
        until: Timestamp,
    },
    /// Nobody waits for an answer.
    #[error("nobody waits for an answer")]
    NothingWaiting,
    /// An answer is wanted, but not before this moment.
    #[error("not yet")]
    NotYet {
        /// The moment.
        at: Timestamp,
    },
    /// An earlier answer may have left the house; settle it first.
    #[error("an earlier answer is not settled")]
    Unsettled {
        /// The answer.
        id: MessageId,
    },
    /// The turn is over, or another has begun.
    #[error("the turn is over")]
    StaleFence,
    /// The turn has answered already.
    #[error("the turn has answered already")]
    AlreadyAnswered,
    /// The id belongs to another message.
    #[error("the id is taken")]
    IdTaken,
    /// No such edit.
    #[error("no such edit")]
    EditNotFound,
    /// Somebody went on since, or it was undone.
    #[error("the edit cannot be undone any more")]
    UndoBlocked,
    /// Its time ran out.
    #[error("the time to undo has passed")]
    UndoExpired,
    /// The conversation changed since it was read, or what was to come first is not remembered.
    #[error("the conversation has changed")]
    VersionConflict,
    /// The person does not consent to keeping their words.
    #[error("no consent")]
    NoConsent,
}

/// What watchers are told. Ids only: words are read from the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A message can be read.
    Message {
        /// Which.
        id: MessageId,
    },
    /// Messages are gone.
    Removed {
        /// The first of them.
        from: MessageId,
        /// How many.
        count: u64,
        /// The edit that did it.
        edit: Option<EditId>,
        /// Whether only this one went.
        unsent: bool,
    },
    /// Messages are back.
    Restored {
        /// The edit that was undone.
        edit: EditId,
        /// The first of them.
        from: MessageId,
        /// How many.
        count: u64,
    },
}
