//! A database for each test, copied from one that has its tables already.

use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use tokio::sync::OnceCell;
use tokio_postgres::{Client, Config, NoTls};
use unsaid_store_sql::postgres::{Options, PostgresStore};
use unsaid_testkit::contract::TestStore;

const ADDRESS: &str = "UNSAID_TEST_POSTGRES";
const PARTITION: &str = include_str!("../../../../../deploy/postgres/partition.sql");

/// A fresh store in a database of its own.
pub(crate) async fn fresh() -> TestStore {
    let database = Database::new().await;
    let store = database.open().await;
    TestStore::keeping(Arc::new(store), database)
}

/// A database that goes with the test.
pub(crate) struct Database {
    name: String,
    pub(crate) address: String,
}

impl Database {
    /// With the tables of this version.
    pub(crate) async fn new() -> Self {
        Self::like(template().await).await
    }

    /// With tables that are spread by the script for operators.
    pub(crate) async fn partitioned() -> Self {
        Self::like(partitioned_template().await).await
    }

    /// Without anything.
    pub(crate) async fn empty() -> Self {
        Self::like("template0").await
    }

    async fn like(template: &str) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("unsaid_test_{}_{number}", std::process::id());
        create(&name, template).await;
        Self { address: address_of(&name), name }
    }

    pub(crate) async fn open(&self) -> PostgresStore {
        self.open_with(&patient()).await
    }

    pub(crate) async fn open_with(&self, options: &Options) -> PostgresStore {
        PostgresStore::open(&self.address, options).await.expect("a store")
    }

    /// Spreads the tables as an operator does.
    pub(crate) async fn spread(&self) {
        self.plain().await.batch_execute(PARTITION).await.expect("the tables are spread");
    }

    /// A connection beside the store.
    pub(crate) async fn plain(&self) -> Client {
        connect(&self.address).await
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        // The runtime of the test may be ending: this needs one of its own.
        let dropped = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                connect(&superuser()).await.batch_execute(&sql).await.unwrap();
            });
        });
        dropped.join().expect("the database is dropped");
    }
}

/// A machine that is busy with other things must not fail a test that is not about time.
fn patient() -> Options {
    Options {
        connections: 8,
        connection_ms_max: 20_000,
        lock_ms_max: 20_000,
        idle_in_transaction_ms_max: 20_000,
        ..Options::default()
    }
}

/// The database that all others are copies of, made once.
async fn template() -> &'static str {
    static NAME: OnceCell<String> = OnceCell::const_new();
    NAME.get_or_init(async || {
        let name = format!("unsaid_template_{}", std::process::id());
        create(&name, "template0").await;
        let store = PostgresStore::open(&address_of(&name), &Options::default()).await;
        drop(store.expect("a store"));
        close(&name).await;
        name
    })
    .await
}

/// The same with spread tables. Spreading them twice must change nothing.
async fn partitioned_template() -> &'static str {
    static NAME: OnceCell<String> = OnceCell::const_new();
    NAME.get_or_init(async || {
        let name = format!("unsaid_partitioned_{}", std::process::id());
        create(&name, template().await).await;
        for _ in 0..2 {
            let client = connect(&address_of(&name)).await;
            client.batch_execute(PARTITION).await.expect("the tables are spread");
        }
        close(&name).await;
        name
    })
    .await
}

/// Nobody may be connected to what is copied.
async fn close(name: &str) {
    let sql = format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false");
    let client = connect(&superuser()).await;
    client.batch_execute(&sql).await.unwrap();
    let sql = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1";
    client.query(sql, &[&name]).await.unwrap();
}

async fn create(name: &str, template: &str) {
    let sql = format!("CREATE DATABASE {name} TEMPLATE {template}");
    connect(&superuser()).await.batch_execute(&sql).await.expect("a database");
}

fn superuser() -> String {
    env::var(ADDRESS).unwrap_or_else(|_| {
        panic!(
            "{ADDRESS} is not set: run `cargo xtask test`, or `cargo xtask services -- cargo test …`"
        )
    })
}

fn address_of(database: &str) -> String {
    let address = superuser();
    let (server, options) = address.split_once('?').unwrap_or((&address, ""));
    let from = server.find("://").map_or(0, |scheme| scheme + 3);
    let end = server[from..].find('/').map_or(server.len(), |slash| from + slash);
    format!("{}/{database}?{options}", &server[..end]).trim_end_matches('?').to_owned()
}

#[expect(clippy::disallowed_methods, reason = "ends with the client")]
pub(crate) async fn connect(address: &str) -> Client {
    let config: Config = address.parse().expect("an address");
    let (client, connection) = config.connect(NoTls).await.expect("a connection");
    tokio::spawn(async move { connection.await.unwrap_or_default() });
    client
}
