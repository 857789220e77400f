//! Entries as rows.

use unsaid_core::{
    domain::{
        conversation::log::{Entry, Sending},
        id::{AgentId, Fence, Number, Roster},
        message::{Audience, Author, Message, Part, WayBack},
        time::Timestamp,
    },
    port::error::{StoreError, corrupt},
};

use super::{
    Work,
    head::{fences, list},
};
use crate::db::{Db, Row, Value, values};

/// The columns of an entry, then its words; to be followed by `FROM` and its conditions. What was
/// put aside has no way back.
macro_rules! select_entries {
    ($rest:literal) => {
        select_entries!(@with "m.way_back", $rest)
    };
    (aside $rest:literal) => {
        select_entries!(@with "NULL", $rest)
    };
    (@with $way_back:literal, $rest:literal) => {
        concat!(
            "SELECT m.number, m.id, m.person, m.agent, m.at, m.reply_to, m.roster, m.only_agents, ",
            "m.sending, m.waiting, m.turn, m.asked_in, m.revised_at, w.content, ",
            $way_back,
            " ",
            $rest
        )
    };
}
pub(super) use select_entries;

pub(super) fn from_row(row: &Row) -> Result<Entry, StoreError> {
    let content = row.opt_blob(13)?;
    let author = match row.opt_parse::<AgentId>(3)? {
        Some(agent) => Author::Agent(agent),
        None => Author::Person(row.opt_parse(2)?),
    };
    let only = match row.opt_text(7)? {
        None => None,
        Some(text) => Some(serde_json::from_str(text).map_err(|e| corrupt("message", e))?),
    };
    let way_back = row.opt_text(14)?.map(way_back_from).transpose()?;
    Ok(Entry {
        number: Number::new(row.count(0)?),
        message: Message {
            id: row.parse(1)?,
            author,
            at: Timestamp::from_millis(row.int(4)?),
            reply_to: row.opt_parse(5)?,
            audience: Audience { roster: Roster::new(row.count(6)?), only },
            parts: content.map_or(Ok(Vec::new()), parts_from_words)?,
        },
        gone: content.is_none(),
        waiting: row.flag(9)?,
        asked_in: fences(row.opt_text(11)?)?,
        turn: opt_fence(row, 10)?,
        sending: sending_from(row.int(8)?)?,
        revised_at: row.opt_int(12)?.map(Timestamp::from_millis),
        way_back,
    })
}

/// What came with a message from outside.
#[derive(Default)]
pub(super) struct Arrival {
    pub(super) waiting: bool,
    pub(super) revised_at: Option<Timestamp>,
    pub(super) way_back: Option<WayBack>,
}

impl Work<'_> {
    /// Gives a message its place.
    pub(super) async fn append(
        &mut self,
        message: &Message,
        turn: Option<Fence>,
        sending: Sending,
    ) -> Result<Number, StoreError> {
        self.append_as(message, (turn, sending), Arrival::default()).await
    }

    pub(super) async fn append_as(
        &mut self,
        message: &Message,
        (turn, sending): (Option<Fence>, Sending),
        arrival: Arrival,
    ) -> Result<Number, StoreError> {
        let Arrival { waiting, revised_at, way_back } = arrival;
        let words = keep_parts(self.db, &self.head.key, &message.parts).await?;
        self.head.last_number = self.head.last_number.next();
        self.head.heard += u64::from(is_heard(sending, true));
        let (person, agent) = author_columns(&message.author);
        let only = message.audience.only.as_ref().map(|only| serde_json::json!(only).to_string());
        let values = values![
            &self.head.key,
            self.head.last_number,
            &message.id,
            person,
            agent,
            message.at,
            message.reply_to.as_ref(),
            message.audience.roster,
            only,
            sending_code(sending),
            waiting,
            turn,
            revised_at,
            words,
            way_back.as_ref().map(way_back_text),
        ];
        self.db.send(INSERT, values).await?;
        Ok(self.head.last_number)
    }
}

