//! One order out of several.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use unsaid_core::domain::time::Timestamp;

/// Orders numbers so that each sequence stays in its order; where that leaves a choice, what is older
/// comes first, and of the same age the lower number. Sequences that contradict each other give way to
/// time at the first place where nothing else is left.
pub(super) fn in_order(sequences: &[Vec<usize>], times: &[Timestamp]) -> Vec<usize> {
    let mut nodes: Vec<Node> = times.iter().map(|_| Node::default()).collect();
    for sequence in sequences {
        for pair in sequence.windows(2) {
            let [before, after] = *pair else { continue };
            if before != after
                && let Some(node) = nodes.get_mut(before)
            {
                node.followed_by.push(after);
                if let Some(node) = nodes.get_mut(after) {
                    node.waits_for += 1;
                }
            }
        }
    }
    let age = |number: usize| Reverse((times.get(number).copied().unwrap_or_default(), number));
    let mut ready: BinaryHeap<_> =
        (0..nodes.len()).filter(|number| nodes[*number].waits_for == 0).map(age).collect();
    let mut all: BinaryHeap<_> = (0..nodes.len()).map(age).collect();
    let mut ordered = Vec::with_capacity(nodes.len());
    while let Some(Reverse((_, number))) = ready.pop().or_else(|| all.pop()) {
        let Some(node) = nodes.get_mut(number) else { continue };
        if std::mem::replace(&mut node.is_placed, true) {
            continue;
        }
        ordered.push(number);
        for after in std::mem::take(&mut node.followed_by) {
            if let Some(node) = nodes.get_mut(after) {
                node.waits_for = node.waits_for.saturating_sub(1);
                if node.waits_for == 0 {
                    ready.push(age(after));
                }
            }
        }
    }
    ordered
}

#[derive(Default)]
struct Node {
    followed_by: Vec<usize>,
    waits_for: usize,
    is_placed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(sequences: &[&[usize]], times: &[i64]) -> Vec<usize> {
        let sequences: Vec<Vec<usize>> = sequences.iter().map(|one| one.to_vec()).collect();
        let times: Vec<Timestamp> = times.iter().copied().map(Timestamp::from_millis).collect();
        in_order(&sequences, &times)
    }

    #[test]
    fn every_sequence_keeps_its_order_and_time_decides_the_rest() {
        assert_eq!(ordered(&[&[0, 2], &[1, 3]], &[1, 2, 3, 4]), [0, 1, 2, 3]);
        assert_eq!(ordered(&[&[0, 2], &[1, 3]], &[5, 5, 5, 5]), [0, 1, 2, 3]);
        assert_eq!(ordered(&[&[2, 0], &[1, 3]], &[1, 9, 5, 2]), [2, 0, 1, 3]);
        assert_eq!(ordered(&[&[3, 1, 0], &[3, 2, 0]], &[7, 7, 7, 7]), [3, 1, 2, 0]);
    }

    #[test]
    fn sequences_that_contradict_each_other_lose_nothing() {
        assert_eq!(ordered(&[&[0, 1], &[1, 0]], &[2, 1]), [1, 0]);
        assert_eq!(ordered(&[&[0, 1, 2], &[2, 1, 0], &[3]], &[1, 2, 3, 4]), [3, 0, 1, 2]);
        assert_eq!(ordered(&[], &[]), [0_usize; 0]);
    }
}
