//! The store, on whichever engine: each call of a port is one change or one look.

mod directory_port;
mod health;
mod people_ports;
mod ports;

use std::{pin::Pin, sync::Arc, time::Duration};

use unsaid_core::port::error::StoreError;

use crate::db::Db;

/// Statements under way.
pub(crate) type Doing<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// What a database does with the statements of the ports. `work` gets what it needs by reference:
/// it may be done again, if somebody else was in the way and nothing of it was kept.
pub(crate) trait Engine: Send + Sync + 'static {
    /// A look at the health that takes longer has failed; none if the engine ends by itself.
    const PROBE_MAX: Option<Duration>;

    /// Makes a change: `work` sees one transaction of its own, all of it or nothing.
    fn write<G, T, W>(
        &self,
        given: G,
        work: W,
    ) -> impl Future<Output = Result<T, StoreError>> + Send
    where
        G: Send + Sync + 'static,
        T: Send + 'static,
        W: for<'a> Fn(&'a dyn Db, &'a G) -> Doing<'a, T> + Send + Sync + 'static;

    /// The same for what would be done again if the power were cut: it is there for everybody at once,
    /// and lasts as soon as anything after it does. An engine that saves nothing by that makes it last.
    fn write_loosely<G, T, W>(
        &self,
        given: G,
        work: W,
    ) -> impl Future<Output = Result<T, StoreError>> + Send
    where
        G: Send + Sync + 'static,
        T: Send + 'static,
        W: for<'a> Fn(&'a dyn Db, &'a G) -> Doing<'a, T> + Send + Sync + 'static,
    {
        self.write(given, work)
    }

    /// Looks at one consistent state.
    fn read<G, T, W>(
        &self,
        given: G,
        work: W,
    ) -> impl Future<Output = Result<T, StoreError>> + Send
    where
        G: Send + Sync + 'static,
        T: Send + 'static,
        W: for<'a> Fn(&'a dyn Db, &'a G) -> Doing<'a, T> + Send + Sync + 'static;
}

/// A store on an engine. Clones share it.
pub struct SqlStore<E> {
    pub(crate) engine: Arc<E>,
    health: Arc<health::Kept>,
}

impl<E> Clone for SqlStore<E> {
    fn clone(&self) -> Self {
        Self { engine: Arc::clone(&self.engine), health: Arc::clone(&self.health) }
    }
}

impl<E> SqlStore<E> {
    pub(crate) fn on(engine: E) -> Self {
        Self { engine: Arc::new(engine), health: Arc::default() }
    }
}
