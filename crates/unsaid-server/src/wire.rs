//! Builds the house from the configuration: one straight list.

use std::sync::Arc;

use axum::Router;
use metrics_exporter_prometheus::PrometheusHandle;
use unsaid_core::port::Store;
use unsaid_http::{AppState, router};

use crate::config::Config;
use crate::model::Chosen;
use crate::refusal::Refusal;
use crate::system::SystemChance;

/// The door, with everything behind it.
pub fn door(
    config: &Config,
    database: Arc<dyn Store>,
    metrics: PrometheusHandle,
    model: &Chosen,
    others: Router,
) -> Router {
    let state = AppState {
        database,
        chance: Arc::new(SystemChance),
        metrics,
        model: model.seat(),
        limits: config.limits.clone(),
    };
    router(state, others)
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
