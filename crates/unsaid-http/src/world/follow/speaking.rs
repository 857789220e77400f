//! What is just being spoken.

use unsaid_app::answer::speech::{Ear, Heard, SpeechEnd};
use unsaid_app::answer::voices::Heard as Voice;
use unsaid_app::event::{Notice, RoundNotice};
use unsaid_app::logs::Log;
use unsaid_core::domain::id::{AgentId, Fence, MessageId};
use unsaid_core::port::error::StoreError;

use super::{Follow, WHOLE_MAX};
use crate::chat::stream::sentence;
use crate::world::frame::{SseKind, WorldKind};

/// An answer that is being spoken.
pub(super) struct Speaking {
    pub(super) agent: AgentId,
    pub(super) id: MessageId,
    pub(super) ear: Option<Ear>,
    /// The turn it is part of.
    fence: Fence,
    /// Whether something of it was passed on.
    is_heard: bool,
}

impl Speaking {
    /// From its beginning.
    pub(super) fn of(voice: Voice) -> Self {
        let Voice { agent, id, fence, ear } = voice;
        Self { agent, id, ear: Some(ear), fence, is_heard: false }
    }
}

impl Follow {
    /// Who comes late hears what is being spoken from its beginning.
    pub(super) fn say_who_speaks(&mut self) {
        if let Some(speaking) = &self.speaking {
            let (id, agent) = (speaking.id.clone(), speaking.agent.clone());
            self.announce(id, agent);
        }
    }

    fn announce(&mut self, id: MessageId, agent: AgentId) {
        self.say_world(WorldKind::ResponseStart, vec![agent]);
        self.announced = Some(id);
    }

    pub(super) fn begins(&mut self, voice: Voice) {
        if self.speaks(&voice.id) {
            return;
        }
        self.announce(voice.id.clone(), voice.agent.clone());
        if !self.whole.contains(&voice.id) {
            self.speaking = Some(Speaking::of(voice));
        }
    }

    /// Whether this is what is being spoken.
    pub(super) fn speaks(&self, id: &MessageId) -> bool {
        self.speaking.as_ref().is_some_and(|speaking| speaking.id == *id)
    }

    /// Whoever reads the table may be ahead of the notices. Words that come after the whole message
    /// would be said twice, or after they were taken back.
    pub(super) fn is_whole(&mut self, id: &MessageId) {
        if self.whole.len() == WHOLE_MAX {
            self.whole.pop_front();
        }
        self.whole.push_back(id.clone());
    }

    pub(super) fn hear(&mut self, heard: Option<Heard>) {
        match heard {
            Some(Heard::Begins(_)) => {}
            Some(Heard::More(words)) => self.chunk(words.as_str()),
            // How it ended is told apart, when the log has it.
            Some(Heard::Ends(_)) | None => {
                if let Some(speaking) = &mut self.speaking {
                    speaking.ear = None;
                }
            }
        }
    }

    pub(super) fn chunk(&mut self, words: &str) {
        let Some(mut speaking) = self.speaking.take() else { return };
        if !std::mem::replace(&mut speaking.is_heard, true) {
            self.say_sse(&speaking, SseKind::Start, None);
        }
        self.say_sse(&speaking, SseKind::Chunk, Some(words));
        self.speaking = Some(speaking);
    }

    /// Whether it is the end of an answer of which nobody heard here that it begins.
    pub(super) fn is_unheard(&self, notice: &Notice) -> bool {
        matches!(notice, Notice::Round(RoundNotice::Ends { id, .. })
            if self.announced.as_ref() != Some(id))
    }

    pub(super) fn ends(&mut self, id: &MessageId, end: SpeechEnd) {
        if self.speaks(id) {
            match end {
                SpeechEnd::Kept | SpeechEnd::Silent => self.is_spoken(),
                // It is whole, and nowhere but here.
                SpeechEnd::NotKept => {
                    self.hear_out();
                    self.is_broken_off("History storage was switched off meanwhile", true);
                }
                SpeechEnd::Failed(code) => self.is_broken_off(sentence(code), true),
                SpeechEnd::Cancelled => self.is_broken_off("Cancelled", false),
                SpeechEnd::HandedBack => self.is_broken_off("The server is restarting", false),
            }
        }
        self.announced = None;
        self.say_world(WorldKind::ResponseEnd, Vec::new());
    }

    /// An answer is whole: what is left of it, and its end.
    pub(super) fn is_spoken(&mut self) {
        self.hear_out();
        if let Some(speaking) = self.speaking.take().filter(|speaking| speaking.is_heard) {
            self.say_sse(&speaking, SseKind::End, None);
        }
    }

    fn hear_out(&mut self) {
        let ear = self.speaking.as_mut().and_then(|speaking| speaking.ear.take());
        if let Some(mut ear) = ear {
            while let Some(heard) = ear.now() {
                if let Heard::More(words) = heard {
                    self.chunk(words.as_str());
                }
            }
        }
    }

    /// Something was taken back or stopped, here or on another server. If that has ended the turn of
    /// whoever speaks, nothing more of it is passed on, even before they know themselves (H5).
    pub(super) async fn look_whether_taken_back(&mut self) -> Result<(), StoreError> {
        let Some(speaking) = &self.speaking else { return Ok(()) };
        let (fence, id, key) = (speaking.fence, speaking.id.clone(), self.key());
        for log in [Log::Kept, Log::Volatile] {
            let overview = self.history(log).overview(&key).await?;
            let runs =
                overview.and_then(|overview| overview.turn).map(|turn| turn.fence) == Some(fence);
            // Or it has just ended, with all its words.
            if runs || self.history(log).find(&key, &id).await?.is_some() {
                return Ok(());
            }
        }
        self.is_broken_off("Cancelled", false);
        Ok(())
    }

    /// Nothing more of an answer is said, and nothing of it is kept.
    pub(super) fn is_broken_off(&mut self, why: &str, always: bool) {
        let speaking = self.speaking.take();
        if let Some(speaking) = speaking.filter(|speaking| always || speaking.is_heard) {
            self.say_sse(&speaking, SseKind::Error, Some(why));
        }
    }
}

/// What is heard next; nothing without an ear.
pub(super) async fn next_of(ear: Option<&mut Ear>) -> Option<Heard> {
    match ear {
        Some(ear) => ear.next().await,
        None => std::future::pending().await,
    }
}
