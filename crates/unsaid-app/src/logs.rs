//! The two logs of a conversation that belongs to a person: what is kept, and what is only in memory
//! because they want nothing kept (H7).
//!
//! Which of them takes new words is decided in the commit, never before it. While consent is on the
//! kept log is the conversation; while it is off the one in memory is, and what is kept is hidden (H8).

mod crossing;
mod edit;
mod undo;
pub mod view;

use std::sync::Arc;

use tokio::time::timeout;

use unsaid_core::{
    domain::{
        conversation::{
            change::{Interrupt, Outcome, Ripple},
            key::ConversationKey,
            log::Entry,
        },
        id::MessageId,
        time::Timestamp,
    },
    port::{error::StoreError, history::History},
};

pub use self::crossing::Crossings;
use crate::{
    call::{Call, Once, STORAGE_MAX, too_slow, within_storage_time},
    edit::{Edit, EditError, Edited},
    event::{Notice, Watchers},
    place::Place,
    say::{Said, Say, SayError, say},
    stop::{Reach, StopError, Stopped, stop},
    undo::{Undo, UndoError, Undone, undo},
    unsend::{Unsend, UnsendError, Unsent, unsend},
    worker::Wake,
};

/// Messages among which the newest that waits is looked for: little follows it.
const WAITING_AMONG: usize = 50;

/// See the module.
#[derive(Clone)]
pub struct Logs {
    /// What is kept.
    pub kept: Side,
    /// What is only in memory.
    pub volatile: Side,
    /// Who is told.
    pub watchers: Arc<Watchers>,
    /// Who leads something from one log to the other.
    pub crossing: Arc<Crossings>,
}

/// One of the two.
#[derive(Clone)]
pub struct Side {
    /// The log.
    pub history: Arc<dyn History>,
    /// Who answers there.
    pub wake: Wake,
}

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// It is kept.
    Kept,
    /// It is gone with the process.
    Volatile,
}

impl Log {
    /// Whether what is there is kept.
    #[must_use]
    pub fn is_kept(self) -> bool {
        match self {
            Self::Kept => true,
            Self::Volatile => false,
        }
    }

    /// A place as it is in this log.
    #[must_use]
    pub fn place(self, place: Place) -> Place {
        match self {
            Self::Kept => place,
            Self::Volatile => place.in_memory(),
        }
    }
}

impl Logs {
    /// One of them.
    #[must_use]
    pub fn side(&self, log: Log) -> &Side {
        match log {
            Log::Kept => &self.kept,
            Log::Volatile => &self.volatile,
        }
    }

    /// Remembers what somebody says: kept if consent is on at that moment, else in memory.
    ///
    /// # Errors
    /// See [`SayError`].
    pub async fn say(&self, asked: Say) -> Result<(Log, Once<Said>), SayError> {
        let (call, wanted) = (asked.call.clone(), asked.wants_answer);
        let key = call.place.conversation();
        let said = within_storage_time(key, self.say_where_consent_wants(asked)).await;
        if let Err(SayError::Broken(StoreError::Uncertain(_))) = said {
            self.close_undo(Log::Volatile, &call).await?;
        }
        let (log, said) = said?;
        if let (Some(when), Once::Made(Said::Stored { .. })) = (wanted, &said) {
            self.side(log).wake.at(key, when);
        }
        Ok((log, said))
    }

    async fn say_where_consent_wants(&self, asked: Say) -> Result<(Log, Once<Said>), SayError> {
        let key = asked.call.place.conversation().clone();
        let crossing = self.cross_if_both(&key).await?;
        if crossing.is_some()
            && let Some(known) = self.known_in_memory(&asked).await?
        {
            return Ok((Log::Volatile, Once::Made(known)));
        }
        let kept = say(&*self.kept.history, &self.watchers, asked.clone()).await?;
        if let Once::Made(Said::Stored { .. }) = kept {
            self.close_undo(Log::Volatile, &asked.call).await?;
        }
        if kept != Once::Made(Said::NotStored) {
            return Ok((Log::Kept, kept));
        }
        let _crossing = match crossing {
            Some(crossing) => crossing,
            None => self.cross(&key).await?,
        };
        self.close_undo(Log::Kept, &asked.call).await?;
        Ok((Log::Volatile, self.say_in_memory(asked).await?))
    }

    /// What was said in memory before is not said again where it would be kept.
    async fn known_in_memory(&self, asked: &Say) -> Result<Option<Said>, StoreError> {
        let key = asked.call.place.conversation();
        let known = match self.rehearse(key, asked.change(), asked.call.now).await? {
            Ok(Outcome::Known) => Some(Said::Known),
            Ok(Outcome::TakenBack) => Some(Said::TakenBack),
            Ok(_) | Err(_) => None,
        };
        Ok(known)
    }

