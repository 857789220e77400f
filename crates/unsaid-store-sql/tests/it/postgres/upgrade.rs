//! A database that an older program made opens, also where its tables were spread.

use std::sync::Arc;

use refinery::Target;
use unsaid_core::port::Store;
use unsaid_store_sql::postgres::{schema_version, stored_version};

use super::database::Database;
use crate::upgrade::{assert_goes_on, hex, talk_of_version_one};

mod embedded {
    refinery::embed_migrations!("migrations/postgres");
}

/// A database as version 1 left it.
async fn of_version_one() -> Database {
    let database = Database::empty().await;
    let mut plain = database.plain().await;
    embedded::migrations::runner()
        .set_grouped(true)
        .set_target(Target::Version(1))
        .run_async(&mut plain)
        .await
        .unwrap();
    let keep = |place: &str, id: i64, words: &str| {
        let words = hex(words.as_bytes());
        format!("INSERT INTO words (place, id, content) VALUES ('{place}', {id}, '\\x{words}');")
    };
    plain.batch_execute(&talk_of_version_one(keep)).await.unwrap();
    assert_eq!(stored_version(&database.address).await.unwrap(), Some(1));
    database
}

async fn assert_upgrades(database: &Database) {
    let store: Arc<dyn Store> = Arc::new(database.open().await);
    assert_eq!(stored_version(&database.address).await.unwrap(), Some(schema_version()));
    assert_goes_on(&store).await;
}

#[tokio::test]
async fn a_database_of_version_one_goes_on_where_it_was() {
    assert_upgrades(&of_version_one().await).await;
}

#[tokio::test]
async fn spread_tables_of_version_one_go_on_where_they_were() {
    let database = of_version_one().await;
    database.spread().await;
    assert_upgrades(&database).await;
    database.spread().await;
}
