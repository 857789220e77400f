//! Forget one (H4).

use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Missing, Outcome, Refusal, Remove, Ripple},
            key::ConversationKey,
        },
        id::MessageId,
    },
    port::{error::StoreError, history::History},
};

use crate::{
    call::{Call, Once, Reply, out_of_contract},
    event::Watchers,
    place::Place,
};

/// What is taken back, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsend {
    /// Its circumstances.
    pub call: Call,
    /// The message.
    pub id: MessageId,
    /// What happens to answers; `unsend.ripple` of the configuration.
    pub ripple: Ripple,
}

/// The message is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsent {
    /// The answers that lost their words with it, in order; the same however often it is asked.
    pub withdrawn: Vec<MessageId>,
    /// Whether it had been taken back before, and nothing changed now.
    pub before: bool,
}

impl Unsend {
    /// What it does to a log.
    pub(crate) fn change(&self) -> Change {
        let Self { call, id, ripple } = self;
        let missing = missing(&call.place);
        Change::Remove(Remove { id: id.clone(), missing, ripple: *ripple })
    }
}

impl Unsent {
    /// Both of one id.
    pub(crate) fn and(self, other: Self) -> Self {
        let withdrawn = self.withdrawn.into_iter().chain(other.withdrawn).collect();
        Self { withdrawn, before: self.before && other.before }
    }
}

/// Why it was not taken back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnsendError {
    /// There is no such message, and none can arrive.
    #[error("no such message")]
    NotFound,
    /// The message is not a person's.
    #[error("not a person's message")]
    NotAPersons,
    /// The caller used this key before, for something else.
    #[error("the key was used for another call")]
    KeyReused,
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] StoreError),
}

/// Takes a message back, with the words of the answers to it. It never waits for a running turn:
/// one that read the message is over. On LINE an unknown id is remembered, because its message may
/// still arrive; elsewhere it is refused.
///
/// # Errors
/// See [`UnsendError`].
pub async fn unsend(
    history: &dyn History,
    watchers: &Watchers,
    unsend: Unsend,
) -> Result<Once<Unsent>, UnsendError> {
    let (change, call) = (unsend.change(), unsend.call);
    match call.make(history, watchers, call.commit(change)).await? {
        Reply::Made(applied) => {
            let before = !applied.outcome.is_effective();
            let (Outcome::Removed { withdrawn } | Outcome::RemovedBefore { withdrawn }) =
                applied.outcome
            else {
                return Err(out_of_contract("a removal that removed nothing").into());
            };
            Ok(Once::Made(Unsent { withdrawn, before }))
        }
        Reply::Refused(Refusal::NotFound) => Err(UnsendError::NotFound),
        Reply::Refused(Refusal::NotAPersons) => Err(UnsendError::NotAPersons),
        Reply::Refused(refusal) => Err(out_of_contract(refusal).into()),
        Reply::Repeated(before) => Ok(Once::Repeated(before)),
        Reply::KeyReused => Err(UnsendError::KeyReused),
    }
}

fn missing(place: &Place) -> Missing {
    match place.conversation() {
        ConversationKey::Line(_) => Missing::Remember,
        ConversationKey::Chat(_) | ConversationKey::Session(_) => Missing::Refuse,
    }
}
