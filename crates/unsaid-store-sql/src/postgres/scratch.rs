//! A database for one test of this crate's own.

use super::{Address, Options, PostgresStore};

/// Lets a test work on a store of its own; its database goes afterwards.
pub(super) async fn with_store(name: &str, test: impl AsyncFnOnce(PostgresStore)) {
    let name = format!("unsaid_{name}_{}", std::process::id());
    let address = std::env::var("UNSAID_TEST_POSTGRES").expect(
        "UNSAID_TEST_POSTGRES is not set: run `cargo xtask test`, or \
         `cargo xtask services -- cargo test …`",
    );
    let (server, _) = address.rsplit_once('/').expect("an address with a database");
    let outside = Address::parse(&address, &Options::default()).unwrap();
    let (outside, _driver) = outside.connect().await.unwrap();
    outside.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
    let store = PostgresStore::open(&format!("{server}/{name}"), &Options::default()).await;
    test(store.unwrap()).await;
    outside.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
}
