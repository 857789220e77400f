//! Where LINE is, who we are, and how patient we are.

use std::{fmt, time::Duration};

/// LINE's own address of its API.
pub const API_BASE: &str = "https://api.line.me";
/// LINE's own address of what people send.
pub const DATA_API_BASE: &str = "https://api-data.line.me";

/// What a client needs to know.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// `line.api_base`.
    pub api_base: String,
    /// `line.data_api_base`.
    pub data_api_base: String,
    /// `line.channel_access_token`.
    pub token: AccessToken,
    /// `limits.media_bytes`.
    pub content_bytes_max: usize,
    /// How long calls may take.
    pub times: ClientTimes,
}

impl ClientOptions {
    /// LINE's own addresses, and the usual limits.
    #[must_use]
    pub fn new(token: AccessToken) -> Self {
        Self {
            api_base: API_BASE.to_owned(),
            data_api_base: DATA_API_BASE.to_owned(),
            token,
            content_bytes_max: unsaid_core::limits::Limits::default().media_bytes,
            times: ClientTimes::default(),
        }
    }
}

/// How long calls may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientTimes {
    /// Until a connection stands. Shorter than every call, so that nobody reached is told from an
    /// answer that was lost.
    pub connect: Duration,
    /// One call.
    pub call: Duration,
    /// One download.
    pub content: Duration,
}

impl Default for ClientTimes {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(3),
            call: Duration::from_secs(7),
            content: Duration::from_secs(20),
        }
    }
}

/// Lets whoever has it speak for the bot. It never prints itself.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

impl AccessToken {
    /// Takes a token as it was configured.
    #[must_use]
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// The token itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken")
    }
}
