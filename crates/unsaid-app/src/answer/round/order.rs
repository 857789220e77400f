//! Whose turn it is in a round: one after the other, nobody twice while they wait, nobody too often.

use std::collections::{HashMap, VecDeque};

use unsaid_core::domain::id::{AgentId, MessageId, Number};

/// What an agent answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) id: MessageId,
    pub(super) number: Number,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Order {
    waiting: VecDeque<(AgentId, Asked)>,
    calls: HashMap<AgentId, usize>,
}

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Everybody has spoken.
    Nobody,
    /// It was asked often enough, or all together were.
    TooOften(AgentId),
    /// It is asked.
    Speak(AgentId, Asked),
}

impl Order {
    /// These answer a message, after those who wait already. Who waits answers both at once.
    pub(super) fn ask(&mut self, agents: Vec<AgentId>, asked: &Asked) {
        for agent in agents {
            match self.waiting.iter_mut().find(|(waiting, _)| *waiting == agent) {
                Some((_, before)) => *before = asked.clone(),
                None => self.waiting.push_back((agent, asked.clone())),
            }
        }
    }

    /// An agent spoke before this round was taken up again.
    pub(super) fn has_spoken(&mut self, agent: &AgentId) {
        *self.calls.entry(agent.clone()).or_default() += 1;
        self.waiting.retain(|(waiting, _)| waiting != agent);
    }

    pub(super) fn is_over(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes the next, and counts it if it is asked.
    pub(super) fn next(&mut self, each_max: usize, all_max: usize) -> Next {
        let Some((agent, asked)) = self.waiting.pop_front() else { return Next::Nobody };
        let all: usize = self.calls.values().sum();
        let own = self.calls.entry(agent.clone()).or_default();
        if all >= all_max {
            self.waiting.clear();
            return Next::TooOften(agent);
        }
        if *own >= each_max {
            return Next::TooOften(agent);
        }
        *own += 1;
        Next::Speak(agent, asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agents(names: &str) -> Vec<AgentId> {
        names.split_whitespace().map(|name| AgentId::from_name(name).unwrap()).collect()
    }

    fn asked(number: u64) -> Asked {
        Asked { id: MessageId::new(format!("m{number}")).unwrap(), number: Number::new(number) }
    }

    /// Everybody who is asked mentions the same others.
    fn round(first: &str, mentions: &str, each_max: usize, all_max: usize) -> (String, String) {
        let mut order = Order::default();
        order.ask(agents(first), &asked(1));
        let (mut spoke, mut stopped) = (Vec::new(), Vec::new());
        loop {
            match order.next(each_max, all_max) {
                Next::Nobody => return (spoke.join(" "), stopped.join(" ")),
                Next::TooOften(agent) => stopped.push(agent.to_string()),
                Next::Speak(agent, _) => {
                    let others = agents(mentions).into_iter().filter(|other| *other != agent);
                    order.ask(others.collect(), &asked(2));
                    spoke.push(agent.to_string());
                }
            }
        }
    }

    #[test]
    fn one_after_the_other_and_nobody_too_often() {
        let cases = [
            (("a b c", "", 5, 50), ("a b c", "")),
            (("", "", 5, 50), ("", "")),
            (("a", "b", 5, 50), ("a b", "")),
            (("a", "a b", 2, 50), ("a b a b", "a")),
            (("a b", "a b", 1, 50), ("a b", "a")),
            (("a", "a b", 50, 5), ("a b a b a", "b")),
        ];
        for ((first, mentions, each_max, all_max), (spoke, stopped)) in cases {
            let seen = round(first, mentions, each_max, all_max);
            assert_eq!(seen, (spoke.to_owned(), stopped.to_owned()), "{first:?} {mentions:?}");
        }
    }

    #[test]
    fn who_waits_answers_both_at_once() {
        let mut order = Order::default();
        order.ask(agents("a b"), &asked(1));
        order.ask(agents("b"), &asked(2));
        let next = |order: &mut Order| order.next(5, 50);
        assert_eq!(next(&mut order), Next::Speak(agents("a").remove(0), asked(1)));
        assert_eq!(next(&mut order), Next::Speak(agents("b").remove(0), asked(2)));
        assert_eq!(next(&mut order), Next::Nobody);
    }

    #[test]
    fn who_spoke_before_a_round_is_taken_up_again_is_not_asked_again() {
        let mut order = Order::default();
        order.ask(agents("a b"), &asked(1));
        order.has_spoken(&agents("a")[0]);
        assert_eq!(order.next(1, 50), Next::Speak(agents("b").remove(0), asked(1)));
        order.ask(agents("a"), &asked(2));
        assert_eq!(order.next(1, 50), Next::TooOften(agents("a").remove(0)));
    }
}
