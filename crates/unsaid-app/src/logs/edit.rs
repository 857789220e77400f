//! Edits of a conversation of which something is in memory: what was said after the edited message goes
//! from both logs (H6).

use unsaid_core::{
    domain::{
        conversation::change::{Change, Cut, Interrupt, ReplaceTail},
        id::{MessageId, Number},
    },
    port::error::StoreError,
};

use super::{
    Log, Logs,
    crossing::{Half, Sign},
    in_memory,
};
use crate::{
    call::{Call, Once},
    edit::{Edit, EditError, Edited, Goes, edit, refused},
    event::Watchers,
};

impl Logs {
    /// Where nothing is in memory. What is hidden cannot be edited.
    pub(super) async fn edit_kept(&self, asked: Edit) -> Result<Once<Edited>, EditError> {
        match edit(&*self.kept.history, &self.watchers, asked).await {
            Err(EditError::NoConsent) => Err(EditError::NotFound),
            made => made,
        }
    }

    /// Where something is.
    pub(super) async fn edit_both(&self, asked: Edit) -> Result<(Log, Once<Edited>), EditError> {
        let key = asked.call.place.conversation().clone();
        let mut crossing = self.cross(&key).await?;
        let Cut::At(from) = asked.from.clone() else {
            return Ok((Log::Kept, self.edit_kept(asked).await?));
        };
        let here = self.volatile.history.find(&key, &from).await?;
        if let Some(kept) = self.kept.history.find(&key, &from).await? {
            let edited = self.edit_kept_and_after(&mut crossing, asked.clone(), kept.number).await;
            // What is hidden cannot be edited, but its id may stand in memory, too.
            if here.is_none() || !matches!(edited, Err(EditError::NotFound)) {
                return Ok((Log::Kept, edited?));
            }
        }
        let Some(here) = here else { return Ok((Log::Kept, self.edit_kept(asked).await?)) };
        if !here.message.author.is_person() {
            return Err(EditError::NotAPersons);
        }
        // Whatever happens to the message meanwhile, what came after it goes.
        let from = Cut::After(Number::new(here.number.get().saturating_sub(1)));
        self.edit_in_memory(&mut crossing, Edit { from, ..asked }, here.number).await
    }

    /// What is edited is kept, under this number.
    async fn edit_kept_and_after(
        &self,
        left: &mut Option<Half>,
        asked: Edit,
        number: Number,
    ) -> Result<Once<Edited>, EditError> {
        self.refuse_while_running(Log::Volatile, &asked).await?;
        let seams = self.volatile.history.seams(asked.call.place.conversation()).await?;
        let mut rest = vec![Change::CloseUndo];
        rest.extend(self.hand_back(Log::Volatile, &asked.call, asked.interrupt).await?);
        rest.extend(seams.in_memory_since(number).map(|after| cut(&asked, Cut::After(after))));
        let sign = match (&asked.with, &asked.from) {
            (None, Cut::At(from)) => Sign::Gone(from.clone()),
            (Some((message, _)), _) => said(&message.id, number),
            (None, Cut::After(_)) => return Err(EditError::NotFound),
        };
        let half = Half { call: asked.call.clone(), sign, rest };
        let made = self.edit_kept(asked).await;
        self.then_in_memory(left, half, made).await
    }

    /// What is edited is in memory, under this number.
    async fn edit_in_memory(
        &self,
        left: &mut Option<Half>,
        asked: Edit,
        number: Number,
    ) -> Result<(Log, Once<Edited>), EditError> {
        let mut asked = asked;
        for log in [Log::Kept, Log::Volatile] {
            self.refuse_while_running(log, &asked).await?;
        }
        let key = asked.call.place.conversation();
        let after = self.volatile.history.seams(key).await?.kept_before(number);
        if let (Some((message, _)), Goes::WhereConsentWants) = (&asked.with, asked.goes) {
            let sign = said(&message.id, after);
            let rest = vec![cut(&asked, asked.from.clone())];
            let half = Half { call: asked.call.clone(), sign, rest };
            let instead = Edit { from: Cut::After(after), ..asked.clone() };
            // Whoever watches hears first what goes, and that is in memory.
            match edit(&*self.kept.history, &Watchers::default(), instead).await {
                // Nor is the key of the call.
                Err(EditError::NoConsent) => asked.call.once = None,
                made => {
                    let edited = self.then_in_memory(left, half, made).await?;
                    self.tell_kept(key, asked.call.now).await;
                    return Ok((Log::Kept, edited));
                }
            }
        }
        let edited = self.stay_in_memory(left, asked, after).await?;
        Ok((Log::Volatile, edited))
    }

