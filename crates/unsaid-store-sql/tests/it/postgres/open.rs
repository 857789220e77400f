//! Opening a database: other versions, other servers, wrong addresses.

use tokio::task::JoinSet;
use unsaid_core::port::health::Health;
use unsaid_store_sql::postgres::{
    OpenError, Options, PostgresStore, schema_version, stored_version,
};

use super::database::Database;

#[tokio::test(flavor = "multi_thread")]
async fn several_servers_that_start_at_once_make_the_tables_once() {
    let database = Database::empty().await;
    assert_eq!(stored_version(&database.address).await.unwrap(), None);
    let mut starting = JoinSet::new();
    for _ in 0..6 {
        let address = database.address.clone();
        starting.spawn(async move {
            let store = PostgresStore::open(&address, &Options::default()).await.unwrap();
            store.check().await.unwrap();
        });
    }
    starting.join_all().await;
    assert_eq!(stored_version(&database.address).await.unwrap(), Some(schema_version()));
}

#[tokio::test]
async fn a_database_of_a_newer_program_is_refused_and_stays_as_it_is() {
    let database = Database::new().await;
    let newer = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) \
        VALUES (4711, 'later', '2030-01-01T00:00:00Z', '1')";
    database.plain().await.execute(newer, &[]).await.unwrap();
    let error = refusal(&database.address).await;
    assert!(matches!(error, OpenError::Newer { found: 4711, .. }), "{error:?}");
    let known = schema_version();
    let sentence =
        format!("the database has version 4711, but this program knows only up to {known}");
    assert_eq!(error.to_string(), sentence);
    assert_eq!(stored_version(&database.address).await.unwrap(), Some(4_711));
}

#[tokio::test]
async fn a_refusal_says_why_and_keeps_the_password() {
    let nobody = "postgres://ana:secret@127.0.0.1:1/unsaid";
    let error = refusal(nobody).await.to_string();
    assert!(error.contains("refused"), "{error}");
    let database = Database::new().await;
    let missing = database.address.replace("unsaid_test", "no_such");
    let error = refusal(&missing).await.to_string();
    assert!(error.ends_with("postgres says 3D000: there is no such database"), "{error}");
    let error = refusal("postgres://ana:secret@h/d?sslmode=perhaps").await.to_string();
    assert!(error.contains("sslmode") && !error.contains("secret"), "{error}");
}

#[tokio::test]
async fn doctor_is_told_what_the_server_keeps() {
    let database = Database::new().await;
    let store = database.open().await;
    let settings = store.retention().await.unwrap();
    let named = |name: &str| settings.iter().find(|setting| setting.name == name);
    for name in ["server_version", "autovacuum", "wal_level", "archive_mode", "wal_keep_size"] {
        assert!(named(name).is_some_and(|setting| !setting.value.is_empty()), "{name}");
    }
}

async fn refusal(address: &str) -> OpenError {
    let opened = PostgresStore::open(address, &Options::default()).await;
    opened.err().expect("it is refused")
}
