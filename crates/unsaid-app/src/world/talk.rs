//! What a person does in a chat of theirs: saying, editing, taking back, undoing, stopping.
//!
//! Which of the two logs it concerns is decided by the commit (see [`crate::logs`]); whoever calls has
//! looked that world and chat are the caller's.

use unsaid_core::{
    domain::{
        conversation::{
            change::{Decided, Interrupt, Ripple},
            key::ConversationKey,
            log::Entry,
            turn::Lease,
        },
        hearing::audience_of_person,
        id::{AgentId, ChatId, EditId, IdError, MessageId, Number},
        message::{Author, Message, Part},
        routing::responders,
        text::Words,
        time::Timestamp,
        world::{Agent, World},
    },
    port::{
        error::StoreError,
        history::{History, Overview},
        keys::KeyUse,
    },
};

use crate::{
    answer::{next_speaker, voices::Voices},
    call::{Call, Once},
    edit::{Edit, EditError, Edited, Goes},
    logs::{Log, Logs},
    place::Place,
    say::{Said, Say, SayError},
    stop::{StopError, Stopped},
    undo::{Undo, UndoError, Undone},
    unsend::{UnsendError, Unsent},
};

/// Answers looked through to find those of a round.
const ANSWERS_MAX: usize = 500;
/// Stands between the two halves of an edit's name.
const EDIT_MARK: char = '.';

/// A chat of the caller, and when they act in it.
pub struct Talk<'a> {
    /// Where words go.
    pub logs: &'a Logs,
    /// Who is told.
    pub voices: &'a Voices,
    /// The caller's world.
    pub world: &'a World,
    /// Its agents.
    pub agents: &'a [Agent],
    /// One of its chats.
    pub chat: &'a ChatId,
    /// When.
    pub now: Timestamp,
    /// The caller's key, if the change must be made once only (H3).
    pub once: Option<KeyUse>,
}

/// What is edited, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The first message to forget.
    pub from: MessageId,
    /// What is said instead, under this id.
    pub with: Option<(MessageId, Words)>,
    /// Under which name it can be undone.
    pub edit: EditId,
    /// For how long, in milliseconds.
    pub undo_ms: i64,
    /// What to do with a running round.
    pub interrupt: Interrupt,
}

