//! A conversation in a store, in few words.

use std::sync::Arc;

use unsaid_core::{
    domain::{
        conversation::{
            Conversation,
            change::{Applied, Change, Event, Outcome, Refusal},
            key::ConversationKey,
            log::Entry,
            turn::Lease,
        },
        id::{EventNumber, Fence, Number, PersonId},
        time::Timestamp,
    },
    port::{
        Store,
        history::{Commit, Committed, Overview},
    },
};

use crate::{
    builder::{self, at, chat_key, holder_id, line_key, message_id, person_id, words_of},
    describe::describe,
};

/// How long a turn of a test may last.
pub const LEASE_MS: i64 = 1_000;

/// One conversation of a store, at a moment that the test moves.
pub struct Talk {
    /// Where.
    pub store: Arc<dyn Store>,
    /// Which.
    pub key: ConversationKey,
    /// When the next change is made.
    pub now: Timestamp,
    /// Whose, told with every change.
    pub owner: Option<PersonId>,
}

impl Talk {
    /// A conversation, at the moment 1000.
    #[must_use]
    pub fn new(store: &Arc<dyn Store>, key: ConversationKey) -> Self {
        Self { store: Arc::clone(store), key, now: at(1_000), owner: None }
    }

    /// The chat `c1`, whose events are kept.
    #[must_use]
    pub fn chat(store: &Arc<dyn Store>) -> Self {
        Self::new(store, chat_key("c1"))
    }

    /// The source `U1` on LINE.
    #[must_use]
    pub fn line(store: &Arc<dyn Store>) -> Self {
        Self::new(store, line_key("U1"))
    }

    /// A conversation of this person.
    #[must_use]
    pub fn owned_by(self, person: &str) -> Self {
        Self { owner: Some(person_id(person)), ..self }
    }

    /// Lets time pass.
    pub fn wait(&mut self, millis: i64) {
        self.now = self.now.plus_millis(millis);
    }

    /// A change of now, to be given circumstances.
    #[must_use]
    pub fn change(&self, change: Change) -> Commit {
        Commit { owner: self.owner.clone(), ..Commit::new(change, self.now) }
    }

    /// Commits.
    pub async fn commit(&self, commit: Commit) -> Committed {
        self.store.commit(&self.key, commit).await.expect("the store answers")
    }

    /// Makes a change that is not refused.
    pub async fn make(&self, change: Change) -> Applied {
        match self.commit(self.change(change)).await {
            Committed::Applied(applied, _) => applied,
            other => panic!("not applied: {other:?}"),
        }
    }

    /// What a change that is not refused does.
    pub async fn outcome(&self, change: Change) -> Outcome {
        self.make(change).await.outcome
    }

    /// Why a change is refused.
    pub async fn refusal(&self, change: Change) -> Refusal {
        match self.commit(self.change(change)).await {
            Committed::Refused(refusal) => refusal,
            other => panic!("not refused: {other:?}"),
        }
    }

    /// `ana` says [`words_of`] this id, and wants no answer.
    pub async fn say(&self, id: &str) -> Number {
        said(self.outcome(builder::say(builder::message(id))).await)
    }

    /// `ana` says [`words_of`] this id, and wants an answer now.
    pub async fn ask(&self, id: &str) -> Number {
        said(self.outcome(builder::ask(builder::message(id), self.now)).await)
    }

    /// Begins a turn of [`LEASE_MS`].
    pub async fn begin(&self) -> Lease {
        let until = self.now.plus_millis(LEASE_MS);
        match self.outcome(Change::Begin { holder: holder_id("h1"), until }).await {
            Outcome::Began(lease) => lease,
            other => panic!("not begun: {other:?}"),
        }
    }

    /// `kai` answers [`words_of`] each id, which ends the turn.
    pub async fn answer(&self, fence: Fence, ids: &[&str]) -> Applied {
        let messages = ids.iter().map(|id| builder::answer(id)).collect();
        self.make(Change::Answer { fence, messages, last: true }).await
    }

    /// A question and its answer, in a turn of their own.
    pub async fn exchange(&self, question: &str, answer: &str) -> Fence {
        self.ask(question).await;
        let fence = self.begin().await.fence;
        self.answer(fence, &[answer]).await;
        fence
    }

    /// The ids that a list shows.
    pub async fn heard(&self) -> Vec<String> {
        let page = self.store.page(&self.key, None, 100).await.expect("the store answers");
        page.iter().map(|entry| entry.message.id.to_string()).collect()
    }

    /// One entry, heard or not.
    pub async fn find(&self, id: &str) -> Option<Entry> {
        self.store.find(&self.key, &message_id(id)).await.expect("the store answers")
    }

    /// The conversation without its words, which exists.
    pub async fn overview(&self) -> Overview {
        let found = self.store.overview(&self.key).await.expect("the store answers");
        found.expect("the conversation exists")
    }

    /// The whole conversation, which exists.
    pub async fn whole(&self) -> Conversation {
        let found = self.store.whole(&self.key).await.expect("the store answers");
        found.expect("the conversation exists")
    }

    /// All its durable events.
    pub async fn events(&self) -> Vec<(EventNumber, Event)> {
        let events = self.store.events_after(&self.key, EventNumber::ZERO, 1_000).await;
        events.expect("the store answers").expect("zero is before the first")
    }

    /// Fails unless the words of a message can be read nowhere: no list, no preview, no export, no
    /// buffer; its bookkeeping may stay.
    pub async fn assert_wordless(&self, id: &str) {
        assert!(!self.heard().await.contains(&id.to_owned()), "{id} is in the list");
        let tail = self.store.tail(&self.key, &message_id(id), 10).await;
        assert_eq!(tail.expect("the store answers"), None, "{id} has a tail");
        if let Some(entry) = self.find(id).await {
            assert!(entry.gone && entry.message.parts.is_empty(), "{id} can be found");
        }
        self.assert_unsaid(&words_of(id)).await;
    }

    /// Fails unless a text is nowhere in the whole state.
    pub async fn assert_unsaid(&self, text: &str) {
        let whole = self.store.whole(&self.key).await.expect("the store answers");
        let state = whole.as_ref().map(describe).unwrap_or_default();
        assert!(!state.contains(text), "{text} is in\n{state}");
    }
}

fn said(outcome: Outcome) -> Number {
    match outcome {
        Outcome::Said(number) => number,
        other => panic!("not said: {other:?}"),
    }
}
