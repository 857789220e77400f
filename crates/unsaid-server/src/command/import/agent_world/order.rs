//! One order out of several.

mod circle;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use unsaid_core::domain::time::Timestamp;

use self::circle::circles;

/// Orders numbers so that each sequence stays in its order; where that leaves a choice, what is older
/// comes first, and of the same age the lower number. Where sequences contradict each other, as they do
/// when two agents spoke at the same moment, time decides, too.
pub(super) fn in_order(sequences: &[Vec<usize>], times: &[Timestamp]) -> Vec<usize> {
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); times.len()];
    for sequence in sequences {
        for (before, after) in sequence.iter().zip(sequence.iter().skip(1)) {
            followers[*before].push(*after);
        }
    }
    let circle = circles(&followers);
    let mut waits_for = vec![0_usize; times.len()];
    for (before, followers) in followers.iter_mut().enumerate() {
        followers.retain(|after| circle[before] != circle[*after]);
        for after in followers {
            waits_for[*after] += 1;
        }
    }
    let age = |number: usize| Reverse((times[number], number));
    let free = (0..times.len()).filter(|number| waits_for[*number] == 0);
    let mut ready: BinaryHeap<_> = free.map(age).collect();
    let mut ordered = Vec::with_capacity(times.len());
    while let Some(Reverse((_, number))) = ready.pop() {
        ordered.push(number);
        for after in &followers[number] {
            waits_for[*after] -= 1;
            if waits_for[*after] == 0 {
                ready.push(age(*after));
            }
        }
    }
    ordered
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
        assert_eq!(ordered(&[], &[]), [0_usize; 0]);
        assert_eq!(ordered(&[&[]], &[1]), [0]);
    }

    #[test]
    fn where_sequences_contradict_each_other_time_decides() {
        assert_eq!(ordered(&[&[0, 1], &[1, 0]], &[2, 1]), [1, 0]);
        assert_eq!(ordered(&[&[0, 1, 2], &[2, 1, 0], &[3]], &[1, 2, 3, 4]), [0, 1, 2, 3]);
        // two agents speak at once, and a third later: what it heard before stays before
        let sequences: [&[usize]; 3] = [&[0, 1, 2, 4], &[0, 2, 1, 4], &[0, 3, 4]];
        assert_eq!(ordered(&sequences, &[0, 10, 11, 100, 200]), [0, 1, 2, 3, 4]);
    }
}
