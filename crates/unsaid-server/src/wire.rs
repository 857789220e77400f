//! Builds the house from the configuration: one straight list.

use std::sync::Arc;

use axum::Router;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;
use unsaid_app::event::Watchers;
use unsaid_core::port::Store;
use unsaid_core::port::clock::Clock;
use unsaid_http::chat::Sessions;
use unsaid_http::idempotency::Idempotency;
use unsaid_http::rehearsal::Rehearsals;
use unsaid_http::state::Accounts;
use unsaid_http::world::Worlds;
use unsaid_http::{AppState, router};

use crate::config::Config;
use crate::model::Chosen;
use crate::system::SystemChance;

/// What is shared by the door and what runs beside it.
pub struct Shared {
    /// Everything that is kept.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who watches conversations, and which turns run.
    pub watchers: Arc<Watchers>,
    /// Wakes the erasure job.
    pub erasures: Arc<Notify>,
    /// What is needed to know calls again.
    pub idempotency: Arc<Idempotency>,
    /// What accounts need.
    pub accounts: Arc<Accounts>,
    /// Where people talk.
    pub talks: Talks,
    /// The calls that change something, so that the end waits for them.
    pub calls: TaskTracker,
}

/// Where people talk.
pub struct Talks {
    /// What sessions need.
    pub sessions: Arc<Sessions>,
    /// What worlds need.
    pub worlds: Arc<Worlds>,
    /// Where admins try the bot.
    pub rehearsals: Arc<dyn Rehearsals>,
}

/// The door, with everything behind it.
pub fn door(
    config: &Config,
    shared: Shared,
    metrics: PrometheusHandle,
    model: &Chosen,
    others: Router,
) -> Router {
    let Shared { store, clock, watchers, erasures, idempotency, accounts, talks, calls } = shared;
    let database = Arc::clone(&store);
    let state = AppState {
        database,
        store,
        clock,
        chance: Arc::new(SystemChance),
        watchers,
        erasures,
        idempotency,
        accounts,
        sessions: talks.sessions,
        worlds: talks.worlds,
        keeps_line: config.line.store_history,
        rehearsals: talks.rehearsals,
        metrics,
        model: model.seat(),
        limits: config.limits.clone(),
        calls,
    };
    router(state, others)
}
