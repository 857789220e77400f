//! The circumstances of a change: where, when, and under which key.

use unsaid_core::{
    domain::{
        conversation::change::{Applied, Change, Refusal},
        time::Timestamp,
    },
    port::{
        error::StoreError,
        history::{Commit, Committed, History},
        keys::KeyUse,
    },
};

use crate::{event::Watchers, place::Place};

/// One call that changes a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Where.
    pub place: Place,
    /// When.
    pub now: Timestamp,
    /// The caller's key, if the change must be made once only (H3).
    pub once: Option<KeyUse>,
}

/// What came of a call that may have been made before under the same key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Once<T> {
    /// It was made now.
    Made(T),
    /// It was made before; nothing changed. The answer can be given again from these ids.
    Repeated(KeyUse),
}

impl Call {
    /// A call without a key.
    #[must_use]
    pub fn new(place: Place, now: Timestamp) -> Self {
        Self { place, now, once: None }
    }

    /// The same call, to take effect once only.
    #[must_use]
    pub fn once(self, key: KeyUse) -> Self {
        Self { once: Some(key), ..self }
    }

    /// A change of this call.
    pub(crate) fn commit(&self, change: Change) -> Commit {
        let Self { place, now, once } = self;
        let owner = place.owner().cloned();
        Commit { owner, once: once.clone(), ..Commit::new(change, *now) }
    }

    /// A change of this call that brings words: refused without the owner's consent (H7).
    pub(crate) fn commit_words(&self, change: Change) -> Commit {
        Commit { consent_of: self.place.consent_of().cloned(), ..self.commit(change) }
    }

    /// Makes a change of this call, and tells whoever watches.
    pub(crate) async fn make(
        &self,
        history: &dyn History,
        watchers: &Watchers,
        commit: Commit,
    ) -> Result<Reply, StoreError> {
        let key = self.place.conversation();
        Ok(match history.commit(key, commit).await? {
            Committed::Applied(applied, numbers) => {
                watchers.tell_applied(key, &applied, &numbers);
                Reply::Made(applied)
            }
            Committed::Refused(refusal) => Reply::Refused(refusal),
            Committed::Repeated(before) if self.is_same(&before) => Reply::Repeated(before),
            Committed::Repeated(_) => Reply::KeyReused,
        })
    }

    fn is_same(&self, before: &KeyUse) -> bool {
        self.once.as_ref().is_some_and(|key| key.body_digest == before.body_digest)
    }
}

/// What a store said to a change.
pub(crate) enum Reply {
    Made(Applied),
    Refused(Refusal),
    Repeated(KeyUse),
    /// The key stands for another call.
    KeyReused,
}

/// A store that refuses what it may not refuse does not keep its promises.
pub(crate) fn out_of_contract(what: impl std::fmt::Debug) -> StoreError {
    StoreError::Corrupt { at: "history".to_owned(), what: format!("out of contract: {what:?}") }
}

/// A store that takes too long to answer a question is as good as none.
pub(crate) fn too_slow() -> StoreError {
    StoreError::Unavailable("no answer in time".to_owned())
}
