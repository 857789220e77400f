//! Lines with the bookkeeping that belongs to them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
};

use bytes::Bytes;
use unsaid_core::{
    domain::{
        conversation::{key::ConversationKey, log::Entry, turn::TurnRecord},
        id::{DeliveryId, Fence, MediaKey, MessageId, Number},
        time::Timestamp,
    },
    port::error::{StoreError, corrupt},
};

use super::{
    facts,
    head::{Binding, ForeignText, Head, LinesText},
    mirror::TurnText,
};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Sheet {
    pub(crate) entries: Vec<Entry>,
    pub(crate) foreign: Vec<Foreign>,
    pub(crate) turns: BTreeMap<Fence, TurnRecord>,
    pub(crate) tombstones: BTreeMap<MessageId, BTreeSet<Fence>>,
    pub(crate) deliveries: BTreeMap<DeliveryId, Timestamp>,
    pub(crate) media: BTreeMap<MediaKey, Binding>,
}

/// A line that is kept byte for byte at its place, and not heard. It does not print itself.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// The number before it.
    pub(crate) after: Number,
    pub(crate) why: Why,
    pub(crate) bytes: Bytes,
}

/// Why a line is not heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Why {
    /// Its role is not known.
    Opaque {
        /// Whose it is, as it says.
        by: Option<String>,
    },
    /// It cannot be read.
    Bad {
        /// Which line of the object it was when it was found, from one.
        line: u64,
    },
    /// The message was delivered twice, and written twice.
    Twin {
        /// The message that is heard.
        of: Number,
    },
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { after, why, bytes } = self;
        write!(f, "Foreign(after {after}, {why:?}, {} bytes)", bytes.len())
    }
}

/// Lines as they are written.
pub(crate) struct Written {
    pub(crate) lines: LinesText,
    pub(crate) body: Vec<u8>,
}

impl Sheet {
    /// Whether nothing is left in it.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads a sealed segment.
    pub(crate) fn read(
        name: &str,
        object: &Bytes,
        key: &ConversationKey,
    ) -> Result<Self, StoreError> {
        let Some((head, body)) = Head::read(name, object)? else {
            return Err(corrupt(name, "not a segment"));
        };
        Self::of(name, head.lines, &body, key)
    }

    /// The segment's object, and the length of its first line.
    pub(crate) fn write(&self, key: &ConversationKey) -> Result<(Bytes, u64), StoreError> {
        let Written { mut lines, body } = write_lines(self.entries.iter(), &self.foreign, key);
        lines.ids = self.entries.iter().map(|entry| entry.message.id.clone()).collect();
        lines.turns = self.turns.iter().map(|(fence, turn)| (*fence, turn.into())).collect();
        lines.tombstones.clone_from(&self.tombstones);
        lines.deliveries.clone_from(&self.deliveries);
        lines.media.clone_from(&self.media);
        let mut object = Head::new(None, lines).write()?;
        let head_bytes = object.len() as u64;
        object.extend_from_slice(&body);
        Ok((object.into(), head_bytes))
    }

    /// What the lines after a first line are.
    pub(crate) fn of(
        name: &str,
        head: LinesText,
        body: &Bytes,
        key: &ConversationKey,
    ) -> Result<Self, StoreError> {
        let LinesText { ids: _, numbers, mut facts, foreign, .. } = head;
        let mut foreign: HashMap<usize, ForeignText> =
            foreign.into_iter().map(|mark| (mark.line, mark)).collect();
        let mut numbers = numbers.into_iter().flat_map(|(first, count)| first..first + count);
        let mut sheet = Self::default();
        for (index, line) in split(body).enumerate() {
            if let Some(mark) = foreign.remove(&index) {
                sheet.foreign.push(mark.with(line));
                continue;
            }
            let number = numbers.next().map(Number::new);
            let number =
                number.ok_or_else(|| corrupt(name, "there are more lines than numbers"))?;
            let known = facts.remove(&number).unwrap_or_default();
            match facts::join(number, &line, known, key) {
                Some(entry) => sheet.entries.push(entry),
                None => sheet.quarantine(number, index, line),
            }
        }
        if numbers.next().is_some() || !foreign.is_empty() {
            return Err(corrupt(name, "there are fewer lines than numbers"));
        }
        sheet.turns = head.turns.into_iter().map(|(fence, turn)| (fence, turn.into())).collect();
        sheet.tombstones = head.tombstones;
        sheet.deliveries = head.deliveries;
        sheet.media = head.media;
        Ok(sheet)
    }

    fn quarantine(&mut self, number: Number, index: usize, bytes: Bytes) {
        // People count lines from one, and the first is ours.
        let line = index as u64 + 2;
        self.foreign.push(Foreign { after: number, why: Why::Bad { line }, bytes });
    }
}

/// Writes entries and foreign lines in order. What else belongs to them is left empty.
pub(crate) fn write_lines<'a>(
    entries: impl Iterator<Item = &'a Entry>,
    foreign: &[Foreign],
    key: &ConversationKey,
) -> Written {
    let mut lines = LinesText::default();
    let mut body = Vec::new();
    let mut foreign = foreign.iter().peekable();
    let mut line_index = 0;
    let take = |foreign: &Foreign, lines: &mut LinesText, body: &mut Vec<u8>, index: usize| {
        lines.foreign.push(ForeignText::of(foreign, index));
        body.extend_from_slice(&foreign.bytes);
        body.push(b'\n');
    };
    for entry in entries {
        while let Some(before) = foreign.next_if(|foreign| foreign.after < entry.number) {
            take(before, &mut lines, &mut body, line_index);
            line_index += 1;
        }
        let (line, facts) = facts::part_with(entry, key);
        if facts != facts::Facts::default() {
            lines.facts.insert(entry.number, facts);
        }
        count(&mut lines.numbers, entry.number);
        body.extend_from_slice(line.as_bytes());
        body.push(b'\n');
        line_index += 1;
    }
    for rest in foreign {
        take(rest, &mut lines, &mut body, line_index);
        line_index += 1;
    }
    Written { lines, body }
}

/// The lines of a body, without their ends.
pub(crate) fn split(body: &Bytes) -> impl Iterator<Item = Bytes> {
    let mut rest = body.clone();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let line = rest.split_to(end);
        if !rest.is_empty() {
            // The end of the line itself.
            drop(rest.split_to(1));
        }
        Some(line)
    })
}

impl ForeignText {
    fn of(foreign: &Foreign, line: usize) -> Self {
        let mut mark = Self { line, after: foreign.after, by: None, bad: None, twin: None };
        match &foreign.why {
            Why::Opaque { by } => mark.by.clone_from(by),
            Why::Bad { line } => mark.bad = Some(*line),
            Why::Twin { of } => mark.twin = Some(*of),
        }
        mark
    }

    fn with(self, bytes: Bytes) -> Foreign {
        let why = match (self.bad, self.twin) {
            (Some(line), _) => Why::Bad { line },
            (None, Some(of)) => Why::Twin { of },
            (None, None) => Why::Opaque { by: self.by },
        };
        Foreign { after: self.after, why, bytes }
    }
}

fn count(runs: &mut Vec<(u64, u64)>, number: Number) {
    match runs.last_mut() {
        Some((first, count)) if *first + *count == number.get() => *count += 1,
        Some(_) | None => runs.push((number.get(), 1)),
    }
}

/// Turns as a first line has them.
pub(crate) fn turns_text(turns: &BTreeMap<Fence, TurnRecord>) -> BTreeMap<Fence, TurnText> {
    turns.iter().map(|(fence, turn)| (*fence, turn.into())).collect()
}
