//! Forget one, forget a person, forget all.

use std::collections::BTreeSet;

use unsaid_core::{
    domain::{
        conversation::{
            DELIVERY_MEMORY_MS, EDIT_MEMORY_MS,
            change::{Change, Decision, Event, Missing, Outcome, Refusal, Remove, Revise, Ripple},
        },
        id::{Fence, MessageId, Number, PersonId},
        time::Timestamp,
    },
    port::{error::StoreError, history::Commit},
};

use super::{
    Stop, Work, commit,
    entry::{Place, fence_list, is_heard, keep_parts, sending_from},
    head::fences,
};
use crate::{
    db::{Db, Row, values},
    media,
};

impl Work<'_> {
    pub(super) async fn remove(&mut self, remove: Remove) -> Result<Outcome, Stop> {
        let Remove { id, missing, ripple } = remove;
        let sql = "SELECT turns FROM tombstone WHERE conversation = ?1 AND message = ?2";
        if let Some(row) = self.db.first(sql, values![&self.head.key, &id]).await? {
            let turns = fences(row.opt_text(0)?)?;
            return Ok(Outcome::RemovedBefore { withdrawn: self.withdrawn(&turns).await? });
        }
        let Some(place) = self.place(&id).await? else {
            return self.remove_absent(&id, missing).await;
        };
        if !place.is_person {
            return Err(Refusal::NotAPersons.into());
        }
        self.close_undo(false).await?;
        self.forget_entry(&id, &place, ripple).await?;
        let withdrawn = self.withdrawn(&place.asked_in).await?;
        self.bury(&id, &place.asked_in).await?;
        Ok(Outcome::Removed { withdrawn })
    }

    pub(super) async fn revise(&mut self, revise: Revise) -> Result<Outcome, Stop> {
        if self.has_tombstone(&revise.id).await? {
            return Ok(Outcome::TakenBack);
        }
        let Some(place) = self.place(&revise.id).await? else {
            return self.defer(revise).await;
        };
        if !place.is_person {
            return Err(Refusal::NotAPersons.into());
        }
        if place.revised_at.is_some_and(|newest| newest >= revise.at) {
            return Ok(Outcome::Nothing);
        }
        self.cancel_turn_that_read(&place).await?;
        self.close_undo(false).await?;
        self.replace_words(place.number, place.slot, &revise.parts).await?;
        let sql = "UPDATE message SET revised_at = ?3 WHERE conversation = ?1 AND number = ?2";
        self.db.send(sql, values![&self.head.key, place.number, revise.at]).await?;
        self.ripple(&place.asked_in, revise.ripple).await?;
        Ok(Outcome::Done)
    }

    pub(super) async fn erase_author(
        &mut self,
        person: &PersonId,
        ripple: Ripple,
    ) -> Result<Outcome, Stop> {
        let sql = "SELECT id FROM message WHERE conversation = ?1 AND number > ?2 AND person = ?3 \
            ORDER BY number";
        let values = values![&self.head.key, self.head.number_floor, person];
        let theirs = self.db.rows(sql, values).await?;
        let sql = "DELETE FROM revision WHERE conversation = ?1 AND person = ?2 RETURNING words";
        let revisions =
            self.db.run_erasing(&self.head.key, sql, values![&self.head.key, person]).await?;
        let sql = "SELECT 1 FROM undo_message WHERE conversation = ?1 AND edition = ?2 \
            AND person = ?3 LIMIT 1";
        let undone = self.db.any(sql, values![&self.head.key, self.edition(), person]).await?;
        if theirs.is_empty() && revisions == 0 && !undone {
            return Ok(Outcome::Nothing);
        }
        self.close_undo(false).await?;
        for row in &theirs {
            let id: MessageId = row.parse(0)?;
            if let Some(place) = self.place(&id).await? {
                self.forget_entry(&id, &place, ripple).await?;
            }
        }
        Ok(Outcome::Erased { count: theirs.len() as u64 })
    }

    /// Raises the floor: everything below is gone at once, and its rows with the next sweeps.
    pub(super) async fn erase_all(&mut self) -> Result<Outcome, Stop> {
        let (key, floor) = (self.head.key.clone(), self.head.number_floor);
        let sql = "SELECT id FROM message WHERE conversation = ?1 AND number > ?2 \
            AND words IS NOT NULL AND sending IN (0, 2, 4) ORDER BY number LIMIT 1";
        if let Some(row) = self.db.first(sql, values![&key, floor]).await? {
            let (from, count) = (row.parse(0)?, self.head.heard);
            self.events.push(Event::Removed { from, count, edit: None, unsent: false });
        }
        let sql = "SELECT count(*) FROM message WHERE conversation = ?1 AND number > ?2";
        let count = self.db.first(sql, values![&key, floor]).await?;
        let count = count.map_or(Ok(0), |row| row.count(0))?;
        self.close_undo(false).await?;
        let sql = "DELETE FROM revision WHERE conversation = ?1 RETURNING words";
        self.db.run_erasing(&self.head.key, sql, values![&key]).await?;
        self.db.send("DELETE FROM closed_edit WHERE conversation = ?1", values![&key]).await?;
        self.db.send("DELETE FROM cleared WHERE conversation = ?1", values![&key]).await?;
        self.head.number_floor = self.head.last_number;
        self.head.fence_floor = self.head.last_fence;
        self.head.purge = true;
        self.head.heard = 0;
        self.head.wanted_at = None;
        self.head.turn = None;
        Ok(Outcome::Erased { count })
    }

    pub(super) async fn expire(&mut self) -> Result<Outcome, Stop> {
        let mut expired = 0;
        if self.head.undo.as_ref().is_some_and(|undo| undo.until <= self.now) {
            self.close_undo(true).await?;
            expired += 1;
        }
        let horizon = self.now.plus_millis(-DELIVERY_MEMORY_MS);
        let sql = "DELETE FROM delivery WHERE conversation = ?1 AND at <= ?2";
        expired += self.db.run(sql, values![&self.head.key, horizon]).await?;
        let sql = "DELETE FROM revision WHERE conversation = ?1 AND since <= ?2 RETURNING words";
        expired +=
            self.db.run_erasing(&self.head.key, sql, values![&self.head.key, horizon]).await?;
        let horizon = self.now.plus_millis(-EDIT_MEMORY_MS);
        let sql = "DELETE FROM closed_edit WHERE conversation = ?1 AND at <= ?2";
        expired += self.db.run(sql, values![&self.head.key, horizon]).await?;
        Ok(if expired == 0 { Outcome::Nothing } else { Outcome::Done })
    }

    /// An entry loses its words and its files.
    pub(super) async fn lose_words(
        &self,
        number: Number,
        slot: Option<i64>,
    ) -> Result<(), StoreError> {
        let Some(slot) = slot else { return Ok(()) };
        let sql = "UPDATE message SET words = NULL WHERE conversation = ?1 AND number = ?2";
        self.db.send(sql, values![&self.head.key, number]).await?;
        self.db.erase_words(&self.head.key, &[slot]).await?;
        media::doom(self.db, &self.head.key, number).await
    }

    /// Reasons for silence go with what they were about.
    pub(super) async fn forget_reasons(&self, turns: &BTreeSet<Fence>) -> Result<(), StoreError> {
        let (Some(first), Some(last)) = (turns.first(), turns.last()) else { return Ok(()) };
        let sql = "SELECT fence, reason FROM turn WHERE conversation = ?1 AND fence >= ?2 \
            AND fence <= ?3 AND reason IS NOT NULL";
        for row in self.db.rows(sql, values![&self.head.key, *first, *last]).await? {
            let fence = Fence::new(row.count(0)?);
            if turns.contains(&fence) {
                let sql = "UPDATE turn SET reason = NULL WHERE conversation = ?1 AND fence = ?2";
                self.db.send(sql, values![&self.head.key, fence]).await?;
                self.db.erase_words(&self.head.key, &[row.int(1)?]).await?;
            }
        }
        Ok(())
    }

    async fn forget_entry(
        &mut self,
        id: &MessageId,
        place: &Place,
        ripple: Ripple,
    ) -> Result<(), StoreError> {
        self.cancel_turn_that_read(place).await?;
        let sql = "DELETE FROM message WHERE conversation = ?1 AND number = ?2";
        self.db.send(sql, values![&self.head.key, place.number]).await?;
        self.db.erase_words(&self.head.key, place.slot.as_slice()).await?;
        media::doom(self.db, &self.head.key, place.number).await?;
        self.head.hear_less(u64::from(place.is_heard()))?;
        self.forget_wish_if_nothing_waits().await?;
        self.events.push(unsent(id.clone()));
        self.ripple(&place.asked_in, ripple).await
    }

    async fn ripple(&mut self, turns: &BTreeSet<Fence>, ripple: Ripple) -> Result<(), StoreError> {
        self.forget_reasons(turns).await?;
        if ripple == Ripple::Keep {
            return Ok(());
        }
        for answer in self.answers(turns).await? {
            if is_heard(sending_from(answer.int(2)?)?, answer.opt_int(3)?.is_some()) {
                self.head.hear_less(1)?;
                self.events.push(unsent(answer.parse(1)?));
            }
            let number = Number::new(answer.count(0)?);
            self.lose_words(number, answer.opt_int(3)?).await?;
        }
        Ok(())
    }

    /// The answers of some turns in order: number, id, sending, words.
    async fn answers(&self, turns: &BTreeSet<Fence>) -> Result<Vec<Row>, StoreError> {
        let mut answers = Vec::new();
        for turn in turns {
            let sql = "SELECT number, id, sending, words FROM message \
                WHERE conversation = ?1 AND turn = ?2 AND number > ?3";
            let values = values![&self.head.key, *turn, self.head.number_floor];
            for row in self.db.rows(sql, values).await? {
                answers.push((row.int(0)?, row));
            }
        }
        answers.sort_by_key(|(number, _)| *number);
        Ok(answers.into_iter().map(|(_, row)| row).collect())
    }

    async fn withdrawn(&self, turns: &BTreeSet<Fence>) -> Result<Vec<MessageId>, StoreError> {
        let answers = self.answers(turns).await?;
        let gone = answers.iter().filter(|row| matches!(row.opt_int(3), Ok(None)));
        gone.map(|row| row.parse(1)).collect()
    }

    async fn cancel_turn_that_read(&mut self, place: &Place) -> Result<(), StoreError> {
        let read = self.head.turn.as_ref().is_some_and(|lease| {
            place.number <= lease.seen_through || place.turn == Some(lease.fence)
        });
        if read {
            self.give_up_turn(Decision::Cancelled).await?;
        }
        Ok(())
    }

    async fn remove_absent(&mut self, id: &MessageId, missing: Missing) -> Result<Outcome, Stop> {
        let sql = "SELECT 1 FROM undo_message WHERE conversation = ?1 AND edition = ?2 \
            AND id = ?3 AND agent IS NULL LIMIT 1";
        let undone = self.db.any(sql, values![&self.head.key, self.edition(), id]).await?;
        if missing == Missing::Refuse && !undone {
            return Err(Refusal::NotFound.into());
        }
        self.close_undo(false).await?;
        let sql = "DELETE FROM revision WHERE conversation = ?1 AND message = ?2 RETURNING words";
        self.db.run_erasing(&self.head.key, sql, values![&self.head.key, id]).await?;
        self.bury(id, &BTreeSet::new()).await?;
        Ok(Outcome::Removed { withdrawn: Vec::new() })
    }

    async fn bury(&self, id: &MessageId, turns: &BTreeSet<Fence>) -> Result<(), StoreError> {
        let sql = "INSERT INTO tombstone (conversation, message, turns) VALUES (?1, ?2, ?3)";
        self.db.send(sql, values![&self.head.key, id, fence_list(turns)]).await
    }

    async fn defer(&mut self, revise: Revise) -> Result<Outcome, Stop> {
        let sql = "SELECT at FROM revision WHERE conversation = ?1 AND message = ?2";
        let waiting = self.db.first(sql, values![&self.head.key, &revise.id]).await?;
        if let Some(row) = waiting {
            if Timestamp::from_millis(row.int(0)?) >= revise.at {
                return Ok(Outcome::Nothing);
            }
            let sql =
                "DELETE FROM revision WHERE conversation = ?1 AND message = ?2 RETURNING words";
            self.db.run_erasing(&self.head.key, sql, values![&self.head.key, &revise.id]).await?;
        }
        // What an undo would bring back must not come back without this edit.
        self.close_undo(false).await?;
        let slot = keep_parts(self.db, &self.head.key, &revise.parts).await?;
        let sql = "INSERT INTO revision (conversation, message, person, at, since, words) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let key = &self.head.key;
        let values = values![key, &revise.id, revise.by.as_ref(), revise.at, self.now, slot];
        self.db.send(sql, values).await?;
        Ok(Outcome::Deferred)
    }
}

/// Closes the undo windows of somebody's conversations: consent was withdrawn.
pub(crate) async fn close_undo_windows(
    db: &dyn Db,
    owner: &PersonId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "SELECT key FROM conversation WHERE owner = ?1 AND undo_edit IS NOT NULL \
        ORDER BY key";
    for row in db.rows(sql, values![owner]).await? {
        let key = super::read::key_from(row.text(0)?)?;
        commit(db, &key, Commit::new(Change::CloseUndo, now)).await?;
    }
    Ok(())
}

fn unsent(id: MessageId) -> Event {
    Event::Removed { from: id, count: 1, edit: None, unsent: true }
}
