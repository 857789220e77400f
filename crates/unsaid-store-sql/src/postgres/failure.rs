//! What PostgreSQL's errors mean for a caller.
//!
//! A failure is named by its code alone: texts of the server hold statements, and its details hold
//! values.

use tokio_postgres::{
    Error,
    error::{DbError, Severity, SqlState},
};
use unsaid_core::port::error::{StoreError, corrupt};

/// What went wrong with a statement.
#[derive(Clone)]
pub(super) struct Failure {
    pub(super) error: StoreError,
    /// Names it, for the log.
    pub(super) detail: String,
    /// Somebody else was in the way: the whole change can be made again.
    pub(super) again: bool,
    /// The server is there and has said no: the transaction is rolled back.
    pub(super) certain: bool,
}

impl Failure {
    /// No answer came in time.
    pub(super) fn late() -> Self {
        Self::lost("no answer in time")
    }

    fn lost(what: &str) -> Self {
        let detail = format!("postgres: {what}");
        let error = StoreError::Unavailable(detail.clone());
        Self { error, detail, again: false, certain: false }
    }

    /// The same failure once the commit was on its way: without the server's word it may have
    /// happened.
    pub(super) fn of_commit(self) -> StoreError {
        if self.certain { self.error } else { StoreError::Uncertain(self.detail) }
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let Some(code) = error.code() else {
            return Self::lost(if error.is_closed() {
                "the connection is closed"
            } else {
                "the connection failed"
            });
        };
        // A connection that the server ends may have done its work before.
        let severity = error.as_db_error().and_then(DbError::parsed_severity);
        let certain = severity == Some(Severity::Error);
        let again = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            // What is unique was looked for first: somebody else made it meanwhile.
            SqlState::UNIQUE_VIOLATION,
        ];
        let detail = format!("postgres {}", code.code());
        let again = certain && again.contains(code);
        Self { error: meaning(code, &detail), detail, again, certain }
    }
}

fn meaning(code: &SqlState, detail: &str) -> StoreError {
    if *code == SqlState::DISK_FULL {
        return StoreError::Full;
    }
    match code.code().get(..2) {
        Some("23" | "40") => StoreError::Conflict,
        // A statement does not fit the tables, or the server found damage.
        Some("42" | "XX") => corrupt("database", detail),
        Some(_) | None => StoreError::Unavailable(detail.to_owned()),
    }
}