    /// Nothing is to be kept: what was kept after this number goes, and the edit is made in memory.
    async fn stay_in_memory(
        &self,
        left: &mut Option<Half>,
        asked: Edit,
        after: Number,
    ) -> Result<Once<Edited>, EditError> {
        let key = asked.call.place.conversation().clone();
        let here = self.edit_here(&asked).await?;
        let first = self.kept.history.entries_after(&key, after, 1).await?.pop();
        let Some(first) = first else { return self.edit_memory_only(asked, here).await };
        self.refuse_what_memory_refuses(&here).await?;
        let heard = self.tail_from(&key, Log::Kept, Some(after.next()), 0).await?;
        let (call, from) = (asked.call.clone(), Cut::After(after));
        let tail = Edit { from, with: None, expect: None, ..asked };
        let sign = Sign::Gone(first.message.id);
        let half = Half { call, sign, rest: vec![replace(&here)] };
        let hidden = match edit(&*self.kept.history, &self.watchers, tail).await {
            Ok(Once::Made(edited)) => edited.removed,
            Ok(Once::Repeated(before)) => return Ok(Once::Repeated(before)),
            Err(error) => {
                let removed = self.perhaps_made(left, half, error).await?;
                let removed = heard.map_or(0, |tail| tail.count) + removed;
                return Ok(Once::Made(Edited { removed, number: None, undo: here.undo() }));
            }
        };
        let edited = edit(&*self.volatile.history, &self.watchers, here).await?;
        Ok(edited.map(|edited| Edited { removed: edited.removed + hidden, ..edited }))
    }

    /// Nothing was kept since; but what was removed there before cannot come back any more.
    async fn edit_memory_only(&self, asked: Edit, here: Edit) -> Result<Once<Edited>, EditError> {
        let Edit { call, interrupt, .. } = asked;
        if self.kept.history.overview(call.place.conversation()).await?.is_some() {
            self.refuse_what_memory_refuses(&here).await?;
            self.interrupt(Log::Kept, &call, interrupt).await?;
            self.close_undo(Log::Kept, &call).await?;
        }
        edit(&*self.volatile.history, &self.watchers, here).await
    }

    /// The same edit in memory, after all that is kept.
    async fn edit_here(&self, asked: &Edit) -> Result<Edit, StoreError> {
        let kept = self.kept_until(asked.call.place.conversation()).await?;
        let call = in_memory(asked.call.clone());
        let call = Call { place: call.place.beside(kept), ..call };
        Ok(Edit { call, interrupt: Interrupt::Yes, ..asked.clone() })
    }

    async fn refuse_what_memory_refuses(&self, here: &Edit) -> Result<(), EditError> {
        let key = here.call.place.conversation();
        if let Some(expected) = here.expect {
            let overview = self.volatile.history.overview(key).await?;
            if overview.is_none_or(|overview| overview.version != expected) {
                return Err(EditError::VersionConflict);
            }
        }
        let said = self.rehearse(key, replace(here), here.call.now).await?;
        said.map(drop).map_err(refused)
    }

    /// What is kept was changed, or not: memory follows.
    async fn then_in_memory(
        &self,
        left: &mut Option<Half>,
        half: Half,
        made: Result<Once<Edited>, EditError>,
    ) -> Result<Once<Edited>, EditError> {
        match made {
            Ok(Once::Made(edited)) => {
                let more = self.make_all(Log::Volatile, &half.call, half.rest).await?;
                Ok(Once::Made(Edited { removed: edited.removed + more, ..edited }))
            }
            Ok(Once::Repeated(before)) => Ok(Once::Repeated(before)),
            Err(error) => {
                // How much of what was kept is gone is told to whoever asks again.
                self.perhaps_made(left, half, error.clone()).await?;
                Err(error)
            }
        }
    }

    /// How much went from memory, if what was not confirmed is known to be made now.
    async fn perhaps_made(
        &self,
        left: &mut Option<Half>,
        half: Half,
        error: EditError,
    ) -> Result<u64, EditError> {
        let EditError::Broken(StoreError::Uncertain(_)) = error else { return Err(error) };
        self.look_whether_made(left, half).await.ok_or(error)
    }

    async fn refuse_while_running(&self, log: Log, asked: &Edit) -> Result<(), EditError> {
        match self.waits_until(log, &asked.call, asked.interrupt).await? {
            Some(until) => Err(EditError::TurnInProgress { until }),
            None => Ok(()),
        }
    }
}

fn said(id: &MessageId, after: Number) -> Sign {
    Sign::Said { id: id.clone(), after }
}

/// Forgets in memory what an edit forgets there; both come back under one name.
fn cut(asked: &Edit, from: Cut) -> Change {
    replace(&Edit { from, with: None, interrupt: Interrupt::Yes, ..asked.clone() })
}

/// An edit as a change.
fn replace(asked: &Edit) -> Change {
    let Edit { from, with, interrupt, .. } = asked.clone();
    Change::ReplaceTail(ReplaceTail { from, with, undo: asked.undo(), interrupt })
}
