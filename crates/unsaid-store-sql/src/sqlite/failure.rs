//! What SQLite's errors mean for a caller.

use rusqlite::ErrorCode;
use unsaid_core::port::error::{StoreError, corrupt};

/// Names the failure by its code alone: messages of SQLite may hold values.
pub(super) fn store_error(error: &rusqlite::Error) -> StoreError {
    let Some(failure) = error.sqlite_error() else {
        return corrupt("a statement", kind(error));
    };
    if failure.code == ErrorCode::DiskFull {
        return StoreError::Full;
    }
    if failure.code == ErrorCode::ConstraintViolation {
        return StoreError::Conflict;
    }
    let detail = format!("sqlite {:?} {}", failure.code, failure.extended_code);
    if matches!(failure.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) {
        return corrupt("database file", detail);
    }
    StoreError::Unavailable(detail)
}

/// A commit that failed may still be on disk, unless there was no room for it.
pub(super) fn commit_error(error: &rusqlite::Error) -> StoreError {
    match store_error(error) {
        StoreError::Unavailable(detail) => StoreError::Uncertain(detail),
        other @ (StoreError::Full
        | StoreError::Conflict
        | StoreError::Uncertain(_)
        | StoreError::Corrupt { .. }) => other,
    }
}

fn kind(error: &rusqlite::Error) -> &'static str {
    if matches!(error, rusqlite::Error::InvalidColumnType(..)) {
        "unexpected column type"
    } else {
        "unexpected answer"
    }
}
