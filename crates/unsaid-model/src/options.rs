//! Which model, where, and how patiently.

use std::fmt;
use std::time::Duration;

/// What a model is connected with.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// Who runs it.
    pub provider: Provider,
    /// Which one; none: the provider's usual one, or the first that another server lists.
    pub name: Option<String>,
    /// Where; none: the provider's own address. It may hold a password.
    pub base_url: Option<Secret>,
    /// The key; none: no key is sent.
    pub api_key: Option<Secret>,
    /// One call, as a whole.
    pub call_timeout: Duration,
    /// The longest silence within a call.
    pub idle_timeout: Duration,
    /// How long a call that was turned away is asked again; zero: never.
    pub retry_within: Duration,
    /// Send length bounds in tool schemas; some servers crash on them.
    pub schema_bounds: bool,
}

impl ModelOptions {
    /// The usual settings of a provider, without a key.
    #[must_use]
    pub fn of(provider: Provider) -> Self {
        Self {
            provider,
            name: None,
            base_url: None,
            api_key: None,
            call_timeout: Duration::from_mins(2),
            idle_timeout: Duration::from_secs(30),
            retry_within: Duration::from_secs(20),
            schema_bounds: true,
        }
    }
}

/// Who runs the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// `OpenAI`, or anything that speaks like it.
    OpenAi,
    /// Google.
    Gemini,
    /// Anthropic.
    Anthropic,
    /// No language model at all.
    Demo,
}

impl Provider {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
            Self::Anthropic => "anthropic",
            Self::Demo => "demo",
        }
    }

    /// Its own address; none: in this process.
    #[must_use]
    pub fn own_base(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta"),
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Demo => None,
        }
    }

    /// The model it is asked for unless another is named: small, quick, sees pictures, uses tools.
    #[must_use]
    pub fn usual_model(self) -> &'static str {
        match self {
            Self::OpenAi => "gpt-5-mini",
            // Its numbered ones are shut down within a year or so; this name stays.
            Self::Gemini => "gemini-flash-latest",
            Self::Anthropic => "claude-haiku-4-5",
            Self::Demo => "demo",
        }
    }
}

/// A text that never prints itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes it in.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for whoever needs it to send it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_do_not_print_keys_and_passwords() {
        let options = ModelOptions {
            api_key: Some(Secret::new("sk-canary")),
            base_url: Some(Secret::new("http://me:canary@127.0.0.1/v1")),
            ..ModelOptions::of(Provider::OpenAi)
        };
        assert!(!format!("{options:?}").contains("canary"));
    }
}
