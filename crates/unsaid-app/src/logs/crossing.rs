//! Edits that lead from one log into the other.
//!
//! What is to be edited was said without consent, and consent is on now: what is said instead is kept, and
//! then the old words go from memory, which cannot fail. The other way round words could be lost. There is
//! no way back: it would have to lead out of one log and into the other.

use std::time::Duration;

use unsaid_core::{
    domain::{
        conversation::change::{Applied, Change, Interrupt, Outcome, Refusal, ReplaceTail},
        id::{MessageId, Number},
    },
    port::error::StoreError,
};

use super::{Log, Logs, in_memory};
use crate::{
    call::{Call, Once, Reply, out_of_contract},
    edit::{Edit, EditError, Edited, edit, refused},
    event::Notice,
    say::{Said, Say, SayError},
};

impl Logs {
    pub(super) async fn edit_what_was_not_kept(
        &self,
        asked: Edit,
    ) -> Result<(Log, Once<Edited>), EditError> {
        let Edit { call, with, .. } = asked.clone();
        let cut = Edit { call: in_memory(asked.call.clone()), with: None, ..asked };
        let Some((message, wants_answer)) = with else {
            let cut = edit(&*self.volatile.history, &self.watchers, cut).await?;
            return Ok((Log::Volatile, cut));
        };
        // Of several at once one finds the message. What is in memory is known to this process only.
        let _crossing = self.crossing.lock().await;
        self.check_cut(&cut).await?;
        let instead = Say { call, message, delivery: None, wants_answer, way_back: None };
        let (log, said) = self.say_instead(instead).await?;
        let removed = self.cut(&cut.call, cut.from).await?;
        Ok((log, said.map(|number| Edited { removed, number, undo: None })))
    }

    /// A repeated edit: if the first one was broken off between the two logs, it is brought to its end.
    ///
    /// # Errors
    /// See [`EditError`].
    pub async fn complete_edit(
        &self,
        call: Call,
        from: &MessageId,
        instead: &MessageId,
    ) -> Result<(), EditError> {
        let key = call.place.conversation().clone();
        let _crossing = self.crossing.lock().await;
        let is_half = self.volatile.history.find(&key, from).await?.is_some()
            && self.kept.history.find(&key, instead).await?.is_some();
        if is_half {
            self.cut(&in_memory(call), from.clone()).await?;
        }
        Ok(())
    }

    /// However long it takes: whoever is told that an edit failed must be able to rely on it.
    async fn say_instead(&self, instead: Say) -> Result<(Log, Once<Option<Number>>), EditError> {
        let (key, id) = (instead.call.place.conversation().clone(), instead.message.id.clone());
        let wanted = instead.wants_answer;
        match self.say_within(Duration::MAX, instead).await {
            Ok((log, Once::Made(Said::Stored { number }))) => Ok((log, Once::Made(Some(number)))),
            Ok((log, Once::Made(Said::NotStored | Said::Known | Said::TakenBack))) => {
                Ok((log, Once::Made(None)))
            }
            Ok((log, Once::Repeated(before))) => Ok((log, Once::Repeated(before))),
            Err(SayError::KeyReused) => Err(EditError::KeyReused),
            Err(SayError::NoSuchPlace) => Err(EditError::NotFound),
            Err(SayError::Broken(StoreError::Uncertain(why))) => {
                let found = self.kept.history.find(&key, &id).await?;
                let number = found.ok_or(StoreError::Uncertain(why))?.number;
                self.watchers.tell(&key, &Notice::Elsewhere);
                if let Some(when) = wanted {
                    self.kept.wake.at(&key, when);
                }
                Ok((Log::Kept, Once::Made(Some(number))))
            }
            Err(SayError::Broken(error)) => Err(EditError::Broken(error)),
        }
    }

    /// Forgets what was only in memory; gives how much.
    async fn cut(&self, call: &Call, from: MessageId) -> Result<u64, EditError> {
        let interrupt = Interrupt::Yes;
        let change = Change::ReplaceTail(ReplaceTail { from, with: None, undo: None, interrupt });
        let cut = call.make(&*self.volatile.history, &self.watchers, call.commit(change)).await?;
        match cut {
            Reply::Made(Applied { outcome: Outcome::Replaced { count, .. }, .. }) => Ok(count),
            // Somebody took it back meanwhile.
            Reply::Refused(Refusal::NotFound) => Ok(0),
            Reply::Refused(refusal) => Err(refused(refusal)),
            Reply::Made(_) | Reply::Repeated(_) | Reply::KeyReused => {
                Err(out_of_contract("a cut that removed nothing").into())
            }
        }
    }

    /// Refuses what a cut in memory would refuse.
    async fn check_cut(&self, cut: &Edit) -> Result<(), EditError> {
        let (key, history) = (cut.call.place.conversation(), &self.volatile.history);
        let entry = history.find(key, &cut.from).await?.ok_or(EditError::NotFound)?;
        if !entry.message.author.is_person() {
            return Err(EditError::NotAPersons);
        }
        let turn = history.overview(key).await?.and_then(|overview| overview.turn);
        match turn.filter(|turn| cut.interrupt == Interrupt::No && cut.call.now < turn.until) {
            Some(turn) => Err(EditError::TurnInProgress { until: turn.until }),
            None => Ok(()),
        }
    }
}
