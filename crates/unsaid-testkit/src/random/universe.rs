//! A small world in which everything can meet everything.
//!
//! Few names, so that ids collide; few moments, so that clocks are equal and leases run out.

use unsaid_core::{
    domain::{
        conversation::{
            Conversation,
            change::{
                Change, Cut, Decision, Interrupt, Missing, Remove, ReplaceTail, Revise, Ripple,
                Say, SendOutcome,
            },
            log::{Entry, Sending},
        },
        id::{EditId, Fence, MessageId, Number, Roster, Version},
        message::{Audience, Author, Message, Part, ReplyToken, WayBack},
        time::Timestamp,
    },
    port::history::Commit,
};

use super::dice::Dice;
use crate::builder::{agent_id, at, delivery_id, edit_id, holder_id, media_key, message_id};
use crate::builder::{person_id, words};

const PEOPLE: [&str; 2] = ["ana", "ben"];
const AGENTS: [&str; 2] = ["kai", "lin"];
const SAID: [&str; 4] = ["m1", "m2", "m3", "m4"];
const ANSWERS: [&str; 4] = ["r1", "r2", "r3", "r4"];
const DELIVERIES: [&str; 3] = ["d1", "d2", "d3"];
const EDITS: [&str; 3] = ["e1", "e2", "e3"];
const TEXTS: [&str; 6] = ["", "hello", "日本語 😀", "it's \"quoted\"", "two\nlines", "x\u{301}"];
/// Clocks stand still, go on, sometimes go back.
const STEPS_MS: [i64; 12] = [0, 0, 0, 0, 1, 1, 1, 5, 5, 20, 300, -3];
/// Beyond a lease, an undo window, the memory of edits, the memory of deliveries.
const LEAPS_MS: [i64; 3] = [5_000, 90_000_000, 700_000_000];

/// What kinds of change there are, each as often as it should come.
const KINDS: [(u64, Kind); 19] = [
    (24, Kind::Say),
    (3, Kind::Fill),
    (6, Kind::Begin),
    (1, Kind::Renew),
    (2, Kind::Intend),
    (3, Kind::Settle),
    (3, Kind::Answer),
    (1, Kind::Decide),
    (2, Kind::Release),
    (2, Kind::Stop),
    (6, Kind::Revise),
    (8, Kind::Remove),
    (9, Kind::ReplaceTail),
    (3, Kind::Restore),
    (1, Kind::CloseUndo),
    (2, Kind::Clear),
    (2, Kind::EraseAuthor),
    (1, Kind::EraseAll),
    (3, Kind::Expire),
];
/// What is likely while a turn runs.
const OF_A_TURN: [Kind; 13] = [
    Kind::Answer,
    Kind::Answer,
    Kind::Answer,
    Kind::Intend,
    Kind::Intend,
    Kind::Settle,
    Kind::Settle,
    Kind::Decide,
    Kind::Renew,
    Kind::Stop,
    Kind::Begin,
    Kind::ReplaceTail,
    Kind::Restore,
];
/// What is likely while an edit can be undone.
const OF_AN_UNDO: [Kind; 4] = [Kind::Restore, Kind::Restore, Kind::Begin, Kind::CloseUndo];

#[derive(Debug, Clone, Copy)]
enum Kind {
    Say,
    Fill,
    Begin,
    Renew,
    Intend,
    Settle,
    Answer,
    Decide,
    Release,
    Stop,
    Revise,
    Remove,
    ReplaceTail,
    Restore,
    CloseUndo,
    Clear,
    EraseAuthor,
    EraseAll,
    Expire,
}

/// See the module.
pub struct Universe {
    /// Where its chance comes from.
    pub dice: Dice,
    now: Timestamp,
    fresh: u64,
}

