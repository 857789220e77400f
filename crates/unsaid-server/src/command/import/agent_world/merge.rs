//! Copies become messages.
//!
//! Two copies are one message if they say the same, of the same speaker, and have the same id; or else the
//! same time. An agent's own copy may be a little older than those of its listeners: the program takes the
//! time again when it passes a message on. A copy without a time belongs to the nearest that says the same.
//! What a memory holds twice, it heard twice.

mod nearby;

use std::collections::{BTreeMap, BTreeSet};

use unsaid_core::domain::id::{AgentId, MessageId};
use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;

use self::nearby::{Kind, Nearby};
use super::order::in_order;

/// How much older an agent's own copy may be.
const NEAR_MS: u64 = 5_000;

/// What one agent remembers of a chat, in its order.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) agent: AgentId,
    pub(super) heard: Vec<Heard>,
}

/// A copy of a message.
#[derive(Debug, Clone)]
pub(super) struct Heard {
    pub(super) speaker: Speaker,
    pub(super) words: Words,
    pub(super) at: Timestamp,
    /// Whether the time is its own; else it is that of the copy before.
    pub(super) is_timed: bool,
    pub(super) id: Option<MessageId>,
    pub(super) reply_to: Option<MessageId>,
    /// What it is known by without an id; no other copy in this memory has it.
    pub(super) trace: String,
}

/// Who said it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Speaker {
    /// The person whose world it is.
    Person,
    /// An agent, perhaps one that is no longer there.
    Agent(AgentId),
}

/// A message, as all copies say it together.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Merged {
    pub(super) speaker: Speaker,
    pub(super) words: Words,
    /// Of the oldest copy that has one.
    pub(super) at: Timestamp,
    /// All that its copies have, the speaker's own first, then in the order of the memories.
    pub(super) ids: Vec<MessageId>,
    /// Of the copies without an id.
    pub(super) traces: Vec<String>,
    /// Of the other copies.
    pub(super) former_traces: Vec<String>,
    pub(super) reply_to: Option<MessageId>,
    /// The agents that have a copy, in the order of the memories.
    pub(super) heard_by: Vec<AgentId>,
}

/// The messages of a chat in one order: that of every memory, and where memories leave it open that of
/// time, and then that of the memories.
pub(super) fn merge(memories: &[Memory]) -> Vec<Merged> {
    let mut groups = by_id(memories);
    groups = joined(groups, 0, |_, _| true);
    groups = joined(groups, NEAR_MS, |one, other| one.has_own != other.has_own);
    groups = joined(groups, u64::MAX, |one, other| !one.is_timed || !other.is_timed);
    // First seen first, also after joining.
    groups.sort_by_key(|group| group.copies.first().map(|copy| copy.place));
    let mut group_of = BTreeMap::new();
    for (number, group) in groups.iter().enumerate() {
        group_of.extend(group.copies.iter().map(|copy| (copy.place, number)));
    }
    let sequences: Vec<Vec<usize>> = memories
        .iter()
        .enumerate()
        .map(|(memory, of)| {
            let places = (0..of.heard.len()).map(|place| (memory, place));
            let mut seen = BTreeSet::new();
            let numbers = places.filter_map(|place| group_of.get(&place).copied());
            numbers.filter(|number| seen.insert(*number)).collect()
        })
        .collect();
    let times: Vec<Timestamp> = groups.iter().map(|group| group.at).collect();
    let mut groups: Vec<Option<Group<'_>>> = groups.into_iter().map(Some).collect();
    let ordered = in_order(&sequences, &times).into_iter();
    ordered.filter_map(|number| groups.get_mut(number)?.take()).map(Group::merged).collect()
}

/// Copies of one message.
struct Group<'a> {
    speaker: &'a Speaker,
    words: &'a Words,
    at: Timestamp,
    is_timed: bool,
    copies: Vec<Copy<'a>>,
}

struct Copy<'a> {
    /// The memory, and where in it.
    place: (usize, usize),
    agent: &'a AgentId,
    heard: &'a Heard,
}

