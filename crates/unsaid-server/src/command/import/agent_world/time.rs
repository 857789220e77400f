//! Times as the program wrote them.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use unsaid_core::domain::time::Timestamp;

/// `2025-10-21T10:00:00.000Z`, or `2025-10-21 10:00:00` in UTC as SQLite writes it.
pub(super) fn from_text(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let exact = text.parse::<jiff::Timestamp>().ok();
    let at = exact.or_else(|| {
        let civil: DateTime = text.parse().ok()?;
        Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
    })?;
    Some(Timestamp::from_millis(at.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_write_a_time_are_read() {
        let at = Timestamp::from_millis(1_761_040_800_000);
        for text in ["2025-10-21T10:00:00.000Z", "2025-10-21 10:00:00", "2025-10-21T12:00:00+02:00"]
        {
            assert_eq!(from_text(text), Some(at), "{text}");
        }
        assert_eq!(from_text("yesterday"), None);
        assert_eq!(from_text(""), None);
    }
}
