//! Remember.

use unsaid_core::domain::{
    conversation::{
        change::{Event, Outcome, Refusal, Say},
        log::Sending,
    },
    id::{AgentId, DeliveryId, MessageId, Number},
    message::{Message, Part, WayBack},
    time::Timestamp,
};
use unsaid_core::port::error::StoreError;

use super::{
    Stop, Work,
    entry::{Arrival, keep_parts, parts_from_words},
    has_tombstone,
};
use crate::{db::values, media};

/// What is known of an id.
#[derive(Clone, Copy, Default)]
pub(super) struct Traces {
    /// It was taken back.
    pub(super) tombstone: bool,
    /// An entry has it.
    pub(super) live: bool,
    /// An edit in place waits for it.
    pub(super) revision: bool,
}

/// Whether an answer is wanted.
pub(super) struct Wish {
    /// From when on, if one is.
    pub(super) at: Option<Timestamp>,
    /// How it gets back.
    pub(super) way_back: Option<WayBack>,
}

impl Work<'_> {
    pub(super) async fn say(&mut self, say: Say) -> Result<Outcome, Stop> {
        let Say { message, delivery, wants_answer, way_back } = say;
        let (delivered, traces) =
            tokio::try_join!(self.was_delivered(delivery.as_ref()), self.traces_of(&message.id))?;
        if delivered {
            return Ok(Outcome::Known);
        }
        if traces.tombstone {
            return Ok(Outcome::TakenBack);
        }
        if traces.live {
            return Ok(Outcome::Known);
        }
        if let Some(delivery) = &delivery {
            let sql = "INSERT INTO delivery (conversation, id, at) VALUES (?1, ?2, ?3)";
            self.db.send(sql, values![&self.head.key, delivery, self.now]).await?;
        }
        if message.author.is_person() {
            self.close_undo(false).await?;
        }
        let wish = Wish { at: wants_answer, way_back };
        Ok(Outcome::Said(self.take_in(message, wish, traces).await?))
    }

    pub(super) async fn fill(&mut self, id: &MessageId, parts: &[Part]) -> Result<Outcome, Stop> {
        let place = self.place(id).await?.filter(|place| place.slot.is_some());
        let place = place.ok_or(Refusal::NotFound)?;
        if place.revised_at.is_some() {
            return Ok(Outcome::Nothing);
        }
        self.replace_words(place.number, place.slot, parts).await?;
        Ok(Outcome::Done)
    }

    pub(super) async fn clear(&mut self, agent: &AgentId) -> Result<Outcome, Stop> {
        let sql = "INSERT INTO cleared (conversation, agent, through) VALUES (?1, ?2, ?3) \
            ON CONFLICT (conversation, agent) DO UPDATE SET through = ?3";
        self.db.send(sql, values![&self.head.key, agent, self.head.last_number]).await?;
        Ok(Outcome::Done)
    }

    /// Appends what came in from outside, with the edit that may have overtaken it.
    pub(super) async fn take_in(
        &mut self,
        mut message: Message,
        wish: Wish,
        traces: Traces,
    ) -> Result<Number, StoreError> {
        self.make_room_for(&message.id).await?;
        let mut revised_at = None;
        let revision = if traces.revision { self.take_revision(&message.id).await? } else { None };
        if let Some((at, parts)) = revision.filter(|_| message.author.is_person()) {
            revised_at = Some(at);
            message.parts = parts;
        }
        let (waiting, way_back) = (wish.at.is_some(), wish.way_back);
        let way_back = way_back.filter(|_| waiting);
        let arrival = Arrival { waiting, revised_at, way_back };
        let number = self.append_as(&message, (None, Sending::Here), arrival).await?;
        self.events.push(Event::Message { id: message.id });
        if let Some(at) = wish.at {
            let earlier = self.head.wanted_at;
            self.head.wanted_at = Some(earlier.map_or(at, |earlier| earlier.min(at)));
        }
        Ok(number)
    }

    async fn was_delivered(&self, delivery: Option<&DeliveryId>) -> Result<bool, StoreError> {
        let Some(delivery) = delivery else { return Ok(false) };
        let sql = "SELECT 1 FROM delivery WHERE conversation = ?1 AND id = ?2";
        self.db.any(sql, values![&self.head.key, delivery]).await
    }

    /// What is known of an id, in one look.
    pub(super) async fn traces_of(&self, id: &MessageId) -> Result<Traces, StoreError> {
        let sql = "SELECT 0 FROM tombstone WHERE conversation = ?1 AND message = ?2 \
            UNION ALL SELECT 1 FROM message WHERE conversation = ?1 AND id = ?2 AND number > ?3 \
            UNION ALL SELECT 2 FROM revision WHERE conversation = ?1 AND message = ?2";
        let mut traces = Traces::default();
        for row in self.db.rows(sql, values![&self.head.key, id, self.head.number_floor]).await? {
            match row.int(0)? {
                0 => traces.tombstone = true,
                1 => traces.live = true,
                _ => traces.revision = true,
            }
        }
        Ok(traces)
    }

    pub(super) async fn has_tombstone(&self, id: &MessageId) -> Result<bool, StoreError> {
        has_tombstone(self.db, &self.head.key, id).await
    }

    pub(super) async fn replace_words(
        &self,
        number: Number,
        old: Option<i64>,
        parts: &[Part],
    ) -> Result<(), StoreError> {
        self.db.erase_words(&self.head.key, old.as_slice()).await?;
        let slot = keep_parts(self.db, &self.head.key, parts).await?;
        let sql = "UPDATE message SET words = ?3 WHERE conversation = ?1 AND number = ?2";
        self.db.send(sql, values![&self.head.key, number, slot]).await?;
        media::doom_unnamed(self.db, &self.head.key, number, parts).await
    }

    /// An erased entry whose row still waits for the sweep must not hold the id.
    pub(super) async fn make_room_for(&self, id: &MessageId) -> Result<(), StoreError> {
        if !self.head.purge {
            return Ok(());
        }
        let sql = "DELETE FROM message WHERE conversation = ?1 AND id = ?2 AND number <= ?3 \
            RETURNING words";
        let values = values![&self.head.key, id, self.head.number_floor];
        self.db.run_erasing(&self.head.key, sql, values).await.map(|_| ())
    }

    async fn take_revision(
        &self,
        id: &MessageId,
    ) -> Result<Option<(Timestamp, Vec<Part>)>, StoreError> {
        let sql = "SELECT r.at, r.words, w.content FROM revision r \
            JOIN words w ON w.id = r.words /*pg: AND w.place = r.conversation */ \
            WHERE r.conversation = ?1 AND r.message = ?2";
        let Some(row) = self.db.first(sql, values![&self.head.key, id]).await? else {
            return Ok(None);
        };
        let sql = "DELETE FROM revision WHERE conversation = ?1 AND message = ?2";
        self.db.send(sql, values![&self.head.key, id]).await?;
        self.db.erase_words(&self.head.key, &[row.int(1)?]).await?;
        Ok(Some((Timestamp::from_millis(row.int(0)?), parts_from_words(row.blob(2)?)?)))
    }
}
