//! Forget from here, and take that back.

use std::collections::BTreeSet;

use unsaid_core::{
    domain::{
        conversation::change::{Cut, Decision, Event, Interrupt, Outcome, Refusal, ReplaceTail},
        id::{EditId, MessageId, Number, Version},
        message::Message,
    },
    port::error::StoreError,
};

use super::{
    Stop, Work,
    head::{OpenUndo, fences},
    say::Wish,
};
use crate::{db::values, media};

/// What becomes of the words of a tail that is cut off.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    ForUndo(Version),
    Nothing,
}

impl Work<'_> {
    pub(super) async fn replace_tail(&mut self, replace: ReplaceTail) -> Result<Outcome, Stop> {
        let ReplaceTail { from, with, undo, interrupt } = replace;
        let number = self.number_of(&from).await?;
        if let Some((message, _)) = &with {
            self.refuse_taken_before(message, number).await?;
        }
        if with.is_none() && !self.is_anything_from(number).await? {
            return Ok(Outcome::Nothing);
        }
        self.interrupt(interrupt).await?;
        self.close_undo(false).await?;
        // What this change will make the version.
        let edition = self.head.version.next();
        let keep = if undo.is_some() { Keep::ForUndo(edition) } else { Keep::Nothing };
        let told = match from {
            Cut::At(id) => Some(id),
            Cut::After(_) => self.first_heard(number).await?,
        };
        let count = self.cut(number, keep).await?;
        let edit = undo.as_ref().map(|(edit, _)| edit.clone());
        if let Some(from) = told {
            self.events.push(Event::Removed { from, count, edit, unsent: false });
        }
        self.head.undo = undo.map(|(edit, until)| OpenUndo { edit, until, from: number, edition });
        let number = match with {
            Some((message, at)) => {
                let traces = self.traces_of(&message.id).await?;
                let wish = Wish { at, way_back: None };
                Some(self.take_in(message, wish, traces).await?)
            }
            None => None,
        };
        Ok(Outcome::Replaced { count, number })
    }

    pub(super) async fn restore(
        &mut self,
        edit: &EditId,
        interrupt: Interrupt,
        or_nothing: bool,
    ) -> Result<Outcome, Stop> {
        let sql = "SELECT expired FROM closed_edit WHERE conversation = ?1 AND edit = ?2";
        if let Some(row) = self.db.first(sql, values![&self.head.key, edit]).await? {
            let expired = row.flag(0)?;
            return Err(if expired { Refusal::UndoExpired } else { Refusal::UndoBlocked }.into());
        }
        let open = self.head.undo.clone().filter(|undo| undo.edit == *edit);
        let open = open.ok_or(Refusal::EditNotFound)?;
        if !or_nothing && !self.can_anything_come_back(open.edition).await? {
            return Err(Refusal::EditNotFound.into());
        }
        if open.until <= self.now {
            return Err(Refusal::UndoExpired.into());
        }
        self.interrupt(interrupt).await?;
        self.head.undo = None;
        self.remember_closed(edit, false).await?;
        let replaced = self.first_heard(open.from).await?;
        let count = self.cut(open.from, Keep::Nothing).await?;
        if let Some(from) = replaced {
            self.events.push(Event::Removed { from, count, edit: None, unsent: false });
        }
        self.bring_back(edit, open.edition).await
    }

    /// From now on the newest edit cannot be undone. However much it removed, that costs little: the
    /// sweep takes rows and words.
    pub(super) async fn close_undo(&mut self, expired: bool) -> Result<(), StoreError> {
        let Some(undo) = self.head.undo.take() else { return Ok(()) };
        self.head.purge = true;
        self.remember_closed(&undo.edit, expired || undo.until <= self.now).await
    }

    /// The rows that can come back; none have edition zero.
    pub(super) fn edition(&self) -> Version {
        self.head.undo.as_ref().map_or(Version::ZERO, |undo| undo.edition)
    }

    async fn bring_back(&mut self, edit: &EditId, edition: Version) -> Result<Outcome, Stop> {
        let sql = "SELECT id, words IS NOT NULL AND sending IN (0, 2, 4) FROM undo_message \
            WHERE conversation = ?1 AND edition = ?2 ORDER BY number";
        let rows = self.db.rows(sql, values![&self.head.key, edition]).await?;
        let from: Option<MessageId> = rows.first().map(|row| row.parse(0)).transpose()?;
        let mut count = 0;
        for row in &rows {
            count += row.count(1)?;
        }
        let sql = "INSERT INTO message (conversation, number, id, person, agent, at, reply_to, \
            roster, only_agents, sending, waiting, turn, asked_in, revised_at, words) \
            SELECT conversation, number, id, person, agent, at, reply_to, roster, only_agents, \
            sending, waiting, turn, asked_in, revised_at, words FROM undo_message \
            WHERE conversation = ?1 AND edition = ?2";
        self.db.send(sql, values![&self.head.key, edition]).await?;
        let sql = "DELETE FROM undo_message WHERE conversation = ?1 AND edition = ?2";
        self.db.send(sql, values![&self.head.key, edition]).await?;
        self.head.heard += count;
        if self.anything_waits().await? {
            self.head.wanted_at = Some(self.now);
        }
        if let Some(from) = from.clone() {
            self.events.push(Event::Restored { edit: edit.clone(), from, count });
        }
        Ok(Outcome::Restored { from, count })
    }

    /// The first number that goes.
    async fn number_of(&self, from: &Cut) -> Result<Number, Stop> {
        match from {
            Cut::At(id) => {
                let place = self.place(id).await?.ok_or(Refusal::NotFound)?;
                if place.is_person { Ok(place.number) } else { Err(Refusal::NotAPersons.into()) }
            }
            Cut::After(number) => Ok(number.next()),
        }
    }

    async fn is_anything_from(&self, number: Number) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM message WHERE conversation = ?1 AND number >= ?2 LIMIT 1";
        Ok(self.db.first(sql, values![&self.head.key, self.alive(number)]).await?.is_some())
    }

    /// Whether anything would be heard again.
    async fn can_anything_come_back(&self, edition: Version) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM undo_message WHERE conversation = ?1 AND edition = ?2 \
            AND words IS NOT NULL AND sending IN (0, 2, 4) LIMIT 1";
        Ok(self.db.first(sql, values![&self.head.key, edition]).await?.is_some())
    }

    /// The first message from a number on that can be heard.
    async fn first_heard(&self, from: Number) -> Result<Option<MessageId>, StoreError> {
        let sql = "SELECT id FROM message WHERE conversation = ?1 AND number >= ?2 \
            AND words IS NOT NULL AND sending IN (0, 2, 4) ORDER BY number LIMIT 1";
        let row = self.db.first(sql, values![&self.head.key, self.alive(from)]).await?;
        row.map(|row| row.parse(0)).transpose()
    }

    /// The first number from here on of which the entry may be there: rows of what was erased may
    /// still wait for the sweep.
    fn alive(&self, from: Number) -> Number {
        from.max(self.head.number_floor.next())
    }

    async fn interrupt(&mut self, interrupt: Interrupt) -> Result<(), Stop> {
        if interrupt == Interrupt::No {
            self.refuse_while_running()?;
        }
        if let Some(id) = self.unsettled().await? {
            return Err(Refusal::Unsettled { id }.into());
        }
        self.give_up_turn(Decision::Cancelled).await?;
        Ok(())
    }

    /// Takes the tail out of the log; gives the number of messages that were heard.
    async fn cut(&mut self, number: Number, keep: Keep) -> Result<u64, StoreError> {
        let number = self.alive(number);
        let values = || values![&self.head.key, number];
        let sql = "SELECT words IS NOT NULL AND sending IN (0, 2, 4), asked_in FROM message \
            WHERE conversation = ?1 AND number >= ?2";
        let (mut heard, mut turns) = (0, BTreeSet::new());
        for row in self.db.rows(sql, values()).await? {
            heard += row.count(0)?;
            turns.extend(fences(row.opt_text(1)?)?);
        }
        self.forget_reasons(&turns).await?;
        if let Keep::ForUndo(edition) = keep {
            let sql = "INSERT INTO undo_message (conversation, edition, number, id, person, \
                agent, at, reply_to, roster, only_agents, sending, waiting, turn, asked_in, \
                revised_at, words) SELECT conversation, ?3, number, id, person, agent, at, \
                reply_to, roster, only_agents, sending, waiting, turn, asked_in, revised_at, \
                words FROM message WHERE conversation = ?1 AND number >= ?2";
            self.db.send(sql, values![&self.head.key, number, edition]).await?;
            let sql = "DELETE FROM message WHERE conversation = ?1 AND number >= ?2";
            self.db.send(sql, values()).await?;
        } else {
            media::doom_from(self.db, &self.head.key, number).await?;
            let sql =
                "DELETE FROM message WHERE conversation = ?1 AND number >= ?2 RETURNING words";
            self.db.run_erasing(&self.head.key, sql, values()).await?;
        }
        self.head.hear_less(heard)?;
        self.forget_wish_if_nothing_waits().await?;
        Ok(heard)
    }

    async fn remember_closed(&self, edit: &EditId, expired: bool) -> Result<(), StoreError> {
        let sql = "INSERT INTO closed_edit (conversation, edit, at, expired) \
            VALUES (?1, ?2, ?3, ?4) ON CONFLICT (conversation, edit) \
            DO UPDATE SET at = ?3, expired = ?4";
        self.db.send(sql, values![&self.head.key, edit, self.now, expired]).await
    }

    async fn refuse_taken_before(&self, message: &Message, number: Number) -> Result<(), Stop> {
        let elsewhere = self.place(&message.id).await?.is_some_and(|place| place.number < number);
        if elsewhere || self.has_tombstone(&message.id).await? {
            return Err(Refusal::IdTaken.into());
        }
        Ok(())
    }
}
