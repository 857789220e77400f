//! What is in the database, by looking past the server.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use rusqlite::{Connection, OpenFlags};

use super::town::{message_id, source};

/// What became of the events.
#[derive(Default)]
pub(super) struct Kept {
    /// Acknowledged, and not kept where they belong.
    pub(super) lost: usize,
    /// Kept more than once.
    pub(super) doubled: usize,
    /// Kept, and not asked about.
    pub(super) unasked: usize,
    /// Turns that answered.
    pub(super) answered: usize,
    /// Turns that decided for silence.
    pub(super) silent: usize,
    /// Turns that were given up in favour of another: somebody said something meanwhile.
    pub(super) given_up: usize,
    /// Turns that failed, or have no end.
    pub(super) failed: usize,
    /// Answers that are kept as sent.
    pub(super) answers: usize,
}

/// Whether nobody waits for an answer any more.
pub(super) fn is_settled(path: &Path) -> bool {
    let sql = "SELECT (SELECT count(*) FROM message WHERE waiting = 1 OR sending = 1) + \
        (SELECT count(*) FROM conversation WHERE wanted_at IS NOT NULL OR turn_holder IS NOT NULL)";
    count(&open(path), sql) == 0
}

/// Looks for everything that was acknowledged.
pub(super) fn look(path: &Path, acknowledged: &[usize]) -> Kept {
    let connection = open(path);
    let sql = "SELECT conversation, id FROM message WHERE agent IS NULL";
    let mut statement = connection.prepare(sql).expect("a statement");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    let mut kept: HashSet<(String, String)> = HashSet::new();
    let mut times: HashMap<String, usize> = HashMap::new();
    for row in rows {
        let (conversation, id): (String, String) = row.expect("a row");
        *times.entry(id.clone()).or_default() += 1;
        kept.insert((conversation, id));
    }
    let is_kept =
        |number: usize| kept.contains(&(format!("line:{}", source(number)), message_id(number)));
    let turns =
        |which: &str| count(&connection, &format!("SELECT count(*) FROM turn WHERE {which}"));
    let messages =
        |which: &str| count(&connection, &format!("SELECT count(*) FROM message WHERE {which}"));
    Kept {
        lost: acknowledged.iter().filter(|number| !is_kept(**number)).count(),
        doubled: times.values().filter(|times| **times > 1).count(),
        unasked: messages("agent IS NULL AND (waiting = 1 OR asked_in IS NULL)"),
        answered: turns("decision = 0"),
        silent: turns("decision = 1"),
        given_up: turns("decision > 2"),
        failed: turns("decision IS NULL OR decision = 2"),
        answers: messages("agent IS NOT NULL AND sending = 2"),
    }
}

fn open(path: &Path) -> Connection {
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("opens")
}

fn count(connection: &Connection, sql: &str) -> usize {
    let count: i64 = connection.query_row(sql, [], |row| row.get(0)).expect("a count");
    usize::try_from(count).expect("a count")
}
