//! What an answer of a cloud means to us.

use http::StatusCode;

use super::watch::Answer;
use crate::bucket::BucketError;

/// How the bucket itself is called when it is missing; then nothing may be called absent.
const NO_BUCKET: &str = "NoSuchBucket";
const TOO_FAST: &[&str] = &["SlowDown", "SlowDownRead", "SlowDownWrite"];
const NO_ROOM: &[&str] = &["QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded"];

/// Whether the object is not there, in a bucket that is.
pub(super) fn is_absent(answer: &Answer) -> bool {
    matches!(answer, Answer::Status { status, code, .. }
        if *status == StatusCode::NOT_FOUND && code.as_deref() != Some(NO_BUCKET))
}

/// Whether a put met something else than it expected.
///
/// S3 answers 404 to an update of what is not there, and 409 to one of two updates at the same
/// moment. GCS answers 412 to both.
pub(super) fn is_stale(answer: &Answer, updates: bool) -> bool {
    match answer {
        Answer::Status { status, .. } => match *status {
            StatusCode::PRECONDITION_FAILED | StatusCode::CONFLICT => true,
            StatusCode::NOT_MODIFIED => !updates,
            StatusCode::NOT_FOUND => updates && is_absent(answer),
            _ => false,
        },
        Answer::NotAsked | Answer::NotConnected | Answer::Lost => false,
    }
}

/// Whether the answer has this status.
pub(super) fn is(answer: &Answer, expected: StatusCode) -> bool {
    matches!(answer, Answer::Status { status, .. } if *status == expected)
}

/// The failure that is left when an answer means nothing better.
pub(super) fn failure(answer: &Answer) -> BucketError {
    match answer {
        Answer::NotAsked => BucketError::Away("no credentials, or none in time".to_owned()),
        Answer::NotConnected => BucketError::Away("cannot connect".to_owned()),
        Answer::Lost => BucketError::Uncertain("answer lost".to_owned()),
        Answer::Status { status, code, .. } => of_status(*status, code.as_deref()),
    }
}

fn of_status(status: StatusCode, code: Option<&str>) -> BucketError {
    let is_one_of = |list: &[&str]| code.is_some_and(|code| list.contains(&code));
    let words = match code {
        Some(code) => format!("{} {code}", status.as_u16()),
        None => status.as_u16().to_string(),
    };
    if status == StatusCode::TOO_MANY_REQUESTS || is_one_of(TOO_FAST) {
        BucketError::Busy
    } else if status == StatusCode::INSUFFICIENT_STORAGE || is_one_of(NO_ROOM) {
        BucketError::Full
    } else if status.is_success() {
        BucketError::Uncertain("answer not understood".to_owned())
    } else if status == StatusCode::NOT_IMPLEMENTED {
        // a server that does not know conditional writes
        BucketError::refused(&words)
    } else if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT {
        BucketError::Uncertain(format!("failed: {words}"))
    } else {
        BucketError::refused(&words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, code: &str) -> Answer {
        let code = (!code.is_empty()).then(|| code.to_owned());
        Answer::Status { status: StatusCode::from_u16(status).unwrap(), code, generation: None }
    }

    #[test]
    fn every_answer_has_one_meaning() {
        let away = |text: &str| BucketError::Away(text.to_owned());
        let uncertain = |text: &str| BucketError::Uncertain(text.to_owned());
        let cases = [
            (answer(429, ""), BucketError::Busy),
            (answer(503, "SlowDown"), BucketError::Busy),
            (answer(503, "ServiceUnavailable"), uncertain("failed: 503 ServiceUnavailable")),
            (answer(503, ""), uncertain("failed: 503")),
            (answer(500, "InternalError"), uncertain("failed: 500 InternalError")),
            (answer(504, ""), uncertain("failed: 504")),
            (answer(408, "RequestTimeout"), uncertain("failed: 408 RequestTimeout")),
            (answer(200, ""), uncertain("answer not understood")),
            (answer(507, ""), BucketError::Full),
            (answer(507, "XMinioStorageFull"), BucketError::Full),
            (answer(403, "QuotaExceeded"), BucketError::Full),
            (answer(403, "AccessDenied"), away("refused: 403 AccessDenied")),
            (answer(401, ""), away("refused: 401")),
            (answer(404, "NoSuchBucket"), away("refused: 404 NoSuchBucket")),
            (answer(400, ""), away("refused: 400")),
            (answer(307, ""), away("refused: 307")),
            (answer(501, "NotImplemented"), away("refused: 501 NotImplemented")),
            (Answer::NotAsked, away("no credentials, or none in time")),
            (Answer::NotConnected, away("cannot connect")),
            (Answer::Lost, uncertain("answer lost")),
        ];
        for (answer, expected) in cases {
            assert_eq!(failure(&answer), expected, "{answer:?}");
            assert!(!is_stale(&answer, true) && !is_stale(&answer, false), "{answer:?}");
        }
    }

    #[test]
    fn a_put_that_met_something_else_is_stale() {
        for updates in [true, false] {
            assert!(is_stale(&answer(412, "PreconditionFailed"), updates));
            assert!(is_stale(&answer(409, "ConditionalRequestConflict"), updates));
            assert!(!is_stale(&answer(404, "NoSuchBucket"), updates));
        }
        assert!(is_stale(&answer(404, "NoSuchKey"), true));
        assert!(!is_stale(&answer(404, "NoSuchKey"), false));
        assert!(is_absent(&answer(404, "")) && !is_absent(&answer(404, "NoSuchBucket")));
    }
}
