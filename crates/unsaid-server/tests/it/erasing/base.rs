//! Where things are kept, and where a text can be found there.

use std::sync::Arc;

use tempfile::{TempDir, tempdir};
use tokio_postgres::NoTls;
use unsaid_core::port::Store;
use unsaid_server::store::sqlite;
use unsaid_store_sql::postgres::{Options, PostgresStore};

use crate::postgres::Database;
use crate::running::contents;

/// See the module.
pub(crate) enum Base {
    Sqlite(TempDir),
    Postgres(Database),
}

impl Base {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(tempdir().unwrap())
    }

    pub(crate) fn postgres() -> Self {
        Self::Postgres(Database::new())
    }

    /// The key of the configuration that says where it is, and its value.
    pub(crate) fn flag(&self) -> (&'static str, &str) {
        match self {
            Self::Sqlite(dir) => ("data_dir", dir.path().to_str().unwrap()),
            Self::Postgres(database) => ("database", &database.address),
        }
    }

    /// Arguments of a command, with where it is.
    pub(crate) fn arguments(&self, command: &[&str]) -> Vec<String> {
        let (key, value) = self.flag();
        let flag = [format!("--{key}"), value.to_owned()];
        command.iter().map(|&word| word.to_owned()).chain(flag).collect()
    }

    /// Opens it beside whoever else has it open.
    pub(crate) async fn open(&self) -> Arc<dyn Store> {
        match self {
            Self::Sqlite(dir) => sqlite::open(&sqlite::file(dir.path())).unwrap(),
            Self::Postgres(database) => {
                let options = Options { connection_ms_max: 20_000, ..Options::default() };
                Arc::new(PostgresStore::open(&database.address, &options).await.unwrap())
            }
        }
    }

    /// Runs a statement that no program of ours would run.
    pub(crate) async fn execute(&self, sql: &str) {
        match self {
            Self::Sqlite(dir) => {
                let file = rusqlite::Connection::open(sqlite::file(dir.path())).unwrap();
                file.execute_batch(sql).unwrap();
            }
            Self::Postgres(database) => {
                let (client, connection) =
                    tokio_postgres::connect(&database.address, NoTls).await.unwrap();
                tokio::select! {
                    done = client.batch_execute(sql) => done.unwrap(),
                    _ = connection => panic!("the connection was lost"),
                }
            }
        }
    }

    /// Files that hold a text anywhere in their bytes, or tables that do in any row.
    pub(crate) async fn places_of(&self, text: &str) -> Vec<String> {
        match self {
            Self::Sqlite(dir) => {
                let holds =
                    |bytes: &[u8]| bytes.windows(text.len()).any(|at| at == text.as_bytes());
                let found = contents(dir.path()).into_iter().filter(|(_, (_, bytes))| holds(bytes));
                found.map(|(path, _)| path.display().to_string()).collect()
            }
            Self::Postgres(database) => {
                let (client, connection) =
                    tokio_postgres::connect(&database.address, NoTls).await.unwrap();
                tokio::select! {
                    found = tables_holding(&client, text) => found,
                    _ = connection => panic!("the connection was lost"),
                }
            }
        }
    }
}

async fn tables_holding(client: &tokio_postgres::Client, text: &str) -> Vec<String> {
    // Bytes come as text with everything but letters escaped.
    client.batch_execute("SET bytea_output = escape").await.unwrap();
    let tables = "SELECT relname::text FROM pg_class WHERE relkind = 'r' \
        AND relnamespace = 'public'::regnamespace ORDER BY 1";
    let mut found = Vec::new();
    for table in client.query(tables, &[]).await.unwrap() {
        let table: String = table.get(0);
        let sql = format!("SELECT t::text FROM {table} AS t");
        let rows = client.query(&sql, &[]).await.unwrap();
        if rows.iter().any(|row| row.get::<_, &str>(0).contains(text)) {
            found.push(table);
        }
    }
    found
}
