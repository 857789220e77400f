//! The first line.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use unsaid_core::{
    domain::{
        id::{AgentId, DeliveryId, EditId, Fence, MediaKey, MessageId, Number, PersonId, Version},
        time::Timestamp,
    },
    port::error::{StoreError, corrupt},
};

use super::{
    facts::Facts,
    mirror::{ClosedText, LeaseText, RevisionText, TurnText},
};

/// How every first line of ours begins, and no line of the product before.
const BEGINNING: &[u8] = b"{\"unsaid\":";
/// The format that this code writes.
const FORMAT: u32 = 1;

/// The first line of a live object or of a segment.
#[derive(Serialize, Deserialize)]
pub(crate) struct Head {
    unsaid: u32,
    /// What belongs to the conversation as a whole; a segment has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) live: Option<LiveText>,
    #[serde(default)]
    pub(crate) lines: LinesText,
}

/// What belongs to the lines of this object.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct LinesText {
    /// All ids, so that a segment need not be read to know them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ids: Vec<MessageId>,
    /// The numbers of the lines, in runs: the first, and how many.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) numbers: Vec<(u64, u64)>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) facts: BTreeMap<Number, Facts>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) foreign: Vec<ForeignText>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) turns: BTreeMap<Fence, TurnText>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) tombstones: BTreeMap<MessageId, BTreeSet<Fence>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) deliveries: BTreeMap<DeliveryId, Timestamp>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) media: BTreeMap<MediaKey, Binding>,
}

/// A line that is kept as it is and not heard.
#[derive(Serialize, Deserialize)]
pub(crate) struct ForeignText {
    /// Which line after the first, from zero.
    pub(crate) line: usize,
    /// The number before it.
    pub(crate) after: Number,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) by: Option<String>,
    /// Where it was found, if it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bad: Option<u64>,
    /// The message that it repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) twin: Option<Number>,
}

/// A file of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Binding {
    /// The message; by number, because an id can change hands while an edit can be undone.
    pub(crate) number: Number,
    pub(crate) mime: String,
    /// The object that holds its bytes.
    pub(crate) object: String,
}

/// What belongs to the conversation as a whole.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct LiveText {
    pub(crate) version: Version,
    pub(crate) number: Number,
    pub(crate) fence: Fence,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<PersonId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) turn: Option<LeaseText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) wanted: Option<Timestamp>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) revisions: BTreeMap<MessageId, RevisionText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) undo: Option<UndoText>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) closed: BTreeMap<EditId, ClosedText>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) cleared: BTreeMap<AgentId, Number>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) segments: Vec<Segment>,
    /// Objects that nobody names any more and that are to be deleted.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) doomed: BTreeSet<String>,
    /// How often unnamed objects were cleaned away.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) cleanings: u64,
    /// Who wrote last: a write whose answer was lost finds itself here.
    pub(crate) nonces: Vec<String>,
}

/// What an edit removed.
#[derive(Serialize, Deserialize)]
pub(crate) struct UndoText {
    pub(crate) edit: EditId,
    pub(crate) until: Timestamp,
    pub(crate) from: Number,
    pub(crate) entries: Vec<KeptText>,
}

/// An entry in the undo buffer.
#[derive(Serialize, Deserialize)]
pub(crate) struct KeptText {
    pub(crate) number: Number,
    pub(crate) line: String,
    #[serde(default)]
    pub(crate) facts: Facts,
}

/// A sealed segment, as the live object names it. Written as a list, because there may be many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "SegmentText", into = "SegmentText")]
pub(crate) struct Segment {
    /// The last piece of its name.
    pub(crate) nonce: String,
    pub(crate) first: Number,
    pub(crate) through: Number,
    /// How many of its messages can be heard.
    pub(crate) heard: u64,
    /// How long its first line is, with its end.
    pub(crate) head_bytes: u64,
    /// The times of its oldest and newest delivery.
    pub(crate) deliveries: Option<(Timestamp, Timestamp)>,
}

type SegmentText = (String, Number, Number, u64, u64, Option<(Timestamp, Timestamp)>);

impl From<SegmentText> for Segment {
    fn from(text: SegmentText) -> Self {
        let (nonce, first, through, heard, head_bytes, deliveries) = text;
        Self { nonce, first, through, heard, head_bytes, deliveries }
    }
}

impl From<Segment> for SegmentText {
    fn from(segment: Segment) -> Self {
        let Segment { nonce, first, through, heard, head_bytes, deliveries } = segment;
        (nonce, first, through, heard, head_bytes, deliveries)
    }
}

impl Head {
    pub(crate) fn new(live: Option<LiveText>, lines: LinesText) -> Self {
        Self { unsaid: FORMAT, live, lines }
    }

    /// Reads a first line; `None` if there is none of ours.
    pub(crate) fn read(name: &str, object: &Bytes) -> Result<Option<(Self, Bytes)>, StoreError> {
        if !object.starts_with(BEGINNING) {
            return Ok(None);
        }
        let end = object.iter().position(|byte| *byte == b'\n');
        let end = end.ok_or_else(|| corrupt(name, "the first line does not end"))?;
        let broken = |error: serde_json::Error| {
            // The error's own words may quote the line.
            corrupt(name, format!("the first line cannot be read at {}", error.column()))
        };
        let head: Self = serde_json::from_slice(&object[..end]).map_err(broken)?;
        if head.unsaid != FORMAT {
            return Err(corrupt(name, format!("format {} is not known", head.unsaid)));
        }
        Ok(Some((head, object.slice(end + 1..))))
    }

    /// The first line with its end.
    pub(crate) fn write(&self) -> Result<Vec<u8>, StoreError> {
        let broken = |_| StoreError::Unavailable("a first line cannot be written".to_owned());
        let mut line = serde_json::to_vec(self).map_err(broken)?;
        line.push(b'\n');
        Ok(line)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
