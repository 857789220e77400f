//! Connections, and what every one of them is told first.

use std::{pin::Pin, time::Duration};

use deadpool_postgres::{
    Connect, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, TimeoutType,
};
use tokio::{task::JoinHandle, time::timeout};
use tokio_postgres::{Client, Config, Connection, Error, Socket, tls::MakeTlsConnect};
use tokio_postgres_rustls::MakeRustlsConnect;
use unsaid_core::port::error::StoreError;

use super::{
    Options,
    failure::Failure,
    tls::{Wishes, connector},
};
use crate::open_error::OpenError;

/// Without an answer for so long, a packet that was sent counts as lost, and the connection too.
const UNANSWERED_MAX: Duration = Duration::from_secs(5);

/// Where the database is, and how to talk to it.
#[derive(Clone)]
pub(super) struct Address {
    config: Config,
    tls: MakeRustlsConnect,
    /// What a connection is told first.
    greeting: String,
    connect_within: Duration,
}

pub(super) type Line = Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

impl Address {
    pub(super) fn parse(address: &str, options: &Options) -> Result<Self, OpenError> {
        let (wishes, address) = Wishes::take_from(address);
        let mut config: Config = address.parse().map_err(|error: Error| {
            // What is wrong with it stands behind; the address itself may hold a password.
            let why = std::error::Error::source(&error).map(ToString::to_string);
            OpenError::Io(format!("its address is not right: {}", why.unwrap_or_default()))
        })?;
        let connect_within = Duration::from_millis(options.connection_ms_max);
        config.connect_timeout(connect_within).tcp_user_timeout(UNANSWERED_MAX);
        config.keepalives_idle(UNANSWERED_MAX);
        if config.get_application_name().is_none() {
            config.application_name("unsaid");
        }
        Ok(Self { config, tls: connector(&wishes)?, greeting: greeting(options), connect_within })
    }

    /// One connection, and the line that has to be driven for it.
    pub(super) async fn line(&self) -> Result<(Client, Line), Error> {
        self.config.connect(self.tls.clone()).await
    }

    /// One connection outside the pool, greeted and driven.
    pub(super) async fn connect(&self) -> Result<(Client, JoinHandle<()>), Error> {
        let (client, line) = self.line().await?;
        let driver = drive(line);
        client.batch_execute(&self.greeting).await?;
        Ok((client, driver))
    }

    /// The same for a command that says why it failed.
    pub(super) async fn connect_once(&self) -> Result<(Client, JoinHandle<()>), OpenError> {
        match timeout(self.connect_within * 5, self.connect()).await {
            Ok(connected) => connected.map_err(|error| open_error(&error)),
            Err(_) => Err(OpenError::Io("no answer in time".to_owned())),
        }
    }

    pub(super) fn pool(&self, options: &Options) -> Result<Pool, OpenError> {
        let fast = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_connect(self.config.clone(), self.clone(), fast);
        Pool::builder(manager)
            .max_size(options.connections)
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| OpenError::Io(error.to_string()))
    }
}

impl Connect for Address {
    fn connect(
        &self,
        _: &Config,
    ) -> Pin<Box<dyn Future<Output = Result<(Client, JoinHandle<()>), Error>> + Send + '_>> {
        Box::pin(Address::connect(self))
    }
}

/// Reads and writes for a connection, until it is closed.
#[expect(clippy::disallowed_methods, reason = "ends with its connection, which the pool closes")]
pub(super) fn drive(line: Line) -> JoinHandle<()> {
    tokio::spawn(async move {
        if let Err(error) = line.await {
            let error = Failure::from(&error).error;
            tracing::debug!(%error, "a connection to the database has ended");
        }
    })
}

/// Nothing on a connection may last for ever, and no commit comes back before it is on disk. Every
/// statement has its index: a plan is made once, and no table is read from end to end because it was
/// small when the plan was made.
fn greeting(options: &Options) -> String {
    let Options { statement_ms_max, lock_ms_max, idle_in_transaction_ms_max, .. } = options;
    format!(
        "SET statement_timeout = {statement_ms_max}; SET lock_timeout = {lock_ms_max}; \
         SET idle_in_transaction_session_timeout = {idle_in_transaction_ms_max}; \
         SELECT set_config('synchronous_commit', 'on', false) \
         WHERE current_setting('synchronous_commit') = 'off'; \
         SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off; \
         SET client_min_messages = error"
    )
}

/// A connection of the pool, or the reason why there is none in time.
pub(super) async fn from_pool(pool: &Pool, within: Duration) -> Result<Object, StoreError> {
    let unavailable = |what: &str| StoreError::Unavailable(format!("postgres: {what}"));
    match timeout(within, pool.get()).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(PoolError::Backend(error))) => {
            Err(StoreError::Unavailable(Failure::from(&error).detail))
        }
        Ok(Err(PoolError::Timeout(TimeoutType::Wait))) | Err(_) => {
            Err(unavailable("no connection in time"))
        }
        Ok(Err(
            PoolError::Timeout(_)
            | PoolError::Closed
            | PoolError::NoRuntimeSpecified
            | PoolError::PostCreateHook(_),
        )) => Err(unavailable("no connection")),
    }
}

/// Names the failure by its code or the system's own words: texts of the server may hold more.
pub(super) fn open_error(error: &Error) -> OpenError {
    if let Some(code) = error.code() {
        return OpenError::Io(format!("postgres says {}", said(code.code())));
    }
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause.and_then(std::error::Error::source) {
        cause = Some(next);
    }
    OpenError::Io(cause.map_or_else(|| "no connection".to_owned(), ToString::to_string))
}

/// The codes that an operator meets.
fn said(code: &str) -> String {
    let meaning = match code {
        "28000" | "28P01" => "this user may not connect, or the password is wrong",
        "3D000" => "there is no such database",
        "42501" => "this user may not do that",
        "53300" => "there are too many connections",
        "57P03" => "it is starting or stopping",
        _ => return code.to_owned(),
    };
    format!("{code}: {meaning}")
}
