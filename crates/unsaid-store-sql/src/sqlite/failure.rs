//! What SQLite's errors mean for a caller.

use rusqlite::ErrorCode;
use unsaid_core::port::error::{StoreError, corrupt};

/// Names the failure by its code alone: messages of SQLite may hold values.
pub(super) fn store_error(error: &rusqlite::Error) -> StoreError {
    let Some(failure) = error.sqlite_error() else {
        return corrupt("a statement", kind(error));
    };
    match failure.code {
        ErrorCode::DiskFull => StoreError::Full,
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            corrupt("database file", format!("sqlite error {}", failure.extended_code))
        }
        code => StoreError::Unavailable(format!("sqlite {code:?} {}", failure.extended_code)),
    }
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
    match error {
        rusqlite::Error::InvalidColumnType(..) => "unexpected column type",
        rusqlite::Error::FromSqlConversionFailure(..) => "unexpected column value",
        _ => "unexpected answer",
    }
}
