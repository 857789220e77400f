//! The row of a conversation: its lock, its counters, its turn.

use std::collections::BTreeSet;

use unsaid_core::{
    domain::{
        conversation::{key::ConversationKey, turn::Lease},
        id::{EditId, EventNumber, Fence, HolderId, Number, PersonId, Version},
        time::Timestamp,
    },
    port::error::{StoreError, corrupt},
};

use crate::db::{Db, Lock, Row, values};

/// The undo window that is open.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct OpenUndo {
    pub(super) edit: EditId,
    pub(super) until: Timestamp,
    pub(super) from: Number,
    /// The version that the edit made: it names the rows that can come back.
    pub(super) edition: Version,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// The key as text.
    pub(super) key: String,
    stored: bool,
    pub(super) owner: Option<PersonId>,
    pub(super) dropped: bool,
    pub(super) version: Version,
    pub(super) last_number: Number,
    pub(super) last_fence: Fence,
    pub(super) number_floor: Number,
    pub(super) fence_floor: Fence,
    pub(super) purge: bool,
    pub(super) heard: u64,
    pub(super) wanted_at: Option<Timestamp>,
    pub(super) turn: Option<Lease>,
    pub(super) undo: Option<OpenUndo>,
    pub(super) last_event: EventNumber,
}

impl Head {
    /// Takes the lock of a conversation, to change it, and reads its row: in one statement, so that
    /// what is read is what is locked. A second one would see what was committed between the two.
    pub(super) async fn lock(db: &dyn Db, key: &ConversationKey) -> Result<Self, StoreError> {
        let text = key.to_string();
        let mut row = db.first(SELECT_LOCKED, values![&text]).await?;
        if row.is_none() && db.is_shared() {
            // Without a row there was nothing to lock: of several who want to be first, one is. The
            // row may also have been made anew while this one waited for the old.
            db.lock(Lock::NewConversation(&text)).await?;
            row = db.first(SELECT_LOCKED, values![&text]).await?;
        }
        row.map_or_else(|| Ok(Self::fresh(text)), |row| Self::from_row(&row))
    }

    /// Reads the row, without its lock or under it; a conversation nobody has spoken in yet has none.
    pub(super) async fn load(db: &dyn Db, key: &ConversationKey) -> Result<Self, StoreError> {
        let key = key.to_string();
        match db.first(SELECT, values![&key]).await? {
            Some(row) => Self::from_row(&row),
            None => Ok(Self::fresh(key)),
        }
    }

    pub(super) fn from_row(row: &Row) -> Result<Self, StoreError> {
        let last_fence = Fence::new(row.count(5)?);
        Ok(Self {
            key: row.text(0)?.to_owned(),
            stored: true,
            owner: row.opt_parse(1)?,
            dropped: row.flag(2)?,
            version: Version::new(row.count(3)?),
            last_number: Number::new(row.count(4)?),
            last_fence,
            number_floor: Number::new(row.count(6)?),
            fence_floor: Fence::new(row.count(7)?),
            purge: row.flag(8)?,
            heard: row.count(9)?,
            wanted_at: row.opt_int(10)?.map(Timestamp::from_millis),
            turn: lease(row, last_fence)?,
            undo: open_undo(row)?,
            last_event: EventNumber::new(row.count(19)?),
        })
    }

    /// Whether there is such a conversation; one that was dropped only waits for its rows to go.
    pub(super) fn is_live(&self) -> bool {
        self.stored && !self.dropped
    }

    /// Writes what has changed since it was loaded.
    pub(super) async fn save(&self, db: &dyn Db, loaded: &Self) -> Result<(), StoreError> {
        let Self { version, last_number, heard, last_event, .. } = *self;
        let counted = Self { version, last_number, heard, last_event, ..loaded.clone() };
        if self.stored && counted == *self {
            // Said and nothing more: no index has to be touched.
            let values = values![&self.key, version, last_number, heard, last_event];
            return db.send(UPDATE_COUNTERS, values).await;
        }
        let sql = if self.stored { UPDATE } else { INSERT };
        let turn = self.turn.as_ref();
        let undo = self.undo.as_ref();
        let values = values![
            &self.key,
            self.owner.as_ref(),
            self.dropped,
            self.version,
            self.last_number,
            self.last_fence,
            self.number_floor,
            self.fence_floor,
            self.purge,
            self.heard,
            self.wanted_at,
            turn.map(|lease| &lease.holder),
            turn.map(|lease| lease.until),
            turn.map(|lease| lease.seen_through),
            turn.map(|lease| list(lease.questions.iter().map(|number| number.get()))),
            undo.map(|undo| &undo.edit),
            undo.map(|undo| undo.until),
            undo.map(|undo| undo.from),
            undo.map(|undo| undo.edition),
            self.last_event,
        ];
        db.send(sql, values).await
    }

