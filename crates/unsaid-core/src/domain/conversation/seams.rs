//! The one order of a conversation that has two logs: what is kept, and what is only in memory because
//! its person wanted nothing kept at the time (H7).
//!
//! Each log has numbers of its own. Where one goes on after the other is a seam; there are as many of
//! them as consent was switched while somebody talked. Nothing is ordered by clock (H2).

use crate::domain::id::Number;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seams(Vec<Seam>);

/// Whatever is in memory after one number comes after what is kept up to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seam {
    kept: Number,
    in_memory: Number,
}

/// A place in both logs together; they are ordered as what stands there was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct JoinedPlace {
    kept: Number,
    in_memory: Option<Number>,
}

impl Seams {
    /// What is in memory goes on after `in_memory`, when so much was kept.
    pub fn go_on(&mut self, kept: Number, in_memory: Number) {
        let newest = self.0.last().map_or(Number::ZERO, |seam| seam.kept);
        if kept < newest {
            // What was kept is gone altogether and begins anew: all of this was before.
            self.0.clear();
        }
        if kept != newest {
            self.0.push(Seam { kept, in_memory });
        }
    }

    /// Forgets seams between which nothing is any more; `is_empty` says so of the numbers after the
    /// first and up to the second.
    pub fn join(&mut self, is_empty: impl Fn(Number, Number) -> bool) {
        for place in (1..self.0.len()).rev() {
            let (from, to) = (self.0[place - 1].in_memory, self.0[place].in_memory);
            if is_empty(from, to) {
                self.0.remove(place - 1);
            }
        }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// How far was kept when this was said in memory.
    #[must_use]
    pub fn kept_before(&self, in_memory: Number) -> Number {
        let before = self.0.iter().rev().find(|seam| seam.in_memory < in_memory);
        before.map_or(Number::ZERO, |seam| seam.kept)
    }

    /// After which number everything in memory was said after this was kept, if anything was.
    #[must_use]
    pub fn in_memory_since(&self, kept: Number) -> Option<Number> {
        self.0.iter().find(|seam| kept <= seam.kept).map(|seam| seam.in_memory)
    }

    /// The place of something that is kept.
    #[must_use]
    pub fn of_kept(number: Number) -> JoinedPlace {
        JoinedPlace { kept: number, in_memory: None }
    }

    /// The place of something in memory.
    #[must_use]
    pub fn of_in_memory(&self, number: Number) -> JoinedPlace {
        JoinedPlace { kept: self.kept_before(number), in_memory: Some(number) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(n: u64) -> Number {
        Number::new(n)
    }

    /// Kept 1 and 2, in memory 1 to 3, kept 3, in memory 4 and 5.
    fn seams() -> Seams {
        let mut seams = Seams::default();
        for (kept, in_memory) in [(2, 0), (2, 1), (2, 2), (3, 3), (3, 4)] {
            seams.go_on(number(kept), number(in_memory));
        }
        seams
    }

    #[test]
    fn h2_both_logs_have_one_order() {
        let seams = seams();
        assert_eq!(seams.count(), 2);
        let mut places: Vec<(JoinedPlace, &str)> = [(1, "k1"), (2, "k2"), (3, "k3")]
            .map(|(n, name)| (Seams::of_kept(number(n)), name))
            .to_vec();
        places.extend(
            [(1, "m1"), (2, "m2"), (3, "m3"), (4, "m4"), (5, "m5")]
                .map(|(n, name)| (seams.of_in_memory(number(n)), name)),
        );
        places.sort();
        let order: Vec<&str> = places.into_iter().map(|(_, name)| name).collect();
        assert_eq!(order, ["k1", "k2", "m1", "m2", "m3", "k3", "m4", "m5"]);
    }

    #[test]
    fn h6_what_came_after_is_found_in_the_other_log() {
        let seams = seams();
        let since = [1, 2, 3, 4].map(|kept| seams.in_memory_since(number(kept)));
        assert_eq!(since, [Some(number(0)), Some(number(0)), Some(number(3)), None]);
        let before = [1, 3, 4, 9].map(|in_memory| seams.kept_before(number(in_memory)));
        assert_eq!(before, [2, 2, 3, 3].map(number));
        assert_eq!(Seams::default().kept_before(number(1)), Number::ZERO);
    }

    #[test]
    fn what_is_kept_may_begin_anew() {
        let mut seams = seams();
        seams.go_on(number(1), number(5));
        assert_eq!(seams.kept_before(number(5)), Number::ZERO);
        assert_eq!(seams.kept_before(number(6)), number(1));
    }

    #[test]
    fn seams_between_which_nothing_is_are_one() {
        let mut seams = seams();
        seams.go_on(number(7), number(5));
        // Numbers 4 and 5 are gone.
        seams.join(|from, to| from == number(3) && to == number(5));
        assert_eq!(seams.count(), 2);
        assert_eq!(seams.kept_before(number(3)), number(2));
        assert_eq!(seams.kept_before(number(6)), number(7));
    }
}
