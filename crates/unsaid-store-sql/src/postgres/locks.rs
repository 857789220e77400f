//! Locks as statements. A conversation is locked by its row; what has no row of its own, or must not
//! be written just to be looked at, by a name that all servers know.

use crate::db::Lock;

pub(super) struct Locking {
    /// Waits.
    pub(super) wait: &'static str,
    /// Does not wait: returns a row with 1 if it is locked now.
    pub(super) try_now: &'static str,
    pub(super) name: String,
}

const ROW: &str = "SELECT 1 FROM conversation WHERE key = ?1 FOR UPDATE";
const TRY_ROW: &str = "SELECT 1 FROM conversation WHERE key = ?1 FOR UPDATE SKIP LOCKED";
const ALONE: &str = "SELECT pg_advisory_xact_lock(hashtextextended(?1, 0))";
const TRY_ALONE: &str = "SELECT 1 WHERE pg_try_advisory_xact_lock(hashtextextended(?1, 0))";
const TOGETHER: &str = "SELECT pg_advisory_xact_lock_shared(hashtextextended(?1, 0))";
const TRY_TOGETHER: &str =
    "SELECT 1 WHERE pg_try_advisory_xact_lock_shared(hashtextextended(?1, 0))";

/// Held by the server that makes or changes the tables.
pub(super) const MIGRATION: &str = "unsaid migration";

pub(super) fn locking(lock: Lock<'_>) -> Locking {
    let alone = |name| Locking { wait: ALONE, try_now: TRY_ALONE, name };
    match lock {
        Lock::Sweep => alone("unsaid sweep".to_owned()),
        Lock::Consent(id) => {
            Locking { wait: TOGETHER, try_now: TRY_TOGETHER, name: person(id.as_str()) }
        }
        Lock::Person(id) => alone(person(id.as_str())),
        Lock::Worlds(id) => alone(format!("unsaid worlds {id}")),
        Lock::NewConversation(key) => alone(format!("unsaid conversation {key}")),
        Lock::Conversation(key) => Locking { wait: ROW, try_now: TRY_ROW, name: key.to_owned() },
        Lock::Card(place) => alone(format!("unsaid card {place}")),
        Lock::Audit => alone("unsaid audit".to_owned()),
    }
}

fn person(id: &str) -> String {
    format!("unsaid person {id}")
}
