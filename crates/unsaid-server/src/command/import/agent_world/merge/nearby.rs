//! Groups that say the same, by where they can be joined and when they were said.

use std::collections::{BTreeMap, BTreeSet};

use unsaid_core::domain::time::Timestamp;

use super::Group;

/// What decides whether groups that say the same may be joined.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    /// In their order.
    memories: Vec<usize>,
    /// Whether the speaker's own copy is among its copies.
    pub(super) has_own: bool,
    pub(super) is_timed: bool,
}

impl Kind {
    pub(super) fn of(group: &Group<'_>) -> Self {
        let mut memories: Vec<usize> = group.copies.iter().map(|copy| copy.place.0).collect();
        memories.dedup();
        Self { memories, has_own: group.has_own(), is_timed: group.is_timed }
    }

    fn shares_a_memory_with(&self, other: &Self) -> bool {
        self.memories.iter().any(|memory| other.memories.binary_search(memory).is_ok())
    }
}

/// Numbers of groups. Those of one kind are looked at together: thousands that say the same are mostly
/// of a few kinds.
#[derive(Debug, Default)]
pub(super) struct Nearby(BTreeMap<Kind, BTreeSet<(Timestamp, usize)>>);

impl Nearby {
    pub(super) fn insert(&mut self, kind: Kind, at: Timestamp, number: usize) {
        self.0.entry(kind).or_default().insert((at, number));
    }

    /// Takes out the nearest at most so far away; of those that are equally near the oldest, and then
    /// the one that was there first.
    pub(super) fn take(
        &mut self,
        kind: &Kind,
        at: Timestamp,
        apart_ms: u64,
        may_join: fn(&Kind, &Kind) -> bool,
    ) -> Option<usize> {
        let kinds = self.0.iter();
        let fitting =
            kinds.filter(|(other, _)| may_join(other, kind) && !other.shares_a_memory_with(kind));
        let near = fitting.flat_map(|(other, groups)| {
            nearest(groups, at).into_iter().flatten().map(move |found| (other, found))
        });
        let near = near.filter(|(_, (time, _))| distance(*time, at) <= apart_ms);
        let (other, found) =
            near.min_by_key(|(_, (time, number))| (distance(*time, at), *time, *number))?;
        let other = other.clone();
        let groups = self.0.get_mut(&other)?;
        groups.remove(&found);
        if groups.is_empty() {
            self.0.remove(&other);
        }
        Some(found.1)
    }
}

/// The first of the newest that are not younger, and the first of the younger ones.
fn nearest(
    groups: &BTreeSet<(Timestamp, usize)>,
    at: Timestamp,
) -> [Option<(Timestamp, usize)>; 2] {
    let newest = groups.range(..=(at, usize::MAX)).next_back();
    let first = newest.and_then(|(time, _)| groups.range((*time, 0)..).next());
    [first.copied(), groups.range((at, usize::MAX)..).next().copied()]
}

fn distance(one: Timestamp, other: Timestamp) -> u64 {
    one.as_millis().abs_diff(other.as_millis())
}
