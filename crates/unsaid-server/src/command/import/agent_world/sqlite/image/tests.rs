//! The image of a database against what SQLite itself reads.

use tempfile::tempdir;

use super::*;
use std::collections::BTreeMap;

fn count(connection: &Connection) -> i64 {
    connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap()
}

fn files(directory: &Path) -> BTreeMap<OsString, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap())).collect()
}

/// A database with a write-ahead log, in use, with 100 rows in the file and more in the log.
fn in_use(path: &Path) -> Connection {
    let writer = Connection::open(path).unwrap();
    writer.pragma_update(None, "journal_mode", "WAL").unwrap();
    writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    writer.execute_batch("CREATE TABLE t (text TEXT)").unwrap();
    fill(&writer, 100);
    writer.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    writer
}

fn fill(writer: &Connection, rows: usize) {
    for row in 0..rows {
        let text = format!("{row} ").repeat(200);
        writer.execute("INSERT INTO t VALUES (?1)", [text]).unwrap();
    }
}

#[test]
fn what_stands_only_in_the_log_is_read_and_nothing_is_touched() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("database.db");
    let writer = in_use(&path);
    fill(&writer, 50);
    let before = files(dir.path());
    assert!(before[&OsString::from("database.db-wal")].len() > 50 * 4_096);
    assert_eq!(count(&open(&path).unwrap()), 150);
    assert_eq!(files(dir.path()), before);
    drop(writer);
    assert_eq!(count(&open(&path).unwrap()), 150, "after the log went into the file");
}

#[test]
fn a_log_that_ends_in_the_middle_counts_up_to_its_last_whole_commit() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("database.db");
    let writer = in_use(&path);
    fill(&writer, 3);
    let log = dir.path().join("database.db-wal");
    let bytes = fs::read(&log).unwrap();
    let copy = tempdir().unwrap();
    let copied = copy.path().join("database.db");
    fs::copy(&path, &copied).unwrap();
    fs::write(copy.path().join("database.db-wal"), &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(count(&open(&copied).unwrap()), 102);
    let mut damaged = bytes;
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    fs::write(copy.path().join("database.db-wal"), &damaged).unwrap();
    assert_eq!(count(&open(&copied).unwrap()), 102);
    drop(writer);
}

#[test]
fn frames_from_before_the_log_began_anew_do_not_count() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("database.db");
    let writer = in_use(&path);
    fill(&writer, 20);
    writer.execute_batch("PRAGMA wal_checkpoint(RESTART)").unwrap();
    writer.execute("DELETE FROM t WHERE rowid > 10", []).unwrap();
    assert_eq!(count(&open(&path).unwrap()), 10);
    drop(writer);
}

#[test]
fn what_is_no_database_is_refused_in_a_sentence() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("notes.txt");
    fs::write(&path, "nothing").unwrap();
    let refusal = open(&path).unwrap_err().to_string();
    assert!(refusal.ends_with("is neither a database nor a directory"), "{refusal}");
    in_use(&path.with_extension("db")).close().unwrap();
    fs::write(dir.path().join("notes.db-journal"), [0; 512]).unwrap();
    assert_eq!(count(&open(&path.with_extension("db")).unwrap()), 100);
    fs::write(dir.path().join("notes.db-journal"), JOURNAL_MAGIC).unwrap();
    let refusal = open(&path.with_extension("db")).unwrap_err().to_string();
    assert!(refusal.contains("is not finished"), "{refusal}");
}

/// A database without a log.
fn with_journal(path: &Path) -> Connection {
    let writer = Connection::open(path).unwrap();
    writer.execute_batch("CREATE TABLE t (text TEXT)").unwrap();
    fill(&writer, 100);
    writer
}

#[test]
fn what_is_written_while_it_is_read_is_read_again() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("database.db");
    let writer = with_journal(&path);
    let mut rows = [3, 2].into_iter();
    let pages = image(&path, || fill(&writer, rows.next().unwrap_or(0))).unwrap();
    assert_eq!(pages, fs::read(&path).unwrap());
    let mut connection = Connection::open_in_memory().unwrap();
    connection.deserialize_read_exact("main", pages.as_slice(), pages.len(), true).unwrap();
    assert_eq!(count(&connection), 105);
}

#[test]
fn what_is_written_all_the_time_is_refused_in_a_sentence() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("database.db");
    let writer = with_journal(&path);
    let refusal = image(&path, || fill(&writer, 1)).unwrap_err().to_string();
    assert!(refusal.contains("is being written to"), "{refusal}");
    let journal = dir.path().join("database.db-journal");
    let refusal = image(&path, || fs::write(&journal, JOURNAL_MAGIC).unwrap()).unwrap_err();
    assert!(refusal.to_string().contains("is not finished"), "{refusal}");
}
