//! Is the model there, is the key right, is the name known: one sentence for people.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use unsaid_core::domain::time::Timestamp;
use unsaid_core::port::clock::Clock;
use unsaid_core::port::model::ModelError;

use crate::connect::ConnectError;
use crate::options::{ModelOptions, Provider};
use crate::remote::{Door, Pace, Place};
use crate::{gemini, openai};

const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
const NAMES_SHOWN_MAX: usize = 5;
/// Where Ollama listens unless told otherwise.
pub const OLLAMA_BASE: &str = "http://127.0.0.1:11434/v1";
const OLLAMA_TIMEOUT: Duration = Duration::from_millis(300);

/// What was found. It prints as one sentence, without a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// The provider's name.
    pub provider: &'static str,
    /// Its host; none: in this process.
    pub host: Option<String>,
    /// What about it.
    pub finding: Finding,
}

/// What about a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// It answers, and knows this model.
    Ready {
        /// The one that will be asked.
        model: String,
    },
    /// Nothing is sent anywhere.
    Demo,
    /// The options are not usable.
    Unusable(ConnectError),
    /// It wants a key, or another one.
    KeyRefused {
        /// Whether one was sent.
        had_key: bool,
    },
    /// It answers, and has no model at all.
    NoModel,
    /// It answers, and does not know this model.
    UnknownModel {
        /// What was asked for.
        model: String,
        /// Some that it knows.
        known: Vec<String>,
    },
    /// Anything else.
    Failed(ModelError),
}

impl Probed {
    /// Whether a conversation can begin.
    #[must_use]
    pub fn is_good(&self) -> bool {
        match self.finding {
            Finding::Ready { .. } | Finding::Demo => true,
            Finding::Unusable(_)
            | Finding::KeyRefused { .. }
            | Finding::NoModel
            | Finding::UnknownModel { .. }
            | Finding::Failed(_) => false,
        }
    }
}

impl fmt::Display for Probed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { provider, host, finding } = self;
        let at = host.as_deref().map(|host| format!("{provider} at {host}"));
        let at = at.as_deref().unwrap_or(provider);
        match finding {
            Finding::Ready { model } => write!(f, "{at} answers and knows the model {model}"),
            Finding::Demo => f.write_str("demo answers without a language model"),
            Finding::Unusable(error) => write!(f, "{error}"),
            Finding::KeyRefused { had_key: true } => {
                write!(f, "{at} does not accept the key: check `model.api_key`")
            }
            Finding::KeyRefused { had_key: false } => {
                write!(f, "{at} wants a key: set `model.api_key`")
            }
            Finding::NoModel => write!(f, "{at} answers and has no model: load one into it"),
            Finding::UnknownModel { model, known } if known.is_empty() => {
                write!(f, "{at} does not know the model {model}: set `model.name`")
            }
            Finding::UnknownModel { model, known } => {
                let known = known.join(", ");
                write!(f, "{at} does not know the model {model}: set `model.name`; it has {known}")
            }
            Finding::Failed(ModelError::Unreachable) => {
                write!(f, "{at} cannot be reached: is it running, and is `model.base_url` right?")
            }
            Finding::Failed(error) => write!(f, "{at}: {error}"),
        }
    }
}

/// Asks for the model's name, with the cheapest question each provider has. No words are sent.
pub async fn probe(options: &ModelOptions, clock: Arc<dyn Clock>) -> Probed {
    let provider = options.provider.name();
    if options.provider == Provider::Demo {
        return Probed { provider, host: None, finding: Finding::Demo };
    }
    match Door::new(options, clock) {
        Ok(door) => {
            let finding = look(options, &door).await;
            Probed { provider, host: Some(door.host_and_port()), finding }
        }
        Err(error) => Probed { provider, host: None, finding: Finding::Unusable(error) },
    }
}

/// Whether an Ollama listens at this base. Quick: it is asked at every start.
pub async fn ollama_answers(base: &str) -> bool {
    let base_url = Some(crate::Secret::new(base));
    let options = ModelOptions { base_url, ..ModelOptions::of(Provider::OpenAi) };
    let Ok(door) = Door::new(&options, Arc::new(NoClock)) else { return false };
    let pace = Pace::begin(OLLAMA_TIMEOUT, OLLAMA_TIMEOUT);
    let models = door.get(&Place::path(&["models"]), &pace).await;
    models.is_ok_and(|models| openai::first_chat_model(&models).is_some())
}

/// Nothing that is asked here depends on the time.
struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> Timestamp {
        Timestamp::ZERO
    }
}

async fn look(options: &ModelOptions, door: &Door) -> Finding {
    let pace = Pace::begin(PROBE_TIMEOUT, PROBE_TIMEOUT);
    let usual = options.provider.usual_model();
    let name = options.name.as_deref().unwrap_or(usual).to_owned();
    let answer = match options.provider {
        Provider::OpenAi | Provider::Demo => door.get(&Place::path(&["models"]), &pace).await,
        Provider::Gemini => {
            door.get(&Place::path(&["models", gemini::short_name(&name)]), &pace).await
        }
        Provider::Anthropic => door.get(&Place::path(&["models", &name]), &pace).await,
    };
    match answer {
        Ok(models) if options.provider == Provider::OpenAi => among(options, name, &models),
        Ok(_) => Finding::Ready { model: name },
        Err(error) => refused(options, name, error),
    }
}

/// The model in a list of them.
fn among(options: &ModelOptions, name: String, models: &Value) -> Finding {
    let Some(mut known) = openai::model_names(models) else {
        return Finding::Failed(ModelError::Garbled);
    };
    if options.name.is_none() && options.base_url.is_some() {
        return match openai::first_chat_model(models) {
            Some(model) => Finding::Ready { model },
            None => Finding::NoModel,
        };
    }
    // Ollama lists `llama3.2:latest` and knows it as `llama3.2` too.
    let latest = format!("{name}:latest");
    if known.iter().any(|model| *model == name || *model == latest) {
        return Finding::Ready { model: name };
    }
    if known.len() > NAMES_SHOWN_MAX {
        known.truncate(NAMES_SHOWN_MAX);
        known.push("…".to_owned());
    }
    Finding::UnknownModel { model: name, known }
}

fn refused(options: &ModelOptions, model: String, error: ModelError) -> Finding {
    let had_key = options.api_key.is_some();
    match (options.provider, &error) {
        (_, ModelError::Rejected { status: 401 | 403 })
        // Google answers a wrong key with a 400.
        | (Provider::Gemini, ModelError::Rejected { status: 400 }) => {
            Finding::KeyRefused { had_key }
        }
        (Provider::Gemini | Provider::Anthropic, ModelError::Rejected { status: 404 }) => {
            Finding::UnknownModel { model, known: Vec::new() }
        }
        _ => Finding::Failed(error),
    }
}
