//! What a model is shown: a pure function of log, persona and budget.
//!
//! Entries are offered newest first ([`Prompt::offer`]) until enough is known; [`Prompt::finish`]
//! keeps those that fit, never half of one, and always those being answered. Reading stops with the
//! budget, so a long conversation costs what a short one does.
//!
//! - `markup`: speakers, times and words, so that nobody can pose as another or as the system.
//! - `fit`: which entries are kept.

mod fit;
mod markup;

use std::collections::BTreeSet;

use jiff::tz::TimeZone;

use self::{
    fit::{Candidate, fit},
    markup::{context, pieces},
};
use super::{
    conversation::log::Entry,
    id::{AgentId, MediaKey, Number},
    message::Author,
    text::Words,
    time::Timestamp,
};

/// Where and as whom a model speaks.
pub struct Scene<'a> {
    /// What the agent is told about itself.
    pub persona: &'a str,
    /// How it answers at this door.
    pub manner: &'a str,
    /// Which agent it is: what it said itself is shown as its own.
    pub me: &'a AgentId,
    /// The time it is told.
    pub now: Timestamp,
    /// Where that time is local.
    pub zone: &'a TimeZone,
    /// Who is in the room.
    pub room: Room,
    /// How a speaker is called.
    pub name_of: &'a (dyn Fn(&Author) -> String + Sync),
}

/// Who is in the room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// One person and the agent.
    OneToOne,
    /// A group of people; how many, where that is known.
    Group {
        /// Members.
        members: Option<u32>,
    },
    /// One person and several agents.
    World {
        /// Agents.
        agents: u32,
    },
}

/// How much a prompt may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Of history, counted as UTF-8 bytes / 3, rounded up.
    pub tokens: usize,
    /// Pictures; none for a model that takes none.
    pub images: usize,
}

/// A prompt that is being built.
pub struct Prompt<'a> {
    scene: Scene<'a>,
    budget: Budget,
    /// Questions that were not offered yet.
    missing: BTreeSet<Number>,
    candidates: Vec<Candidate>,
    /// What the candidates that are no questions cost so far.
    offered_tokens: usize,
}

/// What a model is asked, but for its tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Who it is, how it behaves, where it is.
    pub system: Words,
    /// What was said, oldest first; neighbours differ in kind.
    pub turns: Vec<ShownTurn>,
    /// The oldest entry that is shown.
    pub from: Option<Number>,
}

/// What was said, by others or by the agent itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownTurn {
    /// By others.
    Heard(Vec<ShownPiece>),
    /// By the agent.
    Said(Words),
}

/// A piece of what others said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownPiece {
    /// Words.
    Text(Words),
    /// A picture in the media store, and what stands for it if it cannot be read.
    Image {
        /// Where it is.
        key: MediaKey,
        /// Its type.
        mime: String,
    },
}

impl<'a> Prompt<'a> {
    /// Begins with nothing. `answering` are the numbers of the messages being answered.
    #[must_use]
    pub fn new(scene: Scene<'a>, budget: Budget, answering: &BTreeSet<Number>) -> Self {
        let missing = answering.clone();
        Self { scene, budget, missing, candidates: Vec::new(), offered_tokens: 0 }
    }

    /// Takes the next older entry.
    pub fn offer(&mut self, entry: &Entry) {
        // Newest first: what was passed over was taken back, and cannot come any more.
        self.missing.retain(|number| *number <= entry.number);
        let asked = self.missing.remove(&entry.number);
        if !entry.is_heard() || (!asked && self.offered_tokens > self.budget.tokens) {
            return;
        }
        let candidate = Candidate::new(&self.scene, entry, asked);
        if !asked {
            self.offered_tokens += candidate.tokens;
        }
        self.candidates.push(candidate);
    }

    /// Whether older entries could still be shown.
    #[must_use]
    pub fn wants_more(&self) -> bool {
        !self.missing.is_empty() || self.offered_tokens <= self.budget.tokens
    }

    /// Keeps what fits.
    #[must_use]
    pub fn finish(self) -> Shown {
        let kept = fit(self.candidates, self.budget.tokens);
        let from = kept.first().map(|candidate| candidate.number);
        let mut turns: Vec<ShownTurn> = Vec::new();
        let mut images_left = self.budget.images;
        // Newest first, because the newest pictures are shown.
        for candidate in kept.into_iter().rev() {
            let turn = match candidate.own {
                Some(own) => ShownTurn::Said(own),
                None => ShownTurn::Heard(pieces(candidate.heard, &mut images_left)),
            };
            turns.push(turn);
        }
        turns.reverse();
        Shown { system: context(&self.scene), turns: markup::joined(turns), from }
    }
}

/// What a text costs.
#[must_use]
pub fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(3)
}
