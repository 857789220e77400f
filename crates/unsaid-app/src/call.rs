//! The circumstances of a change: where, when, and under which key.

use std::time::Duration;

use tokio::time::timeout;
use unsaid_core::{
    domain::{
        conversation::{
            change::{Applied, Change, Refusal},
            key::ConversationKey,
        },
        time::Timestamp,
    },
    port::{
        error::StoreError,
        history::{Commit, Committed, History},
        keys::KeyUse,
    },
};

use crate::{event::Watchers, place::Place};

/// How long storage may take before nothing is said (H10).
pub(crate) const STORAGE_MAX: Duration = Duration::from_millis(1_500);
/// Changes of callers that storage did not confirm, by what failed.
const UNCONFIRMED_TOTAL: &str = "unsaid_changes_unconfirmed_total";

/// Tells the metrics what they are.
pub fn describe_metrics() {
    metrics::describe_counter!(
        UNCONFIRMED_TOTAL,
        "changes not confirmed by storage, by what failed"
    );
}

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

impl<T> Once<T> {
    pub(crate) fn map<U>(self, made: impl FnOnce(T) -> U) -> Once<U> {
        match self {
            Self::Made(this) => Once::Made(made(this)),
            Self::Repeated(before) => Once::Repeated(before),
        }
    }
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
        let beside = place.kept_before();
        Commit { owner, once: once.clone(), beside, ..Commit::new(change, *now) }
    }

    /// A change of this call that brings words: refused without the owner's consent (H7), and where the
    /// chat or session was deleted since the caller looked.
    pub(crate) fn commit_words(&self, change: Change) -> Commit {
        let consent_of = self.place.consent_of().cloned();
        Commit { at_home: consent_of.is_some(), consent_of, ..self.commit(change) }
    }

    /// Makes a change of this call, and tells whoever watches. To forget takes as long as there is to
    /// forget, also where something else is said instead: whoever is told that an edit failed must be
    /// able to rely on it.
    pub(crate) async fn make(
        &self,
        history: &dyn History,
        watchers: &Watchers,
        commit: Commit,
    ) -> Result<Reply, StoreError> {
        self.make_within(Duration::MAX, history, watchers, commit).await
    }

    /// The same, if storage has begun it within a time.
    pub(crate) async fn make_within(
        &self,
        within: Duration,
        history: &dyn History,
        watchers: &Watchers,
        commit: Commit,
    ) -> Result<Reply, StoreError> {
        let key = self.place.conversation();
        Ok(match self.committed(within, history, commit).await? {
            Committed::Applied(applied, numbers) => {
                watchers.tell_applied(key, &applied, &numbers);
                Reply::Made(applied)
            }
            Committed::Refused(refusal) => Reply::Refused(refusal),
            Committed::Repeated(before) if self.is_same(&before) => Reply::Repeated(before),
            Committed::Repeated(_) => Reply::KeyReused,
        })
    }

    /// LINE's door gives a whole delivery its time, and tells of failures by its name.
    async fn committed(
        &self,
        within: Duration,
        history: &dyn History,
        commit: Commit,
    ) -> Result<Committed, StoreError> {
        let key = self.place.conversation();
        if self.place.owner().is_none() {
            return history.commit(key, commit).await;
        }
        let made = timeout(within, history.commit(key, commit)).await;
        let what = if made.is_ok() { "storage_write" } else { "storage_timeout" };
        let made = made.unwrap_or_else(|_| Err(unconfirmed()));
        made.inspect_err(|error| not_confirmed(key, what, error))
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

/// Something that brings words, within the time that storage has for all of it (H10).
pub(crate) async fn within_storage_time<T, E: From<StoreError>>(
    key: &ConversationKey,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    timeout(STORAGE_MAX, work).await.unwrap_or_else(|_| {
        not_confirmed(key, "storage_timeout", &unconfirmed());
        Err(unconfirmed().into())
    })
}

fn not_confirmed(key: &ConversationKey, what: &'static str, error: &StoreError) {
    metrics::counter!(UNCONFIRMED_TOTAL, "what" => what).increment(1);
    tracing::warn!(conversation = %key, error = error.name(), "{what}");
}

/// A change that takes too long may have been made or not.
pub(crate) fn unconfirmed() -> StoreError {
    StoreError::Uncertain("no answer in time".to_owned())
}

/// A store that takes too long to answer a question is as good as none.
pub(crate) fn too_slow() -> StoreError {
    StoreError::Unavailable("no answer in time".to_owned())
}
