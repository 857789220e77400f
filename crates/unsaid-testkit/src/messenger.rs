//! Messengers for tests: they record what they were asked, and can fail, lose answers and hang.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard},
};

use async_trait::async_trait;
use tokio::sync::{
    mpsc::{self, UnboundedReceiver, UnboundedSender},
    oneshot,
};
use unsaid_core::{
    domain::conversation::change::SendOutcome,
    port::messenger::{Letter, Messenger},
};

/// What becomes of a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Post {
    /// It arrives.
    Arrives,
    /// It certainly does not.
    Fails,
    /// It arrives, but nobody can tell.
    LosesAnswer,
    /// It does not arrive, but nobody can tell.
    LosesLetter,
    /// It arrives, and the answer never comes.
    Hangs,
}

/// What came to a messenger.
#[derive(Debug, Default)]
struct Book {
    asked: Vec<Letter>,
    outbox: Vec<Letter>,
    plans: VecDeque<Post>,
}

/// A messenger that does as planned, and otherwise delivers.
#[derive(Debug, Default)]
pub struct RecordingMessenger {
    book: Mutex<Book>,
}

impl RecordingMessenger {
    /// One that delivers.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// The next letters fare like this, one after the other.
    pub fn plan(&self, posts: impl IntoIterator<Item = Post>) {
        self.lock().plans.extend(posts);
    }

    /// Every letter it was given.
    #[must_use]
    pub fn asked(&self) -> Vec<Letter> {
        self.lock().asked.clone()
    }

    /// Every letter that arrived.
    #[must_use]
    pub fn outbox(&self) -> Vec<Letter> {
        self.lock().outbox.clone()
    }

    fn take(&self, letter: &Letter) -> Post {
        let mut book = self.lock();
        book.asked.push(letter.clone());
        let post = book.plans.pop_front().unwrap_or(Post::Arrives);
        match post {
            Post::Arrives | Post::LosesAnswer | Post::Hangs => book.outbox.push(letter.clone()),
            Post::Fails | Post::LosesLetter => {}
        }
        post
    }

    fn lock(&self) -> MutexGuard<'_, Book> {
        self.book.lock().expect("nothing panics while it holds this lock")
    }
}

#[async_trait]
impl Messenger for RecordingMessenger {
    async fn send(&self, letter: &Letter) -> SendOutcome {
        match self.take(letter) {
            Post::Arrives => SendOutcome::Sent,
            Post::Fails => SendOutcome::Failed,
            Post::LosesAnswer | Post::LosesLetter => SendOutcome::Unknown,
            Post::Hangs => std::future::pending().await,
        }
    }
}

/// A messenger in the hand of the test.
pub struct DrivenMessenger {
    posted: UnboundedSender<Posted>,
}

/// What such a messenger is given, as it comes.
pub struct Posts {
    posted: UnboundedReceiver<Posted>,
}

/// One letter, whose fate the test decides. Dropping it leaves the sender without an answer.
pub struct Posted {
    /// The letter.
    pub letter: Letter,
    outcome: oneshot::Sender<SendOutcome>,
}

impl DrivenMessenger {
    /// A messenger, and what it is given.
    #[must_use]
    pub fn new() -> (Arc<Self>, Posts) {
        let (posted, posts) = mpsc::unbounded_channel();
        (Arc::new(Self { posted }), Posts { posted: posts })
    }
}

impl Posts {
    /// Waits for the next letter.
    pub async fn next(&mut self) -> Posted {
        self.posted.recv().await.expect("the messenger is still there")
    }

    /// Whether no letter is waiting.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.posted.is_empty()
    }
}

impl Posted {
    /// Says what became of it. Whether anybody still waits does not matter.
    pub fn settle(self, outcome: SendOutcome) {
        self.outcome.send(outcome).ok();
    }
}

#[async_trait]
impl Messenger for DrivenMessenger {
    async fn send(&self, letter: &Letter) -> SendOutcome {
        let (outcome, told) = oneshot::channel();
        drop(self.posted.send(Posted { letter: letter.clone(), outcome }));
        match told.await {
            Ok(outcome) => outcome,
            Err(_) => std::future::pending().await,
        }
    }
}