impl Talk<'_> {
    /// Says something. If nobody will answer, watchers are told at once.
    ///
    /// # Errors
    /// See [`SayError`].
    pub async fn say(&self, id: MessageId, words: Words) -> Result<(Log, Once<Said>), SayError> {
        let (message, wants_answer) = self.message(id, words);
        let call = self.call();
        let asked = Say { call, message, delivery: None, wants_answer, way_back: None };
        let (log, said) = self.logs.say(asked).await?;
        if wants_answer.is_none() && matches!(said, Once::Made(_)) {
            self.nobody_answers();
        }
        Ok((log, said))
    }

    /// Forgets from a message on, and says something instead if that is wanted, in one commit (H6).
    ///
    /// # Errors
    /// See [`EditError`].
    pub async fn edit(&self, change: Change) -> Result<(Log, Once<Edited>), EditError> {
        let Change { from, with, edit, undo_ms, interrupt } = change;
        if self.waits_for_agents(interrupt).await? {
            return Err(EditError::TurnInProgress { until: self.now });
        }
        let with = with.map(|(id, words)| self.message(id, words));
        let unanswered = with.as_ref().is_some_and(|(_, wants_answer)| wants_answer.is_none());
        let call = self.call();
        let from = from.into();
        let (expect, goes) = (None, Goes::WhereConsentWants);
        let asked = Edit { call, from, with, id: edit, undo_ms, interrupt, expect, goes };
        let (log, edited) = self.logs.edit(asked).await?;
        if unanswered && matches!(edited, Once::Made(_)) {
            self.nobody_answers();
        }
        Ok((log, edited))
    }

    /// Brings an edit to its end that was made before and perhaps broken off; there is nothing to do
    /// for all others.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn complete_edit(&self) -> Result<(), StoreError> {
        self.logs.complete_crossing(&self.call()).await
    }

    /// Takes one message back (H4); gives in which log it was.
    ///
    /// # Errors
    /// See [`UnsendError`].
    pub async fn unsend(
        &self,
        id: MessageId,
        ripple: Ripple,
    ) -> Result<(Log, Once<Unsent>), UnsendError> {
        self.logs.unsend(self.call(), id, ripple).await
    }

    /// Undoes an edit or a removal.
    ///
    /// # Errors
    /// See [`UndoError`].
    pub async fn undo(
        &self,
        edit: EditId,
        interrupt: Interrupt,
    ) -> Result<(Log, Once<Undone>), UndoError> {
        if self.waits_for_agents(interrupt).await? {
            return Err(UndoError::TurnInProgress { until: self.now });
        }
        self.logs.undo(Undo { call: self.call(), id: edit, interrupt }).await
    }

    /// Whether agents answer or are about to. The commit refuses once more if they have begun by then.
    async fn waits_for_agents(&self, interrupt: Interrupt) -> Result<bool, StoreError> {
        match interrupt {
            Interrupt::Yes => Ok(false),
            Interrupt::No => self.logs.is_answering(&self.key(), self.now).await,
        }
    }

    /// Stops the running round, also if it is only about to begin.
    ///
    /// # Errors
    /// See [`StopError`].
    pub async fn stop(&self) -> Result<Stopped, StopError> {
        let stopped = self.logs.stop(self.call()).await?;
        self.voices.over(&self.key());
        Ok(stopped)
    }

    /// Who is asked now, or will be next, in a round that runs here or elsewhere.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn active(&self) -> Result<Option<Vec<AgentId>>, StoreError> {
        let key = self.key();
        for log in [Log::Kept, Log::Volatile] {
            let history = &self.logs.side(log).history;
            let Some(overview) = history.overview(&key).await? else { continue };
            if !is_busy(&overview, self.now) {
                continue;
            }
            if let Some(speaker) = self.voices.speaker(&key) {
                return Ok(Some(vec![speaker]));
            }
            let Some(turn) = overview.turn else { return Ok(Some(Vec::new())) };
            let said = self.said_in(history.as_ref(), &turn).await?;
            let next = next_speaker(self.world, self.agents, &turn, &said);
            return Ok(Some(next.into_iter().collect()));
        }
        Ok(None)
    }

    /// What a turn was asked, and all that came after.
    async fn said_in(&self, history: &dyn History, turn: &Lease) -> Result<Vec<Entry>, StoreError> {
        let Some(first) = turn.questions.first() else { return Ok(Vec::new()) };
        let before = Number::new(first.get().saturating_sub(1));
        history.entries_after(&self.key(), before, ANSWERS_MAX).await
    }

    /// The answers that were given to a message, in order.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn answers_to(
        &self,
        log: Log,
        question: &MessageId,
    ) -> Result<Vec<Entry>, StoreError> {
        let found = self.logs.side(log).history.find(&self.key(), question).await?;
        match found {
            Some(question) => self.answers(log, &question).await,
            None => Ok(Vec::new()),
        }
    }

    /// What broke when a message was to be answered last, by a short constant name.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn failure_of(
        &self,
        log: Log,
        question: &MessageId,
    ) -> Result<Option<String>, StoreError> {
        let (history, key) = (&self.logs.side(log).history, self.key());
        let asked = history.find(&key, question).await?;
        let Some(turn) = asked.and_then(|asked| asked.asked_in.last().copied()) else {
            return Ok(None);
        };
        let ended = history.turns(&key, Some(turn.next()), 1).await?.pop();
        Ok(ended.filter(|ended| ended.fence == turn).and_then(|ended| match ended.decided {
            Decided::Failed { code } => Some(code),
            Decided::Answered
            | Decided::Silent
            | Decided::Stopped
            | Decided::Cancelled
            | Decided::Released => None,
        }))
    }

    async fn answers(&self, log: Log, question: &Entry) -> Result<Vec<Entry>, StoreError> {
        let history = &self.logs.side(log).history;
        let after = history.entries_after(&self.key(), question.number, ANSWERS_MAX).await?;
        let is_answer =
            |entry: &Entry| entry.turn.is_some_and(|turn| question.asked_in.contains(&turn));
        Ok(after.into_iter().filter(|entry| entry.is_heard() && is_answer(entry)).collect())
    }

    /// The chat as a conversation.
    #[must_use]
    pub fn key(&self) -> ConversationKey {
        ConversationKey::Chat(self.chat.clone())
    }

    /// The chat as a place to talk.
    #[must_use]
    pub fn place(&self) -> Place {
        Place::chat(self.world.owner.clone(), self.chat.clone())
    }

    fn call(&self) -> Call {
        Call { place: self.place(), now: self.now, once: self.once.clone() }
    }

    /// What a person says, and from when on it wants an answer; nobody is waited for who is not there.
    fn message(&self, id: MessageId, words: Words) -> (Message, Option<Timestamp>) {
        let author = Author::Person(Some(self.world.owner.clone()));
        let due = responders(self.world, self.agents, &author, words.as_str());
        let message = Message {
            id,
            author,
            at: self.now,
            reply_to: None,
            audience: audience_of_person(self.world),
            parts: vec![Part::text(words)],
        };
        (message, (!due.is_empty()).then_some(self.now))
    }

    fn nobody_answers(&self) {
        self.voices.nobody(&self.key());
        self.voices.over(&self.key());
    }
}

/// Whether nobody will say any more about a message: it was answered, or will not be.
///
/// # Errors
/// If the store fails.
pub async fn is_settled(
    history: &dyn History,
    key: &ConversationKey,
    question: &MessageId,
) -> Result<bool, StoreError> {
    let Some(entry) = history.find(key, question).await? else { return Ok(true) };
    if entry.waiting {
        return Ok(false);
    }
    let turn = history.overview(key).await?.and_then(|overview| overview.turn);
    Ok(!turn.is_some_and(|turn| turn.questions.contains(&entry.number)))
}

/// A name for an edit in a chat, by which the chat is found again.
///
/// # Errors
/// If the two are too long together.
pub fn edit_id(chat: &ChatId, own: &str) -> Result<EditId, IdError> {
    EditId::new(format!("{chat}{EDIT_MARK}{own}"))
}

/// The chat of an edit.
#[must_use]
pub fn chat_of_edit(edit: &EditId) -> Option<ChatId> {
    let (chat, _) = edit.as_str().rsplit_once(EDIT_MARK)?;
    ChatId::new(chat).ok()
}

fn is_busy(overview: &Overview, now: Timestamp) -> bool {
    let runs = overview.turn.as_ref().is_some_and(|lease| now < lease.until);
    runs || overview.wanted_at.is_some()
}
