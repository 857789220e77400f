//! How a turn ended.

use super::{Conversation, turn::TurnRecord};
use crate::domain::{id::Fence, text::Words, time::Timestamp};

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// With an answer.
    Answered,
    /// The model chose silence. The reason is content: it goes with its questions.
    Silent {
        /// Why, in the model's words.
        reason: Option<Words>,
    },
    /// Something broke; a short constant name says what.
    Failed {
        /// The name.
        code: String,
    },
    /// A person stopped it.
    Stopped,
    /// Something it had read was taken back.
    Cancelled,
    /// It was handed back, or its lease ran out.
    Released,
}

/// The same without words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decided {
    /// With an answer.
    Answered,
    /// The model chose silence.
    Silent,
    /// Something broke; a short constant name says what.
    Failed {
        /// The name.
        code: String,
    },
    /// A person stopped it.
    Stopped,
    /// Something it had read was taken back.
    Cancelled,
    /// It was handed back, or its lease ran out.
    Released,
}

impl From<&Decision> for Decided {
    fn from(decision: &Decision) -> Self {
        match decision {
            Decision::Answered => Self::Answered,
            Decision::Silent { reason: _ } => Self::Silent,
            Decision::Failed { code } => Self::Failed { code: code.clone() },
            Decision::Stopped => Self::Stopped,
            Decision::Cancelled => Self::Cancelled,
            Decision::Released => Self::Released,
        }
    }
}

/// A turn that is over, without words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedTurn {
    /// Its number; later turns have higher ones.
    pub fence: Fence,
    /// When it began.
    pub began_at: Timestamp,
    /// How it ended.
    pub decided: Decided,
    /// When it ended.
    pub ended_at: Timestamp,
}

impl EndedTurn {
    /// What is told of a turn, if it is over.
    #[must_use]
    pub fn of(fence: Fence, record: &TurnRecord) -> Option<Self> {
        let (decision, ended_at) = record.ended.as_ref()?;
        let (began_at, decided) = (record.began_at, decision.into());
        Some(Self { fence, began_at, decided, ended_at: *ended_at })
    }
}

impl Conversation {
    /// The turns that are over, the newest first; only those before one, if it is named.
    pub fn ended_turns(&self, before: Option<Fence>) -> impl Iterator<Item = EndedTurn> {
        let turns = self.turns.iter().rev();
        let older = turns.filter(move |(fence, _)| before.is_none_or(|before| **fence < before));
        older.filter_map(|(fence, record)| EndedTurn::of(*fence, record))
    }

    /// How the newest turn that is over ended, and when.
    #[must_use]
    pub fn last_decision(&self) -> Option<(Decided, Timestamp)> {
        let (decision, at) = self.turns.values().rev().find_map(|turn| turn.ended.as_ref())?;
        Some((decision.into(), *at))
    }
}
