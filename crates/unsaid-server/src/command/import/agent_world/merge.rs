//! Copies become messages.
//!
//! Two copies are one message if they say the same, of the same speaker, and have the same id; or else the
//! same time. An agent's own copy may be a little older than those of its listeners: the program takes the
//! time again when it passes a message on. A copy without a time belongs to the nearest that says the same.
//! What a memory holds twice, it heard twice.

use std::collections::{BTreeMap, BTreeSet};

use unsaid_core::domain::id::{AgentId, MessageId};
use unsaid_core::domain::text::Words;
use unsaid_core::domain::time::Timestamp;

use super::order::in_order;

/// How much older an agent's own copy may be.
const NEAR_MS: i64 = 5_000;

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
    pub(super) reply_to: Option<MessageId>,
    /// The agents that have a copy, in the order of the memories.
    pub(super) heard_by: Vec<AgentId>,
}

/// The messages of a chat in one order: that of every memory, and where memories leave it open that of
/// time, and then that of the memories.
pub(super) fn merge(memories: &[Memory]) -> Vec<Merged> {
    let mut groups = by_id(memories);
    groups = joined(groups, 0, |_, _| true);
    groups = joined(groups, NEAR_MS, |one, other| {
        matches!(one.speaker, Speaker::Agent(_)) && one.has_own() != other.has_own()
    });
    groups = joined(groups, i64::MAX, |one, other| !one.is_timed || !other.is_timed);
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

    fn shares_a_memory_with(&self, other: &Self) -> bool {
        let memories: BTreeSet<usize> = self.copies.iter().map(|copy| copy.place.0).collect();
        other.copies.iter().any(|copy| memories.contains(&copy.place.0))
    }

    fn merged(self) -> Merged {
        let (own, others): (Vec<_>, Vec<_>) = self.copies.iter().partition(|copy| is_own(copy));
        let copies = || own.iter().chain(&others);
        let mut ids: Vec<MessageId> = Vec::new();
        for id in copies().filter_map(|copy| copy.heard.id.as_ref()) {
            if !ids.contains(id) {
                ids.push(id.clone());
            }
        }
        let mut heard_by: Vec<AgentId> = Vec::new();
        for copy in &self.copies {
            if !heard_by.contains(copy.agent) {
                heard_by.push(copy.agent.clone());
            }
        }
        let reply_to = copies().find_map(|copy| copy.heard.reply_to.clone());
        let (speaker, words) = (self.speaker.clone(), self.words.clone());
        Merged { speaker, words, at: self.at, ids, reply_to, heard_by }
    }
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
fn joined<'a>(
    groups: Vec<Group<'a>>,
    apart_ms: i64,
    may_join: fn(&Group<'a>, &Group<'a>) -> bool,
) -> Vec<Group<'a>> {
    let mut kept: Vec<Group<'a>> = Vec::new();
    let mut by_words: BTreeMap<(&Speaker, &Words), BTreeMap<Timestamp, Vec<usize>>> =
        BTreeMap::new();
    for group in groups {
        let times = by_words.entry((group.speaker, group.words)).or_default();
        let near = group.at.plus_millis(-apart_ms)..=group.at.plus_millis(apart_ms);
        let candidates = times.range(near).flat_map(|(_, candidates)| candidates);
        let fitting = candidates.copied().filter(|candidate| {
            let other = kept.get(*candidate);
            other
                .is_some_and(|other| may_join(other, &group) && !other.shares_a_memory_with(&group))
        });
        let distance = |candidate: &usize| {
            let other = kept.get(*candidate).map_or(group.at, |other| other.at);
            other.as_millis().abs_diff(group.at.as_millis())
        };
        let nearest = fitting.min_by_key(distance);
        if let Some(other) = nearest.and_then(|nearest| kept.get_mut(nearest)) {
            other.add(group);
        } else {
            times.entry(group.at).or_default().push(kept.len());
            kept.push(group);
        }
    }
    kept
}

#[cfg(test)]
mod tests;
