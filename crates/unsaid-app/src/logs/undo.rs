//! Undoing an edit that reached into both logs, or only into the one in memory.

use unsaid_core::{
    domain::{
        conversation::{
            change::{Change, Interrupt, Refusal},
            key::ConversationKey,
            seams::Seams,
        },
        id::MessageId,
    },
    port::error::StoreError,
};

use super::{
    Log, Logs,
    crossing::{Half, Sign},
    in_memory,
};
use crate::{
    call::Once,
    undo::{Undo, UndoError, Undone, refused, restored, undo},
};

impl Logs {
    /// Where something is in memory. A person who went on in either log has closed the way back.
    pub(super) async fn undo_both(&self, asked: Undo) -> Result<(Log, Once<Undone>), UndoError> {
        let Undo { call, id, interrupt } = asked.clone();
        let key = call.place.conversation().clone();
        let mut crossing = self.cross(&key).await?;
        for log in [Log::Kept, Log::Volatile] {
            if let Some(until) = self.waits_until(log, &call, interrupt).await? {
                return Err(UndoError::TurnInProgress { until });
            }
        }
        let part = |interrupt| Change::Restore { edit: id.clone(), interrupt, or_nothing: true };
        let restore = part(Interrupt::Yes);
        match self.rehearse(&key, restore.clone(), call.now).await? {
            Err(Refusal::EditNotFound) => {
                let undone = undo(&*self.kept.history, &self.watchers, asked).await?;
                self.interrupt(Log::Volatile, &call, interrupt).await?;
                return Ok((Log::Kept, undone));
            }
            Err(refusal) => return Err(refused(refusal)),
            Ok(_) => {}
        }
        let after = self.kept.history.newest_event(&key).await?;
        let kept = restored(&*self.kept.history, &self.watchers, call.clone(), part(interrupt));
        match kept.await {
            Ok(Once::Repeated(before)) => Ok((Log::Kept, Once::Repeated(before))),
            Ok(Once::Made(kept)) => {
                let here = match self.undo_here(asked).await {
                    // Memory made room for others since it was asked.
                    Err(UndoError::NotFound | UndoError::Blocked | UndoError::Expired) => {
                        Undone { from: None, restored: 0 }
                    }
                    here => here?,
                };
                Ok((Log::Kept, Once::Made(self.joined(&key, kept, here).await)))
            }
            Err(UndoError::NotFound) => {
                self.interrupt(Log::Kept, &call, interrupt).await?;
                Ok((Log::Volatile, Once::Made(self.undo_here(asked).await?)))
            }
            Err(error @ UndoError::Broken(StoreError::Uncertain(_))) => {
                let sign = Sign::Undone { edit: id.clone(), after };
                let half = Half { call, sign, rest: vec![restore] };
                self.look_whether_made(&mut crossing, half).await;
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    async fn undo_here(&self, asked: Undo) -> Result<Undone, UndoError> {
        let asked =
            Undo { call: in_memory(asked.call.clone()), interrupt: Interrupt::Yes, ..asked };
        match undo(&*self.volatile.history, &self.watchers, asked).await? {
            Once::Made(undone) => Ok(undone),
            Once::Repeated(_) => Err(UndoError::KeyReused),
        }
    }

    /// It is undone, also if nobody can look what of it was said first.
    async fn joined(&self, key: &ConversationKey, kept: Undone, here: Undone) -> Undone {
        let restored = kept.restored + here.restored;
        let first = self.first_of(key, kept.from.clone(), here.from).await;
        let from = first.unwrap_or_else(|error| {
            tracing::warn!(conversation = %key, error = error.name(), "storage_read");
            kept.from
        });
        Undone { from, restored }
    }

    /// Of something that is kept and something in memory, what was said first.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn first_of(
        &self,
        key: &ConversationKey,
        kept: Option<MessageId>,
        in_memory: Option<MessageId>,
    ) -> Result<Option<MessageId>, StoreError> {
        let (Some(kept), Some(in_memory)) = (&kept, &in_memory) else {
            return Ok(kept.or(in_memory));
        };
        let seams = self.volatile.history.seams(key).await?;
        let is_kept_first = match (
            self.kept.history.find(key, kept).await?,
            self.volatile.history.find(key, in_memory).await?,
        ) {
            (Some(kept), Some(here)) => {
                Seams::of_kept(kept.number) < seams.of_in_memory(here.number)
            }
            (_, here) => here.is_none(),
        };
        Ok(Some(if is_kept_first { kept.clone() } else { in_memory.clone() }))
    }
}
