//! Sessions of a person with an expert.

use super::{
    id::{ExpertId, PersonId, SessionId},
    time::Timestamp,
};

/// One session. What was said in it is the conversation of the same id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// A UUID.
    pub id: SessionId,
    /// Whose it is.
    pub owner: PersonId,
    /// With whom; forgotten at the end if nothing may be kept.
    pub expert: Option<ExpertId>,
    /// What it cost.
    pub kind: SessionKind,
    /// When it began.
    pub started_at: Timestamp,
    /// How long it may last; `None` is untimed.
    pub minutes: Option<u32>,
    /// When it was ended, if it was.
    pub ended_at: Option<Timestamp>,
}

/// What a session cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionKind {
    /// Nothing.
    Free,
    /// A credit.
    Paid,
}

/// Whether one may still talk in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionStatus {
    /// One may.
    Active,
    /// Its time ran out.
    Expired,
    /// It was ended.
    Ended,
}

impl Session {
    /// When its time runs out, if it is timed.
    #[must_use]
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.minutes.map(|minutes| self.started_at.plus_millis(i64::from(minutes) * 60_000))
    }

    /// What stays of it when it is erased.
    #[must_use]
    pub fn bill(&self) -> BillingLine {
        BillingLine {
            owner: self.owner.clone(),
            started_at: self.started_at,
            minutes: self.minutes,
            kind: self.kind,
        }
    }

    /// Its status at a moment.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> SessionStatus {
        if self.ended_at.is_some() {
            SessionStatus::Ended
        } else if self.expires_at().is_some_and(|end| end <= now) {
            SessionStatus::Expired
        } else {
            SessionStatus::Active
        }
    }
}

/// What sessions cost; `sessions.*` of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionTerms {
    /// Free sessions for everybody; 0 is unlimited and untimed.
    pub free: u32,
    /// Length of a free one.
    pub free_minutes: u32,
    /// Length of a paid one.
    pub paid_minutes: u32,
}

/// How the next session is paid, decided from what was used so far; `None` if nothing is left.
#[must_use]
pub fn next_session(
    terms: SessionTerms,
    free_used: u32,
    paid: u32,
) -> Option<(SessionKind, Option<u32>)> {
    if terms.free == 0 {
        Some((SessionKind::Free, None))
    } else if free_used < terms.free {
        Some((SessionKind::Free, Some(terms.free_minutes)))
    } else if paid > 0 {
        Some((SessionKind::Paid, Some(terms.paid_minutes)))
    } else {
        None
    }
}

/// What stays of an erased session: enough for the bill, nothing of the subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BillingLine {
    /// Whose session it was.
    pub owner: PersonId,
    /// When it began.
    pub started_at: Timestamp,
    /// How long it was allowed to last.
    pub minutes: Option<u32>,
    /// What it cost.
    pub kind: SessionKind,
}
