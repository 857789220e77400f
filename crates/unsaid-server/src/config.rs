//! The configuration: flags over environment over file over compiled-in defaults.
//!
//! - `default.toml`: every key with its comment and default; the one list of what there is
//! - [`known`]: that list as data, for flags, checks and suggestions
//! - [`layers`]: the settings as they were given, each with where it came from
//! - [`resolve`]: from settings to the types below; nothing past here parses text again
//! - [`value`]: those types
//! - [`show`]: the settings in effect, secrets masked
//! - [`mask`]: addresses without their secrets

pub mod known;
pub mod layers;
pub mod mask;
pub mod reader;
pub mod resolve;
pub mod show;
pub mod source;
pub mod value;

mod error;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use unsaid_core::limits::Limits;
use unsaid_store_object::bucket::place::Place;

pub use error::{Error, Origin};
pub use source::{Loaded, Sources, load};
pub use unsaid_model::Provider;
use value::{HttpUrl, Network, PersonaId, Secret, Zone};

/// The compiled-in defaults, commented.
pub const DEFAULT_TOML: &str = include_str!("config/default.toml");

/// What this installation is told to be.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Where everything is kept.
    pub data_dir: PathBuf,
    /// Which database.
    pub database: Database,
    /// A bucket for LINE conversations; none: they are in the database.
    pub history: Option<History>,
    /// The address people use; none: the one of `listen`.
    pub public_url: Option<HttpUrl>,
    /// Whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<Network>,
    /// What is logged, and how.
    pub log: Log,
    /// The local time models are told.
    pub timezone: Zone,
    /// The LINE door.
    pub line: Line,
    /// Taking back a message takes back the answers built on it.
    pub unsend_ripple: bool,
    /// The language model.
    pub model: Model,
    /// From withdrawal of consent to erasure.
    pub consent_grace: Duration,
    /// A notice of the operator's own.
    pub consent_notice: Option<PathBuf>,
    /// How often the erasure job looks.
    pub erase_interval: Duration,
    /// How long an edit can be undone; zero: never.
    pub edit_undo: Duration,
    /// Accounts.
    pub auth: Auth,
    /// What sessions cost.
    pub sessions: Sessions,
    /// Every limit.
    pub limits: Limits,
    /// Who answers, by id.
    pub personas: BTreeMap<PersonaId, Persona>,
}

/// Which database.
#[derive(Debug, Clone)]
pub enum Database {
    /// A file in the data directory.
    Sqlite,
    /// A `PostgreSQL` server; its address may hold a password.
    Postgres(Secret),
}

/// A bucket for LINE conversations.
#[derive(Debug, Clone)]
pub struct History {
    /// Where it is.
    pub place: Place,
    /// Accept one that keeps old versions.
    pub accept_delay: bool,
}

/// What is logged, and how.
#[derive(Debug, Clone)]
pub struct Log {
    /// A filter such as `info,unsaid_http=debug`.
    pub filter: String,
    /// For people or for machines.
    pub format: LogFormat,
}

impl Log {
    /// Where a person reads along, only what went wrong is logged, unless more was asked for.
    pub fn quieten(&mut self) {
        if self.filter == "info" {
            "warn".clone_into(&mut self.filter);
        }
    }
}

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines.
    Json,
}

/// The LINE door.
#[derive(Debug, Clone)]
pub struct Line {
    /// None: the door is closed.
    pub credentials: Option<LineCredentials>,
    /// LINE's messaging API.
    pub api_base: HttpUrl,
    /// LINE's content API.
    pub data_api_base: HttpUrl,
    /// Who answers.
    pub persona: PersonaId,
    /// Keep conversations; otherwise they live in memory.
    pub store_history: bool,
    /// What happens in groups.
    pub groups: LineGroups,
    /// Messages within it are answered together.
    pub debounce: Duration,
    /// The whole turn.
    pub turn_timeout: Duration,
    /// Older messages are not answered.
    pub answer_within: Duration,
    /// Push when the reply token cannot be used any more.
    pub push: bool,
    /// When the loading animation begins.
    pub loading_delay: Duration,
    /// How long LINE shows it.
    pub loading_seconds: u8,
}

/// What opens the LINE door.
#[derive(Debug, Clone)]
pub struct LineCredentials {
    /// Signs what LINE sends.
    pub channel_secret: Secret,
    /// Lets us send.
    pub channel_access_token: Secret,
}

/// When the bot speaks in groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineGroups {
    /// When the persona wants to.
    Decide,
    /// When it is mentioned.
    Mention,
    /// Never.
    Off,
}

/// The language model.
#[derive(Debug, Clone)]
pub struct Model {
    /// Which provider; none: go by what is configured.
    pub provider: Option<Provider>,
    /// Which model; none: the provider's usual one.
    pub name: Option<String>,
    /// Where; none: the provider's own address.
    pub base_url: Option<HttpUrl>,
    /// The key, and whose it is.
    pub api_key: Option<ApiKey>,
    /// One call.
    pub call_timeout: Duration,
    /// The longest silence within a call.
    pub idle_timeout: Duration,
    /// Budget of the history in a prompt.
    pub context_tokens: usize,
    /// Most tool rounds in a turn.
    pub tool_steps: usize,
    /// Send length bounds in tool schemas.
    pub schema_bounds: bool,
}

/// A provider's key.
#[derive(Debug, Clone)]
pub struct ApiKey {
    /// Whose key it is.
    pub provider: Provider,
    /// The key.
    pub secret: Secret,
}

/// Accounts.
#[derive(Debug, Clone)]
pub struct Auth {
    /// How long a token is valid.
    pub token_ttl: Duration,
    /// With less left it is renewed.
    pub refresh_below: Duration,
    /// No renewal beyond this.
    pub session_cap: Duration,
    /// Whether strangers may sign up.
    pub registration_open: bool,
}

/// What sessions cost.
#[derive(Debug, Clone)]
pub struct Sessions {
    /// Free sessions of a new account; zero: unlimited and untimed.
    pub free: u32,
    /// Minutes of a free session.
    pub free_minutes: u32,
    /// Minutes of a paid session.
    pub paid_minutes: u32,
}

/// Somebody who answers.
#[derive(Debug, Clone)]
pub struct Persona {
    /// What people see.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// What it is told.
    pub prompt: String,
    /// Another model than the usual one.
    pub model: Option<String>,
}

#[cfg(test)]
mod tests;
