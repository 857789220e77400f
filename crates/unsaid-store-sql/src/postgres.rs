//! The engine behind a network: PostgreSQL 15 or newer, for several servers on one database.
//!
//! A change is one transaction at READ COMMITTED under explicit locks: the row of the conversation,
//! and names for what has no row (`locks`). Whoever waits for a lock reads afterwards what the others
//! have left, so the outcome is the one that a single writer would have reached. A look is one
//! snapshot (REPEATABLE READ, READ ONLY).
//!
//! **Poolers.** Prepared statements, `SET` at the beginning of a connection, and `LISTEN` need a
//! connection that stays the same: a direct one, or a pooler in session mode. In transaction mode
//! (`PgBouncer` 1.21 or newer with `max_prepared_statements` above zero) changes and looks work; the
//! limits on time must then be set on the database role, hints do not arrive, and `unsaid migrate`
//! needs a direct connection.

mod allowances;
mod answer;
mod connect;
mod connection;
mod failure;
#[cfg(test)]
mod first_words;
#[cfg(test)]
mod flat_cost;
mod hints;
mod locks;
mod migrate;
mod numbers;
#[cfg(test)]
mod scratch;
mod statement;
mod tls;
mod upkeep;

use std::{sync::Arc, time::Duration};

use deadpool_postgres::{Object, Pool};
use tokio::{sync::broadcast, time::sleep};
use unsaid_core::{domain::conversation::key::ConversationKey, port::error::StoreError};

use self::{
    connect::{Address, from_pool},
    connection::{Ended, PostgresDb, Purpose},
    hints::Hints,
    numbers::Numbers,
};
pub use self::{migrate::schema_version, upkeep::Setting};
pub use crate::open_error::OpenError;
use crate::{
    db::Db,
    store::{Doing, Engine, SqlStore},
};

/// A change that others were in the way of is made again so often.
const ATTEMPTS_MAX: u32 = 5;
const PAUSE_BETWEEN_ATTEMPTS: Duration = Duration::from_millis(3);
/// The client waits longer than the server's own limit, so that the server can say so.
const ANSWER_AFTER_LIMIT: Duration = Duration::from_secs(1);

/// How a database is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Connections of this server, at most; one more listens for hints.
    pub connections: usize,
    /// A change or a look that gets no connection within this time is refused.
    pub connection_ms_max: u64,
    /// So long a change waits for another one in the same conversation.
    pub lock_ms_max: u64,
    /// So long a single statement may take.
    pub statement_ms_max: u64,
    /// A server that stands still in the middle of a change is put out after so long.
    pub idle_in_transaction_ms_max: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connections: 16,
            connection_ms_max: 1_000,
            lock_ms_max: 1_000,
            statement_ms_max: 30_000,
            idle_in_transaction_ms_max: 5_000,
        }
    }
}

/// A store in a PostgreSQL database. Clones share it.
pub type PostgresStore = SqlStore<Postgres>;

/// The engine of a [`PostgresStore`].
pub struct Postgres {
    address: Address,
    connection_within: Duration,
    shared: Arc<Shared>,
}

/// What all transactions of a store share.
struct Shared {
    pool: Pool,
    answer_within: Duration,
    words: Numbers,
    events: Numbers,
    hints: Hints,
}

impl SqlStore<Postgres> {
    /// Connects to a database, `postgres://…`, and brings it to this version. `sslmode` is
    /// respected, also `verify-ca` and `verify-full`, with `sslrootcert` or the authorities of the
    /// system.
    ///
    /// # Errors
    /// If it is newer than this program, or cannot be used.
    pub async fn open(address: &str, options: &Options) -> Result<Self, OpenError> {
        let address = Address::parse(address, options)?;
        migrate::migrate(&address).await?;
        let statement = Duration::from_millis(options.statement_ms_max);
        let shared = Shared {
            pool: address.pool(options)?,
            answer_within: statement + ANSWER_AFTER_LIMIT,
            words: Numbers::default(),
            events: Numbers::default(),
            hints: Hints::start(address.clone()),
        };
        Ok(Self::on(Postgres {
            address,
            connection_within: Duration::from_millis(options.connection_ms_max),
            shared: Arc::new(shared),
        }))
    }

    /// Conversations that have changed, here or on another server, as far as this one hears of it.
    /// Whoever reads too slowly misses some, and so does everybody while the connection is away:
    /// the tables are the truth.
    #[must_use]
    pub fn hints(&self) -> broadcast::Receiver<ConversationKey> {
        self.engine.shared.hints.listen()
    }
}

/// The version of a database; `None` if nothing of ours is in it yet.
///
/// # Errors
/// If it cannot be reached.
pub async fn stored_version(address: &str) -> Result<Option<u32>, OpenError> {
    migrate::stored(&Address::parse(address, &Options::default())?).await
}

impl Postgres {
    async fn begin(&self, purpose: Purpose) -> Result<PostgresDb, StoreError> {
        let connection: Object = from_pool(&self.shared.pool, self.connection_within).await?;
        Ok(PostgresDb::new(connection, Arc::clone(&self.shared), purpose))
    }
}

impl Engine for Postgres {
    const PROBE_MAX: Option<Duration> = Some(Duration::from_millis(900));

    async fn write<G, T, W>(&self, given: G, work: W) -> Result<T, StoreError>
    where
        G: Send + Sync + 'static,
        T: Send + 'static,
        W: for<'a> Fn(&'a dyn Db, &'a G) -> Doing<'a, T> + Send + Sync + 'static,
    {
        for attempt in 1..=ATTEMPTS_MAX {
            let db = self.begin(Purpose::Change).await?;
            let result = work(&db, &given).await;
            match db.end(result).await {
                Ended::Done(result) => return result,
                Ended::InTheWay => sleep(PAUSE_BETWEEN_ATTEMPTS * attempt).await,
            }
        }
        Err(StoreError::Conflict)
    }

    async fn read<G, T, W>(&self, given: G, work: W) -> Result<T, StoreError>
    where
        G: Send + Sync + 'static,
        T: Send + 'static,
        W: for<'a> Fn(&'a dyn Db, &'a G) -> Doing<'a, T> + Send + Sync + 'static,
    {
        let db = self.begin(Purpose::Look).await?;
        let result = work(&db, &given).await;
        match db.end(result).await {
            Ended::Done(result) => result,
            Ended::InTheWay => Err(StoreError::Conflict),
        }
    }
}
