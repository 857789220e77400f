//! Messages, and a conversation that people and an agent talk in. The words of a message can be
//! told from its id, so that a test can look for them.

use unsaid_core::domain::{
    conversation::{
        Conversation,
        change::{
            Applied, Change, Decision, Interrupt, Missing, Outcome, Refusal, Remove, ReplaceTail,
            Revise, Ripple, Say, SendOutcome,
        },
        log::Entry,
        turn::Lease,
    },
    id::{AgentId, DeliveryId, EditId, Fence, HolderId, MessageId, Number, PersonId, Roster},
    message::{Audience, Author, Message, Part, ReplyToken, WayBack},
    text::Words,
    time::Timestamp,
};

use crate::{whole, words};

/// How long a lease of a [`Talk`] is.
pub(crate) const LEASE_MS: i64 = 30_000;
/// How long an edit of a [`Talk`] can be undone.
pub(crate) const UNDO_MS: i64 = 600_000;

pub(crate) fn id(text: &str) -> MessageId {
    MessageId::new(text).unwrap()
}

pub(crate) fn edit(text: &str) -> EditId {
    EditId::new(text).unwrap()
}

pub(crate) fn person(name: &str) -> PersonId {
    PersonId::new(name).unwrap()
}

pub(crate) fn agent(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

pub(crate) fn delivery(text: &str) -> DeliveryId {
    DeliveryId::new(text).unwrap()
}

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

pub(crate) fn words_of(text: &str) -> String {
    format!("the words of {text}.")
}

pub(crate) fn parts(text: &str) -> Vec<Part> {
    vec![Part::text(Words::new(text).unwrap())]
}

/// Something Ana says.
pub(crate) fn said(name: &str) -> Message {
    by(Author::Person(Some(person("ana"))), name)
}

/// Something the agent says.
pub(crate) fn answered(name: &str) -> Message {
    by(Author::Agent(agent("bot")), name)
}

/// Something somebody says, with its own words.
pub(crate) fn by(author: Author, name: &str) -> Message {
    let audience = Audience { roster: Roster::new(1), only: None };
    let parts = parts(&words_of(name));
    Message { id: id(name), author, at: Timestamp::ZERO, reply_to: None, audience, parts }
}

/// How an answer gets back to what a delivery brought, with a token or without.
pub(crate) fn way_back(name: &str, token: bool) -> WayBack {
    let token = token.then(|| ReplyToken::new(format!("token of {name}")));
    WayBack { token, delivery: delivery(name), received_at: at(7) }
}

pub(crate) fn remove(name: &str, missing: Missing, ripple: Ripple) -> Change {
    Change::Remove(Remove { id: id(name), missing, ripple })
}

/// A conversation in the middle of being talked in. Every change is checked as a whole.
#[derive(Debug, Clone)]
pub(crate) struct Talk {
    pub(crate) state: Conversation,
    pub(crate) now: Timestamp,
}

impl Talk {
    pub(crate) fn new() -> Self {
        Self { state: Conversation::default(), now: at(1_000_000) }
    }

    pub(crate) fn change(&mut self, change: Change) -> Result<Applied, Refusal> {
        whole::apply(&mut self.state, change, self.now)
    }

    /// A change that must be made, and its outcome.
    pub(crate) fn make(&mut self, change: Change) -> Outcome {
        self.change(change).expect("the change is made").outcome
    }

    pub(crate) fn later(&mut self, millis: i64) {
        self.now = self.now.plus_millis(millis);
    }

    /// Ana says something and wants an answer at once.
    pub(crate) fn says(&mut self, name: &str) -> Number {
        self.hears(said(name))
    }

    /// Somebody says something and wants an answer at once, by a way of its own.
    pub(crate) fn hears(&mut self, message: Message) -> Number {
        let (wants_answer, delivery) = (Some(self.now), None);
        let way_back = Some(way_back(message.id.as_str(), true));
        let outcome = self.make(Change::Say(Say { message, delivery, wants_answer, way_back }));
        let Outcome::Said(number) = outcome else { panic!("not said: {outcome:?}") };
        number
    }

    pub(crate) fn try_begin(&mut self) -> Result<Applied, Refusal> {
        let until = self.now.plus_millis(LEASE_MS);
        self.change(Change::Begin { holder: HolderId::new("h").unwrap(), until })
    }

    pub(crate) fn begins(&mut self) -> Lease {
        let outcome = self.try_begin().expect("a turn begins").outcome;
        let Outcome::Began(lease) = outcome else { panic!("not begun: {outcome:?}") };
        lease
    }

    pub(crate) fn try_answer(&mut self, fence: Fence, name: &str) -> Result<Applied, Refusal> {
        self.change(Change::Answer { fence, messages: vec![answered(name)], last: true })
    }

    /// A whole exchange: something said, and its answer.
    pub(crate) fn exchange(&mut self, question: &str, answer: &str) -> Fence {
        self.says(question);
        let fence = self.begins().fence;
        self.try_answer(fence, answer).expect("the answer is taken");
        fence
    }

    pub(crate) fn intends(&mut self, fence: Fence, name: &str) -> Result<Applied, Refusal> {
        self.change(Change::Intend { fence, message: answered(name) })
    }

    pub(crate) fn settles(&mut self, name: &str, outcome: SendOutcome) -> Result<Applied, Refusal> {
        self.change(Change::Settle { id: id(name), outcome })
    }

    pub(crate) fn is_silent(&mut self, fence: Fence, reason: &str) {
        let reason = Some(Words::new(reason).unwrap());
        self.make(Change::Decide { fence, decision: Decision::Silent { reason } });
    }

    /// Takes a message back as LINE does: unknown ids are remembered, answers go too.
    pub(crate) fn unsends(&mut self, name: &str) -> Outcome {
        self.make(remove(name, Missing::Remember, Ripple::Withdraw))
    }

    pub(crate) fn revises(&mut self, name: &str, text: &str, millis: i64) -> Outcome {
        self.make(Change::Revise(Revise {
            id: id(name),
            by: Some(person("ana")),
            parts: parts(text),
            at: at(millis),
            ripple: Ripple::Withdraw,
        }))
    }

    /// Replaces a message and all after it, under an edit that can be undone for a while.
    pub(crate) fn edits(&mut self, from: &str, with: &str, name: &str) -> Result<Applied, Refusal> {
        let until = self.now.plus_millis(UNDO_MS);
        self.change(Change::ReplaceTail(ReplaceTail {
            from: id(from).into(),
            with: Some((said(with), Some(self.now))),
            undo: Some((edit(name), until)),
            interrupt: Interrupt::No,
        }))
    }

    pub(crate) fn undoes(&mut self, name: &str) -> Result<Applied, Refusal> {
        self.change(Change::Restore {
            edit: edit(name),
            interrupt: Interrupt::No,
            or_nothing: false,
        })
    }

    pub(crate) fn entry(&self, name: &str) -> &Entry {
        self.state.log.by_id(&id(name)).expect("it is in the log")
    }

    pub(crate) fn holds(&self, text: &str) -> bool {
        words::holds(&self.state, text)
    }

    /// The ids that lists and models see, in order.
    pub(crate) fn heard(&self) -> Vec<&str> {
        let heard = self.state.log.iter().filter(|entry| entry.is_heard());
        heard.map(|entry| entry.message.id.as_str()).collect()
    }
}
