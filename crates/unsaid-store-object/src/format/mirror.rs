//! Values of the domain as the first line has them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use unsaid_core::domain::{
    conversation::{
        ClosedEdit, Revision,
        change::Decision,
        log::Sending,
        turn::{Lease, TurnRecord},
    },
    id::{Fence, HolderId, Number, PersonId},
    message::Part,
    text::Words,
    time::Timestamp,
};

/// A running turn.
#[derive(Serialize, Deserialize)]
pub(crate) struct LeaseText {
    fence: Fence,
    holder: HolderId,
    until: Timestamp,
    seen: Number,
    questions: BTreeSet<Number>,
}

impl From<&Lease> for LeaseText {
    fn from(lease: &Lease) -> Self {
        let Lease { fence, holder, until, seen_through, questions } = lease.clone();
        Self { fence, holder, until, seen: seen_through, questions }
    }
}

impl From<LeaseText> for Lease {
    fn from(text: LeaseText) -> Self {
        let LeaseText { fence, holder, until, seen, questions } = text;
        Self { fence, holder, until, seen_through: seen, questions }
    }
}

/// What became of a turn.
#[derive(Serialize, Deserialize)]
pub(crate) struct TurnText {
    began: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended: Option<(DecisionText, Timestamp)>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DecisionText {
    Answered,
    Silent(Option<Words>),
    Failed(String),
    Stopped,
    Cancelled,
    Released,
}

impl From<&TurnRecord> for TurnText {
    fn from(record: &TurnRecord) -> Self {
        let ended = record.ended.as_ref().map(|(how, when)| (DecisionText::from(how), *when));
        Self { began: record.began_at, ended }
    }
}

impl From<TurnText> for TurnRecord {
    fn from(text: TurnText) -> Self {
        let ended = text.ended.map(|(how, when)| (how.into(), when));
        Self { began_at: text.began, ended }
    }
}

impl From<&Decision> for DecisionText {
    fn from(decision: &Decision) -> Self {
        match decision.clone() {
            Decision::Answered => Self::Answered,
            Decision::Silent { reason } => Self::Silent(reason),
            Decision::Failed { code } => Self::Failed(code),
            Decision::Stopped => Self::Stopped,
            Decision::Cancelled => Self::Cancelled,
            Decision::Released => Self::Released,
        }
    }
}

impl From<DecisionText> for Decision {
    fn from(text: DecisionText) -> Self {
        match text {
            DecisionText::Answered => Self::Answered,
            DecisionText::Silent(reason) => Self::Silent { reason },
            DecisionText::Failed(code) => Self::Failed { code },
            DecisionText::Stopped => Self::Stopped,
            DecisionText::Cancelled => Self::Cancelled,
            DecisionText::Released => Self::Released,
        }
    }
}

/// An edit in place that waits for its message.
#[derive(Serialize, Deserialize)]
pub(crate) struct RevisionText {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<PersonId>,
    at: Timestamp,
    since: Timestamp,
    parts: Vec<Part>,
}

impl From<&Revision> for RevisionText {
    fn from(revision: &Revision) -> Self {
        let Revision { by, at, since, parts } = revision.clone();
        Self { by, at, since, parts }
    }
}

impl From<RevisionText> for Revision {
    fn from(text: RevisionText) -> Self {
        let RevisionText { by, at, since, parts } = text;
        Self { by, at, since, parts }
    }
}

/// The fate of an edit.
#[derive(Serialize, Deserialize)]
pub(crate) struct ClosedText {
    at: Timestamp,
    expired: bool,
}

impl From<&ClosedEdit> for ClosedText {
    fn from(closed: &ClosedEdit) -> Self {
        let ClosedEdit { at, expired } = *closed;
        Self { at, expired }
    }
}

impl From<ClosedText> for ClosedEdit {
    fn from(text: ClosedText) -> Self {
        let ClosedText { at, expired } = text;
        Self { at, expired }
    }
}

/// Whether a message left the house; nothing is written for one that is read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SendingText {
    Intended,
    Sent,
    Failed,
    Unknown,
}

impl SendingText {
    pub(crate) fn of(sending: Sending) -> Option<Self> {
        match sending {
            Sending::Here => None,
            Sending::Intended => Some(Self::Intended),
            Sending::Sent => Some(Self::Sent),
            Sending::Failed => Some(Self::Failed),
            Sending::Unknown => Some(Self::Unknown),
        }
    }

    pub(crate) fn sending(self) -> Sending {
        match self {
            Self::Intended => Sending::Intended,
            Self::Sent => Sending::Sent,
            Self::Failed => Sending::Failed,
            Self::Unknown => Sending::Unknown,
        }
    }
}
