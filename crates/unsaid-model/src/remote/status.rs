//! What a status that is no 200 means.

use std::time::Duration;

use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::model::ModelError;

/// Whoever says more than this has not meant it for a running turn.
const RETRY_AFTER_SECONDS_MAX: u64 = 86_400;

/// The error of a status, whether it came as one or inside of a stream.
pub(crate) fn error_of_status(status: u16) -> ModelError {
    match status {
        429 => ModelError::Limited { retry_after: None },
        500..=599 => ModelError::Failing { status },
        // Redirects are not followed: a key must not travel. They are a wrong address.
        _ => ModelError::Rejected { status },
    }
}

/// When to come again, from the headers: in milliseconds, in seconds, or as a date.
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(bounded(Duration::from_millis(millis)));
    }
    let text = text(RETRY_AFTER.as_str())?;
    let seconds: Option<f64> = text.parse().ok().filter(|seconds: &f64| *seconds >= 0.0);
    match seconds {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok().map(bounded),
        None => until(text, now).map(bounded),
    }
}

fn until(date: &str, now: Timestamp) -> Option<Duration> {
    let at = DateTimeParser::new().parse_timestamp(date).ok()?;
    let millis = at.as_millisecond().saturating_sub(now.as_millis());
    // A date that has passed means now.
    Some(Duration::from_millis(u64::try_from(millis).unwrap_or(0)))
}

/// Google says it in the body: `"retryDelay": "34s"`.
pub(super) fn retry_delay(body: &Value) -> Option<Duration> {
    // Some of its doors put the error into a list.
    let body = body.get(0).unwrap_or(body);
    let details = body.pointer("/error/details")?.as_array()?;
    let text = details.iter().find_map(|detail| detail["retryDelay"].as_str())?;
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok().map(bounded)
}

fn bounded(wait: Duration) -> Duration {
    wait.min(Duration::from_secs(RETRY_AFTER_SECONDS_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_all_its_forms() {
        // 2026-01-17T10:30:00Z
        let now = Timestamp::from_millis(1_768_645_800_000);
        let read = |name: &'static str, text: &'static str| {
            let headers = HeaderMap::from_iter([(name.parse().unwrap(), text.parse().unwrap())]);
            retry_after(&headers, now).map(|wait| wait.as_millis())
        };
        assert_eq!(read("retry-after", "7"), Some(7_000));
        assert_eq!(read("retry-after", " 0.5 "), Some(500));
        assert_eq!(read("retry-after", "Sat, 17 Jan 2026 10:30:20 GMT"), Some(20_000));
        assert_eq!(read("retry-after", "Sat, 17 Jan 2026 10:29:00 GMT"), Some(0));
        assert_eq!(read("retry-after", "99999999999999"), Some(86_400_000));
        assert_eq!(read("retry-after-ms", "250"), Some(250));
        for nonsense in ["soon", "", "-1", "inf", "NaN", "1e400"] {
            assert_eq!(read("retry-after", nonsense), None, "{nonsense}");
        }
    }
}
