//! Whether a person's words may be kept: three states, and the moves between them.

use super::time::Timestamp;

/// Consent to keep history. A state carries its own dates, so that none can contradict it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Words are kept.
    Granted {
        /// Since when.
        since: Timestamp,
    },
    /// Words are not kept, and none are held.
    Withheld {
        /// Since when.
        since: Timestamp,
    },
    /// Words are not kept; those held are hidden, and gone at the due moment.
    Withdrawn {
        /// Since when.
        since: Timestamp,
        /// The first moment at which they are gone.
        due: Timestamp,
    },
}

/// What a grant means for the words of before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// Consent was on already.
    Unchanged,
    /// They are readable again, or there were none.
    Kept,
    /// It came too late: they must be erased in the same commit.
    TooLate,
}

impl Consent {
    /// What a person chose at the beginning.
    #[must_use]
    pub fn initial(granted: bool, now: Timestamp) -> Self {
        if granted { Self::Granted { since: now } } else { Self::Withheld { since: now } }
    }

    /// Whether words may be kept.
    #[must_use]
    pub fn is_on(self) -> bool {
        match self {
            Self::Granted { .. } => true,
            Self::Withheld { .. } | Self::Withdrawn { .. } => false,
        }
    }

    /// When the switch was last moved.
    #[must_use]
    pub fn changed_at(self) -> Timestamp {
        match self {
            Self::Granted { since } | Self::Withheld { since } | Self::Withdrawn { since, .. } => {
                since
            }
        }
    }

    /// The date on which what is held will be gone; none from that moment on.
    #[must_use]
    pub fn deletion_scheduled_at(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Withdrawn { due, .. } if now < due => Some(due),
            Self::Withdrawn { .. } | Self::Granted { .. } | Self::Withheld { .. } => None,
        }
    }

    /// Whether the due moment has come.
    #[must_use]
    pub fn is_due(self, now: Timestamp) -> bool {
        match self {
            Self::Withdrawn { due, .. } => due <= now,
            Self::Granted { .. } | Self::Withheld { .. } => false,
        }
    }

    /// Switches on.
    #[must_use]
    pub fn grant(self, now: Timestamp) -> (Self, Grant) {
        let on = Self::Granted { since: now };
        match self {
            Self::Granted { .. } => (self, Grant::Unchanged),
            Self::Withdrawn { .. } if self.is_due(now) => (on, Grant::TooLate),
            Self::Withdrawn { .. } | Self::Withheld { .. } => (on, Grant::Kept),
        }
    }

    /// Switches off; what is held is gone after `grace_ms`. Switching off twice changes nothing.
    #[must_use]
    pub fn withdraw(self, now: Timestamp, grace_ms: i64) -> Self {
        match self {
            Self::Granted { .. } => Self::Withdrawn { since: now, due: now.plus_millis(grace_ms) },
            Self::Withheld { .. } | Self::Withdrawn { .. } => self,
        }
    }

    /// What is held was claimed for erasure: there is nothing left to wait for.
    #[must_use]
    pub fn claimed(self) -> Self {
        match self {
            Self::Withdrawn { since, .. } => Self::Withheld { since },
            Self::Granted { .. } | Self::Withheld { .. } => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAYS_30_MS: i64 = 30 * 24 * 60 * 60 * 1_000;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn the_same_value_moves_nothing() {
        let on = Consent::initial(true, at(1));
        assert_eq!(on.grant(at(2)), (on, Grant::Unchanged));
        let off = on.withdraw(at(3), DAYS_30_MS);
        assert_eq!(off.withdraw(at(4), DAYS_30_MS), off);
        let never = Consent::initial(false, at(1));
        assert_eq!(never.withdraw(at(5), DAYS_30_MS), never);
    }

    #[test]
    fn the_countdown_is_exact_and_its_end_belongs_to_gone() {
        let off = Consent::initial(true, at(0)).withdraw(at(1_000), DAYS_30_MS);
        let due = at(1_000 + DAYS_30_MS);
        assert_eq!(off.deletion_scheduled_at(at(1_000)), Some(due));
        assert!(!off.is_due(due.plus_millis(-1)));
        assert_eq!(off.grant(due.plus_millis(-1)).1, Grant::Kept);
        assert!(off.is_due(due));
        assert_eq!(off.deletion_scheduled_at(due), None);
        assert_eq!(off.grant(due).1, Grant::TooLate);
    }

    #[test]
    fn a_claim_ends_the_countdown_and_leaves_consent_as_it_is() {
        let on = Consent::initial(true, at(0));
        assert_eq!(on.claimed(), on);
        let off = on.withdraw(at(7), DAYS_30_MS).claimed();
        assert_eq!(off, Consent::Withheld { since: at(7) });
        assert_eq!(off.grant(at(8)).1, Grant::Kept);
    }
}