    /// Its place in the one order of both logs is after all that is kept.
    async fn say_in_memory(&self, asked: Say) -> Result<Once<Said>, SayError> {
        let kept = self.kept_until(asked.call.place.conversation()).await?;
        let call = in_memory(asked.call);
        let call = Call { place: call.place.beside(kept), ..call };
        say(&*self.volatile.history, &self.watchers, Say { call, ..asked }).await
    }

    /// Forgets from a message on, and takes in what is said instead, where consent wants it.
    ///
    /// # Errors
    /// See [`EditError`].
    pub async fn edit(&self, asked: Edit) -> Result<(Log, Once<Edited>), EditError> {
        let (key, now) = (asked.call.place.conversation().clone(), asked.call.now);
        if self.is_in_memory(&key).await? {
            let edited = Box::pin(self.edit_both(asked)).await?;
            // A turn may have been interrupted in the log that holds nothing of the edit.
            self.wake_who_waits(&key, now).await;
            return Ok(edited);
        }
        let wanted = asked.with.as_ref().and_then(|(_, wanted)| *wanted);
        let edited = self.edit_kept(asked).await?;
        if let (Some(when), Once::Made(_)) = (wanted, &edited) {
            self.kept.wake.at(&key, when);
        }
        Ok((Log::Kept, edited))
    }

    /// Takes a message back, wherever it is; gives where. Of one id something may be in both logs: the
    /// ids of clients are their own, and who is shown only one log may use one of the other's again.
    ///
    /// # Errors
    /// See [`UnsendError`].
    pub async fn unsend(
        &self,
        call: Call,
        id: MessageId,
        ripple: Ripple,
    ) -> Result<(Log, Once<Unsent>), UnsendError> {
        let _crossing = self.cross_if_both(call.place.conversation()).await?;
        let asked = Unsend { call: call.clone(), id: id.clone(), ripple };
        let here = Unsend { call: in_memory(call.clone()), ..asked.clone() };
        let kept = unsend(&*self.kept.history, &self.watchers, asked).await;
        if let Err(refused @ (UnsendError::NotFound | UnsendError::NotAPersons)) = kept {
            let would = self.rehearse(call.place.conversation(), here.change(), call.now).await?;
            if matches!(would, Ok(Outcome::Removed { .. })) {
                self.close_undo(Log::Kept, &call).await?;
            }
            return match unsend(&*self.volatile.history, &self.watchers, here).await {
                Err(UnsendError::NotFound) => Err(refused),
                unsent => Ok((Log::Volatile, unsent?)),
            };
        }
        if let Ok(Once::Made(Unsent { before: false, .. }))
        | Err(UnsendError::Broken(StoreError::Uncertain(_))) = kept
        {
            self.close_undo(Log::Volatile, &call).await?;
        }
        let kept = kept?;
        match unsend(&*self.volatile.history, &self.watchers, here).await {
            Ok(Once::Made(here)) => Ok((Log::Kept, kept.map(|kept| kept.and(here)))),
            Ok(Once::Repeated(_)) | Err(UnsendError::NotFound | UnsendError::NotAPersons) => {
                Ok((Log::Kept, kept))
            }
            Err(error) => Err(error),
        }
    }

    /// Undoes an edit, wherever it was made.
    ///
    /// # Errors
    /// See [`UndoError`].
    pub async fn undo(&self, asked: Undo) -> Result<(Log, Once<Undone>), UndoError> {
        let (key, now) = (asked.call.place.conversation().clone(), asked.call.now);
        let (log, undone) = if self.is_in_memory(&key).await? {
            Box::pin(self.undo_both(asked)).await?
        } else {
            (Log::Kept, undo(&*self.kept.history, &self.watchers, asked).await?)
        };
        self.wake_who_waits(&key, now).await;
        Ok((log, undone))
    }

    async fn wake_who_waits(&self, key: &ConversationKey, now: Timestamp) {
        for log in [Log::Kept, Log::Volatile] {
            self.wake_if_wanted(log, key, now).await;
        }
    }

    /// What came back, or was changed by somebody else, may wait for an answer.
    async fn wake_if_wanted(&self, log: Log, key: &ConversationKey, now: Timestamp) {
        let side = self.side(log);
        match timeout(STORAGE_MAX, side.history.overview(key)).await {
            Ok(Ok(Some(found))) if found.wanted_at.is_some() => side.wake.at(key, now),
            Ok(Ok(_)) => {}
            // Whoever answers looks again, and says what is wrong.
            Ok(Err(_)) | Err(_) => side.wake.at(key, now),
        }
    }

