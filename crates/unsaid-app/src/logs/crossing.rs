//! What concerns both logs at once.
//!
//! An edit forgets what came after it wherever that is, and what is said instead goes where consent wants
//! it. What is kept changes first, in one commit that may fail; then memory follows, which cannot. If the
//! process ends between the two, memory is gone anyway. If it is not known whether the commit was made,
//! what is left to do in memory is remembered until somebody can look.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex as Brief, MutexGuard, PoisonError},
};

use tokio::{
    sync::{Mutex, OwnedMutexGuard},
    time::timeout,
};
use unsaid_core::{
    domain::{
        conversation::{
            change::{Applied, Change, Event, Interrupt, Outcome, Refusal},
            key::ConversationKey,
        },
        id::{EditId, EventNumber, Fence, MessageId, Number},
        time::Timestamp,
    },
    port::{
        error::StoreError,
        history::{Commit, Committed},
    },
};

use super::{Log, Logs};
use crate::{
    call::{Call, Reply, STORAGE_MAX, out_of_contract, too_slow},
    event::Notice,
};

/// Events among which a sign is looked for: there is little after a change that was just made.
const EVENTS_AT_ONCE: usize = 100;

/// Of each conversation only one caller at a time leads anything from one log to the other. What is in
/// memory is known to this process only, and so are these.
#[derive(Default)]
pub struct Crossings(Brief<HashMap<ConversationKey, Arc<Mutex<Option<Half>>>>>);

/// The right to lead something across in one conversation, and what is left to do there.
pub(crate) type Crossing = OwnedMutexGuard<Option<Half>>;

/// What is to be done in memory if something was kept or is not kept any more.
pub(crate) struct Half {
    pub(super) call: Call,
    pub(super) sign: Sign,
    pub(super) rest: Vec<Change>,
}

/// By what one sees that a commit was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sign {
    /// This is kept, after a number.
    Said { id: MessageId, after: Number },
    /// This is not.
    Gone(MessageId),
    /// This edit was undone, after an event.
    Undone { edit: EditId, after: EventNumber },
}

impl Crossings {
    fn of(&self, key: &ConversationKey) -> Arc<Mutex<Option<Half>>> {
        let mut known = self.lock();
        if let Some(found) = known.get(key) {
            return Arc::clone(found);
        }
        // Nobody is there, and nothing is left to do.
        known.retain(|_, one| {
            Arc::strong_count(one) > 1 || one.try_lock().map_or(true, |half| half.is_some())
        });
        Arc::clone(known.entry(key.clone()).or_default())
    }

    fn all(&self) -> Vec<(ConversationKey, Arc<Mutex<Option<Half>>>)> {
        self.lock().iter().map(|(key, one)| (key.clone(), Arc::clone(one))).collect()
    }

    /// Every change under this lock is whole, so a panic elsewhere leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, HashMap<ConversationKey, Arc<Mutex<Option<Half>>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Logs {
    /// The right to change both logs of a conversation; nothing is left half done there.
    pub(super) async fn cross(&self, key: &ConversationKey) -> Result<Crossing, StoreError> {
        let crossed = async {
            let mut crossing = self.crossing.of(key).lock_owned().await;
            self.complete(key, &mut crossing).await?;
            Ok(crossing)
        };
        timeout(STORAGE_MAX, crossed).await.unwrap_or_else(|_| Err(too_slow()))
    }

    /// The same for whoever changes or reads one of the logs while another may change both; there is
    /// nothing to wait for where only one of them holds anything.
    pub(crate) async fn cross_if_both(
        &self,
        key: &ConversationKey,
    ) -> Result<Option<Crossing>, StoreError> {
        if self.is_in_memory(key).await? { self.cross(key).await.map(Some) } else { Ok(None) }
    }

