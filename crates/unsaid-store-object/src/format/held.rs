//! A live object: the newest lines, and what belongs to the conversation as a whole.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use unsaid_core::{
    domain::{
        conversation::{Conversation, Undo, key::ConversationKey, log::Entry},
        id::{MediaKey, PersonId, Version},
    },
    port::error::{StoreError, corrupt},
};

use super::{
    facts, found,
    head::{Binding, Head, KeptText, LinesText, LiveText, Segment, UndoText},
    sheet::{Foreign, Sheet, Written, turns_text, write_lines},
};

/// How many writes an object remembers.
const NONCES_MAX: usize = 32;

/// See the module. Of the conversation it has the lines that are not sealed, and all counters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Held {
    pub(crate) conversation: Conversation,
    pub(crate) owner: Option<PersonId>,
    pub(crate) foreign: Vec<Foreign>,
    pub(crate) media: BTreeMap<MediaKey, Binding>,
    pub(crate) segments: Vec<Segment>,
    pub(crate) doomed: BTreeSet<String>,
    pub(crate) cleanings: u64,
    pub(crate) nonces: Vec<String>,
}

impl Held {
    /// A conversation exists from its first effective change on.
    pub(crate) fn exists(&self) -> bool {
        self.conversation.version != Version::ZERO
    }

    /// How many messages can be heard, sealed ones included.
    pub(crate) fn heard(&self) -> u64 {
        let sealed: u64 = self.segments.iter().map(|segment| segment.heard).sum();
        let live = self.conversation.log.iter().filter(|entry| entry.is_heard());
        sealed + live.count() as u64
    }

    /// Reads a live object, whoever wrote it.
    pub(crate) fn read(
        name: &str,
        object: &Bytes,
        key: &ConversationKey,
    ) -> Result<Self, StoreError> {
        let Some((head, body)) = Head::read(name, object)? else {
            return Ok(found::read(object, key));
        };
        let live = head.live.ok_or_else(|| corrupt(name, "this is a segment"))?;
        let sheet = Sheet::of(name, head.lines, &body, key)?;
        Self::of(name, live, sheet, key)
    }

    /// What the first line of a live object tells, without its lines; `None` if it is not ours.
    pub(crate) fn read_head(
        name: &str,
        start: &Bytes,
        key: &ConversationKey,
    ) -> Result<Option<Self>, StoreError> {
        let Some((mut head, _)) = Head::read(name, start)? else { return Ok(None) };
        let live = head.live.take().ok_or_else(|| corrupt(name, "this is a segment"))?;
        head.lines.numbers.clear();
        head.lines.foreign.clear();
        let sheet = Sheet::of(name, head.lines, &Bytes::new(), key)?;
        Self::of(name, live, sheet, key).map(Some)
    }

    /// The object.
    pub(crate) fn write(&self, key: &ConversationKey) -> Result<Bytes, StoreError> {
        let conversation = &self.conversation;
        let Written { lines, body } = write_lines(conversation.log.iter(), &self.foreign, key);
        let lines = LinesText {
            turns: turns_text(&conversation.turns),
            tombstones: conversation.tombstones.clone(),
            deliveries: conversation.deliveries.clone(),
            media: self.media.clone(),
            ..lines
        };
        let mut object = Head::new(Some(self.live_text(key)), lines).write()?;
        object.extend_from_slice(&body);
        Ok(object.into())
    }

    /// Remembers a write.
    pub(crate) fn sign(&mut self, nonce: String) {
        self.nonces.push(nonce);
        let surplus = self.nonces.len().saturating_sub(NONCES_MAX);
        self.nonces.drain(..surplus);
    }

    fn of(
        name: &str,
        live: LiveText,
        sheet: Sheet,
        key: &ConversationKey,
    ) -> Result<Self, StoreError> {
        let undo = match live.undo {
            Some(undo) => Some(undo_of(name, undo, key)?),
            None => None,
        };
        let Sheet { entries, foreign, turns, tombstones, deliveries, media } = sheet;
        let conversation = Conversation {
            version: live.version,
            last_number: live.number,
            last_fence: live.fence,
            log: entries.into_iter().collect(),
            turn: live.turn.map(Into::into),
            wanted_at: live.wanted,
            turns,
            tombstones,
            deliveries,
            revisions: live.revisions.into_iter().map(|(id, text)| (id, text.into())).collect(),
            undo,
            closed_edits: live.closed.into_iter().map(|(id, text)| (id, text.into())).collect(),
            cleared: live.cleared,
        };
        Ok(Self {
            conversation,
            owner: live.owner,
            foreign,
            media,
            segments: live.segments,
            doomed: live.doomed,
            cleanings: live.cleanings,
            nonces: live.nonces,
        })
    }

    fn live_text(&self, key: &ConversationKey) -> LiveText {
        let Conversation {
            version,
            last_number,
            last_fence,
            log: _,
            turn,
            wanted_at,
            turns: _,
            tombstones: _,
            deliveries: _,
            revisions,
            undo,
            closed_edits,
            cleared,
        } = &self.conversation;
        LiveText {
            version: *version,
            number: *last_number,
            fence: *last_fence,
            owner: self.owner.clone(),
            turn: turn.as_ref().map(Into::into),
            wanted: *wanted_at,
            revisions: revisions.iter().map(|(id, waiting)| (id.clone(), waiting.into())).collect(),
            undo: undo.as_ref().map(|undo| undo_text(undo, key)),
            closed: closed_edits.iter().map(|(id, closed)| (id.clone(), closed.into())).collect(),
            cleared: cleared.clone(),
            segments: self.segments.clone(),
            doomed: self.doomed.clone(),
            cleanings: self.cleanings,
            nonces: self.nonces.clone(),
        }
    }
}

fn undo_text(undo: &Undo, key: &ConversationKey) -> UndoText {
    let kept = |entry: &Entry| {
        let (line, facts) = facts::part_with(entry, key);
        KeptText { number: entry.number, line: line.into_owned(), facts }
    };
    let Undo { edit, until, from, entries } = undo;
    let entries = entries.iter().map(kept).collect();
    UndoText { edit: edit.clone(), until: *until, from: *from, entries }
}

fn undo_of(name: &str, undo: UndoText, key: &ConversationKey) -> Result<Undo, StoreError> {
    let UndoText { edit, until, from, entries } = undo;
    let entry = |kept: KeptText| {
        let entry = facts::join(kept.number, kept.line.as_bytes(), kept.facts, key);
        entry.ok_or_else(|| corrupt(name, "the undo buffer cannot be read"))
    };
    let entries = entries.into_iter().map(entry).collect::<Result<_, _>>()?;
    Ok(Undo { edit, until, from, entries })
}
