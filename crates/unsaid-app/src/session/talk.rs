//! What is said in a session, and hearing the answer.

use unsaid_core::{
    domain::{
        conversation::{change::Interrupt, log::Entry},
        id::{EditId, IdError, MessageId, Version},
        message::{Audience, Author, Message, Part},
        person::Person,
        session::Session,
        text::Words,
        time::Timestamp,
    },
    port::{error::StoreError, keys::KeyUse},
};

use super::{Room, Speeches, place};
use crate::{
    answer::speech::Ear,
    call::{Call, Once, out_of_contract},
    edit::{Edit, EditError, Goes},
    logs::{Log, Logs, view::Shown},
    place::Place,
    say::{Said, Say, SayError},
};

/// Messages among which the last question is looked for.
const NEWEST_MESSAGES: usize = 50;
/// Messages after a question among which its answer is looked for.
const ANSWERED_WITHIN: usize = 10;

/// Somebody talks in a session of theirs that is active.
pub struct Talk<'a> {
    /// Where words go.
    pub logs: &'a Logs,
    /// Where answers are heard.
    pub speeches: &'a Speeches,
    /// Who talks, as the account is now.
    pub person: &'a Person,
    /// Where.
    pub session: &'a Session,
    /// When.
    pub now: Timestamp,
    /// The caller's key, if it must happen once only.
    pub once: Option<KeyUse>,
}

/// What was said will be answered, or has been.
#[derive(Debug)]
pub enum Answering {
    /// The answer can be heard as it comes.
    Live {
        /// Where both are.
        log: Log,
        /// What is answered.
        question: MessageId,
        /// Hears it.
        ear: Ear,
    },
    /// The same was said before, and nothing changed.
    Before {
        /// What was said.
        question: MessageId,
    },
}

/// Why nothing is answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TalkError {
    /// An answer is being given.
    #[error("an answer is being given")]
    Busy,
    /// There is no such message, or it was taken back.
    #[error("no such message")]
    NotFound,
    /// The session was deleted meanwhile.
    #[error("no such session")]
    NoSession,
    /// The message is not a person's.
    #[error("not a person's message")]
    NotAPersons,
    /// Somebody else changed the session meanwhile.
    #[error("the session has changed")]
    VersionConflict,
    /// The caller used this key before, for something else.
    #[error("the key was used for another call")]
    KeyReused,
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] StoreError),
}

