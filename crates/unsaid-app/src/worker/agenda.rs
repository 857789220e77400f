//! Which conversation is next, and which are running. One turn per conversation.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    time::Duration,
};

use unsaid_core::domain::{conversation::key::ConversationKey, time::Timestamp};

use crate::backoff::Backoff;

/// Conversations noted at most; the sweep finds the others later.
const DUE_MAX: usize = 10_000;
/// After a failure of storage.
const AFTER_FAILURE: Backoff =
    Backoff { first: Duration::from_millis(250), longest: Duration::from_secs(5) };
/// What another process answers is looked at again after so long.
const PASSED_MS: i64 = 60_000;
/// Such conversations noted at most.
const PASSED_MAX: usize = 10_000;

/// How a turn went, as far as the next one is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Nothing is left to do.
    Idle,
    /// Something may have come meanwhile.
    Again,
    /// Not before this moment.
    Later(Timestamp),
    /// It is not ours to answer.
    Passed,
    /// Storage failed, or the turn broke: a little later.
    Broken,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    order: BTreeSet<(Timestamp, ConversationKey)>,
    due: HashMap<ConversationKey, Timestamp>,
    running: HashSet<ConversationKey>,
    failures: HashMap<ConversationKey, u32>,
    passed: HashMap<ConversationKey, Timestamp>,
}

impl Agenda {
    /// A turn is wanted from a moment on; the earliest wish counts.
    pub(super) fn want(&mut self, key: &ConversationKey, at: Timestamp) {
        match self.due.get(key) {
            Some(earlier) if *earlier <= at => return,
            Some(later) => {
                self.order.remove(&(*later, key.clone()));
            }
            None if self.due.len() >= DUE_MAX => return,
            None => {}
        }
        self.due.insert(key.clone(), at);
        self.order.insert((at, key.clone()));
    }

    /// The same for what a sweep found: what is known already is left as it is.
    pub(super) fn offer(&mut self, key: &ConversationKey, at: Timestamp) {
        let known = self.due.contains_key(key)
            || self.running.contains(key)
            || self.passed.contains_key(key);
        if !known {
            self.want(key, at);
        }
    }

    /// Takes the next conversation that is due, and notes that it runs.
    pub(super) fn start_next(&mut self, now: Timestamp) -> Option<ConversationKey> {
        let (at, key) = self.next().filter(|(at, _)| *at <= now)?.clone();
        self.due.remove(&key);
        self.order.remove(&(at, key.clone()));
        self.running.insert(key.clone());
        Some(key)
    }

    /// When the next is due.
    pub(super) fn next_at(&self) -> Option<Timestamp> {
        self.next().map(|(at, _)| *at)
    }

    /// A turn is over.
    pub(super) fn finish(&mut self, key: &ConversationKey, how: How, now: Timestamp) {
        self.running.remove(key);
        let failures = self.failures.remove(key).unwrap_or(0);
        match how {
            How::Again => self.want(key, now),
            How::Later(at) => self.want(key, at),
            How::Passed if self.passed.len() < PASSED_MAX => {
                self.passed.insert(key.clone(), now.plus_millis(PASSED_MS));
            }
            How::Passed | How::Idle => {}
            How::Broken => {
                let wait = AFTER_FAILURE.after(failures).as_millis();
                self.failures.insert(key.clone(), failures.saturating_add(1));
                self.want(key, now.plus_millis(i64::try_from(wait).unwrap_or(i64::MAX)));
            }
        }
    }

    /// Looks again at what was passed over long enough ago.
    pub(super) fn forget_passed(&mut self, now: Timestamp) {
        self.passed.retain(|_, until| now < *until);
    }

    /// How many were passed over.
    pub(super) fn passed(&self) -> usize {
        self.passed.len()
    }

    /// How many run.
    pub(super) fn running(&self) -> usize {
        self.running.len()
    }

    fn next(&self) -> Option<&(Timestamp, ConversationKey)> {
        self.order.iter().find(|(_, key)| !self.running.contains(key))
    }
}

#[cfg(test)]
mod tests {
    use unsaid_testkit::builder::{at, line_key};

    use super::*;

    fn started(agenda: &mut Agenda, now: i64) -> Vec<String> {
        let keys = std::iter::from_fn(|| agenda.start_next(at(now)));
        keys.map(|key| key.to_string()).collect()
    }

    #[test]
    fn the_earliest_wish_counts_and_nothing_begins_before_it() {
        let mut agenda = Agenda::default();
        for (key, when) in [("U1", 50), ("U2", 30), ("U1", 20), ("U2", 40)] {
            agenda.want(&line_key(key), at(when));
        }
        assert_eq!(agenda.next_at(), Some(at(20)));
        assert_eq!(started(&mut agenda, 19), [""; 0]);
        assert_eq!(started(&mut agenda, 30), ["line:U1", "line:U2"]);
        assert_eq!((agenda.running(), agenda.next_at()), (2, None));
    }

    #[test]
    fn one_turn_a_conversation_and_what_comes_meanwhile_is_next() {
        let mut agenda = Agenda::default();
        agenda.want(&line_key("U1"), at(0));
        assert_eq!(started(&mut agenda, 0), ["line:U1"]);
        agenda.want(&line_key("U1"), at(1));
        agenda.want(&line_key("U2"), at(2));
        assert_eq!(agenda.next_at(), Some(at(2)));
        assert_eq!(started(&mut agenda, 5), ["line:U2"]);
        agenda.finish(&line_key("U1"), How::Idle, at(6));
        assert_eq!(started(&mut agenda, 6), ["line:U1"]);
    }

    #[test]
    fn a_sweep_changes_nothing_of_what_is_known() {
        let mut agenda = Agenda::default();
        agenda.want(&line_key("U1"), at(50));
        agenda.want(&line_key("U2"), at(0));
        agenda.want(&line_key("U3"), at(0));
        assert_eq!(started(&mut agenda, 0).len(), 2);
        agenda.finish(&line_key("U3"), How::Passed, at(0));
        for key in ["U1", "U2", "U3"] {
            agenda.offer(&line_key(key), at(1));
        }
        assert_eq!(agenda.next_at(), Some(at(50)));
        agenda.forget_passed(at(PASSED_MS));
        agenda.offer(&line_key("U3"), at(PASSED_MS));
        assert_eq!(started(&mut agenda, PASSED_MS), ["line:U1", "line:U3"]);
    }

    #[test]
    fn failures_are_tried_again_later_and_later() {
        let mut agenda = Agenda::default();
        agenda.want(&line_key("U1"), at(0));
        let mut now = at(0);
        let mut waits = Vec::new();
        for _ in 0..6 {
            let key = agenda.start_next(now).expect("it is due");
            agenda.finish(&key, How::Broken, now);
            let next = agenda.next_at().expect("it is tried again");
            waits.push(next.as_millis() - now.as_millis());
            now = next;
        }
        assert_eq!(waits, [250, 500, 1_000, 2_000, 4_000, 5_000]);
        let key = agenda.start_next(now).expect("it is due");
        agenda.finish(&key, How::Again, now);
        assert_eq!(agenda.next_at(), Some(now));
    }
}
