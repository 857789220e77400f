//! How a turn ended.

use super::Conversation;
use crate::domain::{text::Words, time::Timestamp};

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

impl Conversation {
    /// How the newest turn that is over ended, and when.
    #[must_use]
    pub fn last_decision(&self) -> Option<(Decided, Timestamp)> {
        let (decision, at) = self.turns.values().rev().find_map(|turn| turn.ended.as_ref())?;
        Some((decision.into(), *at))
    }
}