impl Universe {
    /// The universe of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed), now: at(1_000_000_000), fresh: 0 }
    }

    /// The next change, of one that may be refused, repeated or stale.
    pub fn next(&mut self, model: &Conversation) -> Commit {
        let leaps = self.dice.percent(3);
        let step = if leaps { self.dice.pick(&LEAPS_MS) } else { self.dice.pick(&STEPS_MS) };
        self.now = self.now.plus_millis(step);
        let kind = self.kind(model);
        let commit = Commit::new(self.change(kind, model), self.now);
        match self.dice.below(20) {
            0 => commit.expecting(model.version),
            1 => commit.expecting(Version::new(self.dice.below(model.version.get() + 2))),
            _ => commit,
        }
    }

    /// The id of something said, removed, expected, or never heard of.
    pub fn known_id(&mut self, model: &Conversation) -> MessageId {
        let held = model.undo.as_ref().map_or(&[][..], |undo| &undo.entries[..]);
        match self.dice.below(10) {
            0..=6 if !model.log.is_empty() => {
                let place = self.dice.index(model.log.len());
                let entry = model.log.iter().nth(place).expect("it is within the log");
                entry.message.id.clone()
            }
            7 if !held.is_empty() => held[self.dice.index(held.len())].message.id.clone(),
            0..=8 => message_id(self.dice.pick(&SAID)),
            _ => message_id(self.dice.pick(&ANSWERS)),
        }
    }

    /// A number within the log or just after it.
    pub fn number(&mut self, model: &Conversation) -> Number {
        Number::new(self.dice.below(model.last_number.get() + 2))
    }

    fn kind(&mut self, model: &Conversation) -> Kind {
        if intended(model).is_some() && self.dice.percent(20) {
            return Kind::Settle;
        }
        if model.turn.is_some() && self.dice.percent(55) {
            return self.dice.pick(&OF_A_TURN);
        }
        if model.undo.is_some() && self.dice.percent(35) {
            return self.dice.pick(&OF_AN_UNDO);
        }
        if model.turn.is_none() && model.wanted_at.is_some() && self.dice.percent(30) {
            return Kind::Begin;
        }
        let mut left = self.dice.below(KINDS.iter().map(|(weight, _)| weight).sum());
        for (weight, kind) in KINDS {
            match left.checked_sub(weight) {
                Some(rest) => left = rest,
                None => return kind,
            }
        }
        Kind::Say
    }

    fn change(&mut self, kind: Kind, model: &Conversation) -> Change {
        match kind {
            Kind::Say => self.say(),
            Kind::Fill => Change::Fill { id: self.known_id(model), parts: self.parts() },
            Kind::Begin => {
                let holder = holder_id(self.dice.pick(&["h1", "h2"]));
                Change::Begin { holder, until: self.soon() }
            }
            Kind::Renew => Change::Renew { fence: self.fence(model), until: self.soon() },
            Kind::Intend => Change::Intend { fence: self.fence(model), message: self.answer() },
            Kind::Settle => self.settle(model),
            Kind::Answer => {
                let count = self.dice.pick(&[1, 1, 1, 2, 3, 0]);
                let messages = (0..count).map(|_| self.answer()).collect();
                Change::Answer { fence: self.fence(model), messages, last: self.dice.percent(70) }
            }
            Kind::Decide => Change::Decide { fence: self.fence(model), decision: self.decision() },
            Kind::Release => Change::Release { fence: self.fence(model) },
            Kind::Stop => Change::Stop,
            Kind::Revise => Change::Revise(Revise {
                id: self.known_id(model),
                by: self.person().then(|| person_id(self.dice.pick(&PEOPLE))),
                parts: self.parts(),
                at: at(self.dice.pick(&[1, 2, 2, 3, 4])),
                ripple: self.ripple(),
            }),
            Kind::Remove => Change::Remove(Remove {
                id: self.known_id(model),
                missing: self.dice.pick(&[Missing::Remember, Missing::Refuse]),
                ripple: self.ripple(),
            }),
            Kind::ReplaceTail => self.replace_tail(model),
            Kind::Restore => Change::Restore {
                edit: self.known_edit(model),
                interrupt: self.interrupt(),
                or_nothing: self.dice.percent(50),
            },
            Kind::CloseUndo => Change::CloseUndo,
            Kind::Clear => Change::Clear(agent_id(self.dice.pick(&AGENTS))),
            Kind::EraseAuthor => Change::EraseAuthor {
                person: person_id(self.dice.pick(&PEOPLE)),
                ripple: self.ripple(),
            },
            Kind::EraseAll => Change::EraseAll,
            Kind::Expire => Change::Expire,
        }
    }

    fn say(&mut self) -> Change {
        let message = if self.dice.percent(90) { self.message() } else { self.answer() };
        let delivered = self.dice.percent(30);
        let delivery = delivered.then(|| delivery_id(self.dice.pick(&DELIVERIES)));
        let (wants_answer, way_back) = (self.wish(), self.way_back());
        Change::Say(Say { message, delivery, wants_answer, way_back })
    }

    /// Told also where no answer is wanted, and then good for nothing.
    fn way_back(&mut self) -> Option<WayBack> {
        let token = match self.dice.below(5) {
            0..=1 => return None,
            2 => None,
            _ => Some(ReplyToken::new(self.dice.pick(&["t1", "t\"2\""]))),
        };
        let delivery = delivery_id(self.dice.pick(&DELIVERIES));
        Some(WayBack { token, delivery, received_at: self.now })
    }

    fn settle(&mut self, model: &Conversation) -> Change {
        let id = match intended(model) {
            Some(entry) if self.dice.percent(80) => entry.message.id.clone(),
            Some(_) | None => self.known_id(model),
        };
        let outcomes = [SendOutcome::Sent, SendOutcome::Failed, SendOutcome::Unknown];
        Change::Settle { id, outcome: self.dice.pick(&outcomes) }
    }

    fn replace_tail(&mut self, model: &Conversation) -> Change {
        let at = self.known_id(model);
        let with = self.dice.percent(70).then(|| {
            let mut message = self.message();
            if self.dice.percent(15) {
                message.id = at.clone();
            }
            (message, self.wish())
        });
        let after = match model.log.by_id(&at) {
            Some(entry) if self.dice.percent(80) => entry.number,
            // Whatever stood there, or nothing yet.
            Some(_) | None => self.number(model),
        };
        let from = if self.dice.percent(20) { Cut::After(after) } else { Cut::At(at) };
        let undo = self.dice.percent(80).then(|| (self.new_edit(), self.soon()));
        Change::ReplaceTail(ReplaceTail { from, with, undo, interrupt: self.interrupt() })
    }

    fn message(&mut self) -> Message {
        let id = if self.dice.percent(50) { self.fresh("m") } else { self.one_of(&SAID) };
        let known = self.person().then(|| person_id(self.dice.pick(&PEOPLE)));
        self.compose(id, Author::Person(known))
    }

    fn answer(&mut self) -> Message {
        let id = if self.dice.percent(60) { self.fresh("r") } else { self.one_of(&ANSWERS) };
        let author = Author::Agent(agent_id(self.dice.pick(&AGENTS)));
        self.compose(id, author)
    }

    fn compose(&mut self, id: MessageId, author: Author) -> Message {
        let only = match self.dice.below(6) {
            0 => Some(vec![]),
            1 => Some(AGENTS.map(agent_id).to_vec()),
            _ => None,
        };
        let answers = self.dice.percent(20);
        Message {
            id,
            author,
            at: self.now.plus_millis(self.dice.pick(&[0, 0, -7, 7])),
            reply_to: answers.then(|| self.one_of(&SAID)),
            audience: Audience { roster: Roster::new(self.dice.below(3)), only },
            parts: self.parts(),
        }
    }

    fn parts(&mut self) -> Vec<Part> {
        let count = self.dice.pick(&[1, 1, 1, 1, 2, 0]);
        let mut parts = Vec::new();
        for _ in 0..count {
            parts.push(if self.dice.percent(85) {
                Part::text(words(self.dice.pick(&TEXTS)))
            } else {
                let key = media_key(self.dice.pick(&["k1", "k2"]));
                Part::Media { key, mime: "image/png".to_owned() }
            });
        }
        parts
    }

    fn decision(&mut self) -> Decision {
        match self.dice.below(8) {
            0..=2 => Decision::Silent { reason: Some(words(self.dice.pick(&TEXTS))) },
            3 => Decision::Silent { reason: None },
            4 => Decision::Failed { code: "model_timeout".to_owned() },
            5 => Decision::Stopped,
            6 => Decision::Cancelled,
            _ => Decision::Answered,
        }
    }

    /// The running turn, mostly; or the one before, or one that never was.
    fn fence(&mut self, model: &Conversation) -> Fence {
        match &model.turn {
            Some(lease) if self.dice.percent(85) => lease.fence,
            Some(_) | None => Fence::new(self.dice.below(model.last_fence.get() + 2)),
        }
    }

    fn known_edit(&mut self, model: &Conversation) -> EditId {
        let closed: Vec<&EditId> = model.closed_edits.keys().collect();
        match &model.undo {
            Some(undo) if self.dice.percent(75) => undo.edit.clone(),
            Some(_) | None if !closed.is_empty() && self.dice.percent(70) => {
                self.dice.pick(&closed).clone()
            }
            Some(_) | None => edit_id(self.dice.pick(&EDITS)),
        }
    }

    fn new_edit(&mut self) -> EditId {
        if self.dice.percent(20) {
            return edit_id(self.dice.pick(&EDITS));
        }
        self.fresh += 1;
        edit_id(&format!("e-{}", self.fresh))
    }

    fn fresh(&mut self, prefix: &str) -> MessageId {
        self.fresh += 1;
        message_id(&format!("{prefix}-{}", self.fresh))
    }

    fn one_of(&mut self, ids: &[&str]) -> MessageId {
        message_id(self.dice.pick(ids))
    }

    fn person(&mut self) -> bool {
        self.dice.percent(85)
    }

    fn wish(&mut self) -> Option<Timestamp> {
        match self.dice.below(10) {
            0..=2 => None,
            3..=7 => Some(self.now),
            _ => Some(self.now.plus_millis(4)),
        }
    }

    fn soon(&mut self) -> Timestamp {
        self.now.plus_millis(self.dice.pick(&[0, 3, 20, 400, 2_000, 2_000, 2_000, 200_000_000]))
    }

    fn ripple(&mut self) -> Ripple {
        self.dice.pick(&[Ripple::Withdraw, Ripple::Withdraw, Ripple::Keep])
    }

    fn interrupt(&mut self) -> Interrupt {
        self.dice.pick(&[Interrupt::No, Interrupt::Yes])
    }
}

fn intended(model: &Conversation) -> Option<&Entry> {
    model.log.iter().find(|entry| entry.sending == Sending::Intended)
}
