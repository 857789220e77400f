//! Who speaks in the chats of this process: words as they come, and what watchers are told about the
//! round around them. Nothing of it is kept.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use unsaid_core::domain::{
    conversation::key::ConversationKey,
    id::{AgentId, Fence, MessageId},
    text::Words,
};

use super::speech::{Ear, Listener as _, Speech, SpeechEnd};
use crate::event::{Notice, RoundNotice, Watchers};

/// See the module. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Voices {
    speaking: Arc<Mutex<Speaking>>,
    watchers: Arc<Watchers>,
}

type Speaking = HashMap<ConversationKey, Spoken>;

/// An answer that is being spoken, for whoever wants to hear it.
#[derive(Debug, Clone)]
pub struct Spoken {
    agent: AgentId,
    id: MessageId,
    fence: Fence,
    speech: Arc<Speech>,
}

impl PartialEq for Spoken {
    /// The same answer.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.speech, &other.speech)
    }
}

impl Eq for Spoken {}

impl Spoken {
    /// Hears it from its beginning, also if it has ended meanwhile.
    #[must_use]
    pub fn listen(&self) -> Heard {
        let Self { agent, id, fence, speech } = self;
        Heard { agent: agent.clone(), id: id.clone(), fence: *fence, ear: speech.listen() }
    }
}

/// An answer that is being spoken; dropping it before its end cancels it.
#[derive(Debug)]
pub(super) struct Voice<'a> {
    voices: &'a Voices,
    key: &'a ConversationKey,
    agent: AgentId,
    id: MessageId,
    speech: Arc<Speech>,
    ended: bool,
}

/// An answer that can be heard.
#[derive(Debug)]
pub struct Heard {
    /// Who speaks.
    pub agent: AgentId,
    /// Under which id it will be in the log.
    pub id: MessageId,
    /// The turn it is part of.
    pub fence: Fence,
    /// Hears it from its beginning.
    pub ear: Ear,
}

impl Voices {
    /// Nobody speaks yet; these are told when somebody does.
    #[must_use]
    pub fn new(watchers: Arc<Watchers>) -> Self {
        Self { speaking: Arc::default(), watchers }
    }

    /// Who speaks in a chat.
    #[must_use]
    pub fn listen(&self, key: &ConversationKey) -> Option<Heard> {
        self.lock().get(key).map(Spoken::listen)
    }

    /// Who speaks in a chat, by name.
    #[must_use]
    pub fn speaker(&self, key: &ConversationKey) -> Option<AgentId> {
        self.lock().get(key).map(|spoken| spoken.agent.clone())
    }

    /// Nobody answers what was said.
    pub fn nobody(&self, key: &ConversationKey) {
        self.tell(key, RoundNotice::NoResponder);
    }

    /// A round broke, and nobody answered.
    pub(super) fn failed(&self, key: &ConversationKey, code: &'static str) {
        self.tell(key, RoundNotice::Failed { code });
    }

    /// An agent is not asked any more, because it or all together were asked often enough.
    pub(super) fn limit(&self, key: &ConversationKey, agent: AgentId) {
        self.tell(key, RoundNotice::Limit { agent });
    }

    /// A round is over, or there was none.
    pub fn over(&self, key: &ConversationKey) {
        self.tell(key, RoundNotice::Over);
    }

    /// An agent is asked.
    pub(super) fn begin<'a>(
        &'a self,
        key: &'a ConversationKey,
        agent: &AgentId,
        id: &MessageId,
        fence: Fence,
    ) -> Voice<'a> {
        let speech = Arc::new(Speech::default());
        speech.begins(id);
        let (agent, id) = (agent.clone(), id.clone());
        let told = Arc::clone(&speech);
        let spoken = Spoken { agent: agent.clone(), id: id.clone(), fence, speech: told };
        self.lock().insert(key.clone(), spoken.clone());
        self.tell(key, RoundNotice::Begins(spoken));
        Voice { voices: self, key, agent, id, speech, ended: false }
    }

    fn tell(&self, key: &ConversationKey, notice: RoundNotice) {
        self.watchers.tell(key, &Notice::Round(notice));
    }

    /// Every change under this lock is whole, so a panic elsewhere leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, Speaking> {
        self.speaking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Voice<'_> {
    /// More words.
    pub(super) fn more(&self, words: &Words) {
        self.speech.more(words);
    }

    /// Nothing more is said.
    pub(super) fn ends(mut self, end: SpeechEnd) {
        self.finish(end);
    }

    fn finish(&mut self, end: SpeechEnd) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        self.voices.lock().remove(self.key);
        self.speech.ends(end);
        let (agent, id) = (self.agent.clone(), self.id.clone());
        self.voices.tell(self.key, RoundNotice::Ends { agent, id, end });
    }
}

impl Drop for Voice<'_> {
    fn drop(&mut self) {
        self.finish(SpeechEnd::Cancelled);
    }
}