    /// A repeated call: if the first one was broken off between the two logs, it is brought to its end.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn complete_crossing(&self, call: &Call) -> Result<(), StoreError> {
        self.cross(call.place.conversation()).await.map(drop)
    }

    /// Brings to its end whatever was broken off between the two logs and was not looked at since.
    pub async fn complete_crossings(&self) {
        for (key, one) in self.crossing.all() {
            // Whoever holds it leaves it in order; what is left is looked at the next time.
            let Ok(mut left) = one.try_lock() else { continue };
            let complete = timeout(STORAGE_MAX, self.complete(&key, &mut left)).await;
            if let Err(error) = complete.unwrap_or_else(|_| Err(too_slow())) {
                tracing::warn!(conversation = %key, error = error.name(), "storage_read");
            }
        }
    }

    /// Nobody knows whether a commit was made: looks, and otherwise leaves it to whoever comes next.
    /// Gives how much went from memory, if it is known now that it was made.
    pub(super) async fn look_whether_made(
        &self,
        left: &mut Option<Half>,
        half: Half,
    ) -> Option<u64> {
        let key = half.call.place.conversation().clone();
        *left = Some(half);
        self.complete(&key, left).await.unwrap_or_else(|error| {
            tracing::warn!(conversation = %key, error = error.name(), "storage_read");
            None
        })
    }

    async fn complete(
        &self,
        key: &ConversationKey,
        left: &mut Option<Half>,
    ) -> Result<Option<u64>, StoreError> {
        let Some(half) = left else { return Ok(None) };
        // What is gone from memory altogether must not come back.
        if !self.is_in_memory(key).await? || !self.is_made(key, half).await? {
            *left = None;
            return Ok(None);
        }
        let (removed, now) =
            (self.make_all(Log::Volatile, &half.call, half.rest.clone()).await?, half.call.now);
        // Whoever does this may go away while they tell others; it must not be done again.
        *left = None;
        self.tell_kept(key, now).await;
        self.wake_if_wanted(Log::Volatile, key, now).await;
        Ok(Some(removed))
    }

    /// Tells everybody to look at what is kept.
    pub(super) async fn tell_kept(&self, key: &ConversationKey, now: Timestamp) {
        self.watchers.running().look_again(key);
        self.watchers.tell(key, &Notice::Elsewhere);
        self.wake_if_wanted(Log::Kept, key, now).await;
    }

    async fn is_made(&self, key: &ConversationKey, half: &Half) -> Result<bool, StoreError> {
        self.outwait_commits(key, half.call.now).await?;
        Ok(match &half.sign {
            Sign::Said { id, after } => {
                let found = self.kept.history.find(key, id).await?;
                found.is_some_and(|entry| *after < entry.number)
            }
            Sign::Gone(id) => self.kept.history.find(key, id).await?.is_none(),
            Sign::Undone { edit, after } => {
                let events = self.kept.history.events_after(key, *after, EVENTS_AT_ONCE).await?;
                events.into_iter().flatten().any(|(_, event)| match event {
                    Event::Restored { edit: undone, .. } => undone == *edit,
                    // Nothing came back there: what was said instead went.
                    Event::Removed { edit, unsent, .. } => edit.is_none() && !unsent,
                    Event::Message { .. } => false,
                })
            }
        })
    }

    /// Waits until no earlier commit can be made any more: one that nobody confirmed may still be on its
    /// way, and whoever comes after it has to wait for it, also for a refusal.
    async fn outwait_commits(
        &self,
        key: &ConversationKey,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let never = Change::Release { fence: Fence::ZERO };
        match self.kept.history.commit(key, Commit::new(never, now)).await? {
            Committed::Refused(Refusal::StaleFence) => Ok(()),
            Committed::Refused(refusal) => Err(out_of_contract(refusal)),
            Committed::Applied(..) | Committed::Repeated(_) => {
                Err(out_of_contract("a turn that was never begun was released"))
            }
        }
    }

    /// Does in one log what follows from what was done to the other; gives how much went.
    pub(super) async fn make_all(
        &self,
        log: Log,
        call: &Call,
        changes: impl IntoIterator<Item = Change>,
    ) -> Result<u64, StoreError> {
        let call = Call { place: log.place(call.place.clone()), now: call.now, once: None };
        let mut removed = 0;
        for change in changes {
            let commit = call.commit(change);
            match call.make(&*self.side(log).history, &self.watchers, commit).await? {
                Reply::Made(Applied { outcome: Outcome::Replaced { count, .. }, .. }) => {
                    removed += count;
                }
                // Somebody took it back meanwhile, or its time has passed.
                Reply::Made(_)
                | Reply::Refused(
                    Refusal::NotFound
                    | Refusal::EditNotFound
                    | Refusal::StaleFence
                    | Refusal::UndoBlocked
                    | Refusal::UndoExpired,
                ) => {}
                Reply::Refused(refusal) => return Err(out_of_contract(refusal)),
                Reply::Repeated(_) | Reply::KeyReused => {
                    return Err(out_of_contract("a key where there was none"));
                }
            }
        }
        Ok(removed)
    }

    /// A person went on in the other log: what was edited in this one cannot be undone any more.
    pub(super) async fn close_undo(&self, log: Log, call: &Call) -> Result<(), StoreError> {
        let overview = self.side(log).history.overview(call.place.conversation()).await?;
        if overview.is_some_and(|overview| overview.has_way_back) {
            self.make_all(log, call, [Change::CloseUndo]).await?;
        }
        Ok(())
    }

    /// Ends a turn of the log that is not changed otherwise, for whoever does not want to wait for it.
    pub(super) async fn interrupt(
        &self,
        log: Log,
        call: &Call,
        interrupt: Interrupt,
    ) -> Result<(), StoreError> {
        let handed_back = self.hand_back(log, call, interrupt).await?;
        self.make_all(log, call, handed_back).await.map(drop)
    }

    /// What ends a turn so that what it was asked waits again.
    pub(super) async fn hand_back(
        &self,
        log: Log,
        call: &Call,
        interrupt: Interrupt,
    ) -> Result<Option<Change>, StoreError> {
        if interrupt == Interrupt::No {
            return Ok(None);
        }
        let overview = self.side(log).history.overview(call.place.conversation()).await?;
        let turn = overview.and_then(|overview| overview.turn);
        Ok(turn.map(|turn| Change::Release { fence: turn.fence }))
    }

    /// Until when a turn runs in one of the logs for which somebody has to wait.
    pub(super) async fn waits_until(
        &self,
        log: Log,
        call: &Call,
        interrupt: Interrupt,
    ) -> Result<Option<Timestamp>, StoreError> {
        if interrupt == Interrupt::Yes {
            return Ok(None);
        }
        let overview = self.side(log).history.overview(call.place.conversation()).await?;
        let turn = overview.and_then(|overview| overview.turn);
        Ok(turn.map(|turn| turn.until).filter(|until| call.now < *until))
    }

    /// What memory would say to a change.
    pub(super) async fn rehearse(
        &self,
        key: &ConversationKey,
        change: Change,
        now: Timestamp,
    ) -> Result<Result<Outcome, Refusal>, StoreError> {
        let mut whole = self.volatile.history.whole(key).await?.unwrap_or_default();
        Ok(whole.apply(change, now).map(|applied| applied.outcome))
    }

    /// How far this conversation is kept.
    pub(super) async fn kept_until(&self, key: &ConversationKey) -> Result<Number, StoreError> {
        let overview = self.kept.history.overview(key).await?;
        Ok(overview.map_or(Number::ZERO, |overview| overview.last_number))
    }
}
