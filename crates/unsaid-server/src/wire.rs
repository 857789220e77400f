//! Builds the house from the configuration: one straight list.

use std::sync::Arc;

use axum::Router;
use metrics_exporter_prometheus::PrometheusHandle;
use unsaid_core::port::Store;
use unsaid_http::state::ModelSeat;
use unsaid_http::{AppState, router};

use crate::config::{Config, Database, Model, Provider};
use crate::refusal::Refusal;
use crate::system::SystemChance;

/// The door, with everything behind it.
pub fn door(config: &Config, database: Arc<dyn Store>, metrics: PrometheusHandle) -> Router {
    router(AppState {
        database,
        chance: Arc::new(SystemChance),
        metrics,
        model: model_seat(&config.model),
        limits: config.limits.clone(),
    })
}

/// Settings that are right but that this version cannot honour: ignoring them would be worse.
///
/// # Errors
/// The first of them.
pub fn refuse_what_is_missing(config: &Config) -> Result<(), Refusal> {
    let missing = match config {
        Config { database: Database::Postgres(_), .. } => "`database`: PostgreSQL",
        Config { history: Some(_), .. } => "`history`: keeping conversations in a bucket",
        Config { line, .. } if line.credentials.is_some() => "`line.channel_secret`: the LINE door",
        _ => return Ok(()),
    };
    Err(Refusal::new(format!("{missing} is not part of this version yet; leave it unset")))
}

/// Who answers, decided once from what is configured.
fn model_seat(model: &Model) -> ModelSeat {
    let by_what_is_set = || match (&model.base_url, &model.api_key) {
        (Some(_), _) => Provider::OpenAi,
        (None, Some(key)) => key.provider,
        (None, None) => Provider::Demo,
    };
    let provider = model.provider.unwrap_or_else(by_what_is_set);
    let own_host = || provider.host().map(str::to_owned);
    let host = match (provider, &model.base_url) {
        (Provider::OpenAi | Provider::Gemini | Provider::Anthropic, Some(url)) => Some(url.host()),
        (Provider::OpenAi | Provider::Gemini | Provider::Anthropic, None) => own_host(),
        (Provider::Demo, _) => None,
    };
    ModelSeat { provider: provider.name().to_owned(), host }
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
    fn the_model_is_decided_by_what_is_set() {
        let seat = |flags: &[(&str, &str)]| {
            let seat = model_seat(&config(flags).model);
            format!("{} {}", seat.provider, seat.host.unwrap_or_default())
        };
        assert_eq!(seat(&[]), "demo ");
        assert_eq!(
            seat(&[("model.base_url", "http://localhost:11434/v1")]),
            "openai localhost:11434"
        );
        assert_eq!(seat(&[("model.provider", "anthropic")]), "anthropic api.anthropic.com");
    }

    #[test]
    fn what_this_version_lacks_is_refused_and_not_ignored() {
        let cases: [&[(&str, &str)]; 3] = [
            &[("database", "postgres://me:s3cret@db/unsaid")],
            &[("history", "gs://bucket")],
            &[("line.channel_secret", "s3cret"), ("line.channel_access_token", "s3cret")],
        ];
        let sentences =
            cases.map(|flags| refuse_what_is_missing(&config(flags)).unwrap_err().to_string());
        insta::assert_snapshot!(sentences.join("\n"), @"
        `database`: PostgreSQL is not part of this version yet; leave it unset
        `history`: keeping conversations in a bucket is not part of this version yet; leave it unset
        `line.channel_secret`: the LINE door is not part of this version yet; leave it unset
        ");
        assert!(refuse_what_is_missing(&config(&[])).is_ok());
    }
}