impl Talk<'_> {
    /// Says something new. The id of a message that is there already changes nothing.
    ///
    /// # Errors
    /// See [`TalkError`].
    pub async fn say(&self, id: MessageId, words: Words) -> Result<Answering, TalkError> {
        let room = self.enter().await?;
        let asked = Say {
            call: self.call(),
            message: self.message(id.clone(), vec![Part::text(words)]),
            delivery: None,
            wants_answer: Some(self.now),
            way_back: None,
        };
        let (log, said) = self.logs.say(asked).await?;
        match said {
            Once::Made(Said::Stored { .. }) => {
                Ok(Answering::Live { log, question: id, ear: room.listen() })
            }
            Once::Made(Said::Known) => Ok(Answering::Before { question: id }),
            Once::Made(Said::TakenBack) => Err(TalkError::NotFound),
            Once::Made(refused @ Said::NotStored) => Err(out_of_contract(refused).into()),
            Once::Repeated(before) => repeated(&before),
        }
    }

    /// Says something else instead of a message of before; everything after it is forgotten. It keeps
    /// its id, so that a client can do so again.
    ///
    /// # Errors
    /// See [`TalkError`].
    pub async fn edit(&self, id: MessageId, words: Words) -> Result<Answering, TalkError> {
        self.replace(id, vec![Part::text(words)], (None, Goes::WhereConsentWants)).await
    }

    /// Answers anew: what was answered to this answer's question, or to the last question, is
    /// forgotten with everything after it. The question stays where it was said.
    ///
    /// # Errors
    /// See [`TalkError`].
    pub async fn regenerate(&self, of: Option<&MessageId>) -> Result<Answering, TalkError> {
        let place = self.place();
        let key = place.conversation();
        let kept = self.logs.kept.history.overview(key).await?;
        let in_memory = self.logs.volatile.history.overview(key).await?;
        let (log, question) = self.question(of).await?.ok_or(TalkError::NotFound)?;
        let (seen, goes) = match log {
            Log::Kept => (kept, Goes::WhereConsentWants),
            Log::Volatile => (in_memory, Goes::WhereItWas),
        };
        let version = seen.map(|overview| overview.version);
        self.replace(question.message.id, question.message.parts, (version, goes)).await
    }

    /// A heard message that this person can see.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn find(&self, id: &MessageId) -> Result<Option<(Log, Entry)>, StoreError> {
        self.logs.find(&self.place(), self.is_kept(), id).await
    }

    /// The answer that was given to a question, and where it is.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn answer_to(
        &self,
        question: &MessageId,
    ) -> Result<Option<(Log, Entry)>, StoreError> {
        let Some((log, _)) = self.find(question).await? else { return Ok(None) };
        let place = self.place();
        let history = &self.logs.side(log).history;
        let tail = history.tail(place.conversation(), question, ANSWERED_WITHIN).await?;
        let after = tail.into_iter().flat_map(|tail| tail.preview);
        Ok(after.filter(|entry| !entry.message.author.is_person()).map(|entry| (log, entry)).next())
    }

    async fn replace(
        &self,
        from: MessageId,
        parts: Vec<Part>,
        (expect, goes): (Option<Version>, Goes),
    ) -> Result<Answering, TalkError> {
        let room = self.enter().await?;
        let asked = Edit {
            call: self.call(),
            from: from.clone().into(),
            with: Some((self.message(from.clone(), parts), Some(self.now))),
            id: no_undo().map_err(out_of_contract)?,
            undo_ms: 0,
            interrupt: Interrupt::No,
            expect,
            goes,
        };
        let (log, edited) = self.logs.edit(asked).await?;
        match edited {
            Once::Made(_) => Ok(Answering::Live { log, question: from, ear: room.listen() }),
            Once::Repeated(before) => repeated(&before),
        }
    }

    /// The question that an answer was given to, or the last one, and where it is.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn question(
        &self,
        of: Option<&MessageId>,
    ) -> Result<Option<(Log, Entry)>, StoreError> {
        let Some(id) = of else { return self.last_question().await };
        let Some((log, entry)) = self.find(id).await? else { return Ok(None) };
        if entry.message.author.is_person() {
            return Ok(Some((log, entry)));
        }
        match &entry.message.reply_to {
            Some(question) => self.find(question).await,
            None => Ok(None),
        }
    }

    async fn last_question(&self) -> Result<Option<(Log, Entry)>, StoreError> {
        let shown = if self.is_kept() { Shown::Both } else { Shown::InMemory };
        let place = self.place();
        let newest = self.logs.page(place.conversation(), shown, None, NEWEST_MESSAGES).await?;
        let mut newest = newest.into_iter().flatten().map(|placed| (placed.log, placed.entry));
        Ok(newest.rfind(|(_, entry)| entry.message.author.is_person()))
    }

    /// The room for the next answer.
    async fn enter(&self) -> Result<Room, TalkError> {
        let room = self.speeches.enter(self.session).ok_or(TalkError::Busy)?;
        let place = self.place();
        let busy = self.logs.is_answering(place.conversation(), self.now).await?;
        if busy { Err(TalkError::Busy) } else { Ok(room) }
    }

    fn message(&self, id: MessageId, parts: Vec<Part>) -> Message {
        Message {
            id,
            author: Author::Person(Some(self.person.id.clone())),
            at: self.now,
            reply_to: None,
            audience: Audience::default(),
            parts,
        }
    }

    fn call(&self) -> Call {
        Call { place: self.place(), now: self.now, once: self.once.clone() }
    }

    fn place(&self) -> Place {
        place(self.session)
    }

    /// Whether what is kept can be seen.
    fn is_kept(&self) -> bool {
        self.person.consent.is_on()
    }
}

fn repeated(before: &KeyUse) -> Result<Answering, TalkError> {
    let question = before.ids.first().and_then(|id| MessageId::new(id.as_str()).ok());
    Ok(Answering::Before { question: question.ok_or(TalkError::NotFound)? })
}

/// Sessions have no undo, so no edit is ever asked for by this name.
fn no_undo() -> Result<EditId, IdError> {
    EditId::new("none")
}

impl From<SayError> for TalkError {
    fn from(error: SayError) -> Self {
        match error {
            SayError::KeyReused => Self::KeyReused,
            SayError::NoSuchPlace => Self::NoSession,
            SayError::Broken(error) => Self::Broken(error),
        }
    }
}

impl From<EditError> for TalkError {
    fn from(error: EditError) -> Self {
        match error {
            // An id that was taken back cannot come again.
            EditError::NotFound | EditError::IdTaken => Self::NotFound,
            EditError::NotAPersons => Self::NotAPersons,
            EditError::TurnInProgress { .. } | EditError::AnswerOnItsWay { .. } => Self::Busy,
            EditError::VersionConflict => Self::VersionConflict,
            EditError::KeyReused => Self::KeyReused,
            EditError::Broken(error) => Self::Broken(error),
            refused @ EditError::NoConsent => Self::Broken(out_of_contract(refused)),
        }
    }
}
