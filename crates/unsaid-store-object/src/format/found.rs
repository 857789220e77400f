//! An object without a first line: one that the product before ours wrote.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use unsaid_core::domain::{
    conversation::{Conversation, key::ConversationKey, log::Entry},
    id::{MessageId, Number, Version},
    time::Timestamp,
};

use super::{
    facts::{self, Facts},
    head::Binding,
    held::Held,
    line::{self, LEGACY, Parsed, Said},
    sheet::{Foreign, Why, split},
};

/// Reads it as it is: numbers in the order of the file.
pub(crate) fn read(object: &Bytes, key: &ConversationKey) -> Held {
    let lines: Vec<Bytes> = split(object).collect();
    let parsed: Vec<Parsed> = lines.iter().map(|line| line::parse(line, key)).collect();
    let mut reader = Reader::knowing(&parsed);
    for (index, (line, parsed)) in lines.into_iter().zip(parsed).enumerate() {
        match parsed {
            Parsed::Said(said) => reader.take(index, line, *said, key),
            Parsed::Opaque { by } => reader.leave(Why::Opaque { by }, line),
            Parsed::Bad => reader.leave(Why::Bad { line: index as u64 + 1 }, line),
        }
    }
    reader.finish()
}

/// What was understood so far.
struct Reader {
    /// All ids that lines have, so that none is made up twice.
    taken: HashSet<MessageId>,
    numbers: HashMap<MessageId, Number>,
    entries: Vec<Entry>,
    held: Held,
    last: Number,
    last_at: Timestamp,
    nameless: u64,
}

impl Reader {
    fn knowing(parsed: &[Parsed]) -> Self {
        let ids = parsed.iter().filter_map(|parsed| match parsed {
            Parsed::Said(said) => said.id.clone(),
            Parsed::Opaque { .. } | Parsed::Bad => None,
        });
        Self {
            taken: ids.collect(),
            numbers: HashMap::new(),
            entries: Vec::new(),
            held: Held::default(),
            last: Number::ZERO,
            last_at: Timestamp::ZERO,
            nameless: 0,
        }
    }

    fn take(&mut self, index: usize, line: Bytes, mut said: Said, key: &ConversationKey) {
        if let Some(of) = said.id.as_ref().and_then(|id| self.numbers.get(id)) {
            self.leave(Why::Twin { of: *of }, line);
            return;
        }
        let made_up = if said.id.is_none() { Some(self.make_up()) } else { None };
        // A line without a time was written after the one before it.
        let at = if said.at.is_none() { Some(self.last_at) } else { None };
        let (number, files) = (self.last.next(), std::mem::take(&mut said.files));
        let facts = Facts::found(made_up, at);
        let text = std::str::from_utf8(&line).ok();
        let entry = text.and_then(|text| facts::entry(number, text, said, facts, key));
        let Some(entry) = entry else {
            self.leave(Why::Bad { line: index as u64 + 1 }, line);
            return;
        };
        for file in files {
            let binding = Binding { number, mime: file.mime, object: file.object };
            self.held.media.entry(file.key).or_insert(binding);
        }
        self.numbers.insert(entry.message.id.clone(), number);
        (self.last, self.last_at) = (number, entry.message.at);
        self.entries.push(entry);
    }

    fn leave(&mut self, why: Why, bytes: Bytes) {
        self.held.foreign.push(Foreign { after: self.last, why, bytes });
    }

    /// The id of a line that has none: it is the how-many-eth of these.
    fn make_up(&mut self) -> MessageId {
        self.nameless += 1;
        let mut id = made_up(self.nameless, 0);
        let mut tries = 0;
        while !self.taken.insert(id.clone()) {
            tries += 1;
            id = made_up(self.nameless, tries);
        }
        id
    }

    fn finish(self) -> Held {
        let conversation = Conversation {
            version: Version::ZERO.next(),
            last_number: self.last,
            log: self.entries.into_iter().collect(),
            ..Conversation::default()
        };
        Held { conversation, ..self.held }
    }
}

#[expect(clippy::expect_used, reason = "two counters and a word are a short visible text")]
fn made_up(count: u64, tries: u64) -> MessageId {
    let rest = if tries == 0 { String::new() } else { format!("-{tries}") };
    MessageId::new(format!("{LEGACY}{count}{rest}")).expect("it is an id")
}
