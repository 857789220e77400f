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
        conversation::{change::Ripple, key::ConversationKey, log::Entry},
        id::MessageId,
        time::Timestamp,
    },
    port::{error::StoreError, history::History},
};

pub use self::crossing::Crossings;
use crate::{
    call::{Call, Once, STORAGE_MAX, too_slow},
    edit::{Edit, EditError, Edited},
    event::{Notice, Watchers},
    place::Place,
    say::{Said, Say, SayError, say},
    stop::{StopError, Stopped, stop},
    undo::{Undo, UndoError, Undone, undo},
    unsend::{Unsend, UnsendError, Unsent, unsend},
    worker::Wake,
};

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
        let key = asked.call.place.conversation().clone();
        let wanted = asked.wants_answer;
        let crossing = self.cross_if_both(&key).await?;
        let kept = say(&*self.kept.history, &self.watchers, asked.clone()).await;
        if let Ok(Once::Made(Said::Stored { .. }))
        | Err(SayError::Broken(StoreError::Uncertain(_))) = kept
        {
            self.close_undo(Log::Volatile, &asked.call).await?;
        }
        let kept = kept?;
        let (log, said) = if kept == Once::Made(Said::NotStored) {
            let _crossing = match crossing {
                Some(crossing) => crossing,
                None => self.cross(&key).await?,
            };
            (Log::Volatile, self.say_in_memory(asked).await?)
        } else {
            (Log::Kept, kept)
        };
        if let (Some(when), Once::Made(Said::Stored { .. })) = (wanted, &said) {
            self.side(log).wake.at(&key, when);
        }
        Ok((log, said))
    }

    /// Its place in the one order of both logs is after all that is kept.
    async fn say_in_memory(&self, asked: Say) -> Result<Once<Said>, SayError> {
        let kept = timeout(STORAGE_MAX, self.kept_until(asked.call.place.conversation())).await;
        let kept = kept.map_err(|_| too_slow())??;
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
        let wanted = asked.with.as_ref().and_then(|(_, wanted)| *wanted);
        let (log, edited) = if self.is_in_memory(&key).await? {
            let edited = Box::pin(self.edit_both(asked)).await?;
            // A turn that was interrupted in the log that holds nothing of the edit.
            for log in [Log::Kept, Log::Volatile] {
                self.wake_if_wanted(log, &key, now).await;
            }
            edited
        } else {
            (Log::Kept, self.edit_kept(asked).await?)
        };
        if let (Some(when), Once::Made(_)) = (wanted, &edited) {
            self.side(log).wake.at(&key, when);
        }
        Ok((log, edited))
    }

    /// Takes a message back, wherever it is; gives where.
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
        match unsend(&*self.kept.history, &self.watchers, asked).await {
            Err(UnsendError::NotFound) => {
                let found = self.volatile.history.find(call.place.conversation(), &id).await?;
                if found.is_some_and(|entry| entry.message.author.is_person()) {
                    self.close_undo(Log::Kept, &call).await?;
                }
                let asked = Unsend { call: in_memory(call), id, ripple };
                let unsent = unsend(&*self.volatile.history, &self.watchers, asked).await?;
                Ok((Log::Volatile, unsent))
            }
            unsent => {
                if let Ok(Once::Made(Unsent { before: false, .. }))
                | Err(UnsendError::Broken(StoreError::Uncertain(_))) = unsent
                {
                    self.close_undo(Log::Volatile, &call).await?;
                }
                Ok((Log::Kept, unsent?))
            }
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
        for log in [Log::Kept, Log::Volatile] {
            self.wake_if_wanted(log, &key, now).await;
        }
        Ok((log, undone))
    }

    /// What came back, or was changed by somebody else, may wait for an answer.
    async fn wake_if_wanted(&self, log: Log, key: &ConversationKey, now: Timestamp) {
        let side = self.side(log);
        match side.history.overview(key).await {
            Ok(Some(found)) if found.wanted_at.is_some() => side.wake.at(key, now),
            Ok(_) => {}
            // Whoever answers looks again, and says what is wrong.
            Err(_) => side.wake.at(key, now),
        }
    }

    /// Stops whatever turn is running.
    ///
    /// # Errors
    /// See [`StopError`].
    pub async fn stop(&self, call: Call) -> Result<Stopped, StopError> {
        let (key, now) = (call.place.conversation().clone(), call.now);
        let in_memory = in_memory(call.clone());
        let kept = stop(&*self.kept.history, &self.watchers, call).await?;
        let volatile = stop(&*self.volatile.history, &self.watchers, in_memory).await?;
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
            let Some(found) = side.history.overview(key).await? else { continue };
            if found.wanted_at.is_some() || found.turn.is_some_and(|lease| now < lease.until) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The newest message that is being answered, and in which log.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn asked(
        &self,
        key: &ConversationKey,
        now: Timestamp,
    ) -> Result<Option<(Log, MessageId)>, StoreError> {
        for log in [Log::Kept, Log::Volatile] {
            let history = &self.side(log).history;
            let turn = history.overview(key).await?.and_then(|overview| overview.turn);
            let running = turn.filter(|lease| now < lease.until);
            let Some(number) = running.and_then(|lease| lease.questions.last().copied()) else {
                continue;
            };
            let found = history.page(key, Some(number.next()), 1).await?.pop();
            if let Some(entry) = found.filter(|entry| entry.number == number) {
                return Ok(Some((log, entry.message.id)));
            }
        }
        Ok(None)
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
