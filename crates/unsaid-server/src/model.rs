//! Which model answers: decided once, by what is configured.

use std::sync::Arc;

use unsaid_core::port::model::Model;
use unsaid_http::state::ModelSeat;
use unsaid_model::probe::{OLLAMA_BASE, Probed};
use unsaid_model::{ModelOptions, Provider, Secret, connect, ollama_answers, probe};

use crate::config::value::HttpUrl;
use crate::config::{self, Config};
use crate::refusal::Refusal;
use crate::system::{SystemChance, SystemClock};

/// The model that was chosen.
#[derive(Debug, Clone)]
pub struct Chosen {
    options: ModelOptions,
}

impl Chosen {
    /// Chooses: what is named, else an address, else a key, else an Ollama on this machine, else
    /// `demo`. It never changes while the server runs.
    pub async fn by(model: &config::Model) -> Self {
        let by_key = model.api_key.as_ref().map(|key| key.provider);
        let (provider, base) = match (model.provider, &model.base_url, by_key) {
            (Some(provider), base, _) => (provider, base.as_ref().map(HttpUrl::expose)),
            (None, Some(base), _) => (Provider::OpenAi, Some(base.expose())),
            (None, None, Some(provider)) => (provider, None),
            (None, None, None) if ollama_answers(OLLAMA_BASE).await => {
                (Provider::OpenAi, Some(OLLAMA_BASE.to_owned()))
            }
            (None, None, None) => (Provider::Demo, None),
        };
        let key = model.api_key.as_ref().map(|key| Secret::new(key.secret.expose()));
        Self {
            options: ModelOptions {
                name: model.name.clone(),
                base_url: base.map(Secret::new),
                api_key: key,
                call_timeout: model.call_timeout,
                idle_timeout: model.idle_timeout,
                schema_bounds: model.schema_bounds,
                ..ModelOptions::of(provider)
            },
        }
    }

    /// Who it is and where, as people are told.
    #[must_use]
    pub fn seat(&self) -> ModelSeat {
        let provider = self.options.provider;
        let named = self.options.base_url.as_ref().map(|base| base.expose().to_owned());
        let base = match provider {
            Provider::Demo => None,
            Provider::OpenAi | Provider::Gemini | Provider::Anthropic => {
                named.or(provider.own_base().map(str::to_owned))
            }
        };
        let host = base.and_then(|base| HttpUrl::parse(&base)).map(|url| url.host());
        ModelSeat { provider: provider.name().to_owned(), host }
    }

    /// Whether it is the one that is no language model.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.options.provider == Provider::Demo
    }

    /// In few words, for a terminal.
    #[must_use]
    pub fn described(&self) -> String {
        let ModelSeat { provider, host } = self.seat();
        match host {
            Some(host) => format!("{provider} at {host} reads what you say"),
            None => "demo, which is not a language model; nothing leaves this machine".to_owned(),
        }
    }

    /// Connects to it; a persona may want another of the same provider. Nothing is sent yet.
    ///
    /// # Errors
    /// If it cannot be used as it is configured.
    pub fn connect(&self, name: Option<&str>) -> Result<Arc<dyn Model>, Refusal> {
        let own = self.options.name.clone();
        let options =
            ModelOptions { name: name.map(str::to_owned).or(own), ..self.options.clone() };
        let connected = connect(&options, Arc::new(SystemClock), Arc::new(SystemChance));
        connected.map_err(|error| Refusal::new(error.to_string()))
    }

    /// Looks whether it is there. No words are sent.
    pub async fn look(&self) -> Probed {
        probe(&self.options, Arc::new(SystemClock)).await
    }
}

/// The model and all models of personas can be connected to.
///
/// # Errors
/// The first that cannot.
pub async fn chosen(config: &Config) -> Result<Chosen, Refusal> {
    let chosen = Chosen::by(&config.model).await;
    chosen.connect(None)?;
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Sources, load};

    #[tokio::test]
    async fn the_model_is_decided_by_what_is_set() {
        let cases: [(&[(&str, &str)], &str); 4] = [
            (&[("model.provider", "demo")], "demo "),
            (&[("model.base_url", "http://localhost:9/v1")], "openai localhost:9"),
            (&[("model.provider", "anthropic")], "anthropic api.anthropic.com"),
            (
                &[("model.provider", "gemini"), ("model.base_url", "http://127.0.0.1:9/v1beta")],
                "gemini 127.0.0.1:9",
            ),
        ];
        for (flags, expected) in cases {
            let flags = flags.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            let sources = Sources { flags: flags.collect(), ..Sources::default() };
            let config = load(&sources).unwrap().config;
            let seat = Chosen::by(&config.model).await.seat();
            let shown = format!("{} {}", seat.provider, seat.host.unwrap_or_default());
            assert_eq!(shown, expected);
        }
    }
}
