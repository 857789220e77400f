//! What is to be written after a change: segments that changed, what is newly sealed, and the live
//! object last.

use std::{collections::BTreeSet, sync::Arc};

use bytes::Bytes;
use unsaid_core::{
    domain::{
        conversation::{
            Conversation,
            key::ConversationKey,
            log::{Entry, Log, Sending},
        },
        id::{DeliveryId, Fence, Number},
        time::Timestamp,
    },
    port::error::StoreError,
};

use super::{
    digest::Digest,
    work::{Work, told},
};
use crate::{
    format::{
        facts,
        head::Segment,
        held::Held,
        sheet::{Foreign, Sheet},
    },
    name,
};

/// What a delivery takes in a first line, roughly.
const DELIVERY_BYTES: usize = 48;

/// What is to be written, in this order.
pub(crate) struct Plan {
    /// New segments.
    pub(crate) segments: Vec<NewSegment>,
    /// The live object.
    pub(crate) live: Bytes,
    /// What the live object says.
    pub(crate) held: Held,
}

/// A segment that is not written yet.
pub(crate) struct NewSegment {
    pub(crate) nonce: String,
    pub(crate) name: String,
    pub(crate) bytes: Bytes,
    pub(crate) digest: Arc<Digest>,
}

/// Whoever plans needs names that nobody used before.
pub(crate) struct Planner<'a> {
    pub(crate) key: &'a ConversationKey,
    pub(crate) object_bytes_max: usize,
    pub(crate) nonce: &'a (dyn Fn() -> String + Sync),
}

impl Planner<'_> {
    /// Turns a changed conversation into objects.
    pub(crate) fn plan(&self, work: Work, signature: String) -> Result<Plan, StoreError> {
        let (mut held, mut segments) = self.split(work)?;
        held.sign(signature);
        let mut live = held.write(self.key)?;
        if live.len() > self.object_bytes_max {
            let sheets = self.seal(&mut held);
            if !sheets.is_empty() {
                for sheet in sheets {
                    let (segment, new) = self.segment(&sheet, None)?;
                    held.segments.push(segment);
                    segments.push(new);
                }
                live = held.write(self.key)?;
            }
        }
        Ok(Plan { segments, live, held })
    }

    /// Gives segments that were taken in back what is theirs.
    fn split(&self, work: Work) -> Result<(Held, Vec<NewSegment>), StoreError> {
        let Work { mut held, origins, .. } = work;
        let mut new = Vec::new();
        if origins.is_empty() {
            return Ok((held, new));
        }
        let sealed: BTreeSet<Number> = origins
            .iter()
            .flat_map(|(_, origin)| origin.entries.iter().map(|entry| entry.number))
            .collect();
        let whole = std::mem::take(&mut held.conversation.log);
        held.conversation.log =
            whole.iter().filter(|entry| !sealed.contains(&entry.number)).cloned().collect();
        let live_turns = told(&held.conversation);
        for (segment, origin) in origins {
            let sheet = remainder(&origin, &whole, &mut held, &live_turns);
            if sheet == origin {
                continue;
            }
            held.doomed.insert(format!("{}{}", name::sealed_prefix(self.key), segment.nonce));
            let place = held.segments.iter().position(|known| *known == segment);
            let Some(place) = place else { continue };
            if sheet.is_empty() {
                held.segments.remove(place);
            } else {
                let (segment, written) = self.segment(&sheet, Some(&segment))?;
                held.segments[place] = segment;
                new.push(written);
            }
        }
        Ok((held, new))
    }

    /// Moves the oldest lines, and bookkeeping that nothing live needs, out of the live object.
    fn seal(&self, held: &mut Held) -> Vec<Sheet> {
        let half = self.object_bytes_max / 2;
        let lengths: Vec<(Number, usize)> = held
            .conversation
            .log
            .iter()
            .map(|entry| (entry.number, weight(entry, self.key)))
            .collect();
        let lid = lid(&held.conversation);
        let mut left: usize = lengths.iter().map(|(_, bytes)| bytes).sum();
        let mut chunks: Vec<(Number, usize)> = Vec::new();
        for (number, bytes) in lengths {
            if left <= half || lid.is_some_and(|lid| number >= lid) {
                break;
            }
            left -= bytes;
            match chunks.last_mut() {
                Some((through, size)) if *size + bytes <= half => {
                    (*through, *size) = (number, *size + bytes);
                }
                Some(_) | None => chunks.push((number, bytes)),
            }
        }
        let mut sheets = cut(held, &chunks);
        let moved: usize = chunks.iter().map(|(_, bytes)| bytes).sum();
        let mut last = sheets.pop().unwrap_or_default();
        let books = move_books(held, &mut last, self.object_bytes_max / 8);
        // A segment that holds next to nothing is not worth its object.
        if moved + books < self.object_bytes_max / 4 {
            undo(held, last);
            return Vec::new();
        }
        sheets.push(last);
        sheets
    }

    fn segment(
        &self,
        sheet: &Sheet,
        before: Option<&Segment>,
    ) -> Result<(Segment, NewSegment), StoreError> {
        let (bytes, head_bytes) = sheet.write(self.key)?;
        let nonce = (self.nonce)();
        let number = |entry: Option<&Entry>, otherwise: fn(&Segment) -> Number| {
            let number = entry.map(|entry| entry.number);
            number.or(before.map(otherwise)).unwrap_or_default()
        };
        let times = || sheet.deliveries.values().copied();
        let segment = Segment {
            nonce: nonce.clone(),
            first: number(sheet.entries.first(), |before| before.first),
            through: number(sheet.entries.last(), |before| before.through),
            heard: sheet.entries.iter().filter(|entry| entry.is_heard()).count() as u64,
            head_bytes,
            deliveries: times().min().zip(times().max()),
        };
        let name = format!("{}{nonce}", name::sealed_prefix(self.key));
        let digest = Arc::new(Digest::of_sheet(sheet));
        Ok((segment, NewSegment { nonce, name, bytes, digest }))
    }
}