impl<'a> Group<'a> {
    fn of(place: (usize, usize), agent: &'a AgentId, heard: &'a Heard) -> Self {
        let Heard { speaker, words, at, is_timed, .. } = heard;
        let copies = vec![Copy { place, agent, heard }];
        Self { speaker, words, at: *at, is_timed: *is_timed, copies }
    }

    fn says(&self, heard: &Heard) -> bool {
        *self.speaker == heard.speaker && *self.words == heard.words
    }

    fn add(&mut self, other: Self) {
        self.at = match (self.is_timed, other.is_timed) {
            (true, false) => self.at,
            (false, true) => other.at,
            (true, true) | (false, false) => self.at.min(other.at),
        };
        self.is_timed |= other.is_timed;
        self.copies.extend(other.copies);
        self.copies.sort_by_key(|copy| copy.place);
    }

    /// Whether the speaker's own copy is among them.
    fn has_own(&self) -> bool {
        self.copies.iter().any(|copy| is_own(copy))
    }

    fn merged(self) -> Merged {
        let (own, others): (Vec<_>, Vec<_>) = self.copies.iter().partition(|copy| is_own(copy));
        let copies = || own.iter().chain(&others);
        let ids = distinct(copies().filter_map(|copy| copy.heard.id.clone()));
        let traces = |has_id: bool| {
            let traces = copies().filter(|copy| copy.heard.id.is_some() == has_id);
            distinct(traces.map(|copy| copy.heard.trace.clone()))
        };
        let (traces, former_traces) = (traces(false), traces(true));
        let heard_by = distinct(self.copies.iter().map(|copy| copy.agent.clone()));
        let reply_to = copies().find_map(|copy| copy.heard.reply_to.clone());
        let (speaker, words) = (self.speaker.clone(), self.words.clone());
        Merged { speaker, words, at: self.at, ids, traces, former_traces, reply_to, heard_by }
    }
}

/// Each once, where it comes first.
fn distinct<T: Clone + Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    all.filter(|one| seen.insert(one.clone())).collect()
}

fn is_own(copy: &Copy<'_>) -> bool {
    matches!(&copy.heard.speaker, Speaker::Agent(agent) if agent == copy.agent)
}

/// Copies with the same id that say the same; each other copy is alone. Ids may be wrong: the same one
/// with other words is another message.
fn by_id(memories: &[Memory]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut known: BTreeMap<&MessageId, Vec<usize>> = BTreeMap::new();
    for (number, memory) in memories.iter().enumerate() {
        for (place, heard) in memory.heard.iter().enumerate() {
            let copy = Group::of((number, place), &memory.agent, heard);
            let Some(id) = &heard.id else {
                groups.push(copy);
                continue;
            };
            let with_id = known.entry(id).or_default();
            let same =
                with_id.iter().find(|group| groups.get(**group).is_some_and(|g| g.says(heard)));
            if let Some(group) = same.and_then(|group| groups.get_mut(*group)) {
                group.add(copy);
            } else {
                with_id.push(groups.len());
                groups.push(copy);
            }
        }
    }
    groups
}

/// Joins groups that say the same at most so far apart, if no memory holds both; the nearest first.
fn joined(
    groups: Vec<Group<'_>>,
    apart_ms: u64,
    may_join: fn(&Kind, &Kind) -> bool,
) -> Vec<Group<'_>> {
    let mut kept: Vec<Group<'_>> = Vec::new();
    let mut by_words: BTreeMap<(&Speaker, &Words), Nearby> = BTreeMap::new();
    for group in groups {
        let nearby = by_words.entry((group.speaker, group.words)).or_default();
        let number = nearby.take(&Kind::of(&group), group.at, apart_ms, may_join);
        let number = number.unwrap_or(kept.len());
        match kept.get_mut(number) {
            Some(other) => other.add(group),
            None => kept.push(group),
        }
        if let Some(group) = kept.get(number) {
            nearby.insert(Kind::of(group), group.at, number);
        }
    }
    kept
}

#[cfg(test)]
mod tests;
