//! Words as they come, for those who listen while a model speaks.
//!
//! Nobody who speaks waits for somebody who listens, and nothing queues up: the text so far is kept
//! once, and every ear reads from where it is. Who comes late or is slow gets more at a time.

use std::fmt;

use tokio::sync::watch;
use unsaid_core::domain::{id::MessageId, text::Words};

/// Who is told what a model says. Its functions come back at once.
pub trait Listener: Send + Sync {
    /// An answer begins; whatever began before is void.
    fn begins(&self, id: &MessageId);
    /// More words of it.
    fn more(&self, words: &Words);
    /// It is over.
    fn ends(&self, end: SpeechEnd);
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeechEnd {
    /// It is whole, and in the history.
    Kept,
    /// It is whole, and nowhere: consent was withdrawn meanwhile.
    NotKept,
    /// It is not whole, and nothing of it is kept; the name says why.
    Failed(&'static str),
    /// It was decided to say nothing.
    Silent,
    /// What it was about was taken back, or somebody stopped it; nothing of it is kept.
    Cancelled,
    /// It was handed back, and begins anew elsewhere; nothing of it is kept.
    HandedBack,
}

/// The answer of a conversation that is being spoken.
#[derive(Debug)]
pub struct Speech {
    spoken: watch::Sender<Spoken>,
}

#[derive(Default)]
struct Spoken {
    /// Rises with every answer, so that ears know a new one.
    round: u64,
    id: Option<MessageId>,
    text: String,
    end: Option<SpeechEnd>,
}

impl fmt::Debug for Spoken {
    /// Without the words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Spoken({:?}, {} bytes, {:?})", self.id, self.text.len(), self.end)
    }
}

/// Hears one speech, from the beginning of the answer that is being spoken.
#[derive(Debug)]
pub struct Ear {
    spoken: watch::Receiver<Spoken>,
    round: u64,
    heard_bytes: usize,
    ended: bool,
}

/// What an ear hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// An answer begins; whatever was heard before is void.
    Begins(MessageId),
    /// More of it.
    More(Words),
    /// It is over.
    Ends(SpeechEnd),
}

impl Default for Speech {
    fn default() -> Self {
        Self { spoken: watch::Sender::new(Spoken::default()) }
    }
}

impl Speech {
    /// Listens.
    #[must_use]
    pub fn listen(&self) -> Ear {
        Ear { spoken: self.spoken.subscribe(), round: 0, heard_bytes: 0, ended: false }
    }
}

impl Listener for Speech {
    fn begins(&self, id: &MessageId) {
        self.spoken.send_modify(|spoken| {
            let round = spoken.round + 1;
            *spoken = Spoken { round, id: Some(id.clone()), text: String::new(), end: None };
        });
    }

    fn more(&self, words: &Words) {
        self.spoken.send_modify(|spoken| spoken.text.push_str(words.as_str()));
    }

    fn ends(&self, end: SpeechEnd) {
        self.spoken.send_modify(|spoken| {
            spoken.end = Some(end);
            // What was taken back is heard by nobody any more.
            if end == SpeechEnd::Cancelled {
                spoken.text = String::new();
            }
        });
    }
}

impl Ear {
    /// The next thing; `None` when the speaker is gone.
    pub async fn next(&mut self) -> Option<Heard> {
        loop {
            if let Some(heard) = self.now() {
                return Some(heard);
            }
            self.spoken.changed().await.ok()?;
        }
    }

    /// Waits until it is over, or the speaker is gone.
    pub async fn hear_out(mut self) {
        while let Some(heard) = self.next().await {
            if matches!(heard, Heard::Ends(_)) {
                return;
            }
        }
    }

    /// The next thing, if it is there already.
    pub fn now(&mut self) -> Option<Heard> {
        let spoken = self.spoken.borrow_and_update();
        if spoken.round != self.round {
            (self.round, self.heard_bytes, self.ended) = (spoken.round, 0, false);
            return spoken.id.clone().map(Heard::Begins);
        }
        let more = spoken.text.get(self.heard_bytes..).unwrap_or_default();
        if !more.is_empty() {
            self.heard_bytes = spoken.text.len();
            return Some(Heard::More(Words::lossy(more)));
        }
        let end = spoken.end.filter(|_| !self.ended)?;
        self.ended = true;
        Some(Heard::Ends(end))
    }
}
