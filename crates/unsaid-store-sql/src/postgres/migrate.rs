//! Bringing a database to this version.

use tokio::task::JoinHandle;
use tokio_postgres::{Client, Error};

use super::{
    connect::{Address, open_error},
    locks::MIGRATION,
};
use crate::open_error::{OpenError, refuse_newer};

/// The oldest server that is tried.
const SERVER_VERSION_MIN: i32 = 150_000;
/// How long a server waits for another that brings the database to this version.
const WAIT_FOR_OTHERS: &str = "SET lock_timeout = '5min'; SET statement_timeout = '10min'; \
    SET idle_in_transaction_session_timeout = 0";

mod embedded {
    refinery::embed_migrations!("migrations/postgres");
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

/// Makes the tables, or brings them to this version; one server at a time.
pub(super) async fn migrate(address: &Address) -> Result<(), OpenError> {
    let (mut client, driver) = address.connect_once().await?;
    let done = bring(&mut client).await;
    close(client, driver).await;
    done
}

pub(super) async fn stored(address: &Address) -> Result<Option<u32>, OpenError> {
    let (client, driver) = address.connect_once().await?;
    let found = version(&client).await;
    close(client, driver).await;
    found
}

async fn bring(client: &mut Client) -> Result<(), OpenError> {
    refuse_old_server(client).await?;
    let known = schema_version();
    let found = version(client).await?.unwrap_or(0);
    refuse_newer(found, known)?;
    if found == known {
        return Ok(());
    }
    client.batch_execute(WAIT_FOR_OTHERS).await.map_err(|error| open_error(&error))?;
    let lock = "SELECT pg_advisory_lock(hashtextextended($1, 0))";
    client.execute(lock, &[&MIGRATION]).await.map_err(|error| open_error(&error))?;
    // Another server may have done it meanwhile, and it may be newer. The lock goes with the
    // connection.
    refuse_newer(version(client).await?.unwrap_or(0), known)?;
    let done = embedded::migrations::runner().set_grouped(true).run_async(client).await;
    done.map(|_| ()).map_err(|error| migration_error(&error, known))
}

async fn refuse_old_server(client: &Client) -> Result<(), OpenError> {
    let sql = "SELECT current_setting('server_version_num')::int";
    let row = client.query_one(sql, &[]).await.map_err(|error| open_error(&error))?;
    let version: i32 = row.try_get(0).map_err(|error| open_error(&error))?;
    if version < SERVER_VERSION_MIN {
        let (found, wanted) = (version / 10_000, SERVER_VERSION_MIN / 10_000);
        return Err(OpenError::Io(format!(
            "the server is PostgreSQL {found}; {wanted} or newer is needed"
        )));
    }
    Ok(())
}

async fn version(client: &Client) -> Result<Option<u32>, OpenError> {
    let found = newest(client).await.map_err(|error| open_error(&error))?;
    found
        .map(u32::try_from)
        .transpose()
        .map_err(|_| OpenError::Damaged("its version is no version".to_owned()))
}

async fn newest(client: &Client) -> Result<Option<i32>, Error> {
    let sql = "SELECT to_regclass('refinery_schema_history') IS NOT NULL";
    if !client.query_one(sql, &[]).await?.try_get(0)? {
        return Ok(None);
    }
    let sql = "SELECT max(version)::int FROM refinery_schema_history";
    client.query_one(sql, &[]).await?.try_get(0)
}

async fn close(client: Client, driver: JoinHandle<()>) {
    drop(client);
    if driver.await.is_err() {
        tracing::debug!("a connection to the database did not end well");
    }
}

/// Names the failure by its code: the message of the engine quotes the whole migration.
fn migration_error(error: &refinery::Error, known: u32) -> OpenError {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<Error>());
    let what = match cause.and_then(Error::code) {
        Some(code) => format!("postgres {}", code.code()),
        None if cause.is_some() => "the connection was lost".to_owned(),
        None => error.to_string(),
    };
    let what = format!("it could not be brought to version {known}: {what}");
    if cause.is_some() { OpenError::Io(what) } else { OpenError::Damaged(what) }
}
