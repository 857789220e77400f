//! Builds the house from the configuration: one straight list.

use std::sync::Arc;

use axum::Router;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::Notify;
use unsaid_app::event::Watchers;
use unsaid_core::port::Store;
use unsaid_core::port::clock::Clock;
use unsaid_http::idempotency::Idempotency;
use unsaid_http::state::Accounts;
use unsaid_http::{AppState, router};

use crate::config::Config;
use crate::model::Chosen;
use crate::refusal::Refusal;
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
}

/// The door, with everything behind it.
pub fn door(config: &Config, shared: Shared, metrics: PrometheusHandle, model: &Chosen) -> Router {
    let Shared { store, clock, watchers, erasures, idempotency, accounts } = shared;
    let database = Arc::clone(&store);
    router(AppState {
        database,
        store,
        clock,
        chance: Arc::new(SystemChance),
        watchers,
        erasures,
        idempotency,
        accounts,
        metrics,
        model: model.seat(),
        limits: config.limits.clone(),
    })
}

/// Settings that are right but that this version cannot honour: ignoring them would be worse.
///
/// # Errors
/// The first of them.
pub fn refuse_what_is_missing(config: &Config) -> Result<(), Refusal> {
    let missing = match config {
        Config { line, .. } if line.credentials.is_some() => "`line.channel_secret`: the LINE door",
        _ => return Ok(()),
    };
    Err(Refusal::new(format!("{missing} is not part of this version yet; leave it unset")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Sources, load};

    fn config(flags: &[(&str, &str)]) -> Config {
        let flags = flags.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        load(&Sources { flags: flags.collect(), ..Sources::default() }).unwrap().config
    }

    #[test]
    fn what_this_version_lacks_is_refused_and_not_ignored() {
        let cases: [&[(&str, &str)]; 1] =
            [&[("line.channel_secret", "s3cret"), ("line.channel_access_token", "s3cret")]];
        let sentences =
            cases.map(|flags| refuse_what_is_missing(&config(flags)).unwrap_err().to_string());
        insta::assert_snapshot!(sentences.join("\n"), @"
        `line.channel_secret`: the LINE door is not part of this version yet; leave it unset
        ");
        assert!(refuse_what_is_missing(&config(&[])).is_ok());
    }
}