const INSERT: &str = "INSERT INTO message (conversation, number, id, person, agent, at, reply_to, \
    roster, only_agents, sending, waiting, turn, asked_in, revised_at, words, way_back) VALUES \
    (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, NULL, ?13, ?14, ?15)";

/// The bookkeeping of an entry, without its words.
pub(super) struct Place {
    pub(super) number: Number,
    pub(super) is_person: bool,
    pub(super) sending: Sending,
    pub(super) turn: Option<Fence>,
    pub(super) asked_in: std::collections::BTreeSet<Fence>,
    pub(super) revised_at: Option<Timestamp>,
    pub(super) slot: Option<i64>,
}

impl Place {
    pub(super) fn is_heard(&self) -> bool {
        is_heard(self.sending, self.slot.is_some())
    }
}

impl Work<'_> {
    pub(super) async fn place(
        &self,
        id: &unsaid_core::domain::id::MessageId,
    ) -> Result<Option<Place>, StoreError> {
        let sql = "SELECT number, agent, sending, turn, asked_in, revised_at, words FROM message \
            WHERE conversation = ?1 AND id = ?2 AND number > ?3";
        let values = values![&self.head.key, id, self.head.number_floor];
        let Some(row) = self.db.first(sql, values).await? else { return Ok(None) };
        Ok(Some(Place {
            number: Number::new(row.count(0)?),
            is_person: row.opt_text(1)?.is_none(),
            sending: sending_from(row.int(2)?)?,
            turn: opt_fence(&row, 3)?,
            asked_in: fences(row.opt_text(4)?)?,
            revised_at: row.opt_int(5)?.map(Timestamp::from_millis),
            slot: row.opt_int(6)?,
        }))
    }
}

pub(super) fn is_heard(sending: Sending, has_words: bool) -> bool {
    match sending {
        Sending::Here | Sending::Sent | Sending::Unknown => has_words,
        Sending::Intended | Sending::Failed => false,
    }
}

pub(super) fn sending_code(sending: Sending) -> i64 {
    match sending {
        Sending::Here => 0,
        Sending::Intended => 1,
        Sending::Sent => 2,
        Sending::Failed => 3,
        Sending::Unknown => 4,
    }
}

pub(super) fn sending_from(code: i64) -> Result<Sending, StoreError> {
    Ok(match code {
        0 => Sending::Here,
        1 => Sending::Intended,
        2 => Sending::Sent,
        3 => Sending::Failed,
        4 => Sending::Unknown,
        _ => return Err(corrupt("message.sending", "unknown code")),
    })
}

pub(super) async fn keep_parts(
    db: &dyn Db,
    place: &str,
    parts: &[Part],
) -> Result<i64, StoreError> {
    let words = serde_json::to_vec(parts).map_err(|e| corrupt("message parts", e))?;
    db.keep_words(place, &words).await
}

/// Slots are padded with zeros, which no JSON text holds.
pub(super) fn parts_from_words(content: &[u8]) -> Result<Vec<Part>, StoreError> {
    serde_json::from_slice(unpadded(content)).map_err(|_| corrupt("words", "not message parts"))
}

pub(crate) fn unpadded(content: &[u8]) -> &[u8] {
    let end = content.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &content[..end]
}

fn way_back_text(way_back: &WayBack) -> String {
    serde_json::json!(way_back).to_string()
}

fn way_back_from(text: &str) -> Result<WayBack, StoreError> {
    serde_json::from_str(text).map_err(|_| corrupt("message.way_back", "not a way back"))
}

pub(super) fn opt_fence(row: &Row, column: usize) -> Result<Option<Fence>, StoreError> {
    match row.opt_int(column)? {
        None => Ok(None),
        Some(_) => Ok(Some(Fence::new(row.count(column)?))),
    }
}

pub(super) fn fence_list(fences: &std::collections::BTreeSet<Fence>) -> Option<String> {
    (!fences.is_empty()).then(|| list(fences.iter().map(|fence| fence.get())))
}

fn author_columns(author: &Author) -> (Value, Value) {
    match author {
        Author::Person(person) => (person.as_ref().into(), Value::Null),
        Author::Agent(agent) => (Value::Null, agent.into()),
    }
}
