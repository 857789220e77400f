//! A connection as the statements see it.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use rusqlite::{
    Connection,
    config::DbConfig,
    params_from_iter,
    types::{ToSql, ToSqlOutput, ValueRef},
};
use unsaid_core::{
    domain::id::EventNumber,
    port::error::{StoreError, corrupt},
};

use super::{event_block::Block, failure::store_error, slots};
use crate::db::{Db, Row, Value};

/// One connection. The lock is never contended: a connection is used by one thread at a time.
pub(super) struct SqliteDb {
    connection: Mutex<Connection>,
    erased: AtomicBool,
    any_free: AtomicBool,
    events: Mutex<Block>,
}

impl SqliteDb {
    pub(super) fn new(connection: Connection) -> Self {
        connection.set_prepared_statement_cache_capacity(256);
        // Plans must not depend on values: otherwise SQLite compiles a statement anew whenever
        // another value is bound, to look at partial indexes again.
        let stable = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true);
        if let Err(error) = stable {
            tracing::debug!(error = %store_error(&error), "plans are made anew for each value");
        }
        // Not knowing costs a look for each text; slots that another process frees can wait.
        let any_free = slots::any_free(&connection).unwrap_or(true);
        Self {
            connection: Mutex::new(connection),
            erased: AtomicBool::new(false),
            any_free: AtomicBool::new(any_free),
            events: Mutex::default(),
        }
    }

    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was written is not: neither is the block of numbers that was taken with it.
    pub(super) fn forget_block(&self) {
        *self.events.lock().unwrap_or_else(PoisonError::into_inner) = Block::default();
    }

    /// Whether words were erased since this was last asked.
    pub(super) fn take_erased(&self) -> bool {
        self.erased.swap(false, Ordering::Relaxed)
    }
}

#[async_trait]
impl Db for SqliteDb {
    async fn run(&self, sql: &'static str, values: Vec<Value>) -> Result<u64, StoreError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(sql).map_err(|e| store_error(&e))?;
        let rows = statement.execute(params_from_iter(values)).map_err(|e| store_error(&e))?;
        Ok(rows as u64)
    }

    async fn rows(&self, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(sql).map_err(|e| store_error(&e))?;
        let columns = statement.column_count();
        let mut found = Vec::new();
        let mut rows = statement.query(params_from_iter(values)).map_err(|e| store_error(&e))?;
        while let Some(row) = rows.next().map_err(|e| store_error(&e))? {
            let values =
                (0..columns).map(|column| owned(row.get_ref(column).map_err(|e| store_error(&e))?));
            found.push(Row(values.collect::<Result<_, _>>()?));
        }
        Ok(found)
    }

    async fn event_number(&self, after: EventNumber) -> Result<EventNumber, StoreError> {
        let mut block = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        block.next(&self.connection(), after).map_err(|e| store_error(&e))
    }

    async fn keep_words(&self, _place: &str, words: &[u8]) -> Result<i64, StoreError> {
        let any_free = self.any_free.load(Ordering::Relaxed);
        slots::keep(&self.connection(), words, any_free).map_err(|e| store_error(&e))
    }

    async fn erase_words(&self, _place: &str, ids: &[i64]) -> Result<(), StoreError> {
        if !ids.is_empty() {
            self.erased.store(true, Ordering::Relaxed);
            self.any_free.store(true, Ordering::Relaxed);
        }
        slots::erase(&self.connection(), ids).map_err(|e| store_error(&e))
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Self::Int(value) => ToSqlOutput::Borrowed(ValueRef::Integer(*value)),
            Self::Text(value) => ToSqlOutput::Borrowed(ValueRef::Text(value.as_bytes())),
            Self::Blob(value) => ToSqlOutput::Borrowed(ValueRef::Blob(value)),
        })
    }
}

fn owned(value: ValueRef<'_>) -> Result<Value, StoreError> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(value) => Value::Int(value),
        ValueRef::Text(value) => Value::Text(
            String::from_utf8(value.to_vec()).map_err(|_| corrupt("a row", "not UTF-8"))?,
        ),
        ValueRef::Blob(value) => Value::Blob(value.to_vec()),
        ValueRef::Real(_) => return Err(corrupt("a row", "a fraction")),
    })
}
