//! Points in time.

use std::fmt;

/// Milliseconds since 1970-01-01T00:00:00Z. Never used to order a conversation.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The beginning of the count.
    pub const ZERO: Self = Self(0);

    /// From milliseconds since 1970.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This long afterwards (or before, if negative); stops at the ends of the count.
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// As `2026-01-17T10:30:00Z`, the fraction cut off.
    #[must_use]
    pub fn to_seconds_text(self) -> String {
        self.civil(0)
    }

    /// As `2025-10-21T10:00:00.000Z`.
    #[must_use]
    pub fn to_millis_text(self) -> String {
        self.civil(3)
    }

    fn civil(self, digits: usize) -> String {
        let end = if self.0 < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
        let at = jiff::Timestamp::from_millisecond(self.0).unwrap_or(end);
        format!("{at:.digits$}")
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_millis_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_doors_promise() {
        let at = Timestamp::from_millis(1_768_645_800_999);
        assert_eq!(at.to_seconds_text(), "2026-01-17T10:30:00Z");
        assert_eq!(at.to_millis_text(), "2026-01-17T10:30:00.999Z");
        assert_eq!(Timestamp::ZERO.to_millis_text(), "1970-01-01T00:00:00.000Z");
        assert!(!Timestamp::from_millis(i64::MAX).to_millis_text().is_empty());
    }
}
