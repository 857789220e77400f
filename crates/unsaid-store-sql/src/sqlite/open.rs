//! Opening the file, and bringing it to this version.

use std::{
    fs::{self, OpenOptions},
    io::{self, Read},
    os::unix::{ffi::OsStrExt, fs::OpenOptionsExt},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};

use super::Options;
use crate::open_error::{OpenError, refuse_newer};

/// Pause of a statement that waits for another process, and how often it looks: about a second.
const BUSY_PAUSE_MICROS: u64 = 500;
const BUSY_LOOKS_MAX: i32 = 2_000;

mod embedded {
    refinery::embed_migrations!("migrations/sqlite");
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::Io(error.to_string())
    }
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                Self::Damaged(error.to_string())
            }
            _ => Self::Io(error.to_string()),
        }
    }
}

/// The version this program writes.
#[must_use]
pub fn schema_version() -> u32 {
    embedded::migrations::runner()
        .get_migrations()
        .iter()
        .map(|migration| u32::try_from(migration.version()).unwrap_or(u32::MAX))
        .max()
        .unwrap_or(0)
}

/// The version of a file, read from its header without opening it; `None` if there is no file yet.
///
/// # Errors
/// If it is there and cannot be read, or is no database.
pub fn stored_version(path: &Path) -> Result<Option<u32>, OpenError> {
    let mut header = Vec::with_capacity(100);
    match fs::File::open(path) {
        Ok(file) => file.take(100).read_to_end(&mut header)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    // Nothing, or nothing but zeros: the power was cut while it was made. SQLite mends that.
    if header.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    // Bytes 60 to 63 are SQLite's `user_version`, which we set to the version of the schema.
    match header.first_chunk::<64>() {
        Some([magic @ .., a, b, c, d]) if magic.starts_with(b"SQLite format 3\0") => {
            Ok(Some(u32::from_be_bytes([*a, *b, *c, *d])))
        }
        Some(_) | None => Err(OpenError::Damaged("it is not an SQLite file".to_owned())),
    }
}

/// Reads every page of a file and tells what is wrong with it; makes and changes nothing.
///
/// # Errors
/// If it cannot be read.
pub fn check_pages(path: &Path) -> Result<Vec<String>, OpenError> {
    // Without a WAL nobody has it open: then nothing beside it must be made either.
    let at_rest = !wal_of(path).exists();
    let name = format!("file:{}?immutable={}", uri_path(path), u8::from(at_rest));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(name, flags)?;
    let mut statement = connection.prepare("PRAGMA quick_check(5)")?;
    let found = statement.query_map([], |row| row.get::<_, String>(0))?;
    let found = found.collect::<Result<Vec<_>, _>>()?;
    Ok(found.into_iter().filter(|line| line != "ok").collect())
}

pub(super) fn open_for_writing(path: &Path, options: &Options) -> Result<Connection, OpenError> {
    let known = schema_version();
    let mut found = stored_version(path)?.unwrap_or(0);
    refuse_newer(found, known)?;
    let has_log = wal_of(path).exists();
    // Made here, so that it (and the WAL beside it, which takes its mode) is for its owner only.
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    let mut connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    if has_log {
        found = version_with_log(&connection)?;
        refuse_newer(found, known)?;
    }
    wait_for_others(&mut connection)?;
    let synchronous = if options.durable { "FULL" } else { "NORMAL" };
    connection.execute_batch(&format!(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = {synchronous};
         PRAGMA secure_delete = ON;
         PRAGMA temp_store = MEMORY;
         PRAGMA foreign_keys = OFF;
         PRAGMA cache_size = -8000;"
    ))?;
    if found < known {
        migrate(&mut connection, known)?;
    }
    Ok(connection)
}

/// Statements wait for another process that writes. A busy one lets go of the file for microseconds
/// only: with SQLite's own pauses, which grow to 100 ms, one may never get in.
pub(super) fn wait_for_others(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.busy_handler(Some(|looks| {
        thread::sleep(Duration::from_micros(BUSY_PAUSE_MICROS));
        looks < BUSY_LOOKS_MAX
    }))
}

/// The version with what stands in the log only: a newer program may have been killed. A refusal
/// must leave the log as it is, so a connection closed here does not bring it into the file.
fn version_with_log(connection: &Connection) -> Result<u32, OpenError> {
    let leave_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    connection.set_db_config(leave_log, true)?;
    let found = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found <= schema_version() {
        connection.set_db_config(leave_log, false)?;
    }
    Ok(found)
}

pub(super) fn open_for_reading(path: &Path) -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.execute_batch(
        "PRAGMA busy_timeout = 1000; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -4000;",
    )?;
    Ok(connection)
}

fn wal_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// A path as it is written in a URI: everything but plain characters as `%XX`.
fn uri_path(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let bytes = path.as_os_str().as_bytes().iter();
    bytes
        .map(
            |&byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") },
        )
        .collect()
}

/// Every migration and the note that it was made are one commit: a crash leaves both or none.
fn migrate(connection: &mut Connection, known: u32) -> Result<(), OpenError> {
    embedded::migrations::runner()
        .set_grouped(true)
        .run(connection)
        .map_err(|error| migration_error(&error, known))?;
    connection.pragma_update(None, "user_version", known)?;
    Ok(())
}

/// Names the failure by its code: the message of the engine quotes the whole migration.
fn migration_error(error: &refinery::Error, known: u32) -> OpenError {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref());
    let Some(failure) = cause.and_then(rusqlite::Error::sqlite_error) else {
        return OpenError::Damaged(format!("it could not be brought to version {known}: {error}"));
    };
    let code = failure.extended_code;
    let what = format!("it could not be brought to version {known}: sqlite error {code}");
    let damaged = [ErrorCode::Unknown, ErrorCode::DatabaseCorrupt, ErrorCode::NotADatabase];
    if damaged.contains(&failure.code) { OpenError::Damaged(what) } else { OpenError::Io(what) }
}