    /// Stops whatever turn is running, or else what is about to begin. What waits while a turn runs is
    /// answered by the next, wherever it was said.
    ///
    /// # Errors
    /// See [`StopError`].
    pub async fn stop(&self, call: Call) -> Result<Stopped, StopError> {
        let (key, now) = (call.place.conversation().clone(), call.now);
        let in_memory = in_memory(call.clone());
        let mut reach = Reach::AlsoOwed;
        for log in [Log::Kept, Log::Volatile] {
            if self.waits_until(log, &call, Interrupt::No).await?.is_some() {
                reach = Reach::Running;
            }
        }
        let kept = stop(&*self.kept.history, &self.watchers, call, reach).await?;
        let volatile = stop(&*self.volatile.history, &self.watchers, in_memory, reach).await?;
        let mut any = Stopped::Nothing;
        for (log, stopped) in [(Log::Kept, kept), (Log::Volatile, volatile)] {
            if stopped == Once::Made(Stopped::Stopped) {
                any = Stopped::Stopped;
                // Also if nothing waits: whoever is ready to speak learns that nobody asks.
                self.side(log).wake.at(&key, now);
            } else {
                // Somebody may have said something more.
                self.wake_if_wanted(log, &key, now).await;
            }
        }
        Ok(any)
    }

    /// Whether somebody answers there, or is about to.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn is_answering(
        &self,
        key: &ConversationKey,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        for side in [&self.kept, &self.volatile] {
            let found = timeout(STORAGE_MAX, side.history.overview(key)).await;
            let Some(found) = found.unwrap_or_else(|_| Err(too_slow()))? else { continue };
            if found.wanted_at.is_some() || found.turn.is_some_and(|lease| now < lease.until) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The newest message that is being answered, or else one that waits for it, and in which log.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn asked(
        &self,
        key: &ConversationKey,
    ) -> Result<Option<(Log, MessageId)>, StoreError> {
        let found = timeout(STORAGE_MAX, self.newest_question(key)).await;
        found.unwrap_or_else(|_| Err(too_slow()))
    }

    async fn newest_question(
        &self,
        key: &ConversationKey,
    ) -> Result<Option<(Log, MessageId)>, StoreError> {
        let mut waiting = None;
        for log in [Log::Kept, Log::Volatile] {
            let history = &self.side(log).history;
            let Some(overview) = history.overview(key).await? else { continue };
            // A turn whose holder is gone is begun anew by somebody else.
            let questions = overview.turn.map(|lease| lease.questions).unwrap_or_default();
            if let Some(number) = questions.last() {
                let found = history.page(key, Some(number.next()), 1).await?.pop();
                if let Some(entry) = found.filter(|entry| entry.number == *number) {
                    return Ok(Some((log, entry.message.id)));
                }
            }
            if waiting.is_none() && overview.wanted_at.is_some() {
                let newest = history.page(key, None, WAITING_AMONG).await?;
                let asked = newest.into_iter().rfind(|entry| entry.message.author.is_person());
                waiting = asked.map(|entry| (log, entry.message.id));
            }
        }
        Ok(waiting)
    }

    /// A heard message of what can be read by this person now, and in which log it is.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn find(
        &self,
        place: &Place,
        consent_is_on: bool,
        id: &MessageId,
    ) -> Result<Option<(Log, Entry)>, StoreError> {
        let key = place.conversation();
        let logs: &[Log] =
            if consent_is_on { &[Log::Kept, Log::Volatile] } else { &[Log::Volatile] };
        for log in logs {
            let found = self.side(*log).history.find(key, id).await?;
            if let Some(entry) = found.filter(Entry::is_heard) {
                return Ok(Some((*log, entry)));
            }
        }
        Ok(None)
    }

    async fn is_in_memory(&self, key: &ConversationKey) -> Result<bool, StoreError> {
        Ok(self.volatile.history.overview(key).await?.is_some())
    }

    /// Drops a conversation altogether.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn drop_conversation(&self, key: &ConversationKey) -> Result<(), StoreError> {
        self.volatile.history.drop_conversation(key).await?;
        self.kept.history.drop_conversation(key).await?;
        self.watchers.running().look_again(key);
        self.watchers.tell(key, &Notice::Dropped);
        Ok(())
    }
}

/// The same call where nothing is kept. Keys of people who want nothing kept are not remembered
/// with the words.
fn in_memory(call: Call) -> Call {
    Call { place: call.place.in_memory(), once: None, ..call }
}
