//! Every order in which things can happen around a turn, on any store.
//!
//! Somebody says something, takes it back, edits it; a turn begins, its model answers, its letter
//! arrives. All orders of these are played, each in a conversation of its own, and in the end H4, H5
//! and H11 are looked for in what was sent and in what is remembered. The use cases themselves are
//! above this crate, so they are handed in ([`Rooms`]).

mod check;
mod generate;

use std::sync::Arc;

use async_trait::async_trait;
use tokio::task::{JoinError, JoinSet};
use unsaid_core::{
    domain::{
        conversation::{change::SendOutcome, key::ConversationKey},
        id::MessageId,
        message::Message,
    },
    port::{Store, messenger::Letter, messenger::Messenger, model::Model},
};

pub use self::generate::{of_one_message, of_two_messages};
use crate::{
    builder::{line_key, message, message_id, words_of},
    messenger::{DrivenMessenger, Posted, Posts},
    model::{Asked, Asks, DrivenModel, heard, reply},
};

/// A turn that begins so often is not finished by beginning again.
const TURNS_MAX: usize = 10;

/// One thing that happens; messages are `m1` and `m2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A message is said, and wants an answer.
    Say(u8),
    /// It is taken back.
    Unsend(u8),
    /// It is edited in place.
    Edit(u8),
    /// A turn begins, if one is wanted.
    Begin,
    /// Its model answers, quoting all it was shown.
    Model,
    /// Its letter arrives.
    Send,
}

/// The use cases of the house, on the store that is tried.
#[async_trait]
pub trait Rooms: Send + Sync {
    /// Somebody says something that wants an answer at once.
    async fn say(&self, key: &ConversationKey, message: Message);

    /// Somebody takes a message back.
    async fn unsend(&self, key: &ConversationKey, id: &MessageId);

    /// Somebody edits a message in place; the text is new.
    async fn edit(&self, key: &ConversationKey, id: &MessageId, text: &str);

    /// Runs one turn that answers through tools, if one is wanted. Whether one began.
    async fn answer(
        &self,
        key: &ConversationKey,
        model: Arc<dyn Model>,
        messenger: Arc<dyn Messenger>,
    ) -> bool;
}

/// Plays orders, so many at once, and fails with the order that breaks a promise.
pub async fn play_all(
    store: &Arc<dyn Store>,
    rooms: &Arc<dyn Rooms>,
    orders: Vec<Vec<Step>>,
    at_once: usize,
) {
    let mut playing = JoinSet::new();
    for (index, order) in orders.into_iter().enumerate() {
        let (store, rooms) = (Arc::clone(store), Arc::clone(rooms));
        let key = line_key(&format!("U{index}"));
        playing.spawn(async move { Play::new(store, rooms, key).run(&order).await });
        if playing.len() >= at_once {
            finished(playing.join_next().await);
        }
    }
    while !playing.is_empty() {
        finished(playing.join_next().await);
    }
}

fn finished(played: Option<Result<(), JoinError>>) {
    played.expect("something is playing").expect("the order keeps all promises");
}

/// The words of a message after its edit.
fn edited_words_of(id: &str) -> String {
    format!("<new words of {id}>")
}

fn id_of(number: u8) -> String {
    format!("m{number}")
}

/// One order, being played.
struct Play {
    store: Arc<dyn Store>,
    rooms: Arc<dyn Rooms>,
    key: ConversationKey,
    model: Arc<DrivenModel>,
    asks: Asks,
    messenger: Arc<DrivenMessenger>,
    posts: Posts,
    turn: JoinSet<bool>,
    asked: Option<Asked>,
    posted: Option<Posted>,
    journal: Journal,
}

/// What happened so far, as seen from outside.
#[derive(Debug, Default)]
struct Journal {
    said: Vec<u8>,
    unsent: Vec<u8>,
    edited: Vec<u8>,
    outbox: Vec<Letter>,
}

impl Play {
    fn new(store: Arc<dyn Store>, rooms: Arc<dyn Rooms>, key: ConversationKey) -> Self {
        let ((model, asks), (messenger, posts)) = (DrivenModel::new(), DrivenMessenger::new());
        let (turn, journal) = (JoinSet::new(), Journal::default());
        let (asked, posted) = (None, None);
        Self { store, rooms, key, model, asks, messenger, posts, turn, asked, posted, journal }
    }

    async fn run(mut self, order: &[Step]) {
        for step in order {
            self.step(*step, order).await;
        }
        self.finish(order).await;
        let whole = self.store.whole(&self.key).await.expect("the store answers");
        check::check(&self.journal, whole.as_ref(), order);
    }

    async fn step(&mut self, step: Step, order: &[Step]) {
        match step {
            Step::Say(number) => {
                self.rooms.say(&self.key, message(&id_of(number))).await;
                self.journal.said.push(number);
            }
            Step::Unsend(number) => {
                self.rooms.unsend(&self.key, &message_id(&id_of(number))).await;
                self.journal.unsent.push(number);
            }
            Step::Edit(number) => {
                let id = id_of(number);
                self.rooms.edit(&self.key, &message_id(&id), &edited_words_of(&id)).await;
                self.journal.edited.push(number);
            }
            Step::Begin => {
                self.begin(order).await;
            }
            Step::Model => {
                if let Some(asked) = self.asked.take() {
                    asked.answer([reply(&quote(&asked))]);
                    self.wait(order).await;
                }
            }
            Step::Send => {
                if let Some(posted) = self.posted.take() {
                    self.journal.outbox.push(posted.letter.clone());
                    posted.settle(SendOutcome::Sent);
                    self.wait(order).await;
                }
            }
        }
    }

    async fn begin(&mut self, order: &[Step]) -> Option<bool> {
        let (rooms, key) = (Arc::clone(&self.rooms), self.key.clone());
        let (model, messenger) = (Arc::clone(&self.model), Arc::clone(&self.messenger));
        self.turn.spawn(async move { rooms.answer(&key, model, messenger).await });
        self.wait(order).await
    }

    /// Until the turn asks its model, hands over a letter, or is over: then whether it had begun.
    async fn wait(&mut self, order: &[Step]) -> Option<bool> {
        if self.turn.is_empty() {
            return None;
        }
        tokio::select! {
            Some(ended) = self.turn.join_next() => {
                return Some(ended.expect("a turn does not panic"));
            }
            asked = self.asks.next() => self.asked = Some(asked),
            posted = self.posts.next() => {
                check::may_leave(&self.journal, &posted.letter, order);
                self.posted = Some(posted);
            }
        }
        None
    }

    /// Lets everything come to its end: whoever still waits is answered.
    async fn finish(&mut self, order: &[Step]) {
        for _ in 0..TURNS_MAX {
            while !self.turn.is_empty() {
                self.step(Step::Model, order).await;
                self.step(Step::Send, order).await;
                if self.asked.is_none() && self.posted.is_none() && !self.turn.is_empty() {
                    self.wait(order).await;
                }
            }
            (self.asked, self.posted) = (None, None);
            if self.begin(order).await == Some(false) {
                return;
            }
        }
        panic!("still not finished: {order:?}");
    }
}

/// Everything that people said, as the model was shown it.
fn quote(asked: &Asked) -> String {
    let heard = heard(&asked.request).replace("&lt;", "<");
    let ids = [1, 2].map(id_of);
    let words = ids.iter().flat_map(|id| [words_of(id), edited_words_of(id)]);
    let quoted: Vec<String> = words.filter(|words| heard.contains(words)).collect();
    format!("heard: {}", quoted.join(" "))
}
