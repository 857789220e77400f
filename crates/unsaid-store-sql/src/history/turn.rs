//! Turns: who owes an answer, and who is giving it.

use std::collections::BTreeSet;

use unsaid_core::{
    domain::{
        conversation::{
            change::{Decision, Event, Outcome, Refusal, SendOutcome},
            log::Sending,
            turn::Lease,
        },
        id::{Fence, HolderId, MessageId, Number},
        message::Message,
        time::Timestamp,
    },
    port::error::StoreError,
};

use super::{
    Stop, Work,
    entry::{fence_list, sending_code},
    head::fences,
};
use crate::db::{Value, values};

impl Work<'_> {
    pub(super) async fn begin(
        &mut self,
        holder: HolderId,
        until: Timestamp,
    ) -> Result<Outcome, Stop> {
        self.refuse_while_running()?;
        if let Some(id) = self.unsettled().await? {
            return Err(Refusal::Unsettled { id }.into());
        }
        let dead = self.head.turn.is_some();
        let wanted_at = self.head.wanted_at.or(dead.then_some(self.now));
        let wanted_at = wanted_at.ok_or(Refusal::NothingWaiting)?;
        if !dead && self.now < wanted_at {
            return Err(Refusal::NotYet { at: wanted_at }.into());
        }
        self.give_up_turn(Decision::Released).await?;
        let fence = self.head.last_fence.next();
        let questions = self.ask_waiting(fence).await?;
        let seen_through = self.head.last_number;
        let lease = Lease { fence, holder, until, seen_through, questions };
        self.head.last_fence = fence;
        self.head.wanted_at = None;
        self.head.turn = Some(lease.clone());
        let sql = "INSERT INTO turn (conversation, fence, began_at) VALUES (?1, ?2, ?3)";
        self.db.send(sql, values![&self.head.key, fence, self.now]).await?;
        Ok(Outcome::Began(lease))
    }

    pub(super) fn renew(&mut self, fence: Fence, until: Timestamp) -> Result<Outcome, Stop> {
        self.check_fence(fence)?;
        if let Some(lease) = &mut self.head.turn {
            lease.until = until;
        }
        Ok(Outcome::Done)
    }

    pub(super) async fn intend(&mut self, fence: Fence, message: Message) -> Result<Outcome, Stop> {
        self.check_fence(fence)?;
        let answered = "SELECT 1 FROM message WHERE conversation = ?1 AND turn = ?2 \
            AND number > ?3 AND sending <> ?4 LIMIT 1";
        let failed = sending_code(Sending::Failed);
        let values = values![&self.head.key, fence, self.head.number_floor, failed];
        if self.db.any(answered, values).await? {
            return Err(Refusal::AlreadyAnswered.into());
        }
        self.refuse_known(&message.id).await?;
        self.make_room_for(&message.id).await?;
        Ok(Outcome::Said(self.append(&message, Some(fence), Sending::Intended).await?))
    }

    pub(super) async fn settle(
        &mut self,
        id: &MessageId,
        outcome: SendOutcome,
    ) -> Result<Outcome, Stop> {
        let place = self.place(id).await?.ok_or(Refusal::NotFound)?;
        if place.sending != Sending::Intended {
            return Ok(Outcome::Nothing);
        }
        let (left, gone) = (outcome != SendOutcome::Failed, place.slot.is_none());
        let sending = match outcome {
            SendOutcome::Sent => Sending::Sent,
            SendOutcome::Failed => Sending::Failed,
            SendOutcome::Unknown => Sending::Unknown,
        };
        let sql = "UPDATE message SET sending = ?3 WHERE conversation = ?1 AND number = ?2";
        self.db.send(sql, values![&self.head.key, place.number, sending_code(sending)]).await?;
        if !left {
            self.lose_words(place.number, place.slot).await?;
        }
        if left && !gone {
            self.head.heard += 1;
            self.events.push(Event::Message { id: id.clone() });
            self.answered_elsewhere(place.turn).await?;
        }
        let running = self.head.turn.as_ref().map(|lease| lease.fence);
        if left && place.turn.is_some() && running == place.turn {
            self.end_turn(&Decision::Answered).await?;
        }
        Ok(Outcome::Done)
    }

    pub(super) async fn answer(
        &mut self,
        fence: Fence,
        messages: Vec<Message>,
        last: bool,
    ) -> Result<Outcome, Stop> {
        self.check_fence(fence)?;
        let mut ids = BTreeSet::new();
        for message in &messages {
            self.refuse_known(&message.id).await?;
            if !ids.insert(&message.id) {
                return Err(Refusal::IdTaken.into());
            }
        }
        for message in messages {
            self.make_room_for(&message.id).await?;
            self.append(&message, Some(fence), Sending::Here).await?;
            self.events.push(Event::Message { id: message.id });
        }
        if last {
            self.end_turn(&Decision::Answered).await?;
        }
        Ok(Outcome::Done)
    }

    pub(super) async fn decide(
        &mut self,
        fence: Fence,
        decision: Decision,
    ) -> Result<Outcome, Stop> {
        self.check_fence(fence)?;
        self.end_turn(&decision).await?;
        Ok(Outcome::Done)
    }

    pub(super) async fn release(&mut self, fence: Fence) -> Result<Outcome, Stop> {
        if self.head.turn.as_ref().map(|lease| lease.fence) != Some(fence) {
            return Err(Refusal::StaleFence.into());
        }
        self.give_up_turn(Decision::Released).await?;
        Ok(Outcome::Done)
    }

    pub(super) async fn stop(&mut self) -> Result<Outcome, Stop> {
        if self.head.turn.is_none() {
            return Ok(Outcome::Nothing);
        }
        self.end_turn(&Decision::Stopped).await?;
        Ok(Outcome::Done)
    }

    pub(super) fn refuse_while_running(&self) -> Result<(), Refusal> {
        match &self.head.turn {
            Some(lease) if self.now < lease.until => {
                Err(Refusal::TurnInProgress { until: lease.until })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Ends the turn before its answer; what it was asked waits again, at once.
    pub(super) async fn give_up_turn(&mut self, decision: Decision) -> Result<(), StoreError> {
        let Some(lease) = self.record_end(&decision).await? else { return Ok(()) };
        for number in lease.questions {
            let sql = "UPDATE message SET waiting = 1 WHERE conversation = ?1 AND number = ?2";
            self.db.send(sql, values![&self.head.key, number]).await?;
        }
        if self.anything_waits().await? {
            self.head.wanted_at = Some(self.now);
        }
        Ok(())
    }

    pub(super) async fn forget_wish_if_nothing_waits(&mut self) -> Result<(), StoreError> {
        if self.head.wanted_at.is_some() && !self.anything_waits().await? {
            self.head.wanted_at = None;
        }
        Ok(())
    }

    pub(super) async fn anything_waits(&self) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM message WHERE conversation = ?1 AND waiting = 1 AND number > ?2 \
            LIMIT 1";
        self.db.any(sql, values![&self.head.key, self.head.number_floor]).await
    }

    /// Ends the turn for good: nobody owes an answer to what it was asked.
    async fn end_turn(&mut self, decision: &Decision) -> Result<(), StoreError> {
        let Some(lease) = self.record_end(decision).await? else { return Ok(()) };
        let (first, last) = (lease.questions.first(), lease.questions.last());
        let (Some(first), Some(last)) = (first, last) else { return Ok(()) };
        // A turn takes all that waits: whatever between them has a way back is one of them.
        let sql = "UPDATE message SET way_back = NULL WHERE conversation = ?1 AND number >= ?2 \
            AND number <= ?3 AND way_back IS NOT NULL";
        self.db.send(sql, values![&self.head.key, *first, *last]).await
    }

    async fn record_end(&mut self, decision: &Decision) -> Result<Option<Lease>, StoreError> {
        let Some(lease) = self.head.turn.take() else { return Ok(None) };
        let (kind, code, reason) = match decision {
            Decision::Answered => (0_i64, None, None),
            Decision::Silent { reason } => (1, None, reason.as_ref()),
            Decision::Failed { code } => (2, Some(code), None),
            Decision::Stopped => (3, None, None),
            Decision::Cancelled => (4, None, None),
            Decision::Released => (5, None, None),
        };
        let reason = match reason {
            Some(words) => {
                let words = words.as_str().as_bytes();
                Value::Int(self.db.keep_words(&self.head.key, words).await?)
            }
            None => Value::Null,
        };
        let sql = "UPDATE turn SET decision = ?3, code = ?4, reason = ?5, ended_at = ?6 \
            WHERE conversation = ?1 AND fence = ?2";
        let values = values![&self.head.key, lease.fence, kind, code, reason, self.now];
        self.db.send(sql, values).await?;
        Ok(Some(lease))
    }

    /// What waits becomes what is asked.
    async fn ask_waiting(&self, fence: Fence) -> Result<BTreeSet<Number>, StoreError> {
        let sql = "SELECT number, asked_in FROM message WHERE conversation = ?1 AND waiting = 1 \
            AND number > ?2";
        let values = values![&self.head.key, self.head.number_floor];
        let mut questions = BTreeSet::new();
        for row in self.db.rows(sql, values).await? {
            let number = Number::new(row.count(0)?);
            let mut asked_in = fences(row.opt_text(1)?)?;
            asked_in.insert(fence);
            let sql = "UPDATE message SET waiting = 0, asked_in = ?3 \
                WHERE conversation = ?1 AND number = ?2";
            self.db.send(sql, values![&self.head.key, number, fence_list(&asked_in)]).await?;
            questions.insert(number);
        }
        Ok(questions)
    }

    async fn answered_elsewhere(&mut self, turn: Option<Fence>) -> Result<(), StoreError> {
        let Some(turn) = turn else { return Ok(()) };
        let sql = "SELECT number, asked_in FROM message WHERE conversation = ?1 AND waiting = 1 \
            AND number > ?2";
        let values = values![&self.head.key, self.head.number_floor];
        for row in self.db.rows(sql, values).await? {
            if fences(row.opt_text(1)?)?.contains(&turn) {
                let sql = "UPDATE message SET waiting = 0, way_back = NULL \
                    WHERE conversation = ?1 AND number = ?2";
                self.db.send(sql, values![&self.head.key, row.int(0)?]).await?;
            }
        }
        self.forget_wish_if_nothing_waits().await
    }

    fn check_fence(&self, fence: Fence) -> Result<(), Refusal> {
        match &self.head.turn {
            Some(lease) if lease.fence == fence && self.now < lease.until => Ok(()),
            Some(_) | None => Err(Refusal::StaleFence),
        }
    }

    async fn refuse_known(&self, id: &MessageId) -> Result<(), Stop> {
        let traces = self.traces_of(id).await?;
        if traces.tombstone || traces.live {
            return Err(Refusal::IdTaken.into());
        }
        Ok(())
    }

    pub(super) async fn unsettled(&self) -> Result<Option<MessageId>, StoreError> {
        let sql = "SELECT id FROM message WHERE conversation = ?1 AND sending = 1 AND number > ?2 \
            ORDER BY number LIMIT 1";
        let row = self.db.first(sql, values![&self.head.key, self.head.number_floor]).await?;
        row.map(|row| row.parse(0)).transpose()
    }
}