    /// Some heard messages are gone.
    pub(super) fn hear_less(&mut self, count: u64) -> Result<(), StoreError> {
        let heard = self.heard.checked_sub(count);
        self.heard = heard.ok_or_else(|| corrupt("conversation.heard", "fewer than none"))?;
        Ok(())
    }

    fn fresh(key: String) -> Self {
        Self {
            key,
            stored: false,
            owner: None,
            dropped: false,
            version: Version::ZERO,
            last_number: Number::ZERO,
            last_fence: Fence::ZERO,
            number_floor: Number::ZERO,
            fence_floor: Fence::ZERO,
            purge: false,
            heard: 0,
            wanted_at: None,
            turn: None,
            undo: None,
            last_event: EventNumber::ZERO,
        }
    }
}

/// The columns of a head.
macro_rules! select {
    ($more:literal) => {
        concat!(
            "SELECT key, owner, dropped, version, last_number, last_fence, number_floor, ",
            "fence_floor, purge, heard, wanted_at, turn_holder, turn_until, turn_seen, ",
            "turn_questions, undo_edit, undo_until, undo_from, undo_edition, last_event ",
            "FROM conversation WHERE key = ?1",
            $more
        )
    };
}

const SELECT: &str = select!("");
const SELECT_LOCKED: &str = select!(" /*pg: FOR UPDATE */");
const UPDATE_COUNTERS: &str = "UPDATE conversation SET version = ?2, last_number = ?3, heard = ?4, last_event = ?5 WHERE key = ?1";
const UPDATE: &str = "UPDATE conversation SET owner = ?2, dropped = ?3, version = ?4, \
    last_number = ?5, last_fence = ?6, number_floor = ?7, fence_floor = ?8, purge = ?9, \
    heard = ?10, wanted_at = ?11, turn_holder = ?12, turn_until = ?13, turn_seen = ?14, \
    turn_questions = ?15, undo_edit = ?16, undo_until = ?17, undo_from = ?18, \
    undo_edition = ?19, last_event = ?20 WHERE key = ?1";
const INSERT: &str = "INSERT INTO conversation (key, owner, dropped, version, last_number, \
    last_fence, number_floor, fence_floor, purge, heard, wanted_at, turn_holder, turn_until, \
    turn_seen, turn_questions, undo_edit, undo_until, undo_from, undo_edition, last_event) VALUES \
    (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)";

fn lease(row: &Row, fence: Fence) -> Result<Option<Lease>, StoreError> {
    let Some(holder) = row.opt_parse::<HolderId>(11)? else { return Ok(None) };
    Ok(Some(Lease {
        fence,
        holder,
        until: Timestamp::from_millis(row.int(12)?),
        seen_through: Number::new(row.count(13)?),
        questions: numbers(Some(row.text(14)?))?.into_iter().map(Number::new).collect(),
    }))
}

fn open_undo(row: &Row) -> Result<Option<OpenUndo>, StoreError> {
    let Some(edit) = row.opt_parse(15)? else { return Ok(None) };
    let until = Timestamp::from_millis(row.int(16)?);
    let (from, edition) = (Number::new(row.count(17)?), Version::new(row.count(18)?));
    Ok(Some(OpenUndo { edit, until, from, edition }))
}

/// Small sets of counters are written as `1,2,3`.
pub(super) fn list(counters: impl IntoIterator<Item = u64>) -> String {
    let texts: Vec<String> = counters.into_iter().map(|counter| counter.to_string()).collect();
    texts.join(",")
}

/// Reads what [`list`] wrote.
pub(super) fn numbers(text: Option<&str>) -> Result<BTreeSet<u64>, StoreError> {
    let items = text.unwrap_or_default().split(',').filter(|item| !item.is_empty());
    items.map(|item| item.parse().map_err(|error| corrupt("a list of numbers", error))).collect()
}

/// The same, for turns.
pub(super) fn fences(text: Option<&str>) -> Result<BTreeSet<Fence>, StoreError> {
    Ok(numbers(text)?.into_iter().map(Fence::new).collect())
}
