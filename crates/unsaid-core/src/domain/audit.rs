//! The erasure audit: lines that hold the hash of the one before, so that no line can be changed.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::json;
use sha2::{Digest, Sha256};

use super::{id::PersonId, time::Timestamp};

/// The hash before the first line.
pub const FIRST_PREV_HASH: &str =
    "0000000000000000000000000000000000000000000000000000000000000000";

/// Why somebody was erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EraseReason {
    /// The countdown ended.
    Due,
    /// They asked for it.
    Now,
    /// They deleted their account.
    Account,
}

impl EraseReason {
    /// As it is written in the audit.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Due => "due",
            Self::Now => "now",
            Self::Account => "account",
        }
    }

    /// Reads what [`Self::as_str`] wrote.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        [Self::Due, Self::Now, Self::Account].into_iter().find(|reason| reason.as_str() == text)
    }
}

/// How much was erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Erased {
    /// Sessions.
    pub sessions: u64,
    /// Messages of worlds and sessions.
    pub messages: u64,
    /// Pictures, recordings, files.
    pub media: u64,
}

/// A line of the audit. It holds counts and ids, no content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLine {
    /// Rises by one.
    pub id: u64,
    /// When the last of it was gone.
    pub at: Timestamp,
    /// Who was erased.
    pub person: PersonId,
    /// Why.
    pub reason: EraseReason,
    /// How much.
    pub erased: Erased,
    /// The hash of the line before.
    pub prev_hash: String,
    /// This line's own hash.
    pub hash: String,
}

impl AuditLine {
    /// The line that follows `last`.
    #[must_use]
    pub fn after(
        last: Option<&Self>,
        at: Timestamp,
        person: PersonId,
        reason: EraseReason,
        erased: Erased,
    ) -> Self {
        let id = last.map_or(1, |line| line.id + 1);
        let prev_hash = last.map_or(FIRST_PREV_HASH, |line| &line.hash).to_owned();
        let mut line = Self { id, at, person, reason, erased, prev_hash, hash: String::new() };
        line.hash = line.computed_hash();
        line
    }

    /// SHA-256 in hex of the hash before, followed by the other fields as JSON with sorted keys.
    #[must_use]
    pub fn computed_hash(&self) -> String {
        let Self { id, at, person, reason, erased, prev_hash, hash: _ } = self;
        let Erased { sessions, messages, media } = erased;
        // Sorted here, and written key by key, whatever map serde_json was built with.
        let fields = BTreeMap::from([
            ("id", json!(id)),
            ("at", json!(at.to_seconds_text())),
            ("user_id", json!(person.as_str())),
            ("reason", json!(reason.as_str())),
            ("sessions", json!(sessions)),
            ("messages", json!(messages)),
            ("media", json!(media)),
        ]);
        let fields: Vec<String> =
            fields.iter().map(|(key, value)| format!("{}:{value}", json!(key))).collect();
        let fields = format!("{{{}}}", fields.join(","));
        let digest = Sha256::new().chain_update(prev_hash).chain_update(fields);
        digest.finalize().iter().fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a string cannot fail.
            write!(hex, "{byte:02x}").unwrap_or_default();
            hex
        })
    }
}

/// The first line that does not follow from the one before, if any.
#[must_use]
pub fn first_break(lines: &[AuditLine]) -> Option<u64> {
    let mut last: Option<&AuditLine> = None;
    for line in lines {
        let follows = line.prev_hash == last.map_or(FIRST_PREV_HASH, |line| &line.hash)
            && line.id == last.map_or(1, |line| line.id + 1)
            && line.hash == line.computed_hash();
        if !follows {
            return Some(line.id);
        }
        last = Some(line);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain() -> Vec<AuditLine> {
        let mut lines: Vec<AuditLine> = Vec::new();
        for n in 0..5 {
            let erased = Erased { sessions: n, messages: 2 * n, media: 0 };
            let person = PersonId::new(format!("p{n}")).unwrap();
            let at = Timestamp::from_millis(1_000);
            let line = AuditLine::after(lines.last(), at, person, EraseReason::Due, erased);
            lines.push(line);
        }
        lines
    }

    #[test]
    fn a_changed_dropped_or_moved_line_shows() {
        assert_eq!(first_break(&chain()), None);
        let mut changed = chain();
        changed[2].erased.messages += 1;
        assert_eq!(first_break(&changed), Some(3));
        let mut dropped = chain();
        dropped.remove(1);
        assert_eq!(first_break(&dropped), Some(3));
        let mut moved = chain();
        moved.swap(3, 4);
        assert_eq!(first_break(&moved), Some(5));
    }

    #[test]
    fn the_hash_is_the_published_one() {
        // Computed independently: sha256(64 zeros + the JSON below).
        let line = &chain()[0];
        let json = r#"{"at":"1970-01-01T00:00:01Z","id":1,"media":0,"messages":0,"reason":"due","sessions":0,"user_id":"p0"}"#;
        let digest = Sha256::digest(format!("{FIRST_PREV_HASH}{json}"));
        let hex: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(line.hash, hex.concat());
    }
}
