//! Whose turn it is in a round: one after the other, nobody twice while they wait, nobody too often.

use std::collections::{BTreeMap, HashMap, VecDeque};

use unsaid_core::domain::{
    conversation::log::Entry,
    id::{AgentId, MessageId, Number},
    message::Author,
};

/// What an agent answers; its answer is a reply to the newest.
pub(super) type Owed = BTreeMap<Number, MessageId>;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Order {
    waiting: VecDeque<(AgentId, Owed)>,
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
    Speak(AgentId, Owed),
}

impl Order {
    /// Whose turn it is in a round of these questions after these answers, both oldest first. `asks` says
    /// who answers a message.
    pub(super) fn after<'a>(
        questions: &[&Entry],
        answers: impl IntoIterator<Item = &'a Entry>,
        asks: impl Fn(&Entry) -> Vec<AgentId>,
    ) -> Self {
        let mut order = Self::default();
        for question in questions {
            order.ask(asks(question), question.number, &question.message.id);
        }
        for answer in answers {
            let Author::Agent(agent) = &answer.message.author else { continue };
            // A question that came after its turn began was not shown to it. Other answers were.
            let was_shown =
                |asked: &&Entry| answer.turn.is_some_and(|turn| asked.asked_in.contains(&turn));
            let is_open = |number: Number| {
                questions.iter().any(|asked| asked.number == number && !was_shown(asked))
            };
            order.settle(agent, is_open);
            // Since a person last spoke.
            if questions.last().is_some_and(was_shown) {
                *order.calls.entry(agent.clone()).or_default() += 1;
            }
            order.ask(asks(answer), answer.number, &answer.message.id);
        }
        order
    }

    /// These answer a message, after those who wait already. Who waits answers both at once.
    pub(super) fn ask(&mut self, agents: Vec<AgentId>, number: Number, id: &MessageId) {
        for agent in agents {
            match self.waiting.iter_mut().find(|(waiting, _)| *waiting == agent) {
                Some((_, owed)) => drop(owed.insert(number, id.clone())),
                None => self.waiting.push_back((agent, Owed::from([(number, id.clone())]))),
            }
        }
    }

    /// An agent has answered all but these.
    fn settle(&mut self, agent: &AgentId, is_open: impl Fn(Number) -> bool) {
        self.waiting.retain_mut(|(waiting, owed)| {
            if waiting == agent {
                owed.retain(|number, _| is_open(*number));
            }
            !owed.is_empty()
        });
    }

    pub(super) fn is_over(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes the next, and counts it if it is asked.
    pub(super) fn next(&mut self, each_max: usize, all_max: usize) -> Next {
        let Some((agent, owed)) = self.waiting.pop_front() else { return Next::Nobody };
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
        Next::Speak(agent, owed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agents(names: &str) -> Vec<AgentId> {
        names.split_whitespace().map(|name| AgentId::from_name(name).unwrap()).collect()
    }

    fn ask(order: &mut Order, agents: Vec<AgentId>, number: u64) {
        let id = MessageId::new(format!("m{number}")).unwrap();
        order.ask(agents, Number::new(number), &id);
    }

    /// Everybody who is asked mentions the same others.
    fn round(first: &str, mentions: &str, each_max: usize, all_max: usize) -> (String, String) {
        let mut order = Order::default();
        ask(&mut order, agents(first), 1);
        let (mut spoke, mut stopped) = (Vec::new(), Vec::new());
        loop {
            match order.next(each_max, all_max) {
                Next::Nobody => return (spoke.join(" "), stopped.join(" ")),
                Next::TooOften(agent) => stopped.push(agent.to_string()),
                Next::Speak(agent, _) => {
                    let others = agents(mentions).into_iter().filter(|other| *other != agent);
                    ask(&mut order, others.collect(), 2);
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
    fn who_waits_answers_all_at_once() {
        let mut order = Order::default();
        ask(&mut order, agents("a b"), 1);
        ask(&mut order, agents("b"), 2);
        let mut next = || match order.next(5, 50) {
            Next::Speak(agent, owed) => {
                let numbers: Vec<u64> = owed.keys().map(|number| number.get()).collect();
                Some((agent.to_string(), numbers))
            }
            Next::Nobody | Next::TooOften(_) => None,
        };
        assert_eq!(next(), Some(("a".to_owned(), vec![1])));
        assert_eq!(next(), Some(("b".to_owned(), vec![1, 2])));
        assert_eq!(next(), None);
    }
}