/// What is left of a segment; it is taken out of what is held.
fn remainder(origin: &Sheet, whole: &Log, held: &mut Held, live_turns: &BTreeSet<Fence>) -> Sheet {
    let mut sheet = Sheet {
        entries: origin
            .entries
            .iter()
            .filter_map(|entry| whole.get(entry.number))
            .cloned()
            .collect(),
        ..Sheet::default()
    };
    let conversation = &mut held.conversation;
    for fence in origin.turns.keys().filter(|fence| !live_turns.contains(fence)) {
        sheet.turns.extend(conversation.turns.remove_entry(fence));
    }
    for id in origin.tombstones.keys() {
        sheet.tombstones.extend(conversation.tombstones.remove_entry(id));
    }
    for id in origin.deliveries.keys() {
        sheet.deliveries.extend(conversation.deliveries.remove_entry(id));
    }
    let numbers: BTreeSet<Number> = sheet.entries.iter().map(|entry| entry.number).collect();
    sheet.media = held.media.extract_if(.., |_, file| numbers.contains(&file.number)).collect();
    let theirs = |foreign: &mut Foreign| origin.foreign.contains(foreign);
    sheet.foreign = held.foreign.extract_if(.., theirs).collect();
    sheet
}

/// The first number that must stay live: what waits, runs, or is about to leave, and all that an
/// undo would replace.
fn lid(conversation: &Conversation) -> Option<Number> {
    let log = &conversation.log;
    let turn = conversation.turn.as_ref();
    let asked = turn.and_then(|lease| lease.questions.first()).copied();
    let answered = |entry: &&Entry| turn.is_some_and(|lease| entry.turn == Some(lease.fence));
    let going = |entry: &&Entry| answered(entry) || entry.sending == Sending::Intended;
    let going = log.iter().find(going).map(|entry| entry.number);
    let undone = conversation.undo.as_ref().map(|undo| undo.from);
    let waiting = log.waiting().first().copied();
    [asked, going, undone, waiting].into_iter().flatten().min()
}

/// Roughly what an entry takes in its object.
fn weight(entry: &Entry, key: &ConversationKey) -> usize {
    facts::part_with(entry, key).0.len() + 1
}

/// Takes entries, their files and the foreign lines between them out, a sheet for each chunk.
fn cut(held: &mut Held, chunks: &[(Number, usize)]) -> Vec<Sheet> {
    let Some((end, _)) = chunks.last() else { return Vec::new() };
    let log = std::mem::take(&mut held.conversation.log);
    held.conversation.log = log.from(end.next()).cloned().collect();
    let mut entries = log.before(end.next()).cloned().peekable();
    let mut sheets = Vec::new();
    for (through, _) in chunks {
        let mut sheet = Sheet::default();
        while let Some(entry) = entries.next_if(|entry| entry.number <= *through) {
            sheet.entries.push(entry);
        }
        let inside = |number: Number| number <= *through;
        sheet.media = held.media.extract_if(.., |_, file| inside(file.number)).collect();
        sheet.foreign = held.foreign.extract_if(.., |line| inside(line.after)).collect();
        sheets.push(sheet);
    }
    sheets
}

/// Moves turns of which nothing live tells, tombstones, and all but the newest deliveries; says how
/// many bytes that was, roughly.
fn move_books(held: &mut Held, sheet: &mut Sheet, keep_bytes: usize) -> usize {
    let told = told(&held.conversation);
    let conversation = &mut held.conversation;
    sheet.turns = conversation.turns.extract_if(.., |fence, _| !told.contains(fence)).collect();
    let mut bytes = sheet.turns.len() * 40;
    let ids = conversation.tombstones.keys().map(|id| id.as_str().len() + 10);
    if ids.sum::<usize>() > keep_bytes {
        sheet.tombstones = std::mem::take(&mut conversation.tombstones);
        bytes += sheet.tombstones.keys().map(|id| id.as_str().len() + 10).sum::<usize>();
    }
    let mut oldest: Vec<(Timestamp, DeliveryId)> =
        conversation.deliveries.iter().map(|(id, at)| (*at, id.clone())).collect();
    oldest.sort_unstable();
    oldest.truncate(oldest.len().saturating_sub(keep_bytes / DELIVERY_BYTES));
    for (_, id) in oldest {
        sheet.deliveries.extend(conversation.deliveries.remove_entry(&id));
    }
    bytes + sheet.deliveries.len() * DELIVERY_BYTES
}

/// Puts back what was not worth moving.
fn undo(held: &mut Held, sheet: Sheet) {
    let conversation = &mut held.conversation;
    let Sheet { entries, foreign, turns, tombstones, deliveries, media } = sheet;
    let live = std::mem::take(&mut conversation.log);
    conversation.log = entries.into_iter().chain(live.iter().cloned()).collect();
    conversation.turns.extend(turns);
    conversation.tombstones.extend(tombstones);
    conversation.deliveries.extend(deliveries);
    held.media.extend(media);
    held.foreign.splice(0..0, foreign);
}
