//! What an import did, and what it could not.

use std::collections::BTreeMap;
use std::fmt;

/// Places named in one line.
const NUMBERS_MAX: usize = 10;

/// What an import did.
#[derive(Debug, Default)]
pub(in super::super) struct Report {
    pub(super) worlds: u64,
    pub(super) agents: u64,
    pub(super) chats: u64,
    pub(super) messages: u64,
    /// Messages that an earlier import took in, whether they are still there or not.
    pub(super) known: u64,
    /// Worlds, agents and chats that were removed here since they were taken in.
    pub(super) removed_here: u64,
    /// Messages that were erased here since they were taken in.
    pub(super) erased_here: u64,
    /// Worlds and agents whose settings could not be read before, and could be now.
    pub(super) mended: u64,
    /// Chats that keep the name they got while their own could not be read.
    pub(super) misnamed: u64,
    /// Worlds with a limit that is none here.
    pub(super) limited: Vec<Limited>,
    /// Worlds and agents whose id means something else here.
    pub(super) renamed: Vec<Renamed>,
    /// Messages that may not be kept.
    pub(super) without_consent: u64,
    pub(super) gaps: Gaps,
}

/// Where something stands in the source, the id it has here, and why it has not its own.
#[derive(Debug)]
pub(super) struct Renamed {
    pub(super) place: String,
    pub(super) id: String,
    pub(super) why: &'static str,
}

/// A world, the turn limit it has in the source, and the one it has here.
#[derive(Debug)]
pub(super) struct Limited {
    pub(super) place: String,
    pub(super) from: i64,
    pub(super) to: u32,
}

impl Report {
    /// What was not taken in although it should have been, each with its place; never words.
    pub(in super::super) fn unread(&self) -> Vec<String> {
        let mut lines = self.gaps.lines();
        if self.without_consent > 0 {
            let messages = counted(self.without_consent, "message");
            lines.push(format!(
                "{messages}: the owner has not agreed that words are kept; once they have, import \
                 again"
            ));
        }
        lines
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (worlds, agents) = (counted(self.worlds, "world"), counted(self.agents, "agent"));
        let (chats, messages) = (counted(self.chats, "chat"), counted(self.messages, "message"));
        let known = counted(self.known, "message");
        write!(
            f,
            "{worlds}, {agents}, {chats} and {messages} taken in, {known} known before, {} not \
             taken in",
            self.gaps.count() + self.without_consent
        )?;
        if self.removed_here > 0 {
            let count = self.removed_here;
            write!(f, "; worlds, agents or chats that were deleted here since stay out: {count}")?;
        }
        if self.erased_here > 0 {
            let count = self.erased_here;
            write!(f, "; messages of chats that were erased here since stay out: {count}")?;
        }
        if self.mended > 0 {
            let count = self.mended;
            write!(f, "; worlds or agents whose settings could be read only now: {count}")?;
        }
        if self.misnamed > 0 {
            let count = self.misnamed;
            write!(
                f,
                "; chats that keep the name they got while theirs could not be read: {count}"
            )?;
        }
        for Limited { place, from, to } in &self.limited {
            write!(f, "; {place} has a turn limit of {to} here instead of {from}")?;
        }
        for Renamed { place, id, why } in &self.renamed {
            write!(f, "; {place} is `{id}` here, where {why}")?;
        }
        Ok(())
    }
}

/// What could not be taken in: where, why, and which of many.
#[derive(Debug, Default)]
pub(in super::super) struct Gaps(BTreeMap<(String, &'static str), Vec<u64>>);

impl Gaps {
    /// All that stands at a place.
    pub(super) fn whole(&mut self, place: impl Into<String>, why: &'static str) {
        self.0.entry((place.into(), why)).or_default();
    }

    /// One of many that stand there.
    pub(super) fn one(&mut self, place: &str, number: u64, why: &'static str) {
        self.0.entry((place.to_owned(), why)).or_default().push(number);
    }

    /// Those of another place.
    pub(super) fn add(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn count(&self) -> u64 {
        self.0.values().map(|numbers| numbers.len().max(1) as u64).sum()
    }

    fn lines(&self) -> Vec<String> {
        let line = |((place, why), numbers): (&(String, &str), &Vec<u64>)| {
            format!("{place}{}: {why}", listed(numbers))
        };
        self.0.iter().map(line).collect()
    }
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn listed(numbers: &[u64]) -> String {
    if numbers.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = numbers.iter().take(NUMBERS_MAX).map(u64::to_string).collect();
    let more = match numbers.len().saturating_sub(NUMBERS_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(", no. {}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_one_kind_share_a_line() {
        let mut gaps = Gaps::default();
        gaps.whole("w/config.json", "cannot be read");
        for number in 1..=12 {
            gaps.one("w/agents/a/memory.json", number, "cannot be read");
        }
        gaps.one("w/agents/a/memory.json", 7, "of role tool");
        assert_eq!(gaps.count(), 14);
        assert_eq!(
            gaps.lines(),
            [
                "w/agents/a/memory.json, no. 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more: cannot be read",
                "w/agents/a/memory.json, no. 7: of role tool",
                "w/config.json: cannot be read",
            ]
        );
    }
}
